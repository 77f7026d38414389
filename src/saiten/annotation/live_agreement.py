"""How far annotators agree so far: the figures that `saiten agreement`, and for marks `meta-evaluate --spans`, give."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from saiten.annotation.forms import Form
from saiten.annotation.records import Settled
from saiten.records import Label
from saiten.stats.estimate import Estimate
from saiten.trust.agreement import AspectAgreement, agreement_report
from saiten.trust.spans import compare_spans
from saiten.trust.spans_marks import people_of

TOGETHER = "missing and extra"
"""The aspect that stands for all marks."""
_MARKS = ("F per unit", "F per answer")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one aspect, or the reason why there is none."""

    aspect: str
    figure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Items that two or more labelled; of marks: items times annotators."""
    remark: str


def live_agreement(form: Form, settled: Iterable[Settled], *, resamples: int = 1_000) -> list[Figure]:
    """The figures over what annotators said so far, decisions apart; empty where nothing was said.

    Intervals draw questions, as the commands do when they are given the samples.
    """
    labels: list[Label] = []
    questions: dict[str, str] = {}
    for each in settled:
        for person, answered in each.said:
            for label in form.labels(each.item.key, each.item.content, answered.payload):
                labels.append(replace(label, annotator=person.name))
                questions[label.item] = str(each.item.content.get("question", "")) or label.item
    if not labels:
        return []
    if labels[0].spans is not None:
        return list(_of_marks(labels, questions, resamples))
    report = agreement_report(labels, questions=questions, resamples=resamples)
    return [figure for aspect in report.aspects for figure in _of_values(aspect)]


def _of_values(aspect: AspectAgreement) -> Iterator[Figure]:
    figures = aspect.figures
    named = {"percent": figures.percent, "percent by chance": figures.by_chance, "kappa": figures.kappa}
    if aspect.levels != ("nominal",):
        named["kappa, quadratic"] = figures.kappa_quadratic
    named |= {f"alpha, {level}": getattr(figures, level) for level in aspect.levels}
    for name, estimate in named.items():
        yield _figure(aspect.aspect, name, estimate)


def _of_marks(labels: list[Label], questions: dict[str, str], resamples: int) -> Iterator[Figure]:
    """Each annotator as the judge of each other."""
    ceiling = compare_spans(people_of(labels), {}, questions=questions, resamples=resamples).ceiling
    if ceiling is None:
        return
    named = [(figures.aspect, figures) for figures in ceiling.aspects]
    if ceiling.overall is not None:
        named.append((TOGETHER, ceiling.overall))
    for aspect, figures in named:
        for name, averages in zip(_MARKS, (figures.per_unit, figures.per_answer), strict=True):
            yield _figure(aspect, name, averages.f)


def _figure(aspect: str, name: str, estimate: Estimate) -> Figure:
    remark = estimate.reason or estimate.note or ""
    return Figure(aspect, name, estimate.value, estimate.low, estimate.high, estimate.n, remark)
