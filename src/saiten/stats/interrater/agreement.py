"""Human agreement: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha over items × annotators, with intervals.

Cells may be missing; items with fewer than two labels carry no information about agreement and are left out. Intervals
are as in `estimate.py`, with items (or clusters of them) drawn with replacement, all figures from the same draws.

Percent is not corrected for chance, so read it together with kappa or alpha and with `by_chance`, the percentage
expected if the same labels were assigned at random. If nearly all labels are equal, kappa and alpha are low although
percent is high (Feinstein and Cicchetti 1990, *High Agreement but Low Kappa*): the few other labels rarely coincide.

Sources: Fleiss 1971, *Measuring Nominal Scale Agreement Among Many Raters*; Krippendorff 2011, *Computing
Krippendorff's Alpha-Reliability*; Cohen 1960 and 1968 (weights by the distance of the values).
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from saiten.stats.classification import Weights, chance_corrected, cohen_kappa_of
from saiten.stats.clusters import Column, Floats, Ints
from saiten.stats.estimate import Estimate, Unit, with_interval
from saiten.stats.interrater.tallies import BASIC, MOST_KINDS, MOST_PAIRS, Tallies, comparable, tally
from saiten.stats.interrater.votes import HELD, Votes, make_votes, weights
from saiten.words import Message

Mask = npt.NDArray[np.bool_]

FIGURES = ("percent", "by_chance", "fleiss", "nominal", "ordinal", "interval")
"""The rows that `among` returns, in this order."""

WEIGHTS: tuple[Weights, ...] = (None, "linear", "quadratic")
"""The rows that `kappas` returns for each pair, in this order."""

KAPPAS = ("kappa", "kappa_linear", "kappa_quadratic")
"""Means over the pairs, in the order of `WEIGHTS`."""

MOST_LISTED = 300
"""Maximum number of pairs of annotators listed one by one (25 annotators who share items with all others)."""

_ENDS = 10
"""Of more pairs, how many are listed from each end, by kappa."""

_MOST_DRAWN = 5_000
"""Maximum number of pairs over which the mean kappa is recomputed in each resample."""

_SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)
"""The quantiles of a `PairSpread`."""

_ROUNDING = 1e-14
"""Figures up to this size are 0, without a sign."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two annotators on the items that both labeled."""

    first: Hashable
    second: Hashable
    percent: float
    """Share of the items to which both gave the same value."""
    kappa: Estimate
    """Cohen's kappa; its `n` is the number of items that both labeled."""
    linear: Estimate
    """Weighted by the distance of the values."""
    quadratic: Estimate
    """Weighted by the square of the distance."""


@dataclass(frozen=True, slots=True)
class PersonAgreement:
    """Agreement of one annotator with all others."""

    annotator: Hashable
    items: int
    """Number of the annotator's items that others labeled, too."""
    percent: float
    """Share of the others' labels on these items that equal the annotator's."""


@dataclass(frozen=True, slots=True)
class PairSpread:
    """Kappa over all pairs of annotators, of which there are too many to list."""

    pairs: int
    """Number of pairs who share items."""
    defined: int
    """Number of those whose kappa is defined."""
    quantiles: tuple[float, ...]
    """The lowest kappa, the 10th, 50th and 90th percentile, and the highest; empty if none is defined."""


@dataclass(frozen=True, slots=True)
class AgreementAmong:
    """Agreement among annotators; each figure is an `Estimate`, with a reason if it has no value."""

    items: int
    """Number of items with at least two labels; only these are counted."""
    percent: Estimate
    """Mean over the items of the share of equal pairs of labels."""
    by_chance: Estimate
    """Expected percent if the same labels were assigned at random."""
    kappa: Estimate
    """Mean of Cohen's kappa over the pairs of annotators (Light 1971)."""
    kappa_linear: Estimate
    """Mean kappa weighted by the distance of the values."""
    kappa_quadratic: Estimate
    """Mean kappa weighted by the square of the distance."""
    fleiss: Estimate
    """Fleiss' kappa; requires the same number of labels on every item."""
    nominal: Estimate
    """Krippendorff's alpha for categories."""
    ordinal: Estimate
    """Krippendorff's alpha for grades by their order."""
    interval: Estimate
    """Krippendorff's alpha for grades by their distances."""
    pairs: tuple[PairAgreement, ...]
    """All pairs of annotators who share items, or of more than `MOST_LISTED`, those with the lowest and highest kappa;
    empty without annotators' names."""
    spread: PairSpread | None
    """Kappa over all pairs, if not all are listed."""
    people: tuple[PersonAgreement, ...]
    """Each annotator compared with all others, the one who differs most first, if there are too many pairs to list or
    to compare."""


