"""Meta-evaluation of metrics against human labels, as one frozen object from which all outputs are made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from saiten.errors import ConfigurationError
from saiten.results.aspect_result import AspectResult, SubsetResult
from saiten.results.ceiling import Ceiling
from saiten.results.figure import counted
from saiten.results.meta_evaluation import MetaEvaluation, Settings
from saiten.results.metric_result import Easier, MetricResult
from saiten.results.ranking import Ranking
from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.pairing import LabeledAspect, MetricColumn, part_of
from saiten.trust.inputs.scales import Bounds, scale_of, shared
from saiten.trust.meta_evaluation.aspect_grades import contested_items
from saiten.trust.meta_evaluation.bias import bias
from saiten.trust.meta_evaluation.ceiling import ceiling
from saiten.trust.meta_evaluation.decisions import NO_VALUE, as_verdicts, decided, decisions, graded
from saiten.trust.meta_evaluation.figures import CORRELATIONS, GRADES, PREFERENCES, VERDICT_FIGURES
from saiten.trust.meta_evaluation.levels import (
    FEWEST,
    check_pairs,
    item_level,
    people_by_system,
    question_level,
    system_level,
    wins,
)
from saiten.trust.meta_evaluation.preferences import filled, majority, points, preferences, signs
from saiten.trust.meta_evaluation.ranking import NAMES, rank
from saiten.words import Message

BASELINES = ("context_overlap", "length")
"""A judge that does no better than these does not read the answers."""

_PAIRED = (*CORRELATIONS, *PREFERENCES)
_OF_VERDICTS = ("auroc", *VERDICT_FIGURES)


def meta_evaluate(
    aspects: Sequence[LabeledAspect],
    settings: Settings | None = None,
    *,
    bounds: Bounds | None = None,
    notify: Callable[[str], None] | None = None,
) -> MetaEvaluation:
    """Compare every metric with people on every aspect.

    Args:
        aspects: from `pairing.pair`.
        settings: the settings; None for the defaults.
        bounds: the scales that metrics declare.
        notify: receives progress messages.

    Raises:
        ConfigurationError: there is no figure of the name `settings.rank_by`.
        BadInput: a system of `settings.system_pairs` is unknown.
    """
    settings = settings or Settings()
    if settings.rank_by is not None and settings.rank_by not in NAMES:
        raise ConfigurationError(f"metrics cannot be ranked by {settings.rank_by!r}; by one of {', '.join(NAMES)}")
    if settings.system_pairs is not None:
        systems = {system for aspect in aspects for system in aspect.systems if system is not None}
        settings = replace(settings, system_pairs=check_pairs(settings.system_pairs, sorted(systems)))
    found = []
    for aspect in aspects:
        if notify:
            notify(f"{aspect.name or 'labels'}: {len(aspect.items)} items, {len(aspect.columns)} metrics")
        found.append(_compared(aspect, settings, bounds or {}))
    return MetaEvaluation(tuple(found), settings, _notes(aspects))


def _compared(aspect: LabeledAspect, settings: Settings, bounds: Bounds) -> AspectResult:
    resamples = _resamples(aspect, settings)
    people = ceiling(aspect, resamples, yes_from=None if aspect.pairs else settings.yes_from)
    measured, ranked = (_preferred, _rank_preferences) if aspect.pairs else (_measured, _rank_points)
    results, said = measured(aspect, np.arange(len(aspect.items)), settings, bounds)
    ranking, notes = ranked(aspect, settings, results, said, people=people, resamples=resamples)
    notes = [*aspect.notes, *notes, *contested_items(aspect)]
    if aspect.marked:
        notes.append(Message("note", "labels_are_marks"))
    if people is not None and people.left_out:
        notes.append(Message("note", "settlers", names=", ".join(people.left_out)))
    parts: dict[str, Ints] = {}
    if settings.split_by is not None:
        of = aspect.groups if settings.split_by == "group" else aspect.systems
        names = sorted({name for name in of if name is not None})
        parts = {name: np.flatnonzero([one == name for one in of]) for name in names}
        if without := of.count(None):
            by = Message("column", settings.split_by)
            notes.append(Message("note", "no_part", n=without, of=len(of), by=by))
    return AspectResult(
        aspect=aspect.name,
        pairs=aspect.pairs,
        n=len(aspect.items),
        questions=resamples.clusters,
        annotators=len(aspect.annotators),
        labels=len(aspect.given[0]),
        scale=aspect.scale,
        mean=float(aspect.people.mean()),
        unlabeled=aspect.unlabeled,
        unmatched=aspect.unmatched,
        metrics=tuple(results),
        ceiling=people,
        ranking=ranking,
        notes=tuple(notes),
        declined=len(aspect.declined),
        parts=tuple(
            SubsetResult(name, len(at), tuple(measured(aspect, at, settings, bounds)[0])) for name, at in parts.items()
        ),
        by_system=() if aspect.pairs else people_by_system(aspect.people, aspect.systems, aspect.questions),
    )


def _notes(aspects: Sequence[LabeledAspect]) -> tuple[Message, ...]:
    metrics = {column.made.metric.partition("[")[0] for aspect in aspects for column in aspect.columns}
    absent = [baseline for baseline in BASELINES if baseline not in metrics]
    if not absent:
        return ()
    options = " ".join(f"-m {baseline}" for baseline in absent)
    names = absent[0] if len(absent) == 1 else Message("note", "either", first=absent[0], second=absent[1])
    return (Message("note", "no_baseline", baselines=names, options=options),)


def _measured(
    whole: LabeledAspect, at: Ints, settings: Settings, bounds: Bounds
) -> tuple[list[MetricResult], dict[str, Floats]]:
    """Return the metrics' results on these rows, and their decisions; scales are those of the whole."""
    aspect = part_of(whole, at)
    resamples = _resamples(aspect, settings)
    scale, truth = whole.scale, as_verdicts(aspect.people, settings.yes_from, verdicts=aspect.verdicts)
    pairs = settings.system_pairs
    results: list[MetricResult] = []
    said: dict[str, Floats] = {}
    for column, everything in zip(aspect.columns, whole.columns, strict=True):
        declared = bounds.get(column.made.metric)
        own = scale_of(everything.values[everything.rows], declared)
        verdict = decided(everything, own, scale, declared=declared is not None, yes_from=settings.yes_from)
        if not isinstance(verdict, Message):
            verdict = (verdict[0][at], verdict[1])
            said[column.metric] = verdict[0]
        rows = column.rows
        some = resamples.only(rows)
        x, y = column.values[rows], aspect.people[rows]
        systems = [aspect.systems[row] for row in rows]
        common = (x, y, systems, some)
        every = (column.values, aspect.people, aspect.systems, resamples)
        apart = shared(own, scale, declared=declared is not None) if len(rows) else NO_VALUE
        lacking = _lacking(column, aspect)
        results.append(
            MetricResult(
                column.metric,
                column.made,
                len(rows),
                column.missing,
                item_level(x, y, some),
                system_level(*(every if settings.systems_over == "all" else common), pairs=pairs, lacking=lacking),
                wins(*common, pairs=pairs, lacking=lacking),
                question_level(x, y, some),
                None if truth is None else decisions(column, truth, verdict, resamples, settings.unmeasured),
                graded(column, aspect, scale, own, declared=declared is not None, resamples=resamples),
                bias(x, y, systems, scale, some, apart=apart),
                beside_declined=column.beside_declined,
                mean=float(x.mean()) if len(x) else None,
                people=float(y.mean()) if len(y) else None,
                easier=_easier(column, aspect.people, truth),
            )
        )
    return results, said


