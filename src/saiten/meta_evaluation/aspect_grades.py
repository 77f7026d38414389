"""How often each grade of an aspect was given, by system, and the share of answers with the best one."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saiten.errors import ConfigurationError
from saiten.meta_evaluation.outputs import Item
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.naming import read_name
from saiten.records import Scored
from saiten.stats import Interval, bootstrap_mean


@dataclass(frozen=True, slots=True)
class AspectGrades:
    """One aspect and one system."""

    metric: str
    """`aspects[factuality]`, `direct`."""
    aspect: str
    system: str | None
    """None: over all systems."""
    best: int
    """The grade without a deduction."""
    counts: Mapping[int, int]
    """By grade, rising; of several votes the one nearest to their mean."""
    top: Interval
    """The share of answers with the best grade, resampled by question."""
    without: int
    """Answers without a grade: nothing to rate, or a reply that could not be read."""


def is_aspect_metric(metric: str) -> bool:
    """Whether its scores are grades of an aspect: `aspects[…]` and `direct`."""
    return aspect_of_metric(metric) is not None or is_direct(metric)


def is_direct(metric: str) -> bool:
    """Whether this is `direct`, with whatever settings."""
    try:
        return read_name(metric)[0] == "direct"
    except ConfigurationError:
        return False


def grades_by_system(scored: Iterable[Scored], items: Mapping[str, Item]) -> tuple[AspectGrades, ...]:
    """One entry for each aspect over all systems, and, where there are several, one for each of them.

    The metrics come in the order of the scores, the systems sorted.
    """
    found: dict[str, list[tuple[Item, tuple[str, int, int] | None]]] = {}
    for one in scored:
        if is_aspect_metric(one.metric):
            item = items.get(one.sample) or Item(f"\0{one.sample}")
            found.setdefault(one.metric, []).append((item, _read(one)))
    entries = []
    for metric, rows in found.items():
        systems = sorted({item.system for item, _ in rows if item.system is not None})
        for system in (None, *(systems if len(systems) > 1 else ())):
            part = [row for row in rows if system is None or row[0].system == system]
            entries += _entry(metric, system, part)
    return tuple(entries)


def _read(one: Scored) -> tuple[str, int, int] | None:
    """Aspect, grade and best grade; details that were tampered with have none."""
    details = one.score.details
    aspect, grade, best = details.get("aspect"), details.get("grade"), details.get("best")
    if one.score.status != "ok" or not isinstance(aspect, str) or type(grade) is not int or type(best) is not int:
        return None
    return aspect, grade, best


def _entry(metric: str, system: str | None, rows: list[tuple[Item, tuple[str, int, int] | None]]) -> list[AspectGrades]:
    graded = [(item.question, read) for item, read in rows if read is not None]
    if not graded:
        return []
    _, (aspect, _, best) = graded[0]
    counts = Counter(grade for _, (_, grade, _) in graded)
    top = bootstrap_mean([float(grade == best) for _, (_, grade, _) in graded], [question for question, _ in graded])
    return [AspectGrades(metric, aspect, system, best, dict(sorted(counts.items())), top, len(rows) - len(graded))]
