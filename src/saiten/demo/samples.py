"""The demo's samples and questions, with the defects and known facts of the answers; see the README in this folder."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
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


def demo_questions(language: Language | None = None) -> list[Sample]:
    """Return the 24 questions of a language, or all 48 with references, grouped by text (`ja handbook`, …)."""
    questions: dict[str, Sample] = {}
    for sample in (one.sample for one in load_demo(language)):
        identity, group = sample.id.rpartition("-")[0], f"{sample.language} {sample.group}"
        question = replace(sample, id=identity, answer=None, contexts=None, evidence=None, system=None, group=group)
        questions.setdefault(identity, question)
    return list(questions.values())


def corpus(language: Language | None = None) -> Path:
    """Return the folder with the texts of one language, or of both."""
    folder = Path(str(files(__package__) / "corpus"))
    return folder if language is None else folder / language


def _read(language: Language) -> Iterator[DemoSample]:
    text = (files(__package__) / f"samples.{language}.jsonl").read_text(encoding="utf-8")
    for line in text.split("\n"):  # not splitlines, which also breaks at characters allowed in a JSON string
        if line:
            row: dict[str, Any] = json.loads(line)
            facts = {name: row.pop(name) for name in ("defect", "correct", "faithful", "complete")}
            lists = {name: tuple(row.pop(name)) for name in ("contexts", "alternatives", "evidence")}
            yield DemoSample(Sample(**(row | lists)), **facts)