def _easier(column: MetricColumn, people: Floats, truth: Floats | None) -> Easier | None:
    said = people if truth is None else truth
    left, kept = (side[~np.isnan(side)] for side in (said[column.declining], said[column.rows]))
    if not len(left):
        return None
    right = None if truth is None else int(left.sum())
    return Easier(len(left), right, float(left.mean()), float(kept.mean()) if len(kept) else None)


def _lacking(column: MetricColumn, aspect: LabeledAspect) -> Message | None:
    """Return why the metric has values for fewer systems than are named; None if it has values for all."""
    named = set(aspect.systems) - {None}
    measured = {aspect.systems[row] for row in column.rows} - {None}
    if named == measured:
        return None
    missing = counted(column.missing)
    return Message("remark", "few_measured_systems", n=len(measured), of=len(named), missing=missing, least=FEWEST)


def _rank_points(
    aspect: LabeledAspect,
    settings: Settings,
    results: Sequence[MetricResult],
    said: Mapping[str, Floats],
    *,
    people: Ceiling | None,
    resamples: Resamples,
) -> tuple[Ranking | None, Sequence[Message]]:
    truth = as_verdicts(aspect.people, settings.yes_from, verdicts=aspect.verdicts)
    by = settings.rank_by or ("auroc" if aspect.verdicts else "pearson")
    if by == "accuracy":
        return None, [Message("note", "accuracy_of_preferences")]
    if by in _OF_VERDICTS and truth is None:
        return None, [Message("note", "needs_verdicts", measure=by)]
    figures = {result.metric: _figure(result, by) for result in results}
    columns = {column.metric: column.values for column in aspect.columns}
    if by in VERDICT_FIGURES:
        nothing = np.full(len(aspect.items), np.nan)
        columns = {metric: said.get(metric, nothing) for metric in columns}
        if settings.unmeasured in ("wrong", "worst") and truth is not None:
            fill = 1 - truth if settings.unmeasured == "wrong" else np.zeros_like(truth)
            columns = {m: np.where(np.isnan(x), fill, x) if m in said else x for m, x in columns.items()}
    against = truth if by in _OF_VERDICTS and truth is not None else aspect.people
    top = getattr(people, by) if people else None
    return rank(by, figures, columns, against, resamples.groups, ceiling=top, seed=settings.seed), []


