"""Human agreement: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha over items × annotators, with intervals.

Cells may be missing; items with fewer than two labels carry no information about agreement and are left out. Intervals
are as in `estimate.py`, with items (or clusters of them) drawn with replacement, all figures from the same draws.

Percent is not corrected for chance, so read it together with kappa or alpha and with `by_chance`, the percentage
expected if the same labels were assigned at random. If nearly all labels are equal, kappa and alpha are low although
percent is high (Feinstein and Cicchetti 1990, *High Agreement but Low Kappa*): the few other labels rarely coincide.

Sources: Fleiss 1971, *Measuring Nominal Scale Agreement Among Many Raters*; Krippendorff 2011, *Computing
Krippendorff's Alpha-Reliability*; Cohen 1960 and 1968 (weights by the distance of the values).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np

from saiten.stats.classification import Weights, chance_corrected, cohen_kappa_of
from saiten.stats.clusters import Column, Floats, Ints
from saiten.stats.estimate import Estimate, Unit, with_interval
from saiten.stats.interrater.tallies import BASIC, MOST_KINDS, MOST_PAIRS, Tallies, comparable, tally
from saiten.stats.interrater.votes import Votes, make_votes, weights
from saiten.words import Message

FIGURES = ("percent", "by_chance", "fleiss", "nominal", "ordinal", "interval")
"""The rows that `among` returns, in this order."""

WEIGHTS: tuple[Weights, ...] = (None, "linear", "quadratic")
"""The rows that `kappas` returns for each pair, in this order."""

KAPPAS = ("kappa", "kappa_linear", "kappa_quadratic")
"""Means over the pairs, in the order of `WEIGHTS`."""

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
    """All pairs of annotators who share items; empty without annotators' names."""


def agreement_among(
    items: Sequence[Hashable],
    values: Column,
    annotators: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = 1_000,
    seed: int = 0,
) -> AgreementAmong:
    """Compute all figures over labels, one row per label; independent of the order of the rows.

    Args:
        items: the labeled items.
        values: verdicts or grades, finite; categories as numbers, for which only nominal figures are meaningful.
        annotators: the annotators; None if unknown, in which case no two annotators are compared.
        clusters: a label per row, for example the question, the same for all rows of an item; None draws items.
        resamples: number of draws; 0 for no intervals.
        seed: seed of the draws.

    Raises:
        ValueError: lengths differ, a value is not finite, or an annotator has two labels on an item.
    """
    votes = make_votes(items, values, annotators, clusters)
    if votes.items == 0:
        none = Estimate(None, 0, Message("remark", "no_two_labels"))
        return AgreementAmong(items=0, pairs=(), **dict.fromkeys((*FIGURES, *KAPPAS), none))
    unit: Unit = "item" if clusters is None else "question"
    return _Computed.of(votes, resamples, seed, unit).report()


@dataclass(frozen=True, slots=True)
class _Computed:
    """The figures of the data, at index 0, followed by those of each resample; NaN where undefined."""

    votes: Votes
    tallies: Tallies
    figures: Floats
    """Shape (FIGURES, 1 + resamples)."""
    kappas: Floats
    """Shape (WEIGHTS, 1 + resamples, pairs)."""
    shared: Floats
    """Per pair, the number of items that both labeled, and on which they agree: shape (2, pairs)."""
    unit: Unit

    @classmethod
    def of(cls, votes: Votes, resamples: int, seed: int, unit: Unit) -> Self:
        tallies = tally(votes)
        data = votes.times[None, :].astype(np.float64)
        resamples = resamples if len(votes.times) > 1 or votes.times[0] > 1 else 0
        figures, pairs, shared = [], [], np.empty((2, 0))
        for times in chain([data], weights(votes, resamples, seed, tallies.width)):
            sums = np.asarray(tallies.matrix @ times.T).T
            figures.append(among(sums, tallies))
            if tallies.pairs:
                pairs.append(kappas(sums, tallies))
                shared = shared if times is not data else shared_items(sums, tallies)
        each = np.concatenate(pairs, axis=1) if pairs else np.empty((len(WEIGHTS), 1, 0))
        return cls(votes, tallies, np.concatenate(figures, axis=1), each, shared, unit)

    def report(self) -> AgreementAmong:
        """Return the figures as estimates."""
        votes, n = self.votes, self.votes.items
        found = {name: self._estimate(row, n, self._why) for name, row in zip(FIGURES, self.figures, strict=True)}
        found["by_chance"] = replace(found["by_chance"], low=None, high=None, note=None)
        for name, row in zip(KAPPAS, self._mean_kappas(), strict=True):
            found[name] = self._estimate(row, n, self._why_no_kappa())
        if n == 1:
            alone = self._none(Message("remark", "single_item_no_chance"))
            found |= dict.fromkeys(set(found) - {"percent"}, alone)
        elif votes.sizes.min() != votes.sizes.max():
            found["fleiss"] = self._none(
                Message("remark", "unequal_labels", least=int(votes.sizes.min()), most=int(votes.sizes.max()))
            )
        pairs = tuple(self._pair(at, *both) for at, both in enumerate(self.tallies.pairs))
        return AgreementAmong(items=n, pairs=pairs, **found)

    def _pair(self, at: int, first: int, second: int) -> PairAgreement:
        n, equal = self.shared[:, at]
        if n < 2:
            each = [Estimate(None, int(n), Message("remark", "one_shared_item"))] * len(WEIGHTS)
        else:
            why = Message("remark", "both_constant")
            each = [self._estimate(rows[:, at], int(n), why) for rows in self.kappas]
        names = self.votes.annotators
        return PairAgreement(names[first], names[second], float(equal / n), *each)

    def _mean_kappas(self) -> Floats:
        """Return the mean over pairs with a defined kappa; NaN for a resample in which one of them is undefined."""
        known = np.isfinite(self.kappas[0, 0]) & (self.shared[0] >= 2)
        if not known.any():
            return np.full(self.kappas.shape[:2], np.nan)
        mean: Floats = self.kappas[:, :, known].mean(axis=2)
        return mean

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
    from scipy.sparse import csr_array  # noqa: PLC0415 - as in `tally`

    cells = sums[:, BASIC + len(tallies.kinds) + len(tallies.met[0]) :]
    x, pairs = tallies.kinds, len(tallies.pairs)
    one, other = tallies.said
    begins = np.searchsorted(tallies.pair, np.arange(pairs))
    rows = len(cells)

    def margin(said: Ints) -> Floats:
        """Count how often the annotator gave each value: shape (resamples, pairs, values)."""
        places = (np.ones(len(said)), (tallies.pair * len(x) + said, np.arange(len(said))))
        sum_up = csr_array(places, shape=(pairs * len(x), len(said)))
        return np.asarray(sum_up @ cells.T).T.reshape(rows, pairs, len(x))

    a, b = margin(one), margin(other)
    distance = np.abs(x[one] - x[other])
    figures = np.empty((len(WEIGHTS), rows, pairs))
    for place, (weighting, cost) in enumerate(zip(WEIGHTS, (distance > 0, distance, distance**2), strict=True)):
        figures[place] = cohen_kappa_of(np.add.reduceat(cells * cost, begins, axis=1), a, b, x, weighting)
    return figures


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
