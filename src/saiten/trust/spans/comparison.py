"""Accuracy of a judge's span detection: the units the judge marked compared with those people marked, by characters.

A human unit has a recall (0 without a partner), a unit of the judge a precision (0 without a partner). Both are
averaged in two ways, and F is computed from the two averages of the same way:

- per unit: over all units of all answers together, so that an answer with ten units weighs ten times as much as an
  answer with a single unit;
- per answer: first within each answer (one item, aspect and annotator), then over the answers, with equal weights.

An answer in which one side marked nothing enters the other side's average only; answers that neither side marked are
left out and counted. An average over nothing is None with a reason, never 0.

Source: the spec of the gist method; its table 1 is `SpanComparison.empties`. Intervals: questions resampled together.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from saiten.errors import BadInput
from saiten.records import Span
from saiten.results.origin import Unpaired
from saiten.results.spans import Averages, SpanComparison, SpanFigures, SpanReport
from saiten.stats.clusters import Floats
from saiten.stats.estimate import Estimate
from saiten.stats.f_measure import harmonic_mean
from saiten.stats.resampling import Resamples
from saiten.trust.spans.marks import CLASSES, COMBINATIONS, Empties, Marks, PeopleMarks, count_empties
from saiten.trust.spans.pairing import is_placed, length_of, pair_units
from saiten.words import Message

SETTLED = "\0settled"
"""The voice of adjudicated labels."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Sums over the marks of both sides in one item under one aspect."""

    item: str
    aspect: str
    human: int
    """Number of human units."""
    judge: int
    """Number of the judge's units."""
    pairs: int
    """Number of overlapping pairs."""
    recall: float
    """Sum over the human units."""
    precision: float
    """Sum over the judge's units."""
    adrift: tuple[int, int] = (0, 0)
    """Units without offsets: human and judge's; they overlap with nothing."""
    voice: str = ""
    """The annotator of the human units."""


def combine(item: str, aspect: str, human: Sequence[Span], judge: Sequence[Span], voice: str = "") -> Combination:
    """Pair the two lists of one item and aspect, and add up the shares.

    Raises:
        BadInput: too many units overlap to be paired; the message names the item.
    """
    try:
        pairs = pair_units(human, judge)
    except BadInput as error:
        raise BadInput(f"{item}, {aspect or 'labels'}: {error}") from error
    # Sorted, so that the order of the units does not even change the last bit of the sums.
    recall = sum(sorted(pair.overlap / length_of(human[pair.human]) for pair in pairs))
    precision = sum(sorted(pair.overlap / length_of(judge[pair.judge]) for pair in pairs))
    adrift = (sum(not is_placed(unit) for unit in human), sum(not is_placed(unit) for unit in judge))
    return Combination(item, aspect, len(human), len(judge), len(pairs), recall, precision, adrift, voice)


def compare_spans(
    people: PeopleMarks,
    judges: Mapping[str, Marks],
    *,
    questions: Mapping[str, Hashable] | None = None,
    resamples: int = 1_000,
    seed: int = 0,
    notify: Callable[[str], None] | None = None,
) -> SpanReport:
    """Compare each judge with people, and people with people.

    A judge is compared with each annotator who looked at the item, or with the adjudicated labels alone if there are
    any. Adjudicated labels are not compared among people.

    Args:
        people: from `people_of`.
        judges: by name; may be empty, to compare people only.
        questions: item → question, the unit of resampling; items without a question are resampled individually.
        resamples: number of bootstrap resamples.
        seed: seed of the draws.
        notify: receives progress messages.

    Raises:
        BadInput: a judge and the people have no item and aspect in common, or there is nothing to compare; with
            examples from each side.
    """

    def figures(judge: str, human: str, found: Sequence[Combination], sides: tuple[Marks, ...]) -> SpanComparison:
        if notify:
            notify(f"{judge} against {human}: {len(found)} combinations")
        clusters = [(questions or {}).get(one.item) or f"\0{one.item}" for one in found]
        drawn = Resamples.of(clusters, resamples=resamples, seed=seed)
        return _comparison(judge, human, found, drawn, _left_over(*sides))

    against = voices(people)
    union: Marks = {place: () for marks in against.values() for place in marks}
    by_judge = []
    for name, marks in judges.items():
        found = _together(against, marks)
        if not found:
            raise BadInput(_nothing_shared(name, marks, union))
        by_judge.append(figures(name, "people", found, (union, marks)))
    names = list(people.by)
    two = {(a, b): found for a, b in combinations(names, 2) if (found := _together({a: people.by[a]}, people.by[b]))}
    if not two and not judges:
        who = f"only {names[0] or 'one annotator'}" if len(names) == 1 else "no two annotators of the same item"
        raise BadInput(f"there is nothing to compare: no judge's spans, and {who} among the labels")
    pairs = [figures(b, a, found, (people.by[a], people.by[b])) for (a, b), found in two.items()]
    both = [one for (a, b), found in two.items() for each in found for one in _both_ways(each, a, b)]
    ceiling = figures("each annotator", "each other", both, ()) if two else None
    return SpanReport(tuple(by_judge), ceiling, tuple(pairs), questions is not None, tuple(_notes(people)))


def voices(people: PeopleMarks) -> dict[str, Marks]:
    """Return the marks of all voices that a judge is compared with; where there is an adjudicated label, only that."""
    kept: dict[str, Marks] = {
        name: {place: spans for place, spans in marks.items() if place not in people.settled}
        for name, marks in people.by.items()
    }
    return kept | {SETTLED: people.settled}


def _together(humans: Mapping[str, Marks], judge: Marks) -> list[Combination]:
    """Combine the marks of both sides where both looked, in a fixed order."""
    return [
        combine(item, aspect, marks[item, aspect], judge[item, aspect], voice)
        for voice, marks in humans.items()
        for item, aspect in sorted(marks.keys() & judge.keys())
    ]


