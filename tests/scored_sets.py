"""Test sets, knowledge bases and scored runs on them, on disk and without a judge."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from saiten.records import Sample, Score, Scored
from saiten.runs import Journal, RunSettings
from saiten.testsets.items import SetItem, SetPassage, item_to_json

SIGNATURES = {"token_f1": "token_f1|tokenizer:words", "length": "length|unit:characters"}


def items(n: int, *, kinds: Sequence[str] = ("single",)) -> list[SetItem]:
    """Items q0, q1, …, whose kinds take turns, each with a passage of a document of its own."""
    return [
        SetItem(
            f"q{number}",
            f"How old is bridge {number}?",
            f"It is {number} years old.",
            kinds[number % len(kinds)],
            passages=(SetPassage(f"Bridge {number} is {number} years old.", f"{number}.md", 0, 30),),
        )
        for number in range(n)
    ]


def write_set(folder: Path, of: Sequence[SetItem]) -> Path:
    """Write the folder of a test set."""
    folder.mkdir()
    lines = (json.dumps(item_to_json(item), ensure_ascii=False) for item in of)
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


Values = Sequence[float | str | None]
"""By item: a value, a status without a value, or None for no answer."""


def write_run(folder: Path, of: Sequence[SetItem], systems: Mapping[str, Values], metric: str = "token_f1") -> Path:
    """Write a run of these systems; one without a name has no system."""
    with Journal.open(folder, RunSettings(), signatures=SIGNATURES) as journal:
        for system, values in systems.items():
            for item, value in zip(of, values, strict=False):
                if value is None:
                    continue
                identity = f"{item.id}@{system}" if len(systems) > 1 else item.id
                sample = Sample(identity, item.question, "An answer.", reference=item.reference, system=system or None)
                journal.sample(sample)
                score = Score(None, value, "as planned") if isinstance(value, str) else Score(value)
                journal.score(Scored(identity, metric, score))
    return folder
