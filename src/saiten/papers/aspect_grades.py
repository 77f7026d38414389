"""The grades behind the design of several aspects: people's, each judge's, and those of metrics without a judge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import get_args

from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.naming import read_name, settings_of
from saiten.metrics.neural.perplexity import Before
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import Weights, read_weights
from saiten.records import Label, Scored
from saiten.results.place import Place
from saiten.runs import RunReader
from saiten.trust.inputs.outputs import Output
from saiten.tuning.grades import Grades, settled
from saiten.tuning.rated import grades_of
from saiten.words import Message

ASPECTS = read_weights().names
"""The aspects that MATE is composed of."""
OVERALL = read_rubric().overall or ""
"""The aspect that `direct` asks for and MATE predicts."""


@dataclass(frozen=True, slots=True)
class GradedAnswers:
    """The answers and people's grades of them."""

    places: Mapping[str, Place]
    """Question and system by answer."""
    labels: tuple[Label, ...]
    """Of these answers, on the aspects of the rubric."""
    preferences: tuple[Label, ...]
    """Of pairs of these answers, and whether the best is good."""

    @property
    def systems(self) -> list[str]:
        """Return the systems, sorted."""
        return sorted({place.system for place in self.places.values() if place.system is not None})

    @property
    def people(self) -> dict[str, dict[str, float]]:
        """Return the mean over annotators, by aspect and answer; a third decision takes the place of the others."""
        return {
            aspect: {item: fmean(label.value for label in each) for item, each in found.items()}
            for aspect, found in settled(self.labels).items()
        }

    def questions(self, items: Iterable[str]) -> list[str]:
        """Return the question of each answer, by which intervals are resampled."""
        return [self.places[item].question for item in items]


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """One value per answer, by a judge or a metric."""

    metric: str
    by: str
    """The judge or network; "" for a metric without one."""
    values: Mapping[str, float]
    without: Mapping[str, str]
    """Answer → its status, if it has no value."""
    why: str = ""
    """The most frequent reason for that."""
    left_out: Message | None = None
    """Why nothing was measured, and what measures it."""


@dataclass(frozen=True, slots=True)
class JudgeOnAspects:
    """Everything that a judge said about the answers."""

    name: str
    aspects: Mapping[str, MeasuredAnswers]
    """Its grades by aspect, without the overall one."""
    direct: MeasuredAnswers
    mate: MeasuredAnswers
    votes: Mapping[str, Mapping[str, Grades]]
    """Its grades of answers with all aspects of MATE, by answer and aspect."""

    def weighted(self, weights: Weights) -> dict[str, float]:
        """Return MATE with these weights, by answer."""
        return {item: weights.score(grades) for item, grades in self.votes.items()}


def judge_of_run(name: str, run: RunReader) -> JudgeOnAspects:
    """Return the judge of a run with the metrics aspects, direct and mate."""
    found = _by_metric(run.scores())
    aspects = {aspect: of for metric, of in found.items() if (aspect := aspect_of_metric(metric)) is not None}
    votes: defaultdict[str, dict[str, Grades]] = defaultdict(dict)
    for aspect, of in aspects.items():
        for one in of:
            if one.score.value is not None:
                votes[one.sample][aspect] = grades_of(one)
    return JudgeOnAspects(
        name,
        {aspect: _measured(aspect, name, of) for aspect, of in aspects.items() if aspect != OVERALL},
        _measured("direct", name, found.get("direct", ())),
        _measured("mate", name, found.get("mate", ())),
        {item: grades for item, grades in votes.items() if set(ASPECTS) <= grades.keys()},
    )


def judges_of_outputs(outputs: Iterable[Output]) -> list[JudgeOnAspects]:
    """Return the judges of a file of outputs, with MATE by the published weights.

    An output without an aspect is the overall grade.
    """
    by_judge: dict[str, dict[str, dict[str, Output]]] = {}
    for one in outputs:
        aspect = one.aspect or aspect_of_metric(one.made.metric) or OVERALL
        if settings_of(one.made.metric, "mate") is None:  # computed from the aspects below
            by_judge.setdefault(one.made.judge or one.metric, {}).setdefault(aspect, {})[one.item] = one
    return [_judge_of_outputs(name, found) for name, found in by_judge.items()]


def _judge_of_outputs(name: str, found: Mapping[str, Mapping[str, Output]]) -> JudgeOnAspects:
    measured = {aspect: _said(aspect, name, of.values()) for aspect, of in found.items()}
    direct = measured.pop(OVERALL, MeasuredAnswers("direct", name, {}, {}))
    every = set(chain.from_iterable(of.keys() for of in found.values()))
    shared = set.intersection(*(set(measured[each].values) if each in measured else set() for each in ASPECTS))
    votes = {item: {each: (measured[each].values[item],) for each in ASPECTS} for item in sorted(shared)}
    weights = read_weights()
    values = {item: weights.score(of) for item, of in votes.items()}
    mate = MeasuredAnswers("mate", name, values, dict.fromkeys(sorted(every - shared), "undefined"))
    return JudgeOnAspects(name, measured, replace(direct, metric="direct"), mate, votes)


def metrics_of_run(run: RunReader) -> Iterator[MeasuredAnswers]:
    """Yield the metrics of a run without a judge, in its order; one with a network has its form and the network."""
    found = _by_metric(run.scores())
    for metric in run.manifest.signatures:
        title, settings = read_name(metric)
        form = next((each.value for each in settings if each.key is None), None)
        network = next((each.value for each in settings if each.key == "model"), "")
        shown, by = f"{title}[{form}]" if form else title, Path(network).name if network else ""
        yield _measured(shown, by, found.get(metric, ()))


def not_measured(found: Iterable[MeasuredAnswers]) -> Iterator[MeasuredAnswers]:
    """Yield the metrics of the text that need a network of the user's choice and are not among these."""
    there = {one.metric for one in found}
    needs = {"bertscore[f1]": "--bertscore"} | {f"perplexity[{form}]": "--perplexity" for form in get_args(Before)}
    for metric, option in needs.items():
        if metric not in there:
            said = Message("paper_aspects", "not_measured", option=option)
            yield MeasuredAnswers(metric, "", {}, {}, left_out=said)


def _by_metric(scores: Iterable[Scored]) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = {}
    for one in scores:
        found.setdefault(one.metric, []).append(one)
    return found


def _measured(metric: str, by: str, scored: Iterable[Scored]) -> MeasuredAnswers:
    every = list(scored)
    values = {one.sample: one.score.value for one in every if one.score.value is not None}
    rest = [one for one in every if one.score.value is None]
    reasons = Counter(one.score.reason for one in rest if one.score.reason)
    why = reasons.most_common(1)[0][0] if reasons and not values else ""
    return MeasuredAnswers(metric, by, values, {one.sample: one.score.status for one in rest}, why)


def _said(aspect: str, by: str, outputs: Iterable[Output]) -> MeasuredAnswers:
    every = list(outputs)
    values = {one.item: one.said for one in every if not isinstance(one.said, str)}
    return MeasuredAnswers(aspect, by, values, {one.item: one.said for one in every if isinstance(one.said, str)})
