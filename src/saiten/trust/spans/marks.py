"""Marks by annotator or judge: the spans of each item and aspect, from labels and from a run's scores."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from saiten.errors import BadInput
from saiten.metrics.naming import settings_of, write_name
from saiten.records import Label, Sample, Scored, Span

COMBINATIONS = ("extra_gist", "extra_supplement", "missing_gist", "missing_supplement")
"""The four combinations that the gist metric looks for in every answer."""
HALLUCINATION = "hallucination"
"""The aspect of the spans that the metric hallucination_spans marks."""
CLASSES = ("gist", "supplement")
"""The units of the reference, determined before any answer is read."""

Marks = Mapping[tuple[str, str], tuple[Span, ...]]
"""(item, aspect) → marked spans; empty if nothing was marked, missing if nobody looked."""

Empties = tuple[int, int, int, int, int]
"""Answers by how many of their four combinations are empty, 0 to 4."""


@dataclass(frozen=True, slots=True)
class PeopleMarks:
    """Spans marked by people."""

    by: Mapping[str, Marks]
    """Annotator → marks, without adjudicated labels."""
    settled: Marks
    """Adjudicated labels, which represent all annotators of that item and aspect."""
    others: int = 0
    """Number of labels without marks, such as grades and verdicts."""


def people_of(labels: Iterable[Label], aspects: Iterable[str] = ()) -> PeopleMarks:
    """Collect the spans in labels; several labels of one annotator, item and aspect are merged.

    Args:
        labels: labels of any kind; those without marks are counted and left out.
        aspects: the aspects to include; () for all.

    Raises:
        BadInput: there is no label with spans, or none of a requested aspect.
    """
    wanted = tuple(aspects)
    every = list(labels)
    there = [label for label in every if label.spans is not None]
    if not there:
        raise BadInput(
            f"none of the {len(every)} labels has spans; expected a column `spans` with a list of "
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
    """Collect the units found by a run's gist metric, by the run's name and, if there are several, the settings.

    Units that the judge did not report in readable form, or was not asked about, are missing rather than empty.

    Raises:
        BadInput: there is no gist score, or none with units; the message lists the run's metrics.
    """
    found: dict[str, dict[tuple[str, str], tuple[Span, ...]]] = {}
    seen: set[str] = set()
    statuses: Counter[str] = Counter()
    for one in scores:
        seen.add(one.metric)
        settings = _settings(one.metric)
        if settings is None:
            continue
        statuses[one.score.status] += 1
        marks = found.setdefault(settings, {})
        for part in (one.score.details.get("spans"), one.score.details.get("reference")):
            for aspect, units in part.items() if isinstance(part, Mapping) else ():
                if aspect in (*COMBINATIONS, *CLASSES) and isinstance(units, list | tuple):
                    marks[one.sample, aspect] = tuple(map(_span, units))
    found = {settings: marks for settings, marks in found.items() if marks}
    if not found and statuses:
        counts = ", ".join(f"{status} {n}" for status, n in statuses.most_common())
        raise BadInput(
            f"{name}: its gist scores have no units ({counts}); `saiten score … --retry-failed` asks again for those "
            "that failed or were unreadable"
        )
    if not found:
        raise BadInput(
            f"{name}: there are no gist scores; score with `-m gist` or `-m hallucination_spans` first. Its metrics: "
            f"{', '.join(sorted(seen)) or 'none'}"
        )
    if len(found) == 1:
        return {name: next(iter(found.values()))}
    return {f"{name}, {settings or 'as it is'}": marks for settings, marks in sorted(found.items())}


def marks_of_run(scores: Iterable[Scored], name: str) -> dict[str, Marks]:
    """Collect what a run marked: the units of its gist metric, and the spans of hallucination_spans.

    One metric of each kind is one judge, by the run's name; further ones are named by their settings.

    Raises:
        BadInput: there is neither; the message lists the run's metrics.
    """
    every = list(scores)
    spans = hallucinations_of(every)
    if not spans:
        return judges_of(every, name)
    by_gist = any(_settings(one.metric) is not None for one in every)
    gist = judges_of(every, name) if by_gist else {}
    if len(spans) == 1 and len(gist) <= 1:
        return {name: {**next(iter(gist.values()), {}), **next(iter(spans.values()))}}
    return {**gist, **{f"{name}, {metric}": marks for metric, marks in sorted(spans.items())}}


def hallucinations_of(scores: Iterable[Scored]) -> dict[str, Marks]:
    """Collect the spans of hallucination_spans by the metric's name; answers that were not read are missing."""
    found: dict[str, dict[tuple[str, str], tuple[Span, ...]]] = {}
    for one in scores:
        spans = one.score.details.get("spans")
        if settings_of(one.metric, "hallucination_spans") is not None and isinstance(spans, list | tuple):
            found.setdefault(one.metric, {})[one.sample, HALLUCINATION] = tuple(map(_span, spans))
    return dict(found)


def count_empties(looked: Iterable[tuple[Hashable, str, bool]]) -> Empties | None:
    """Count answers by their number of empty combinations, from (answer, aspect, whether nothing is marked).

    Answers of which not all four combinations were looked at are left out; None if no answer remains.
    """
    seen: Counter[Hashable] = Counter()
    empty: Counter[Hashable] = Counter()
    for answer, aspect, is_empty in looked:
        if aspect in COMBINATIONS:
            seen[answer] += 1
            empty[answer] += is_empty
    counts = Counter(empty[answer] for answer, n in seen.items() if n == len(COMBINATIONS))
    return (counts[0], counts[1], counts[2], counts[3], counts[4]) if counts else None


def misplaced(marks: Marks, samples: Mapping[str, Sample]) -> tuple[int, str]:
    """Return how many spans differ from the text at their offsets, and where the first one is.

    Units of the reference and missing units refer to the reference, extra units and hallucinations to the answer; for
    other aspects the text is unknown. Usual causes are offsets in bytes or UTF-16, and changed line ends.
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
    if sample is None or aspect not in (*COMBINATIONS, *CLASSES, HALLUCINATION):
        return None
    return sample.answer if aspect == HALLUCINATION or aspect.startswith("extra") else sample.reference


def _holds(text: str, span: Span) -> bool:
    return (span.end or 0) <= len(text) and (not span.text or text[span.start : span.end] == span.text)


def _settings(metric: str) -> str | None:
    """Return a gist metric's settings except which of its four figures it is; None for another metric."""
    items = settings_of(metric, "gist")
    if items is None:
        return None
    kept = {
        item.key or item.value: item.value if item.key else True for item in items if item.value not in COMBINATIONS
    }
    return write_name("gist", kept) if kept else ""


def _span(unit: Any) -> Span:
    """Read a unit from a score's details; a damaged unit becomes one without offsets."""
    value: Callable[[str], Any] = unit.get if isinstance(unit, Mapping) else lambda _: None
    start, end = value("start"), value("end")
    placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end
    return Span(str(value("text") or ""), start, end) if placed else Span(str(value("text") or ""))
