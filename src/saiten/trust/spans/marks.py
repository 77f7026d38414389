"""Who marked what: by person or judge, the spans of each item and aspect, out of labels and out of a run's scores."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.naming import read_name, write_name
from saiten.records import Label, Sample, Scored, Span

COMBINATIONS = ("extra_gist", "extra_supplement", "missing_gist", "missing_supplement")
"""What the gist metric finds in an answer; an answer has four of them."""
CLASSES = ("gist", "supplement")
"""The units of the reference, before any answer is looked at."""

Marks = Mapping[tuple[str, str], tuple[Span, ...]]
"""(item, aspect) → what was marked; empty where nothing was, not there where nobody looked."""


@dataclass(frozen=True, slots=True)
class PeopleMarks:
    """What people marked."""

    by: Mapping[str, Marks]
    """Annotator → marks; third decisions apart."""
    settled: Marks
    """Third decisions, which stand for all annotators of that item and aspect."""
    others: int = 0
    """Labels that mark nothing and are about something else: grades and verdicts."""


def people_of(labels: Iterable[Label], aspects: Iterable[str] = ()) -> PeopleMarks:
    """The spans in labels; several labels of one annotator, item and aspect are put together.

    Args:
        labels: of any kind; those that are no matter of marking are counted and left out.
        aspects: only these; () for all.

    Raises:
        BadInput: there is no label with spans, or none of an aspect asked for.
    """
    wanted = tuple(aspects)
    every = list(labels)
    there = [label for label in every if label.spans is not None]
    if not there:
        raise BadInput(
            f"none of the {len(every)} labels holds spans; expected is a column `spans` with a list of "
            f"{{text, start, end}} for each item, annotator and aspect ([] where nothing was marked)"
        )
    held = dict.fromkeys(label.aspect for label in there)
    for aspect in wanted:
        if aspect not in held:
            names = ", ".join(map(repr, held))
            raise BadInput(f"there are no spans of the aspect {aspect!r}; the labels have {names}")
    by: dict[str, dict[tuple[str, str], tuple[Span, ...]]] = {}
    settled: dict[tuple[str, str], tuple[Span, ...]] = {}
    for label in there:
        if wanted and label.aspect not in wanted:
            continue
        marks = settled if label.adjudicated else by.setdefault(label.annotator, {})
        place = (label.item, label.aspect)
        marks[place] = marks.get(place, ()) + (label.spans or ())
    return PeopleMarks(dict(sorted(by.items())), settled, len(every) - len(there))


def judges_of(scores: Iterable[Scored], name: str) -> dict[str, Marks]:
    """The units that a run's gist metric found: the run's name, and the metric's settings where there are several.

    What the judge could not read, or was not asked about, is not there; that is no "nothing found".

    Raises:
        BadInput: there is no gist score, or none with units; the text says what the run has.
    """
    found: dict[str, dict[tuple[str, str], tuple[Span, ...]]] = {}
    seen: set[str] = set()
    gist = 0
    for one in scores:
        seen.add(one.metric)
        settings = _settings(one.metric)
        if settings is None:
            continue
        gist += 1
        marks = found.setdefault(settings, {})
        for part in (one.score.details.get("spans"), one.score.details.get("reference")):
            for aspect, units in part.items() if isinstance(part, Mapping) else ():
                if aspect in (*COMBINATIONS, *CLASSES) and isinstance(units, list | tuple):
                    marks[one.sample, aspect] = tuple(map(_span, units))
    found = {settings: marks for settings, marks in found.items() if marks}
    if not found:
        what = "its gist scores hold no units" if gist else "there are no gist scores"
        raise BadInput(f"{name}: {what}; score with `-m gist` first. Its metrics: {', '.join(sorted(seen)) or 'none'}")
    if len(found) == 1:
        return {name: next(iter(found.values()))}
    return {f"{name}, {settings or 'as it is'}": marks for settings, marks in sorted(found.items())}


def misplaced(marks: Marks, samples: Mapping[str, Sample]) -> tuple[int, str]:
    """How many spans do not hold what stands at their offsets, and where the first is.

    Units of the reference and missing units lie in the reference, extra units in the answer; of other aspects it is not
    known where they lie. The usual reasons are offsets in bytes or UTF-16, and line ends that were changed.
    """
    wrong = [
        f"{item}, {aspect}"
        for (item, aspect), spans in marks.items()
        if (text := _text_of(aspect, samples.get(item))) is not None
        for span in spans
        if span.start is not None and span.end is not None and not _holds(text, span)
    ]
    return len(wrong), min(wrong, default="")


def _text_of(aspect: str, sample: Sample | None) -> str | None:
    if sample is None or aspect not in (*COMBINATIONS, *CLASSES):
        return None
    return sample.answer if aspect.startswith("extra") else sample.reference


def _holds(text: str, span: Span) -> bool:
    return (span.end or 0) <= len(text) and (not span.text or text[span.start : span.end] == span.text)


def _settings(metric: str) -> str | None:
    """The settings of a gist metric apart from which of its four figures it is; None for another metric."""
    try:
        title, items = read_name(metric)
    except ConfigurationError:
        return None
    if title != "gist":
        return None
    kept = {
        item.key or item.value: item.value if item.key else True for item in items if item.value not in COMBINATIONS
    }
    return write_name("gist", kept) if kept else ""


def _span(unit: Any) -> Span:
    """A unit as it stands in a score's details; what is damaged there is a unit that could not be placed."""
    value: Callable[[str], Any] = unit.get if isinstance(unit, Mapping) else lambda _: None
    start, end = value("start"), value("end")
    placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end
    return Span(str(value("text") or ""), start, end) if placed else Span(str(value("text") or ""))