def agreement_among(
    items: Sequence[Hashable],
    values: Column,
    annotators: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    *,
    listed: Collection[tuple[Hashable, Hashable]] = (),
    resamples: int = 1_000,
    seed: int = 0,
) -> AgreementAmong:
    """Compute all figures over labels, one row per label; independent of the order of the rows.

    Args:
        items: the labeled items.
        values: verdicts or grades, finite; categories as numbers, for which only nominal figures are meaningful.
        annotators: the annotators; None if unknown, in which case no two annotators are compared.
        clusters: a label per row, for example the question, the same for all rows of an item; None draws items.
        listed: the pairs to list if there are too many for all; by default those with the lowest and highest kappa.
        resamples: number of draws; 0 for no intervals.
        seed: seed of the draws.

    Raises:
        ValueError: lengths differ, a value is not finite, or an annotator has two labels on an item.
    """
    votes = make_votes(items, values, annotators, clusters)
    if votes.items == 0:
        none = Estimate(None, 0, Message("remark", "no_two_labels"))
        return AgreementAmong(items=0, pairs=(), spread=None, people=(), **dict.fromkeys((*FIGURES, *KAPPAS), none))
    unit: Unit = "item" if clusters is None else "question"
    return _Computed.of(votes, listed, resamples, seed, unit).report()


@dataclass(frozen=True, slots=True)
class _Computed:
    """The figures of the data, at index 0, followed by those of each resample; NaN where undefined."""

    votes: Votes
    tallies: Tallies
    figures: Floats
    """Shape (FIGURES, 1 + resamples)."""
    whole: Floats
    """The kappas of all pairs in the data: shape (WEIGHTS, pairs)."""
    shared: Floats
    """Per pair, the number of items that both labeled, and on which they agree: shape (2, pairs)."""
    listed: Ints
    """The indexes of the pairs to list."""
    kappas: Floats
    """Those of the listed pairs: shape (WEIGHTS, 1 + resamples, listed)."""
    means: Floats
    """Mean kappa over the pairs with a defined one; NaN if one of them is undefined: shape (WEIGHTS, 1 + resamples), or
    without resamples if there are more than `_MOST_DRAWN` pairs."""
    unit: Unit

    @classmethod
    def of(
        cls, votes: Votes, listed: Collection[tuple[Hashable, Hashable]], resamples: int, seed: int, unit: Unit
    ) -> Self:
        tallies = tally(votes)
        sums = np.asarray(tallies.matrix @ votes.times[None, :].astype(np.float64).T).T
        figures, whole, shared = [among(sums, tallies)], kappas(sums, tallies), shared_items(sums, tallies)
        known = np.isfinite(whole[0, 0]) & (shared[0] >= 2)
        chosen = _listed(tallies, votes.annotators, np.where(known, whole[0, 0], np.nan), shared[0], listed)
        each, means = [whole[:, :, chosen]], [_mean(whole, known)]
        drawn, place = tallies, chosen
        if len(known) > _MOST_DRAWN:
            drawn, place = tallies.only(chosen), np.arange(len(chosen))
        resamples = resamples if len(votes.times) > 1 or votes.times[0] > 1 else 0
        for times in weights(votes, resamples, seed, drawn.width):
            sums = np.asarray(drawn.matrix @ times.T).T
            figures.append(among(sums, drawn))
            resampled = kappas(sums, drawn)
            each.append(resampled[:, :, place])
            if drawn is tallies:
                means.append(_mean(resampled, known))
        of_pairs = np.concatenate(each, axis=1), np.concatenate(means, axis=1)
        return cls(votes, tallies, np.concatenate(figures, axis=1), whole[:, 0], shared, chosen, *of_pairs, unit)

    def report(self) -> AgreementAmong:
        """Return the figures as estimates."""
        votes, n = self.votes, self.votes.items
        found = {name: self._estimate(row, n, self._why) for name, row in zip(FIGURES, self.figures, strict=True)}
        found["by_chance"] = replace(found["by_chance"], low=None, high=None, note=None)
        for name, row in zip(KAPPAS, self.means, strict=True):
            found[name] = self._estimate(row, n, self._why_no_kappa())
            if len(self.whole[0]) > _MOST_DRAWN:
                found[name] = replace(found[name], note=Message("remark", "many_annotator_pairs", n=_MOST_DRAWN))
        if n == 1:
            alone = self._none(Message("remark", "single_item_no_chance"))
            found |= dict.fromkeys(set(found) - {"percent"}, alone)
        elif votes.sizes.min() != votes.sizes.max():
            found["fleiss"] = self._none(
                Message("remark", "unequal_labels", least=int(votes.sizes.min()), most=int(votes.sizes.max()))
            )
        pairs = tuple(self._pair(place, at) for place, at in enumerate(self.listed))
        spread = self._spread() if len(pairs) < len(self.tallies.pairs) else None
        if spread is not None:
            pairs = tuple(sorted(pairs, key=lambda pair: pair.kappa.value or 0.0))
        too_many = votes.annotators and (spread is not None or not comparable(votes))
        people = among_others(votes) if too_many else ()
        return AgreementAmong(items=n, pairs=pairs, spread=spread, people=people, **found)

    def _pair(self, place: int, at: int) -> PairAgreement:
        n, equal = self.shared[:, at]
        if n < 2:
            each = [Estimate(None, int(n), Message("remark", "one_shared_item"))] * len(WEIGHTS)
        else:
            why = Message("remark", "both_constant")
            each = [self._estimate(rows[:, place], int(n), why) for rows in self.kappas]
        first, second = (self.votes.annotators[one] for one in self.tallies.pairs[at])
        return PairAgreement(first, second, float(equal / n), *each)

    def _spread(self) -> PairSpread:
        kappa = self.whole[0][np.isfinite(self.whole[0]) & (self.shared[0] >= 2)]
        quantiles = tuple(np.quantile(kappa, _SHARES).tolist()) if kappa.size else ()
        return PairSpread(len(self.tallies.pairs), len(kappa), quantiles)

    def _estimate(self, row: Floats, n: int, why: Message) -> Estimate:
        """Return the row's first value, with an interval from the others; `why` is the reason if it is undefined."""
        units, value, drawn = min(n, int(self.votes.times.sum())), float(row[0]), row[1:]
        whole = Estimate(value if abs(value) > _ROUNDING else 0.0, n, clusters=units)
        if not np.isfinite(value):
            return self._none(why, n)
        if units > 1 and not drawn.size:
            return whole
        return with_interval(whole, drawn, units, self.unit)

    def _none(self, why: Message, n: int | None = None) -> Estimate:
        return Estimate(None, self.votes.items if n is None else n, why, clusters=int(self.votes.times.sum()))

    @property
    def _why(self) -> Message:
        """Return why a figure over all annotators is undefined."""
        if len(self.votes.kinds) > MOST_KINDS:
            return Message("remark", "of_many", n=len(self.votes.kinds))
        return Message("remark", "equal_labels")

    def _why_no_kappa(self) -> Message:
        if not self.votes.annotators:
            return Message("remark", "unnamed_annotators")
        if len(self.votes.kinds) > MOST_KINDS or not np.ptp(self.votes.kinds):
            return self._why
        if not comparable(self.votes):
            return Message("remark", "many_label_pairs", n=MOST_PAIRS)
        return Message("remark", "no_shared_items")


