"""Whether a metric ranks answers and systems as people do: over items, within questions, and over systems.

Pearson, Spearman and Kendall's tau-b over all items (item level), over the answers to each question (summary level;
Bhandari et al. 2020, *Re-evaluating Evaluation in Text Summarization*), where a question that is easy for all systems
has no effect, and over the systems' means; and the pairs of systems ordered alike.

Systems are compared by their means, or by wins: which of two systems wins more questions (Peyrard, Zhao, Eger and West
2021, *Better than Average: Paired Evaluation of NLP Systems*). A pair is ordered alike if both sides order it the same
way, or both tie it; a pair that only one side ties is not (Deutsch, Foster and Freitag 2023, *Ties Matter*). Other
papers give such a pair half a point: `credited`. Intervals resample questions, not systems: they express the
uncertainty about these systems, not about others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from saiten.errors import BadInput
from saiten.results.levels import ItemLevel, Ordered, QuestionLevel, SystemLevel
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import EQUAL, apart, correlations_by_row, kendall, pearson, spearman
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.figures import CORRELATIONS
from saiten.words import Message

FEWEST = 3
_BLOCK = 1_000
"""Number of pairs counted at once."""

Signs = Callable[[Ints, Ints], tuple[Floats, Floats, Floats, Floats]]
"""From the numbers of first and second systems: 1, 0 or -1 per pair by the metric and by people, then both for each
resample (resamples x pairs), NaN in a resample without values; pairs without any values are left out.
"""


def few(systems: int, lacking: Message | None = None) -> Estimate | None:
    """Return why so few systems have no meaningful order; None if there are enough.

    `lacking`: why there are not more, if more are named.
    """
    if systems >= FEWEST:
        return None
    key = {0: "no_system", 1: "one_system"}.get(systems, "few_systems")
    return Estimate(None, systems, lacking or Message("remark", key, n=systems, least=FEWEST))


def ordered(
    names: Sequence[str], signs: Signs, resamples: Resamples, *, pairs: Sequence[tuple[str, str]] | None = None
) -> Ordered:
    """Count the pairs ordered alike, over all pairs of systems or the requested ones."""
    chosen = numbered(names, pairs)
    if not len(chosen):
        return Ordered.none(Estimate(None, 0, Message("remark", "no_measured_pair")))
    seen: list[Ints] = []
    right, half = np.zeros(resamples.resamples), np.zeros(resamples.resamples)
    for start in range(0, len(chosen), _BLOCK):
        first, second = chosen[start : start + _BLOCK].T
        a, b, drawn_a, drawn_b = signs(first, second)
        seen.append(np.stack([a, b]).astype(np.int64))
        lost = np.isnan(drawn_a).any(axis=1) | np.isnan(drawn_b).any(axis=1)
        right += np.where(lost, np.nan, (drawn_a == drawn_b).sum(axis=1))
        half += np.where(lost, np.nan, ((drawn_a == 0) != (drawn_b == 0)).sum(axis=1) / 2)
    a, b = np.concatenate(seen, axis=1)
    n = len(a)
    if not n:
        return Ordered.none(Estimate(None, 0, Message("remark", "no_common_question")), len(chosen))
    alike = a == b
    one_sided = (a == 0) != (b == 0)
    return Ordered(
        ordered=resamples.interval(Estimate(float(alike.mean()), n), right / n),
        credited=resamples.interval(Estimate(float((alike + one_sided / 2).mean()), n), (right + half) / n),
        agree=int((alike & (a != 0)).sum()),
        disagree=int((a * b < 0).sum()),
        tied_metric=int((one_sided & (a == 0)).sum()),
        tied_people=int((one_sided & (b == 0)).sum()),
        tied_both=int((alike & (a == 0)).sum()),
        unmet=len(chosen) - n,
    )


def numbered(names: Sequence[str], pairs: Sequence[tuple[str, str]] | None) -> Ints:
    """Return the pairs by number (pairs x 2); pairs with a system that has no values are left out."""
    if pairs is None:
        return np.array(list(combinations(range(len(names)), 2)), dtype=np.int64).reshape(-1, 2)
    number = {name: i for i, name in enumerate(names)}
    known = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
    return np.array(known, dtype=np.int64).reshape(-1, 2)


def check_pairs(pairs: Sequence[tuple[str, str]], systems: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the distinct pairs, regardless of the order of their systems.

    Raises:
        BadInput: a system is unknown or paired with itself.
    """
    found: dict[frozenset[str], tuple[str, str]] = {}
    for first, second in pairs:
        for name in (first, second):
            if name not in systems:
                raise BadInput(f"there is no system {name!r} with labels; there are {', '.join(systems) or 'none'}")
        if first == second:
            raise BadInput(f"a pair of systems needs two, and {first!r} is paired with itself")
        found.setdefault(frozenset((first, second)), (first, second))
    return tuple(found.values())


