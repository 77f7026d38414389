"""Estimates of how people would rate the whole set: per system, overall, and the difference between two systems.

Computed from few labels and a judge's score for every item; see `stats.prediction_powered` for the method and its
source.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from saiten.choices import GradeZero
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label
from saiten.results.estimate import Estimates, MeanEstimate
from saiten.results.place import Place
from saiten.stats.clusters import Floats
from saiten.stats.prediction_powered import Scores, prediction_powered
from saiten.stats.prediction_powered_records import Limits
from saiten.trust.inputs.outputs import Output, Said
from saiten.trust.inputs.pairing import pair
from saiten.trust.inputs.scales import declared_bounds

_ROUNDING = 1e-12
"""Absorbs rounding: a mean of three people's 0.1 is slightly more or less than 0.1."""


def estimate(
    items: Mapping[str, Place],
    outputs: Sequence[Output],
    labels: Iterable[Label],
    *,
    metrics: Sequence[str] = (),
    aspects: Sequence[str] = (),
    yes_from: float | None = None,
    systems: tuple[str, str] | None = None,
    stratified: bool = False,
    width: float | None = None,
    grade_zero: GradeZero = "auto",
) -> Estimates:
    """Return, per aspect and metric, a row over all items, one per system, and one for the difference of two systems.

    The set is all items, whether or not the metric has a value for them: people would have labeled an answer that
    declines, too. A missing score is 0 where the answer declined, otherwise the metric's mean. Any such rule is valid
    as long as it does not depend on the labels; leaving those items out would estimate something else.

    Where a human grade of 0 means that an answer declines, the mean is over the answers that people grade: a ratio,
    whose interval is that of its linearized values (Särndal, Swensson and Wretman 1992, section 5.5).

    Args:
        items: all samples.
        outputs: the metrics' outputs.
        labels: labels of some of the items, drawn at random.
        metrics: the metrics to include, by name in the tables or the metric's own name; empty for all.
        aspects: the aspects to include; empty for all.
        yes_from: labels of at least this count as yes, so that the mean is a share.
        systems: the two systems to compare, first minus second.
        stratified: compute the mean over all items from each system's own mean, for labels drawn within systems at
            different rates; otherwise the labels must be a random sample of all items.
        width: half the desired width of an interval; the number of labels it needs is forecast.
        grade_zero: what a label of 0 means, as in `pairing.pair`.

    Raises:
        BadInput: nothing matched, no such metric or system, or labels of pairs of answers.
        ConfigurationError: a number is not finite or not positive, or a system is compared with itself.
    """
    _check(yes_from, systems, width)
    found: list[MeanEstimate] = []
    for aspect in pair(items, outputs, labels, aspects=aspects, grade_zero=grade_zero):
        if aspect.pairs:
            raise BadInput(
                f"the labels of {aspect.name!r} are preferences between two answers; no mean is made of those"
            )
        people = aspect.people if yes_from is None else (aspect.people >= yes_from - _ROUNDING).astype(float)
        for column in aspect.columns:
            if metrics and not {column.metric, column.made.metric, column.made.family} & set(metrics):
                continue
            said = _said(items, outputs, column.metric, aspect.name)
            given: dict[str, float | None] = dict(zip(aspect.items, people.tolist(), strict=True))
            given |= dict.fromkeys(aspect.declined)
            labeled = {item: value for item, value in given.items() if item in items}
            if all(value is None for value in labeled.values()) or all(isinstance(one, str) for one in said.values()):
                continue
            outside = aspect.unmatched.n + len(given) - len(labeled)
            # All-1 labels may be the lowest grade of a scale as well as verdicts.
            verdicts = yes_from is not None or (aspect.verdicts and len(set(people.tolist())) > 1)
            limits = (0.0, 1.0) if verdicts else _scale(column.made.metric, people)
            scores = _scores(said, declined=None in labeled.values())
            make = _Maker(aspect.name, column.metric, items, labeled, said, scores, outside, limits)
            found += make.rows(systems, stratified=stratified)
    made = {one.metric: one.made for one in outputs}
    named = {name for row in found for name in (row.metric, made[row.metric].metric, made[row.metric].family)}
    without = [repr(metric) for metric in metrics if metric not in named]
    if without or not found:
        there = ", ".join(sorted({one.metric for one in outputs}))
        asked = f"with {without[0]}" if without else "to make"
        raise BadInput(
            f"there is no estimate {asked}: no item of the set has a value of it. There is output of {there}"
        )
    return Estimates(tuple(found), width)


def _scale(metric: str, people: Floats) -> Limits | None:
    """Return the metric's declared scale if it covers people's grades."""
    declared = declared_bounds([metric]).get(metric)
    if declared is None or people.min() < declared[0] or people.max() > declared[1]:
        return None
    return declared


def _check(yes_from: float | None, systems: tuple[str, str] | None, width: float | None) -> None:
    for name, number in (("yes_from", yes_from), ("width", width)):
        if number is not None and not math.isfinite(number):
            raise ConfigurationError(f"{name} is {number}; a finite number was expected")
    if width is not None and width <= 0:
        raise ConfigurationError(f"width is {width}; half the width of an interval must be above 0")
    if systems is not None and systems[0] == systems[1]:
        raise ConfigurationError(f"the difference of {systems[0]!r} and itself is 0; name two systems")