def _figure(result: MetricResult, by: str) -> Estimate:
    record = result.grades if by in GRADES else result.items
    none = Estimate(None, 0, Message("remark", "no_common_grades") if result.n else NO_VALUE)
    found: Estimate = getattr(result.decisions if by in _OF_VERDICTS and result.decisions else record, by, none)
    return found


def _preferred(
    whole: LabeledAspect, at: Ints, settings: Settings, _: Bounds
) -> tuple[list[MetricResult], dict[str, Floats]]:
    """Return the metrics' results on these rows; preferences have no decisions."""
    aspect = part_of(whole, at)
    resamples = _resamples(aspect, settings)
    results = []
    for column in aspect.columns:
        found = preferences(column, aspect, resamples, margin=settings.tie_margin, unmeasured=settings.unmeasured)
        results.append(
            MetricResult(column.metric, column.made, len(column.rows), column.missing, found.points, preferences=found)
        )
    return results, {}


def _rank_preferences(
    aspect: LabeledAspect,
    settings: Settings,
    results: Sequence[MetricResult],
    _: Mapping[str, Floats],
    *,
    people: Ceiling | None,
    resamples: Resamples,
) -> tuple[Ranking | None, Sequence[Message]]:
    by = settings.rank_by if settings.rank_by in _PAIRED else "pearson"
    unknown = settings.rank_by not in (*_PAIRED, None)
    notes = [Message("note", "no_figure_of_preferences", measure=settings.rank_by)] if unknown else []
    if by in PREFERENCES:
        columns = {
            column.metric: filled(signs(column.values, settings.tie_margin), settings.unmeasured)
            for column in aspect.columns
        }
        figures = {each.metric: getattr(each.preferences, by) for each in results if each.preferences}
        against, groups = majority(aspect), resamples.groups
    else:
        rows, against = points(aspect)
        columns = {column.metric: column.values[rows] for column in aspect.columns}
        figures = {each.metric: getattr(each.items, by) for each in results}
        groups = resamples.groups[rows]
    top = getattr(people, by) if people else None
    return rank(by, figures, columns, against, groups, ceiling=top, seed=settings.seed), notes


def _resamples(aspect: LabeledAspect, settings: Settings) -> Resamples:
    return Resamples.of(aspect.questions, resamples=settings.resamples, seed=settings.seed)