def item_level(metric: Floats, people: Floats, resamples: Resamples) -> ItemLevel:
    """Compute the correlations, resampled by question; undefined for constant columns and fewer than three items."""
    found = {name: whole(metric, people) for name, (whole, _) in CORRELATIONS.items()}
    if found["pearson"].value is not None:
        for name, (_, drawn) in CORRELATIONS.items():
            found[name] = resamples.interval(found[name], drawn(metric, people, resamples))
    return ItemLevel(**found)


def question_level(metric: Floats, people: Floats, resamples: Resamples) -> QuestionLevel:
    """Compute mean correlations, resampling questions; fewer than three answers or equal values give none."""
    found = np.full((resamples.clusters, 3), np.nan)
    for questions, rows in _by_size(resamples.groups):
        found[questions] = correlations_by_row(metric[rows], people[rows])
    figures = [_mean(column, resamples) for column in found.T]
    return QuestionLevel(resamples.clusters, *figures)


def _by_size(groups: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the questions that have equally many answers, with their rows (questions x answers)."""
    order = np.argsort(groups, kind="stable")
    numbers, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    for size in np.unique(sizes[sizes >= FEWEST]).tolist():
        chosen = sizes == size
        yield numbers[chosen], order[starts[chosen][:, None] + np.arange(size)]


def _mean(values: Floats, resamples: Resamples) -> Estimate:
    if not np.isfinite(values).any():
        return Estimate(None, 0, Message("remark", "no_differing_answers", n=FEWEST))
    return replace(resamples, groups=np.arange(len(values)), clusters=len(values)).mean(values)


def people_by_system(
    people: Floats, systems: Sequence[str | None], questions: Sequence[str]
) -> tuple[tuple[str, Estimate], ...]:
    """Return people's mean per system over all its items, with an interval that resamples questions; sorted by name."""
    names = sorted({system for system in systems if system is not None})
    rows = {name: [i for i, system in enumerate(systems) if system == name] for name in names}
    return tuple((name, bootstrap_mean(people[of], [questions[i] for i in of])) for name, of in rows.items())


def system_level(
    metric: Floats,
    people: Floats,
    systems: Sequence[str | None],
    resamples: Resamples,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    lacking: Message | None = None,
) -> SystemLevel:
    """Compute the figures over systems; undefined for fewer than three. Items without a system are left out.

    If several systems gave the same answer, pass the item once per system. Where the metric is NaN, the item counts
    only in people's mean; a system without any value of the metric is left out. `pairs`: the pairs to count; None for
    all. `lacking`: why the metric has values for fewer systems than there are.
    """
    rows, names, of = _measured(metric, systems)
    resamples = resamples.only(rows)
    metric, people = metric[rows], people[rows]
    known = ~np.isnan(metric)
    x, y = _means(metric[known], of[known], len(names)), _means(people, of, len(names))
    found = (tuple(names), tuple(x.tolist()), tuple(y.tolist()))
    if reason := few(len(names), lacking):
        return SystemLevel(*found, reason, reason, reason, Ordered.none(reason))
    member = np.eye(len(names))[of]
    filled = np.where(known, metric, 0.0)[:, None]
    features = [member * known[:, None], member, member * filled, member * people[:, None]]
    with np.errstate(invalid="ignore", divide="ignore"):
        seen, sizes, xs, ys = np.split(resamples.sums(np.concatenate(features, axis=1)), 4, axis=1)
        drawn = np.where((seen == 0).any(axis=1)[:, None], np.nan, np.stack([xs / seen, ys / sizes]))

    def signs(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        a, b, drawn_a, drawn_b = (apart(side[..., first], side[..., second]) for side in (x, y, *drawn))
        return a, b, drawn_a, drawn_b

    levels = (_levelled(x), _levelled(y))
    each = correlations_by_row(*drawn)
    return SystemLevel(
        *found,
        kendall=resamples.interval(of_systems(kendall(*levels)), each[:, 2]),
        spearman=resamples.interval(of_systems(spearman(*levels)), each[:, 1]),
        pearson=resamples.interval(of_systems(pearson(x, y)), each[:, 0]),
        pairs=ordered(found[0], signs, resamples, pairs=pairs),
    )


def of_systems(found: Estimate) -> Estimate:
    """Return a correlation of the metric's means with people's, whose reason names the side that has no order."""
    sides = {"first_constant": "metric_ties_systems", "second_constant": "people_tie_systems"}
    if found.reason is None or found.reason.key not in sides:
        return found
    return replace(found, reason=Message("remark", sides[found.reason.key], **dict(found.reason.values)))


def _measured(metric: Floats, systems: Sequence[str | None]) -> tuple[Ints, list[str], Ints]:
    """Return the rows of systems with a value of the metric, the systems' names, and each row's system by number."""
    measured = {systems[i] for i in np.flatnonzero(~np.isnan(metric)).tolist()} - {None}
    rows = np.array([i for i, system in enumerate(systems) if system in measured], dtype=np.int64)
    names, of = np.unique([str(systems[i]) for i in rows], return_inverse=True)
    return rows, names.tolist(), of


def _means(values: Floats, of: np.ndarray, systems: int) -> Floats:
    means: Floats = np.bincount(of, weights=values, minlength=systems) / np.bincount(of, minlength=systems)
    return means


def _levelled(means: Floats) -> Floats:
    """Return the means with those equal that differ only by rounding."""
    order = np.argsort(means, kind="stable")
    gaps = np.diff(means[order])
    new = np.concatenate([[True], gaps > EQUAL * np.abs(means[order][1:])])[: len(means)]
    out = np.empty(len(means))
    out[order] = means[order][new][np.cumsum(new) - 1]
    return out


def wins(
    metric: Floats,
    people: Floats,
    systems: Sequence[str | None],
    resamples: Resamples,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    lacking: Message | None = None,
) -> Ordered:
    """Count pairs of systems ordered alike, where a system is above another if it wins more questions against it.

    On a question that both systems answered, the system with the higher value wins, and equal values are half a win for
    each. A system is above another if its share of wins exceeds one half, and tied with it at exactly one half. Several
    answers of a system to a question count by their mean. Pairs without a common question are left out and counted.
    `lacking`: why the metric has values for fewer systems than there are.
    """
    rows, names, of = _measured(metric, systems)
    if reason := few(len(names), lacking):
        return Ordered.none(reason)
    questions = resamples.clusters
    at = resamples.groups[rows] * len(names) + of
    sizes = np.bincount(at, minlength=questions * len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (
            (np.bincount(at, side[rows], minlength=len(sizes)) / sizes).reshape(questions, -1)
            for side in (metric, people)
        )
    by_question = replace(resamples, groups=np.arange(questions))

    def signs(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        a, b = apart(x[:, first], x[:, second]), apart(y[:, first], y[:, second])
        met = np.isfinite(a)
        a, b = np.where(met, a, 0.0), np.where(met, b, 0.0)
        some = np.flatnonzero(met.any(axis=0))
        a, b = a[:, some], b[:, some]
        drawn = np.sign(by_question.sums(np.concatenate([a, b], axis=1)))
        return np.sign(a.sum(axis=0)), np.sign(b.sum(axis=0)), drawn[:, : len(some)], drawn[:, len(some) :]

    return ordered(names, signs, by_question, pairs=pairs)