def _listed(
    tallies: Tallies,
    names: Sequence[Hashable],
    kappa: Floats,
    items: Floats,
    wanted: Collection[tuple[Hashable, Hashable]],
) -> Ints:
    """Return the indexes of the pairs to list, ascending: all, or of too many, those wanted or with extreme kappas.

    Of equal kappas, those with more shared items come first.
    """
    count = len(tallies.pairs)
    if count <= MOST_LISTED:
        return np.arange(count)
    if wanted:
        named = ((names[first], names[second]) for first, second in tallies.pairs.tolist())
        return np.array([at for at, pair in enumerate(named) if pair in wanted], dtype=np.int64)
    defined = np.flatnonzero(np.isfinite(kappa))
    ends = [defined[np.lexsort((-items[defined], sign * kappa[defined]))[:_ENDS]] for sign in (1, -1)]
    return np.union1d(*ends)


def _mean(kappa: Floats, known: Mask) -> Floats:
    """Return the mean over the known pairs; NaN for a resample in which one of them is undefined."""
    if not known.any():
        return np.full(kappa.shape[:2], np.nan)
    mean: Floats = kappa[:, :, known].mean(axis=2)
    return mean


def among_others(votes: Votes) -> tuple[PersonAgreement, ...]:
    """Compare each annotator's labels with all others on the same items; linear in the number of labels."""
    times = votes.times[votes.unit]  # per item
    kinds = max(1, len(votes.kinds))
    _, place, same = np.unique(votes.item * kinds + votes.code, return_inverse=True, return_counts=True)
    weight = times[votes.item].astype(np.float64)
    people = len(votes.annotators)
    equal = np.bincount(votes.annotator, weight * (same[place] - 1), people)
    met = np.bincount(votes.annotator, weight * (votes.sizes[votes.item] - 1), people)
    items = np.bincount(votes.annotator, weight, people)
    there = np.flatnonzero(items)
    share = equal[there] / met[there]
    return tuple(
        PersonAgreement(votes.annotators[there[at]], int(items[there[at]]), float(share[at]))
        for at in np.argsort(share, kind="stable")
    )


