"""Live agreement between annotators: the figures of `saiten agreement`, or of `meta-evaluate --spans` for marks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from saiten.annotation.forms import Form
from saiten.annotation.records import AnnotatedItem
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.progress import act_count
from saiten.annotation.store.project import Project
from saiten.records import Label
from saiten.stats.estimate import Estimate
from saiten.trust.agreement import agreement_report
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import people_of
from saiten.words import Message

ALL_MARKS = "missing and extra"
"""Aspect of the figures over all marks."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """One figure of one aspect, or the reason why it is undefined."""

    aspect: str
    name: Message
    estimate: Estimate
    """Over items that two or more people annotated; for marks, over items times annotators."""


class LiveAgreement:
    """The agreement of one project, recomputed only after new acts. Thread-safe: one thread computes, others wait."""

    def __init__(self, form: Form, project: Project) -> None:
        self._form = form
        self._project = project
        self._lock = Lock()
        self._acts: tuple[int, int] | None = None
        self._figures: Sequence[AgreementFigure] = ()

    def figures(self) -> Sequence[AgreementFigure]:
        """Return the current figures."""
        with self._lock:
            acts = act_count(self._project)  # before reading, so that acts during the read invalidate the result
            if acts != self._acts:
                self._figures, self._acts = _figures(self._form, annotated_items(self._project)), acts
            return self._figures


def _figures(form: Form, items: Iterable[AnnotatedItem]) -> list[AgreementFigure]:
    """Compute the figures over the annotations so far, without decisions; empty if there are none.

    Intervals resample questions, as the commands do when they are given the samples.
    """
    labels: list[Label] = []
    questions: dict[str, str] = {}
    for each in items:
        for person, annotation in each.annotations:
            for label in form.labels(each.item.key, each.item.content, annotation.payload):
                labels.append(replace(label, annotator=person.name))
                questions[label.item] = str(each.item.content.get("question", "")) or label.item
    if not labels:
        return []
    figures = _of_values if labels[0].spans is None else _of_marks
    return list(figures(labels, questions))


def _of_values(labels: list[Label], questions: dict[str, str]) -> Iterator[AgreementFigure]:
    for aspect in agreement_report(labels, questions=questions).aspects:
        figures = aspect.figures
        named = {"percent": figures.percent, "percent_by_chance": figures.by_chance, "kappa": figures.kappa}
        if aspect.levels != ("nominal",):
            named["kappa_quadratic"] = figures.kappa_quadratic
        named |= {f"alpha_{level}": getattr(figures, level) for level in aspect.levels}
        for name, estimate in named.items():
            yield AgreementFigure(aspect.aspect, Message("cell", name), estimate)


def _of_marks(labels: list[Label], questions: dict[str, str]) -> Iterator[AgreementFigure]:
    """Compare each annotator, as the judge, with each other."""
    ceiling = compare_spans(people_of(labels), {}, questions=questions).ceiling
    if ceiling is None:
        return
    for figures in (*ceiling.aspects, *([ceiling.overall] if ceiling.overall is not None else [])):
        aspect = ALL_MARKS if figures is ceiling.overall else figures.aspect
        yield AgreementFigure(aspect, Message("cell", "f_per_unit"), figures.per_unit.f)
        yield AgreementFigure(aspect, Message("cell", "f_per_answer"), figures.per_answer.f)
