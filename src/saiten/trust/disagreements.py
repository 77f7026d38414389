"""The items on which a judge and people differ most, and how often they differ.

Items are ordered by |judge − people|: on the common scale of both if there is one, as for the bias; otherwise by their
verdicts, if both sides have any; otherwise by ranks. Of equal differences, items on which people agree among themselves
come first, because there the judge is more likely at fault, then those with more labels. Answers that either side calls
declined (grade 0 of graded correctness) have no grade to compare.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saiten.choices import TIE_MARGIN, DisagreementKind
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import known_metric
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.records import Label
from saiten.results.disagreements import (
    Disagreement,
    DisagreementMeasure,
    DisagreementReport,
    JudgeDisagreements,
    Voice,
)
from saiten.results.figure import counted
from saiten.results.verdict import higher_is_better
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import spearman
from saiten.stats.estimate import Estimate
from saiten.stats.ranks import ranks
from saiten.stats.wilson import wilson
from saiten.trust.inputs.pairing import LabeledAspect, MetricColumn, part_of
from saiten.trust.inputs.scales import Bounds, are_grades, grades, scale_of, shared
from saiten.trust.inputs.score_figure import is_judged
from saiten.trust.meta_evaluation.decisions import NO_VALUE, as_verdicts, decided
from saiten.trust.meta_evaluation.preferences import majority, signs
from saiten.words import Message

MOST = 10
"""Default number of items listed."""
_APART = 0.25
"""People differ about an item if their labels are further apart than this share of their scale."""


@dataclass(frozen=True, slots=True)
class DisagreementSettings:
    """What to compare and list."""

    metrics: tuple[str, ...] = ()
    """List these, by their names in tables or their own; () lists, per aspect, the judge closest to people."""
    most: int = MOST
    """Maximum items per list."""
    only: DisagreementKind | None = None
    """Restrict the lists to this kind."""
    system: str | None = None
    """Compare only the answers of this system."""
    group: str | None = None
    """Compare only the samples of this group."""
    yes_from: float | None = None
    """Turn grades into verdicts: at least this value is a yes."""
    tie_margin: float = TIE_MARGIN
    """For preferences, the largest score difference that is a tie."""


def disagreements(
    aspects: Sequence[LabeledAspect],
    labels: Iterable[Label] = (),
    settings: DisagreementSettings | None = None,
    *,
    bounds: Bounds | None = None,
) -> DisagreementReport:
    """Compare every metric with people on every aspect, and list the items on which they differ most.

    Args:
        aspects: from `pairing.pair`.
        labels: the labels they were made from, for what each person said.
        settings: the settings; None for the defaults.
        bounds: the scales that metrics declare; see `scales.declared_bounds`.

    Raises:
        BadInput: no item remains, or there is no metric of a name.
        ConfigurationError: verdicts are asked for, and no listed metric and aspect has them.
    """
    settings = settings or DisagreementSettings()
    said: dict[tuple[str, str], list[Label]] = {}
    for label in labels:
        said.setdefault((label.aspect, label.item), []).append(label)
    compared: list[JudgeDisagreements] = []
    for whole in aspects:
        rows = _chosen(whole, settings)
        if not len(rows):
            continue
        part = part_of(whole, rows)
        names = _listed(part, settings.metrics)
        for number, column in enumerate(part.columns):
            if settings.metrics and column.metric not in names:
                continue
            declared = (bounds or {}).get(column.made.metric)
            sides = _sides(whole, part, number, rows=rows, settings=settings, declared=declared)
            compared.append(_compared(sides, part, settings, said if column.metric in names else None))
    _check(compared, aspects, settings)
    notes = dict.fromkeys(note for aspect in aspects for note in aspect.notes)
    return DisagreementReport(tuple(compared), settings.only, tuple(notes))


def _check(
    compared: Sequence[JudgeDisagreements], aspects: Sequence[LabeledAspect], settings: DisagreementSettings
) -> None:
    there = list(dict.fromkeys(column.metric for aspect in aspects for column in aspect.columns))
    if settings.metrics and not any(_named(column, settings.metrics) for each in aspects for column in each.columns):
        raise BadInput(f"there are no values of {settings.metrics[0]!r}; there are {', '.join(there)}")
    if not compared:
        raise BadInput(_no_item(aspects, settings))
    lists = [one for one in compared if one.listed is not None]
    if settings.only in _OF_VERDICTS and lists and all(one.verdicts is None for one in lists):
        metrics = ", ".join(dict.fromkeys(one.metric for one in lists))
        if settings.yes_from is not None:
            raise ConfigurationError(
                f"{settings.only} needs verdicts on both sides, and {metrics} and the labels share no scale that "
                f"--yes-from {settings.yes_from:g} could divide: use judge-higher or judge-lower, which compare ranks"
            )
        raise ConfigurationError(
            f"{settings.only} needs verdicts on both sides, and {metrics} or the labels have none: turn grades on a "
            "common scale into verdicts with --yes-from, or use judge-higher or judge-lower"
        )


def _no_item(aspects: Sequence[LabeledAspect], settings: DisagreementSettings) -> str:
    """Return what the system or group is not found among."""
    systems = _distinct(name for aspect in aspects for name in aspect.systems)
    groups = _distinct(name for aspect in aspects for name in aspect.groups)
    if settings.group is None:
        return f"no labeled item is of the system {settings.system!r}; the systems are: {systems}"
    if settings.system is None:
        return f"no labeled item is of the group {settings.group!r}; the groups are: {groups}"
    return f"no labeled item is of both the system {settings.system!r} and the group {settings.group!r}"


def _distinct(names: Iterable[str | None]) -> str:
    return ", ".join(sorted({name for name in names if name is not None})) or "none"


_OF_VERDICTS = ("judge-yes-people-no", "judge-no-people-yes")


def _chosen(aspect: LabeledAspect, settings: DisagreementSettings) -> Ints:
    """Return the rows of the system and group asked for."""
    wanted = [
        settings.system in (None, system) and settings.group in (None, group)
        for system, group in zip(aspect.systems, aspect.groups, strict=True)
    ]
    return np.flatnonzero(wanted)


def _named(column: MetricColumn, metrics: Sequence[str]) -> bool:
    return not {column.metric, column.made.metric, column.made.family}.isdisjoint(metrics)


def _listed(aspect: LabeledAspect, metrics: Sequence[str]) -> frozenset[str]:
    """Return the metrics to list: those named, else the judge whose values rank items most as people do.

    Judges of another aspect are no candidates if one of this aspect is there, whatever it said.
    """
    if metrics:
        return frozenset(column.metric for column in aspect.columns if _named(column, metrics))
    rated = {column.metric: _rated(column.made.metric) for column in aspect.columns}
    about = (aspect.name, None) if aspect.name in rated.values() else rated.values()
    measured = [column for column in aspect.columns if len(column.rows) and rated[column.metric] in about]
    judges = [column for column in measured if is_judged(column.made.metric)] or measured
    best = max(judges, key=lambda column: _alike(column, aspect), default=None)
    return frozenset() if best is None else frozenset({best.metric})


def _rated(metric: str) -> str | None:
    """Return the aspect that the metric rates or predicts; None if it names none."""
    known = known_metric(metric)
    if isinstance(known, Direct):
        return known.overall.name
    return known.weighing.target if isinstance(known, Mate) else aspect_of_metric(metric)


def _alike(column: MetricColumn, aspect: LabeledAspect) -> float:
    found = spearman(column.values[column.rows], aspect.people[column.rows]).value
    return -2.0 if found is None else found


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Both sides of a comparison, on every item; NaN where there is nothing to compare."""

    column: MetricColumn
    measure: DisagreementMeasure
    difference: Floats
    verdicts: Floats | None
    """Judge − people as verdicts: 1, 0 or -1."""
    grades: Floats | None
    """Judge − people in whole grades, or in signs of preferences."""
    why_not: Message | None
    """Why there are neither verdicts nor grades."""

    @property
    def decided(self) -> Floats:
        """The differences that agreement is counted over."""
        return next((one for one in (self.verdicts, self.grades) if one is not None), self.difference)