def _said(items: Mapping[str, Place], outputs: Sequence[Output], metric: str, aspect: str) -> dict[str, Said]:
    """Return the metric's output per item, preferring output on this aspect to output without one.

    Labels without an aspect are compared with any output of the metric, as in `pairing.pair`.
    """
    own = [one for one in outputs if one.metric == metric and one.item in items]
    own = sorted((one for one in own if not aspect or one.aspect in ("", aspect)), key=lambda one: one.aspect == aspect)
    none: dict[str, Said] = dict.fromkeys(items, "undefined")
    return none | {one.item: one.said for one in own}


def _scores(said: Mapping[str, Said], *, declined: bool) -> dict[str, float]:
    """Return a score per item: 0 if it declines, unless people's mean excludes such answers (`declined`)."""
    middle = fmean(one for one in said.values() if not isinstance(one, str))
    instead = {} if declined else {"declined": 0.0}
    return {item: instead.get(one, middle) if isinstance(one, str) else one for item, one in said.items()}


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the rows of one metric and aspect."""

    aspect: str
    metric: str
    items: Mapping[str, Place]
    labels: Mapping[str, float | None]
    """Of the labeled items; None for an answer that people call declined."""
    said: Mapping[str, Said]
    scores: Mapping[str, float]
    """As in `said`, with a number for a missing score."""
    outside: int
    limits: Limits | None

    def rows(self, systems: tuple[str, str] | None, *, stratified: bool) -> list[MeanEstimate]:
        graded = [item for item, value in self.labels.items() if value is not None]
        names = sorted({name for item in graded if (name := self.items[item].system) is not None})
        every = sorted({item.system or "" for item in self.items.values()})
        for name in systems or ():
            if name not in names:
                raise BadInput(f"there are no labels of the system {name!r}; there are of {', '.join(names) or 'none'}")
        if stratified and not names:
            raise BadInput("a stratified mean is one over systems, and no labeled item names its system")
        if stratified and every != names:
            bare = ", ".join(repr(name) for name in every if name not in names)
            raise BadInput(f"a stratified mean needs labels of every system; there are none of {bare}")
        counts = Counter(item.system for item in self.items.values())
        shares: dict[str | None, float] = {name: counts[name] / len(self.items) for name in names}
        shares = shares if stratified else {None: 1.0}
        over = self._graded(shares)
        strata = [self._part(name, share, over) for name, share in shares.items()]
        made = [replace(self._row("all", None, *strata), uneven=None if stratified else self._uneven(every))]
        if len(names) > 1:
            made += [self._row(name, {name}, self._part(name)) for name in names]
        if systems is not None:
            first, second = systems
            parts = (self._part(first, 1.0), self._part(second, -1.0))
            made.append(self._row(f"{first} - {second}", {first, second}, *parts))
        return made

    def _row(self, what: str, systems: set[str] | None, *parts: Scores) -> MeanEstimate:
        of = [item for item, place in self.items.items() if systems is None or place.system in systems]
        unscored = sum(isinstance(self.said[item], str) for item in of)
        declined = sum(self.labels.get(item, 0.0) is None for item in of)
        outside = self.outside if what == "all" else 0
        powered = prediction_powered(*parts, limits=self.limits)
        return MeanEstimate(self.aspect, self.metric, what, powered, unscored, outside, declined=declined)

    def _uneven(self, systems: Sequence[str]) -> float | None:
        """Compute Pearson's chi-square test of labeled or not against system."""
        from scipy.special import chdtrc  # noqa: PLC0415 - not needed to start

        items = Counter(item.system or "" for item in self.items.values())
        labels = Counter(self.items[item].system or "" for item in self.labels)
        rate = labels.total() / items.total()
        if len(systems) < 2 or rate == 1:
            return None
        apart = sum((labels[name] - rate * items[name]) ** 2 / (rate * (1 - rate) * items[name]) for name in systems)
        return float(chdtrc(len(systems) - 1, apart))

    def _of(self, name: str | None) -> list[str]:
        return [item for item in self.scores if name is None or self.items[item].system == name]

    def _graded(self, shares: Mapping[str | None, float]) -> tuple[float, float]:
        """Return the mean grade over strata with these shares of the items, and the share that people grade."""
        mean, share = 0.0, 0.0
        for name, weight in shares.items():
            values = [self.labels[item] for item in self._of(name) if item in self.labels]
            grades = [value for value in values if value is not None]
            mean += weight * math.fsum(grades) / len(values)
            share += weight * len(grades) / len(values)
        return mean / share, share

    def _part(self, name: str | None, weight: float = 1.0, over: tuple[float, float] | None = None) -> Scores:
        """Return one part's scores; `over`: mean and share of grades of the whole mean, by default this part's."""
        known = [item for item in self._of(name) if item in self.labels]
        others = [item for item in self._of(name) if item not in self.labels]
        mean, share = over or self._graded({name: 1.0})
        every = share > 1 - _ROUNDING
        labels = [self.labels[item] for item in known]
        return Scores(
            labels=np.array([mean if y is None else y if every else mean + (y - mean) / share for y in labels]),
            judged=np.array([self.scores[item] for item in known]),
            rest=np.array([self.scores[item] for item in others], float),
            clusters=[self.items[item].question for item in known],
            rest_clusters=[self.items[item].question for item in others],
            weight=weight,
            telling=len({self.items[item].question for item in known if self.labels[item] is not None}),
        )
