"""DeepEval: test cases, goldens and their data sets."""

from collections.abc import Iterable
from typing import Any

from saiten.data.objects.types import Kind, Readers, declared_fields, found_for
from saiten.errors import BadInput

GOLDEN: Kind = ("deepeval", "Golden")
DATASET: Kind = ("deepeval", "EvaluationDataset")


def _case(value: Any) -> dict[str, Any]:
    fields = declared_fields(value) or {}
    metadata = fields.get("metadata") or fields.get("additional_metadata") or {}
    if fields.get("id") is None and metadata.get("id") is not None:
        fields["id"] = metadata["id"]
    return fields


def _conversation(value: Any) -> dict[str, Any]:
    """Read the turns of a conversation; its context is the ideal one, as for a single turn."""
    fields = _case(value)
    return {**fields, "context": None, "evidence": fields.get("context")}


def _no_conversation(value: Any) -> dict[str, Any]:
    raise ValueError(
        "a DeepEval ConversationalGolden is a conversation that has not been held; pass ConversationalTestCases"
    )


def _cases(value: Any) -> Iterable[Any]:
    """Return the test cases; if there are none, the goldens, which are questions to ask a system."""
    return value.test_cases or value.goldens  # type: ignore[no-any-return]


def refuse_goldens(source: Any) -> None:
    """Raise BadInput for goldens alone, which have nothing to grade."""
    rows = _cases(source) if found_for(source, {DATASET: True}) else source
    if not isinstance(rows, list | tuple) or not rows or not all(found_for(row, {GOLDEN: True}) for row in rows):
        return
    if all(row.actual_output is None and row.retrieval_context is None for row in rows):
        raise BadInput(
            f"there are {len(rows)} DeepEval goldens without an answer, and no test cases; ask your system, with "
            "`saiten answer FILE.py:NAME --system SYSTEM -o ANSWERS.jsonl`, or add an LLMTestCase per golden"
        )


VALUES: Readers = {("deepeval", "RetrievedContextData"): lambda value: value.context}
ROWS: Readers = {
    ("deepeval", "LLMTestCase"): _case,
    GOLDEN: _case,
    ("deepeval", "ConversationalTestCase"): _conversation,
    ("deepeval", "ConversationalGolden"): _no_conversation,
}
COLLECTIONS: Readers = {DATASET: _cases}
_IMAGES = {"multimodal": "images of multimodal test cases are not read"}
UNREAD = {("deepeval", "LLMTestCase"): _IMAGES, GOLDEN: _IMAGES}
