"""Learning weights for `saiten tune mate`: its rubric, its questions, its notes and its file."""

from pathlib import Path

from saiten.cli.output import stderr
from saiten.cli.tune_samples import samples_of
from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.rows import RawRow
from saiten.data.values import as_text
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.rubrics import Rubric, read_rubric
from saiten.metrics.rubrics.weights import weights_text
from saiten.tuning.mate import LearnedWeights
from saiten.tuning.rated import Rated
from saiten.words import Message

_QUESTION = {"item": LABEL_COLUMNS["item"], "question": ("question", "質問")}


def rubric_of(file: str, *, values: bool, target: str | None) -> Rubric | None:
    """Return the rubric of a file, or the built-in one; None where the grades are taken as they are."""
    if values and file:
        raise ConfigurationError("--values takes the grades as they are, so no rubric is needed; leave out one of them")
    return None if values else read_rubric(file)


def aspects_of(named: list[str] | None, rubric: Rubric | None, target: str) -> tuple[str, ...]:
    """Those that were named; else all others of the rubric; () for all that there are."""
    chosen = tuple(dict.fromkeys(named or ()))
    if target in chosen:
        raise ConfigurationError(f"{target!r} is what is to be explained; it cannot explain itself. Leave out --aspect")
    return chosen or tuple(name for name in (rubric.names if rubric else ()) if name != target)


def questions_of(samples: Path | None, labels: Path, item: str | None) -> dict[str, str]:
    """The question of each item: of the samples, or of a column of the labels.

    Raises:
        BadInput: neither knows it; without the questions answers could not be held out by question.
    """
    if samples is not None:
        return {sample.id: sample.question for sample in samples_of(None, samples, (), stderr())}
    fields = Columns(_QUESTION, {"item": item} if item else {})
    found: dict[str, str] = {}
    for row in read_rows(labels, None, wanted=fields.wanted, notify=lambda _: None):
        if isinstance(row, RawRow):
            name, question = (fields.find(row.fields, field) for field in ("item", "question"))
            if MISSING not in (name, question) and name is not None and question is not None:
                found[as_text(name) or ""] = as_text(question) or ""
    if not found:
        raise BadInput(
            f"the questions of the answers are not known, and the weights are held out by question: name the samples "
            f"with --samples, or a run; or give {labels} a column `question`"
        )
    return found


def check_questions(rated: Rated) -> None:
    """Raise BadInput if a question is blank."""
    if not all(question.strip() for question in rated.questions):
        raise BadInput("some answers have a blank question; answers are held out by question, so each needs its own")


def notes_of(learned: LearnedWeights) -> list[str | Message]:
    """Return the notes under the table of weights."""
    held = learned.held_out
    why = [f"Pearson on the held-out questions: {text}" for text in (held.reason, held.note) if text]
    return [*learned.notes, *why]


def write_weights(file: Path, learned: LearnedWeights) -> None:
    """As a whole or not at all; a pipe or a device is written to, never replaced."""
    text = weights_text(learned.weights).encode()
    try:
        with whole_file(file) as stream:
            stream.write(text)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}; name another file with --out") from error
