"""Test sets for DeepEval: goldens that its `add_goldens_from_json_file` and `add_goldens_from_jsonl_file` read.

A question by itself is a `Golden`, one after others a `ConversationalGolden`, whose turns end with the question; a data
set of DeepEval's has either the one or the other.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saiten.exports.decisions import decision_on
from saiten.runs.lines import from_line
from saiten.testsets.items import SetItem

_READ = 32 << 20
"""Maximum bytes of the first golden."""
_ALWAYS = ("id", "kind", "language")
"""Keys of the metadata that every golden has."""


def golden_of(item: SetItem) -> dict[str, Any]:
    """Return the item as DeepEval saves a golden, without what is not given."""
    golden: dict[str, Any] = {"context": [passage.text for passage in item.passages], "name": item.id}
    if item.history:
        golden |= {"scenario": item.question, "turns": _turns(item), "expected_outcome": item.reference}
        golden["persona"] = {"characteristics": item.made["persona"]} if item.made.get("persona") else None
    else:
        documents = {passage.source for passage in item.passages}
        golden |= {"input": item.question, "expected_output": item.reference}
        golden["source_file"] = documents.pop() if len(documents) == 1 else None
    return {name: value for name, value in golden.items() if value} | {"additional_metadata": _metadata(item)}


def deepeval_lacks(items: Sequence[SetItem]) -> list[str]:
    """Return notes on what the goldens of these items lack, with counts."""
    notes = []
    if checked := sum(bool(item.checks) for item in items):
        notes.append(f"questions whose checks are left out, since DeepEval has no field for them: {checked}")
    spread = sum(len({passage.source for passage in item.passages}) > 1 for item in items if not item.history)
    if spread:
        notes.append(
            f"questions about several documents: {spread}; DeepEval has one source_file per question, so these have "
            "none, and their documents are in additional_metadata, under sources"
        )
    return notes


def is_deepeval_export(path: Path) -> bool:
    """Return whether the first golden, in a list or in a line, is one of an exported test set."""
    with path.open("rb") as file:
        line = file.readline(_READ)
        line = file.readline(_READ) if line.strip() == b"[" else line
    try:
        metadata = from_line(line.strip().removesuffix(b",")).get("additional_metadata")
    except ValueError:
        return False
    return isinstance(metadata, dict) and metadata.keys() >= set(_ALWAYS)


def _turns(item: SetItem) -> list[dict[str, str]]:
    said = [part for turn in item.history for part in ((turn.question, "user"), (turn.answer, "assistant"))]
    return [{"role": who, "content": text} for text, who in (*said, (item.question, "user")) if text]


def _metadata(item: SetItem) -> dict[str, Any]:
    decision = decision_on(item)
    given = {
        "persona": item.made.get("persona"),
        "difficulty": item.made.get("difficulty"),
        "made_by": item.made.get("by"),
        "verdict": decision and decision.verdict,
        "decided_by": decision and list(decision.people),
        "sources": [_source(asdict(passage)) for passage in item.passages if passage.source],
    }
    always = {"id": item.id, "kind": item.kind, "language": item.language}
    return always | {name: value for name, value in given.items() if value}


def _source(passage: dict[str, Any]) -> dict[str, Any]:
    """Return where the passage is, without its text."""
    return {name: passage[name] for name in ("source", "start", "end", "quotes") if passage[name] not in (None, ())}
