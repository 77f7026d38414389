"""The demo's samples: read from the package, with the facts that are known about each answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from saiten.records import Language, Sample

LANGUAGES: tuple[Language, ...] = ("ja", "en")


@dataclass(frozen=True, slots=True)
class DemoSample:
    """A sample and the facts about its answer, which was written to have them."""

    sample: Sample
    defect: str
    """The name of one of `DEFECTS`."""
    correct: bool
    """It answers the question, and nothing of that is wrong by the reference; it may leave something out."""
    faithful: bool
    """Every claim stands in the contexts; also true of an answer that claims nothing."""
    complete: bool
    """Everything that the reference says is said."""


def load_demo(language: Language | None = None) -> list[DemoSample]:
    """Return the 96 samples of a language, or all 192, Japanese first; always in the same order."""
    return [sample for each in LANGUAGES if language in {None, each} for sample in _read(each)]


def _read(language: Language) -> Iterator[DemoSample]:
    text = (files(__package__) / f"samples.{language}.jsonl").read_text(encoding="utf-8")
    for line in text.split("\n"):  # not splitlines, which also breaks at characters that may stand in a JSON string
        if line:
            row: dict[str, Any] = json.loads(line)
            facts = {name: row.pop(name) for name in ("defect", "correct", "faithful", "complete")}
            lists = {name: tuple(row.pop(name)) for name in ("contexts", "alternatives", "evidence")}
            yield DemoSample(Sample(**(row | lists)), **facts)
