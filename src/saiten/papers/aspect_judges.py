"""Judges and metrics compared with people: table 1, held-out questions, weights and bias of the text on aspects."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np

from saiten.choices import HELD_OUT
from saiten.errors import BadInput
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import read_weights
from saiten.papers.aspect_grades import ASPECTS, OVERALL, GradedAnswers, JudgeOnAspects, MeasuredAnswers
from saiten.redaction import redact
from saiten.results.figure import counted
from saiten.stats.clusters import Floats
from saiten.stats.correlation import moments, pearson, pearson_of
from saiten.stats.dependent_correlations import SummedPair, swap_tests
from saiten.stats.differences import mean_difference
from saiten.stats.estimate import Estimate, Statistic, bootstrap_mean, bootstrap_statistic
from saiten.stats.resampling import Resamples
from saiten.tuning.judge.overall import LEARNED, PUBLISHED, fitted_weights
from saiten.tuning.mate import LearnedWeights, learn_weights
from saiten.tuning.rated import rated_by_people
from saiten.tuning.splitting import held_out_questions
from saiten.views.table import Cell, Name, PValue, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.views.tables.meta_cells import reworded
from saiten.words import Composed, Message, joined

_FORM = IntervalColumns(numbers=True)
PEARSON_OF_WEIGHTS = 0.853
"""The published correlation of MATE of people's grades with their overall grade, on held-out questions."""
_RESAMPLES = 1_000


def means_table(answers: GradedAnswers, judges: Sequence[JudgeOnAspects], metrics: Sequence[MeasuredAnswers]) -> Table:
    """Return table 1, first part: the means of people, judges and metrics, by system."""
    systems = answers.systems
    found = list(_measures(answers, judges, metrics))
    rows = [_means(one, answers, systems) for one in found]
    return Table(
        Message("paper_aspects", "means"),
        ("metric", "rated_by", *map(Name, systems), *_FORM.columns("all"), "n", "remarks"),
        tuple(rows),
        (Message("paper_aspects", "about_means"), *_reasons([one for one, _ in found])),
        _FORM.intervals("all"),
    )


def _measures(
    answers: GradedAnswers, judges: Sequence[JudgeOnAspects], metrics: Sequence[MeasuredAnswers]
) -> Iterator[tuple[MeasuredAnswers, Message | str]]:
    """Yield what has a mean, with who gave it."""
    people = answers.people
    for aspect in read_rubric().names:
        yield MeasuredAnswers(aspect, "", people.get(aspect, {}), {}), Message("paper_aspects", "people")
        for judge in judges:
            if aspect != OVERALL:
                yield judge.aspects.get(aspect, MeasuredAnswers(aspect, "", {}, {})), _name(judge.name)
    for judge in judges:
        yield from ((judge.direct, _name(judge.name)), (judge.mate, _name(judge.name)))
    yield from ((one, _name(one.by)) for one in metrics)


def _reasons(found: Sequence[MeasuredAnswers]) -> Iterator[Message]:
    """Yield why a judge or network has no value at all of some metrics, once for each."""
    without: dict[str, list[MeasuredAnswers]] = {}
    for one in found:
        if one.why:
            without.setdefault(one.by, []).append(one)
    for by, of in without.items():
        names = joined([one.metric for one in of], "listed")
        yield Message("paper_aspects", "nothing_said", metrics=names, by=redact(by), why=Composed(of[0].why))


def _means(
    found: tuple[MeasuredAnswers, Message | str], answers: GradedAnswers, systems: Sequence[str]
) -> tuple[Cell, ...]:
    one, by = found
    items = sorted(one.values.keys() & answers.places.keys())
    every = bootstrap_mean([one.values[item] for item in items], answers.questions(items))
    means: list[Cell] = []
    for system in systems:
        own = [one.values[item] for item in items if answers.places[item].system == system]
        means.append(fmean(own) if own else None)
    return (one.metric, by, *means, *_FORM.cells(every), every.n, _remarks(one, every.reason or every.note))