def _sides(
    whole: LabeledAspect,
    aspect: LabeledAspect,
    number: int,
    *,
    rows: Ints,
    settings: DisagreementSettings,
    declared: tuple[float, float] | None,
) -> _Sides:
    """Compare a column's values in the rows, which are the aspect; scales and decisions are those of the whole."""
    column, everything, people = aspect.columns[number], whole.columns[number], whole.scale
    if aspect.pairs:
        apart = signs(column.values, settings.tie_margin) - majority(aspect)
        return _Sides(column, "preferences", apart, None, apart, None)
    own = scale_of(everything.values[everything.rows], declared)
    known = declared is not None
    scales_apart = shared(own, people, declared=known) if len(everything.rows) else NO_VALUE
    truth = as_verdicts(aspect.people, settings.yes_from, verdicts=aspect.verdicts)
    decision = decided(everything, own, people, declared=known, yes_from=settings.yes_from)
    verdicts = None if truth is None or isinstance(decision, Message) else decision[0][rows] - truth
    if scales_apart is None:
        in_grades = are_grades(people, aspect.people)
        whole_grades = grades(column.values) - grades(aspect.people) if in_grades else None
        return _Sides(column, "values", column.values - aspect.people, verdicts, whole_grades, None)
    if verdicts is not None:
        return _Sides(column, "verdicts", verdicts, verdicts, None, None)
    return _Sides(column, "ranks", _ranks_apart(column, aspect.people), None, None, scales_apart)


def _ranks_apart(column: MetricColumn, people: Floats) -> Floats:
    """Return the difference of the shares of items ranked below, with the best on top for both."""
    rows, apart = column.rows, np.full(len(people), np.nan)
    if len(rows) > 1:
        sign = -1 if higher_is_better(column.made.metric) is False else 1
        below = [(ranks(side) - 1) / (len(rows) - 1) for side in (sign * column.values[rows], people[rows])]
        apart[rows] = below[0] - below[1]
    return apart


