"""Test sets for RAGAS: JSON lines that its `Testset.from_jsonl` and `EvaluationDataset.from_jsonl` read.

A question by itself is a `SingleTurnSample`, one after others a `MultiTurnSample`. `EvaluationDataset` reads either the
one or the other from a file. A multi-turn sample has no field for passages and persona.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saiten.choices import QUESTION_KINDS
from saiten.exports.json_lines import first_line
from saiten.testsets.items import SetItem, SetPassage

ELSEWHERE = "elsewhere"
"""The kind of questions that saiten did not make."""
_OURS = {*QUESTION_KINDS, ELSEWHERE}


def ragas_row(item: SetItem) -> dict[str, Any]:
    """Return the item as RAGAS writes a sample of a test set, without what is not given."""
    row: dict[str, Any] = {
        "user_input": _messages(item) if item.history else item.question,
        "reference": item.reference or None,
        "synthesizer_name": item.kind or ELSEWHERE,
    }
    if not item.history:
        row["reference_contexts"] = [passage.text for passage in item.passages]
        row["reference_context_ids"] = _ids(item.passages)
        row["persona_name"] = item.made.get("persona")
    return {name: value for name, value in row.items() if value}


def ragas_lacks(items: Sequence[SetItem]) -> list[str]:
    """Return notes on what the rows of these items lack, with counts."""
    notes = [f"questions whose id and language are left out, since RAGAS has no fields for them: {len(items)}"]
    if difficult := sum("difficulty" in item.made for item in items):
        notes.append(f"questions whose difficulty is left out, since RAGAS has no field for it: {difficult}")
    if judged := sum(bool(item.checks or item.decisions) for item in items):
        notes.append(f"questions whose checks and decisions are left out, since RAGAS has no fields for them: {judged}")
    if talks := [item for item in items if item.history]:
        passages, personas = sum(len(item.passages) for item in talks), sum("persona" in item.made for item in talks)
        notes.append(
            f"passages and personas that are left out, since RAGAS' conversations have no fields for them: {passages} "
            f"and {personas}"
        )
    return notes


def is_ragas_export(path: Path) -> bool:
    """Return whether the first line is that of an exported test set, rather than one that RAGAS wrote itself."""
    return first_line(path).get("synthesizer_name") in _OURS


def _messages(item: SetItem) -> list[dict[str, str]]:
    said = [part for turn in item.history for part in ((turn.question, "human"), (turn.answer, "ai"))]
    return [{"content": text, "type": who} for text, who in (*said, (item.question, "human")) if text]


def _ids(passages: Sequence[SetPassage]) -> list[str]:
    """Return `DOCUMENT:START-END` for each passage; empty unless all have a document, since the lists are parallel."""
    places = [
        passage.source if passage.start is None else f"{passage.source}:{passage.start}-{passage.end}"
        for passage in passages
    ]
    return places if all(passage.source for passage in passages) else []
