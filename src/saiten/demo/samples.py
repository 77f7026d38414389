"""The demo's samples, and the defects and known facts of their answers; see the README in this folder."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from saiten.records import Language, Sample

LANGUAGES: tuple[Language, ...] = ("ja", "en")


@dataclass(frozen=True, slots=True)
class Defect:
    """One way in which an answer was made wrong, or right."""

    name: str
    """Its name in the samples."""
    correct: bool = False
    """Whether the answer is right by the reference; it may be incomplete."""
    faithful: bool = False
    """Whether the contexts support every claim."""
    complete: bool = False
    """Whether it covers the whole reference."""


DEFECTS: tuple[Defect, ...] = (
    Defect("right", correct=True, faithful=True, complete=True),
    Defect("right_paraphrase", correct=True, faithful=True, complete=True),
    Defect("incomplete", correct=True, faithful=True),
    Defect("made_up_addition", correct=True, complete=True),
    Defect("contradicting"),
    Defect("wrong_number"),
    Defect("swapped_number"),
    Defect("off_topic", faithful=True),
    Defect("copied_context", faithful=True),
    Defect("refusing", faithful=True),
)
"""All of them, from right to refusing."""


@dataclass(frozen=True, slots=True)
class DemoSample:
    """A sample and the known facts about its answer, which was written to fit them."""

    sample: Sample
    defect: str
    """The name of one of `DEFECTS`."""
    correct: bool
    """Whether it answers the question without contradicting the reference; it may be incomplete."""
    faithful: bool
    """Whether the contexts support every claim; true for an answer without claims."""
    complete: bool
    """Whether it covers the whole reference."""


def load_demo(language: Language | None = None) -> list[DemoSample]:
    """Return the 96 samples of a language, or all 192, Japanese first; always in the same order."""
    return [sample for each in LANGUAGES if language in {None, each} for sample in _read(each)]


def _read(language: Language) -> Iterator[DemoSample]:
    text = (files(__package__) / f"samples.{language}.jsonl").read_text(encoding="utf-8")
    for line in text.split("\n"):  # not splitlines, which also breaks at characters allowed in a JSON string
        if line:
            row: dict[str, Any] = json.loads(line)
            facts = {name: row.pop(name) for name in ("defect", "correct", "faithful", "complete")}
            lists = {name: tuple(row.pop(name)) for name in ("contexts", "alternatives", "evidence")}
            yield DemoSample(Sample(**(row | lists)), **facts)