def correlations_table(
    answers: GradedAnswers, judges: Sequence[JudgeOnAspects], metrics: Sequence[MeasuredAnswers]
) -> Table:
    """Return table 1, second part: Pearson's correlation with people's overall grade."""
    people = answers.people.get(OVERALL, {})
    rows: list[tuple[Cell, ...]] = []
    for one in (*(each for judge in judges for each in (judge.direct, judge.mate)), *metrics):
        found = _compared(pearson, one.values, people, answers)
        rows.append(
            (one.metric, _name(one.by), *_FORM.cells(found), found.n, found.clusters, _remarks(one, reworded(found)))
        )
    return Table(
        Message("paper_aspects", "correlations"),
        ("metric", "rated_by", *_FORM.columns("pearson"), "n", "questions", "remarks"),
        tuple(rows),
        (Message("paper_aspects", "about_correlations", aspect=OVERALL),),
        _FORM.intervals("pearson"),
    )


def bias_table(answers: GradedAnswers, judges: Sequence[JudgeOnAspects]) -> Table:
    """Return by how much each judge's grades are above people's, by aspect."""
    people = answers.people
    rows: list[tuple[Cell, ...]] = []
    for aspect in read_rubric().names:
        for judge in judges:
            one = judge.direct if aspect == OVERALL else judge.aspects.get(aspect, MeasuredAnswers(aspect, "", {}, {}))
            found = _compared(mean_difference, one.values, people.get(aspect, {}), answers)
            cells = (*_FORM.cells(found), found.n, _remarks(one, reworded(found)))
            rows.append((aspect, _name(judge.name), *cells))
    return Table(
        Message("paper_aspects", "bias"),
        ("aspect", "judge", *_FORM.columns("judge_minus_people"), "n", "remarks"),
        tuple(rows),
        (Message("caption", "bias_by_aspect"),),
        _FORM.intervals("judge_minus_people"),
    )


def _compared(
    statistic: Statistic, values: Mapping[str, float], people: Mapping[str, float], answers: GradedAnswers
) -> Estimate:
    items = sorted(values.keys() & people.keys())
    if not items:
        return Estimate(None, 0, Message("remark", "no_pairs"), clusters=0)
    x, y = ([of[item] for item in items] for of in (values, people))
    return bootstrap_statistic(statistic, x, y, answers.questions(items), resamples=_RESAMPLES)


def _remarks(one: MeasuredAnswers, remark: Message | None, among: Collection[str] | None = None) -> Message:
    """Say how many answers, or how many of these, have no value, and the remark."""
    if one.left_out is not None:
        return one.left_out
    without = [status for item, status in one.without.items() if among is None or item in among]
    return joined([counted(Counter(without)), remark])


def _name(by: str) -> Name:
    return Name(redact(by)) if by else Name("–")


# ----------------------------------------------------------------------------------------------- held-out questions


def held_out_of(answers: GradedAnswers, share: float) -> frozenset[str]:
    """Return the graded answers to the questions that are held out.

    Raises:
        BadInput: there are too few questions.
    """
    asked = {item: " ".join(answers.places[item].question.split()) for of in answers.people.values() for item in of}
    apart = held_out_questions(set(asked.values()), seed=0, share=share)
    return frozenset(item for item, question in asked.items() if question in apart)


def held_out_table(answers: GradedAnswers, judges: Sequence[JudgeOnAspects], share: float) -> Table:
    """Return each judge's correlation with people on held-out questions: direct, and MATE with two sets of weights."""
    rows: list[tuple[Cell, ...]] = []
    why: Composed | None = None
    held: frozenset[str] = frozenset()
    try:
        held = held_out_of(answers, share)
    except BadInput as error:
        why = Composed(error)
    for judge in judges:
        rows += _on_held_out(judge, answers, held, why)
    return Table(
        Message("paper_aspects", "held_out"),
        ("judge", "metric", *_FORM.columns("pearson"), "n", "questions", *_FORM.columns("above_direct"), "p_value",
         "remarks"),
        tuple(rows),
        (Message("paper_aspects", "about_held_out", share=100 * share),),
        _FORM.intervals("pearson", "above_direct"),
    )  # fmt: skip


