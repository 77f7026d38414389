"""The answers in which a judge and people marked different units, those with the least in common first.

An answer's F is computed by characters over all aspects and annotators together, as `comparison` computes it over all
answers; where one side marked nothing, it is 0. Of equal ones, those with the most characters without a counterpart
come first, then those on which people agree. Answers that nobody marked are left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from saiten.records import Span
from saiten.results.spans import ComparedUnit, MarkCounts, MarkDisagreement, MarkDisagreements
from saiten.stats.estimate import Estimate
from saiten.stats.f_measure import harmonic_mean
from saiten.stats.wilson import wilson
from saiten.trust.spans.comparison import SETTLED, Combination, combine, voices
from saiten.trust.spans.marks import CLASSES, COMBINATIONS, Marks, PeopleMarks
from saiten.trust.spans.pairing import length_of, overlap_of

_Place = tuple[str, str]


def differing_marks(
    people: PeopleMarks,
    judges: Mapping[str, Marks],
    *,
    most: int,
    wanted: Callable[[str], bool] = lambda _: True,
) -> tuple[MarkDisagreements, ...]:
    """Return each judge's disagreements with people; a judge that shares no item with them has none.

    The classes of the reference (gist, supplement) are compared only if there is nothing else.

    Args:
        people: from `people_of`.
        judges: by name.
        most: maximum answers listed per judge.
        wanted: whether to compare an item.
    """
    against = voices(people)
    return tuple(_differing(name, marks, against, most, wanted) for name, marks in judges.items())


def _differing(
    name: str, marks: Marks, against: Mapping[str, Marks], most: int, wanted: Callable[[str], bool]
) -> MarkDisagreements:
    both = {
        (voice, place): combine(*place, of[place], marks[place], voice)
        for voice, of in against.items()
        for place in of.keys() & marks.keys()
        if wanted(place[0])
    }
    aspects = _aspects({aspect for _, (_, aspect) in both})
    by_item: dict[str, list[tuple[_Place, Combination]]] = {}
    for (_, place), one in sorted(both.items(), key=lambda pair: pair[0]):
        if place[1] in aspects:
            by_item.setdefault(place[0], []).append((place, one))
    found = []
    for item, each in by_item.items():
        f = _f([one for _, one in each])
        if f is None or f == 1:
            continue
        theirs, ours = _compared_units(name, [place for place, _ in each], marks, against)
        differ = _people_differ([one for _, one in each])
        alone = sum(length_of(unit.span) for unit in (*theirs, *ours) if not unit.met)
        found.append((f, -alone, differ, item, MarkDisagreement(item, f, theirs, ours, differ)))
    ordered = [one for *_, one in sorted(found, key=lambda entry: entry[:4])]
    counts = tuple(_counts(aspect, [one for one in both.values() if one.aspect == aspect]) for aspect in aspects)
    return MarkDisagreements(name, counts, len(ordered), tuple(ordered[:most]))


def _aspects(there: Collection[str]) -> list[str]:
    """Return the aspects in a fixed order; the classes of the reference only if there is nothing else."""
    others = [name for name in (*COMBINATIONS, *sorted({*there} - {*COMBINATIONS, *CLASSES})) if name in there]
    return others or [name for name in CLASSES if name in there]


def _f(combinations: Sequence[Combination]) -> float | None:
    """Return F over the combinations of an answer; None if nobody marked anything."""
    human, judge = sum(one.human for one in combinations), sum(one.judge for one in combinations)
    if not human or not judge:
        return 0.0 if human or judge else None
    recall, precision = (
        min(sum(sorted(sums)) / n, 1.0)
        for sums, n in (
            ([one.recall for one in combinations], human),
            ([one.precision for one in combinations], judge),
        )
    )
    return float(harmonic_mean(precision, recall))


def _people_differ(combinations: Sequence[Combination]) -> bool:
    """Return whether, in one of the aspects, only some of the people marked anything."""
    marked: dict[str, set[bool]] = {}
    for one in combinations:
        marked.setdefault(one.aspect, set()).add(one.human > 0)
    return any(len(each) > 1 for each in marked.values())


def _compared_units(
    name: str, places: Sequence[_Place], marks: Marks, against: Mapping[str, Marks]
) -> tuple[tuple[ComparedUnit, ...], tuple[ComparedUnit, ...]]:
    """Return people's units and the judge's, each once, in the order of the texts."""
    theirs: list[ComparedUnit] = []
    ours: list[ComparedUnit] = []
    for place in dict.fromkeys(places):
        by: dict[Span, list[str]] = {}
        for voice, of in against.items():
            for span in of.get(place, ()):
                by.setdefault(span, []).append("" if voice == SETTLED else voice)
        theirs += _units(place[1], {span: tuple(dict.fromkeys(who)) for span, who in by.items()}, marks[place])
        ours += _units(place[1], dict.fromkeys(marks[place], (name,)), list(by))
    return tuple(theirs), tuple(ours)


def _units(aspect: str, by: Mapping[Span, tuple[str, ...]], others: Sequence[Span]) -> Iterator[ComparedUnit]:
    for span in sorted(by, key=lambda span: (span.start or 0, span.end or 0, span.text)):
        yield ComparedUnit(aspect, span, by[span], any(overlap_of(span, other) for other in others))


def _counts(aspect: str, combinations: Sequence[Combination]) -> MarkCounts:
    counted = Counter((one.judge > 0, one.human > 0) for one in combinations)
    both, neither = counted[True, True], counted[False, False]
    n = len(combinations)
    share = (both + neither) / n
    agreement = Estimate(share, n, None, *wilson(share, n))
    return MarkCounts(aspect, both, counted[True, False], counted[False, True], neither, agreement)