def _both_ways(one: Combination, first: str, second: str) -> tuple[Combination, Combination]:
    """Return the combination with either annotator as the judge, so that neither side is favored."""
    turned = replace(one, human=one.judge, judge=one.human, adrift=one.adrift[::-1])
    turned = replace(turned, recall=one.precision, precision=one.recall)
    return replace(one, voice=f"{first}\0{second}"), replace(turned, voice=f"{second}\0{first}")


def _comparison(
    judge: str, human: str, found: Sequence[Combination], resamples: Resamples, left: tuple[Unpaired, Unpaired]
) -> SpanComparison:
    names = {one.aspect for one in found}
    ordered = [name for name in (*COMBINATIONS, *CLASSES) if name in names]
    ordered += sorted(names - set(ordered))
    rows = {name: [at for at, one in enumerate(found) if one.aspect == name] for name in ordered}
    pooled = [name for name in COMBINATIONS if name in names] or [name for name in ordered if name not in CLASSES]
    of_answers = [at for name in pooled for at in rows[name]]
    return SpanComparison(
        judge,
        human,
        tuple(_figures(name, found, rows[name], resamples) for name in ordered),
        _figures("", found, of_answers, resamples) if len(pooled) > 1 else None,
        _empties(found),
        *left,
    )


def _figures(aspect: str, found: Sequence[Combination], rows: Sequence[int], resamples: Resamples) -> SpanFigures:
    kept = [at for at in rows if found[at].human or found[at].judge]
    chosen = [found[at] for at in kept]
    columns = [(one.recall, one.human, one.precision, one.judge) for one in chosen]
    units: Floats = np.array(columns, dtype=np.float64).reshape(-1, 4)
    some = resamples.only(np.array(kept, dtype=np.int64))
    return SpanFigures(
        aspect,
        len(chosen),
        len(rows) - len(chosen),
        sum(one.human for one in chosen),
        sum(one.judge for one in chosen),
        sum(one.pairs for one in chosen),
        (sum(one.adrift[0] for one in chosen), sum(one.adrift[1] for one in chosen)),
        per_unit=_averages(units, some),
        per_answer=_averages(_within_answers(units), some),
    )


def _within_answers(units: Floats) -> Floats:
    """Return each answer's own averages, with a count of 1 where there is something to average."""
    sums, counts = units[:, 0::2], units[:, 1::2]
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    return np.stack([means, counts > 0], axis=2, dtype=np.float64).reshape(-1, 4)


def _averages(features: Floats, some: Resamples) -> Averages:
    """Compute averages from rows of: sum of recalls, their number, sum of precisions, their number."""
    nobody = None if len(features) else Message("remark", "nothing_marked")
    recall = _mean(features[:, :2], nobody or Message("remark", "people_marked_nothing"))
    precision = _mean(features[:, 2:], nobody or Message("remark", "judge_marked_nothing"))
    drawn = _rates(some.sums(features))
    return Averages(
        some.interval(recall, drawn[:, 0]),
        some.interval(precision, drawn[:, 1]),
        some.interval(_f(recall, precision, len(features)), drawn[:, 2]),
    )


def _mean(shares: Floats, reason: Message) -> Estimate:
    n = int(shares[:, 1].sum())
    return Estimate(min(float(np.sort(shares[:, 0]).sum()) / n, 1.0), n) if n else Estimate(None, 0, reason)


def _f(recall: Estimate, precision: Estimate, n: int) -> Estimate:
    """Compute F from the two averages; 0 if both are 0, since then there were units but none overlapped."""
    r, p = recall.value, precision.value
    if r is None or p is None:
        return Estimate(None, n, recall.reason if r is None else precision.reason)
    return Estimate(float(harmonic_mean(p, r)), n)


def _rates(sums: Floats) -> Floats:
    """Compute recall, precision and F per resample (resamples x 3); NaN where a side marked nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, precision = sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]
    return np.stack([recall, precision, harmonic_mean(precision, recall)], axis=1)


def _empties(found: Sequence[Combination]) -> Empties | None:
    """Count answers (once per annotator) by how many of their combinations neither side marked."""
    return count_empties(((one.item, one.voice), one.aspect, not (one.human or one.judge)) for one in found)


def _left_over(*sides: Marks) -> tuple[Unpaired, Unpaired]:
    """Return the items without a counterpart: of the second side, then of the first."""
    if not sides:
        return Unpaired(0), Unpaired(0)
    shared = sides[0].keys() & sides[1].keys()
    met = {item for item, _ in shared}
    theirs, ours = ({item for item, _ in side} - met for side in sides)
    return Unpaired.of(ours), Unpaired.of(theirs)


def _nothing_shared(name: str, judge: Marks, people: Marks) -> str:
    items, others = {item for item, _ in judge}, {item for item, _ in people}
    met = len(items & others)
    if met:
        aspects = (sorted({aspect for _, aspect in side}) for side in (judge, people))
        ours, theirs = (", ".join(map(repr, names)) for names in aspects)
        return f"{name} and the people share {met} items, but no aspect: {name} has {ours}; the labels have {theirs}"
    ours, theirs = (", ".join(map(repr, Unpaired.of(side).examples)) for side in (items, others))
    return (
        f"none of the {len(items)} items of {name} is among the {len(others)} labeled items; they are matched by id. "
        f"{name} has {ours} …; the labels have {theirs} …"
    )


def _notes(people: PeopleMarks) -> Iterable[Message]:
    if people.others:
        yield Message("note", "labels_without_spans", n=people.others)
    if people.settled:
        yield Message("note", "third_decisions", n=len(people.settled))