def _on_held_out(
    judge: JudgeOnAspects, answers: GradedAnswers, held: Collection[str], why: Composed | None
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row per kind of overall grade, all over the same answers; `why` says that no question is held out."""
    people = answers.people
    graded: dict[str, dict[str, float]] = {}
    for aspect, of in people.items():
        for item, value in of.items():
            if item not in held:
                graded.setdefault(item, {})[aspect] = value
    weights = fitted_weights(graded, {item: answers.places[item].question for item in graded})
    mate = {PUBLISHED: judge.mate.values}
    mate |= {LEARNED: judge.weighted(weights[LEARNED])} if LEARNED in weights else {}
    target = people.get(OVERALL, {})
    items = sorted(set(held) & target.keys() & judge.direct.values.keys() & judge.mate.values.keys())
    named = {"direct": judge.direct.values, **mate}
    if not mate.get(LEARNED, judge.mate.values).keys() >= set(items):
        items = [item for item in items if item in mate[LEARNED]]
    columns = {name: np.array([values[item] for item in items]) for name, values in named.items()}
    y, questions = np.array([target[item] for item in items]), answers.questions(items)
    for name, x in columns.items():
        found = _compared(pearson, dict(zip(items, x.tolist(), strict=True)), target, answers)
        apart, p = Estimate(None, len(items)), None
        if name != "direct" and found.value is not None:
            apart, p = _above(x, columns["direct"], y, questions)
        kind = judge.direct if name == "direct" else judge.mate
        shown: Cell = Message("paper_aspects", "mate_learned") if name == LEARNED else name
        yield (
            _name(judge.name), shown, *_FORM.cells(found), len(items), len(set(questions)), *_FORM.cells(apart),
            PValue.of(p), why or _remarks(kind, reworded(found), held),
        )  # fmt: skip


def _above(first: Floats, second: Floats, people: Floats, questions: Sequence[str]) -> tuple[Estimate, float | None]:
    """Return the first correlation with people minus the second, and the p-value of a swap test by question."""
    drawn = Resamples.of(questions, resamples=_RESAMPLES)
    one, other = moments(first, people), moments(second, people)
    ((difference, p),) = swap_tests([SummedPair(one, other, pearson_of)], [drawn.groups], drawn.clusters)
    if difference is None:
        return Estimate(None, len(people)), None
    spread = pearson_of(drawn.sums(one)) - pearson_of(drawn.sums(other))
    return drawn.interval(Estimate(difference, len(people)), spread), p


# ----------------------------------------------------------------------------------------------------------- weights


def weights_tables(answers: GradedAnswers) -> Iterator[Table]:
    """Yield the weights learned from people's grades beside the published ones, and how well they predict."""
    published = read_weights()
    learned, why = _learned(answers)
    own = {one.name: one for one in learned.weights.aspects} if learned else {}
    rows = [
        (
            one.name,
            *((own[one.name].weight, own[one.name].low, own[one.name].high) if own else (None, None, None)),
            one.weight,
            _within(own[one.name].low, one.weight, own[one.name].high) if own else None,
        )
        for one in published.aspects
    ]
    reason = () if learned else (Message("paper_aspects", "not_learned", why=why),)
    yield Table(
        Message("paper_aspects", "weights"),
        ("aspect", *_FORM.columns("weight"), "published", "published_within"),
        tuple(rows),
        (*reason, Message("paper_aspects", "about_weights", share=100 * HELD_OUT)),
        _FORM.intervals("weight"),
    )
    held = learned.held_out if learned else Estimate(None, 0)
    row = (*_FORM.cells(held), held.n, held.clusters, PEARSON_OF_WEIGHTS, joined([reworded(held)]) if learned else why)
    yield Table(
        Message("paper_aspects", "weights_held_out"),
        (*_FORM.columns("pearson"), "n", "questions", "published", "remarks"),
        (row,),
        (Message("paper_aspects", "about_weights_held_out", share=100 * HELD_OUT),),
        _FORM.intervals("pearson"),
    )


def _learned(answers: GradedAnswers) -> tuple[LearnedWeights | None, str]:
    """Return the weights, or why there are none."""
    questions = {item: place.question for item, place in answers.places.items()}
    try:
        rated = rated_by_people(answers.labels, questions, target=OVERALL, aspects=ASPECTS)
        return learn_weights(rated, read_rubric(), resamples=_RESAMPLES), ""
    except BadInput as error:
        return None, Composed(str(error))


def _within(low: float | None, value: float, high: float | None) -> bool | None:
    return None if low is None or high is None else low <= value <= high