def _compared(
    sides: _Sides,
    aspect: LabeledAspect,
    settings: DisagreementSettings,
    said: Mapping[tuple[str, str], Sequence[Label]] | None,
) -> JudgeDisagreements:
    """Count how often both sides differ; `said`: the labels, if the items are to be listed."""
    compared = sides.decided[~np.isnan(sides.decided)]
    n = len(compared)
    if sides.why_not is not None:
        agreement = Estimate(None, n, sides.why_not)
    elif sides.verdicts is None and sides.grades is None:
        agreement = Estimate(None, n, Message("remark", "no_steps"))
    elif not n:
        agreement = Estimate(None, 0, Message("remark", "no_pairs"))
    else:
        share = float((compared == 0).mean())
        agreement = Estimate(share, n, None, *wilson(share, n))
    rows = _ordered(sides, aspect, settings)
    split = 0 if sides.verdicts is None else int((~np.isnan(sides.difference) & np.isnan(sides.verdicts)).sum())
    remarks = [counted(sides.column.missing) if sides.column.missing else None, agreement.reason]
    remarks += [Message("remark", "people_split", n=split) if split else None]
    return JudgeDisagreements(
        aspect=aspect.name,
        metric=sides.column.metric,
        made=sides.column.made,
        measure=sides.measure,
        n=n,
        agreement=agreement,
        verdicts=_two(sides.verdicts),
        grades=_two(sides.grades),
        found=len(rows),
        listed=None if said is None else tuple(_listing(sides, aspect, rows[: settings.most], said)),
        remarks=tuple(one for one in remarks if one is not None),
    )


def _two(apart: Floats | None) -> tuple[int, int] | None:
    """Return how often the judge is above people, and below."""
    return None if apart is None else (int((apart > 0).sum()), int((apart < 0).sum()))


def _kinds(sides: _Sides) -> list[DisagreementKind]:
    """Return each item's kind: by the verdicts if they differ, else by which value is higher."""
    verdicts = np.zeros_like(sides.difference) if sides.verdicts is None else sides.verdicts
    return [
        ("judge-yes-people-no" if said > 0 else "judge-no-people-yes")
        if said and not np.isnan(said)
        else ("judge-higher" if value > 0 else "judge-lower")
        for said, value in zip(verdicts.tolist(), sides.difference.tolist(), strict=True)
    ]


def _asked_for(sides: _Sides, only: DisagreementKind | None) -> npt.NDArray[np.bool_]:
    """Return which items differ in the way asked for: as counted, or by any difference if nothing is counted."""
    apart = sides.difference
    if only in _OF_VERDICTS:
        apart = np.zeros_like(apart) if sides.verdicts is None else sides.verdicts
    elif only is not None and sides.grades is not None:
        apart = sides.grades
    wanted: npt.NDArray[np.bool_] = np.abs(apart) > 0  # NaN is not
    if only is not None:
        wanted = apart > 0 if only in ("judge-yes-people-no", "judge-higher") else apart < 0
    return wanted


def _ordered(sides: _Sides, aspect: LabeledAspect, settings: DisagreementSettings) -> list[int]:
    """Return the rows asked for, those with the largest difference first."""
    spread, labels = _spread(aspect)
    rows = np.flatnonzero(_asked_for(sides, settings.only)).tolist()
    # Rounded, so that differences that are equal but for the last bit are equal.
    size = np.round(np.abs(sides.difference), 9)
    clear = np.abs(aspect.people) if aspect.pairs else np.zeros_like(size)
    return sorted(rows, key=lambda row: (-size[row], -clear[row], spread[row], -labels[row], aspect.items[row]))


def _spread(aspect: LabeledAspect) -> tuple[Floats, Ints]:
    """Return the distance between the highest and the lowest label of each item, and the number of its labels."""
    of, _, values = aspect.given
    n = len(aspect.items)
    high, low = np.full(n, -np.inf), np.full(n, np.inf)
    np.maximum.at(high, of, values)
    np.minimum.at(low, of, values)
    labels = np.bincount(of, minlength=n)
    return np.where(labels > 0, high - low, 0.0), labels


def _listing(
    sides: _Sides, aspect: LabeledAspect, rows: Sequence[int], said: Mapping[tuple[str, str], Sequence[Label]]
) -> list[Disagreement]:
    kinds, (spread, _) = _kinds(sides), _spread(aspect)
    width = aspect.scale.high - aspect.scale.low
    return [
        Disagreement(
            item=aspect.items[row],
            system=aspect.systems[row],
            judge=float(sides.column.values[row]),
            people=float(aspect.people[row]),
            difference=float(sides.difference[row]),
            kind=kinds[row],
            people_differ=bool(spread[row] > _APART * width),
            voices=_voices(said.get((aspect.name, aspect.items[row]), ())),
        )
        for row in rows
    ]


def _voices(labels: Sequence[Label]) -> tuple[Voice, ...]:
    """Return what people said: third decisions last, as they were made."""
    ordered = sorted(labels, key=lambda label: (label.adjudicated, label.annotator))
    return tuple(Voice(each.annotator, each.value, each.adjudicated, each.reason) for each in ordered)
