"""The input of `saiten tune mate`: its aspects, its questions, its notes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.rows import RawRow
from saiten.data.values import as_text
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.rubrics import Rubric
from saiten.records import Sample
from saiten.tuning.mate import LearnedWeights
from saiten.words import Message

_QUESTION = {"item": LABEL_COLUMNS["item"], "question": ("question", "質問")}


def explaining(named: tuple[str, ...], rubric: Rubric | None, target: str) -> tuple[str, ...]:
    """Return the named aspects, or all of the rubric but the target; () for all aspects of the labels."""
    chosen = tuple(dict.fromkeys(named))
    if target in chosen:
        raise ConfigurationError(
            f"{target!r} is the aspect to be explained and cannot explain itself; remove it from --aspect"
        )
    return chosen or tuple(name for name in (rubric.names if rubric else ()) if name != target)


def questions_of(samples: Sequence[Sample] | None, labels: Path, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the question of each item, from the samples or from a column of the labels.

    Raises:
        BadInput: neither has it, so that answers cannot be held out by question.
    """
    if samples is not None:
        return {sample.id: sample.conversation or sample.question for sample in samples}
    fields = Columns(_QUESTION, {"item": columns["item"]} if "item" in columns else {})
    found: dict[str, str] = {}
    for row in read_rows(labels, None, wanted=fields.wanted, notify=lambda _: None):
        if isinstance(row, RawRow):
            name, question = (fields.find(row.fields, field) for field in ("item", "question"))
            if MISSING not in (name, question) and name is not None and question is not None:
                found[as_text(name) or ""] = as_text(question) or ""
    if not found:
        raise BadInput(
            "the questions of the answers are unknown, but answers are held out by question: name a file with "
            f"--samples, or a run, or add a column `question` to {labels}"
        )
    return found


def notes_of(learned: LearnedWeights) -> list[str | Message]:
    """Return the notes under the table of weights."""
    held = learned.held_out
    why = [f"Pearson on the held-out questions: {text}" for text in (held.reason, held.note) if text]
    return [*learned.notes, *why]