# ------------------------------------------------------- figures from tallies, for many resamples at once


def among(sums: Floats, tallies: Tallies) -> Floats:
    """Compute the figures of `FIGURES` over all annotators: shape (figures, resamples)."""
    items, equal, n, total, squares, differing, apart = sums[:, :BASIC].T
    kinds = len(tallies.kinds)
    counts = sums[:, BASIC : BASIC + kinds]
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = equal / items
        interval = chance_corrected(apart, 2 * (n * squares - total**2) / (n - 1))
        if not kinds:  # too many different values for categories
            none = np.full_like(n, np.nan)
            return np.stack([percent, none, none, none, none, interval])
        unlike = n**2 - (counts**2).sum(axis=1)  # exact, so 0 exactly where all labels are the same
        by_chance = 1 - unlike / (n * (n - 1))
        fleiss = chance_corrected(1 - percent, unlike / n**2)
        nominal = chance_corrected(differing * (n - 1), unlike)
        ordinal = _ordinal(sums, tallies, counts, n)
    constant = unlike == 0
    figures = np.stack([percent, by_chance, fleiss, nominal, ordinal, interval])
    figures[2:, constant] = np.nan
    return figures


def kappas(sums: Floats, tallies: Tallies) -> Floats:
    """Compute Cohen's kappa of each pair of annotators: shape (weights, resamples, pairs)."""
    cells = sums[:, BASIC + len(tallies.kinds) + len(tallies.met[0]) :]
    pairs = len(tallies.pairs)
    most = max(1, HELD // max(1, len(cells) * len(tallies.kinds)))  # the tables of margins are the largest part
    figures = np.empty((len(WEIGHTS), len(cells), pairs))
    for begin in range(0, pairs, most):
        end = min(begin + most, pairs)
        first, last = np.searchsorted(tallies.pair, (begin, end))
        said = (tallies.said[0][first:last], tallies.said[1][first:last])
        _put_kappas(
            figures[:, :, begin:end], cells[:, first:last], tallies.pair[first:last] - begin, said, tallies.kinds
        )
    return figures


def _put_kappas(figures: Floats, cells: Floats, pair: Ints, said: tuple[Ints, Ints], x: Floats) -> None:
    """Write the kappas of some pairs into `figures`."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - as in `tally`

    _, rows, pairs = figures.shape
    one, other = said
    begins = np.searchsorted(pair, np.arange(pairs))

    def margin(said: Ints) -> Floats:
        """Count how often the annotator gave each value: shape (resamples, pairs, values)."""
        places = (np.ones(len(said)), (pair * len(x) + said, np.arange(len(said))))
        sum_up = csr_array(places, shape=(pairs * len(x), len(said)))
        return np.asarray(sum_up @ cells.T).T.reshape(rows, pairs, len(x))

    a, b = margin(one), margin(other)
    distance = np.abs(x[one] - x[other])
    for place, (weighting, cost) in enumerate(zip(WEIGHTS, (distance > 0, distance, distance**2), strict=True)):
        figures[place] = cohen_kappa_of(np.add.reduceat(cells * cost, begins, axis=1), a, b, x, weighting)


def shared_items(sums: Floats, tallies: Tallies) -> Floats:
    """Count, per pair of annotators, the items that both labeled and those on which they agree: shape (2, pairs)."""
    cells = sums[0, BASIC + len(tallies.kinds) + len(tallies.met[0]) :]
    one, other = tallies.said
    pairs = len(tallies.pairs)
    return np.stack([np.bincount(tallies.pair, cells * each, pairs) for each in (1.0, one == other)])


def _ordinal(sums: Floats, tallies: Tallies, counts: Floats, n: Floats) -> Floats:
    """Compute alpha for grades: grades are as far apart as their mean ranks, which equals Krippendorff's distance."""
    rank = (np.cumsum(counts, axis=1) - counts / 2) / n[:, None] - 0.5  # its mean over the labels is 0
    low, high = tallies.met
    begin = BASIC + len(tallies.kinds)
    together = sums[:, begin : begin + len(low)]
    observed = 2 * (together * (rank[:, low] - rank[:, high]) ** 2).sum(axis=1)
    expected = 2 * n * (counts * rank**2).sum(axis=1) / (n - 1)
    return chance_corrected(observed, expected)
