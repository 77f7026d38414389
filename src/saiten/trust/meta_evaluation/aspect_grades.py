"""Frequency of each grade of an aspect, by system, and the share of answers with the best grade."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from saiten.metrics.catalog import known_metric
from saiten.metrics.judged.aspects import Aspects, aspect_of_metric
from saiten.metrics.judged.criterion import Criterion
from saiten.metrics.naming import settings_of
from saiten.records import Scored
from saiten.results.place import Place
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.trust.inputs.pairing import LabeledAspect as Rated
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class AspectGrades:
    """The grades of one aspect and one system."""

    metric: str
    """`aspects[factuality]`, `direct`."""
    aspect: str
    system: str | None
    """None: over all systems."""
    best: int
    """The grade without a deduction."""
    counts: Mapping[int, int]
    """Counts by ascending grade; several votes count as the grade that they result in (`Aspect.counted`)."""
    top: Estimate
    """The share of answers with the best grade, resampled by question; split votes are not the best grade."""
    split: int
    """Answers whose votes are split evenly around the best grade, so that no grade results."""
    without: int
    """Answers without a grade: nothing to rate, or an unreadable reply."""


_Read = tuple[str, int | None, int]
"""Aspect, grade (None: split votes) and best grade."""


def is_aspect_metric(metric: str) -> bool:
    """Return whether the metric's scores are grades of an aspect: `aspects[…]`, `criterion[…]` and `direct`."""
    return aspect_of_metric(metric) is not None or settings_of(metric, "direct") is not None


def grades_by_system(scored: Iterable[Scored], items: Mapping[str, Place]) -> tuple[AspectGrades, ...]:
    """Return one entry per aspect over all systems and, if there are several systems, one per system.

    Metrics keep the order of the scores; systems are sorted.
    """
    found: dict[str, list[tuple[Place, _Read | None]]] = {}
    for one in scored:
        if is_aspect_metric(one.metric):
            item = items.get(one.sample) or Place(f"\0{one.sample}")
            found.setdefault(one.metric, []).append((item, _read(one)))
    entries: list[AspectGrades] = []
    for metric, rows in found.items():
        systems = sorted({item.system for item, _ in rows if item.system is not None})
        for system in (None, *(systems if len(systems) > 1 else ())):
            part = [row for row in rows if system is None or row[0].system == system]
            entries += _entries(metric, system, part)
    return tuple(entries)


def _read(one: Scored) -> _Read | None:
    """Return the grade in a score's details; None if the details are malformed."""
    details = one.score.details
    aspect, grade, best = details.get("aspect"), details.get("grade"), details.get("best")
    graded = type(grade) is int or ("given" in details and grade is None)
    if one.score.status != "ok" or not isinstance(aspect, str) or not graded or type(best) is not int:
        return None
    return aspect, grade, best


def _entries(metric: str, system: str | None, rows: list[tuple[Place, _Read | None]]) -> Iterator[AspectGrades]:
    """Yield the entry, if anything was graded."""
    graded = [(item.question, read) for item, read in rows if read is not None]
    if not graded:
        return
    _, (aspect, _, best) = graded[0]
    counts = Counter(grade for _, (_, grade, _) in graded if grade is not None)
    top = bootstrap_mean([float(grade == best) for _, (_, grade, _) in graded], [question for question, _ in graded])
    split, without = len(graded) - counts.total(), len(rows) - len(graded)
    yield AspectGrades(metric, aspect, system, best, dict(sorted(counts.items())), top, split, without)


def contested_items(rated: Rated) -> tuple[Message, ...]:
    """Return a note on items with labels on both sides of the best grade: their mean would look like that grade.

    Only for labels of an aspect that `aspects[…]` or `criterion[…]` grades; empty otherwise.
    """
    metric = next((m for m in (one.made.metric for one in rated.columns) if aspect_of_metric(m) == rated.name), None)
    made = known_metric(metric) if metric else None
    if not isinstance(made, Aspects | Criterion):
        return ()
    scale = made.aspect if isinstance(made, Criterion) else made.read.aspect(made.aspect)
    rows, _, values = rated.given
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[order], np.arange(len(rated.items)), side="right")
    each = zip(rated.settled.tolist(), np.split(values[order], ends[:-1]), strict=True)
    n = sum(not settled and len(grades) > 1 and scale.contested(grades.tolist()) for settled, grades in each)
    return (Message("note", "contested", n=n, best=scale.best),) if n else ()
