"""Figure 2: the mean grade of people (E1) and of judges with both kinds of evidence (E2, E3), and who is closer to E1.

Grade 0 (no evaluation) is left out of means and correlations on either side, and counted. All rows are about the same
answers: those with a label, if there are labels.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from saiten.data import usable_labels
from saiten.data.labels import deciding
from saiten.errors import BadInput
from saiten.records import Label, Status
from saiten.results.aspect_result import AspectResult
from saiten.results.figure import Figure, unmeasured
from saiten.results.place import Place
from saiten.stats.clusters import Floats
from saiten.stats.correlation import moments, pearson, pearson_of
from saiten.stats.dependent_correlations import SummedPair, swap_tests, williams
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.stats.paired import compare_paired, holm
from saiten.stats.resampling import Resamples
from saiten.tasks.verdicts import majority
from saiten.trust.inputs.outputs import BETWEEN, Output
from saiten.trust.inputs.pairing import LabeledAspect, pair
from saiten.trust.inputs.sources import read_source
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.charts.means import means_charts
from saiten.views.charts.ranking import ranking
from saiten.views.table import Cell, Interval, Name, PValue, Table
from saiten.words import Message, joined

_ASPECT = "correctness"
_COLUMNS = (
    "who", Message("paper_dialogues", "evidence"), "mean", "ci_low", "ci_high", "n", "share_declined",
    "pearson", "pearson_ci_low", "pearson_ci_high", "graded_by_both", "remarks",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GradedBy:
    """A row: a judge with one kind of evidence, or a metric of text similarity."""

    who: str
    metric: str
    run: Path
    evidence: str = ""
    """`E2` or `E3`; "" without evidence."""
    why: str = "not_run"
    """The key of the reason if the run has no such metric."""

    @property
    def name(self) -> str:
        """Return a unique name."""
        return f"{self.who}{BETWEEN}{self.evidence}" if self.evidence else self.metric


@dataclass(frozen=True, slots=True, eq=False)
class _Graded:
    """All grades of the same answers."""

    items: Mapping[str, Place]
    outputs: Mapping[str, Mapping[str, Output]]
    """Name of a grader → item → its output."""
    labels: Sequence[Label]
    people: LabeledAspect | None = None
    compared: AspectResult | None = None
    reason: Message | None = None
    """Why there are no people to compare with."""
    declined: frozenset[str] = frozenset()
    """Answers that people do not grade."""
    columns: Mapping[str, Floats] = field(default_factory=dict)
    """Name of a grader → its values on people's items, NaN where it has none."""


def grade_tables(
    graders: Sequence[GradedBy], labels: Path | None, notify: Callable[[str | Message], None]
) -> Iterator[Table]:
    """Yield the grades and correlations of figure 2, and the shift from E2 to E3; nothing if nothing was run."""
    if not any(grader.run.is_dir() for grader in graders):
        return
    graded = _read(graders, labels, notify)
    rows, figures = [_people(graded)], [("E1", _mean_of_people(graded))]
    for grader in graders:
        rows.append(_row(grader, graded))
        if grader.evidence:
            figures.append((grader.name, _mean(grader, graded)[0]))
    ranked = graded.compared.ranking if graded.compared is not None else None
    means = [(name, _as_figure(one)) for name, one in figures if one.value is not None]
    yield Table(
        Message("paper_dialogues", "grades"),
        _COLUMNS,
        tuple(rows),
        (Message("paper_dialogues", "about_grades", n=len(graded.items)),),
        (Interval("mean", "ci_low", "ci_high"), Interval("pearson", "pearson_ci_low", "pearson_ci_high")),
        charts=(*means_charts(means), *(() if ranked is None else (ranking(ranked),))),
    )
    yield _shifts(graders, graded)


def _read(graders: Sequence[GradedBy], path: Path | None, notify: Callable[[str | Message], None]) -> _Graded:
    runs = list(dict.fromkeys(grader.run for grader in graders if grader.run.is_dir()))
    sources = {run: read_source(run, notify=notify) for run in runs}
    items = {item: place for source in sources.values() for item, place in source.items.items()}
    labels = [] if path is None else list(_labels(path, notify))
    known = {label.item for label in labels} & set(items)
    labels = [label for label in labels if label.item in known]
    items = {item: place for item, place in items.items() if not known or item in known}
    outputs = {
        grader.name: {
            one.item: replace(one, metric=grader.name, origin=one.made)
            for one in sources[grader.run].outputs
            if one.metric == grader.metric and one.item in items
        }
        for grader in graders
        if grader.run in sources
    }
    return _beside_people(_Graded(items, {name: of for name, of in outputs.items() if of}, labels))


def _labels(path: Path, notify: Callable[[str | Message], None]) -> Iterator[Label]:
    """Yield the labels of correctness; those without an aspect, if no label has this one."""
    usable = list(usable_labels(path, notify))
    aspect = _ASPECT if any(label.aspect == _ASPECT for label in usable) else ""
    yield from (label for label in usable if label.aspect == aspect)


def _beside_people(graded: _Graded) -> _Graded:
    if not graded.labels:
        return replace(graded, reason=Message("paper_dialogues", "no_labels"))
    said = deciding(graded.labels)
    declined = frozenset(item for item, of in said.items() if majority([label.value == 0 for label in of]))
    graded = replace(graded, declined=declined)
    if len(declined) == len(said):
        return replace(graded, reason=Message("paper_dialogues", "all_declined"))
    outputs = [one for of in graded.outputs.values() for one in of.values()]
    try:
        (people,) = pair(graded.items, outputs, graded.labels, grade_zero="declined")
    except BadInput:  # labels of other texts under the same ids
        return replace(graded, reason=Message("paper_dialogues", "other_texts"))
    (compared,) = meta_evaluate([people]).aspects
    columns = {column.metric: column.values for column in people.columns}
    return replace(graded, people=people, compared=compared, columns=columns)


def _people(graded: _Graded) -> tuple[Cell, ...]:
    mean, people = _mean_of_people(graded), graded.people
    declined = len(people.declined) if people is not None else len(graded.declined)
    of = mean.n + declined
    remarks = joined([graded.reason or mean.reason or mean.note])
    head = (Message("paper_dialogues", "people"), "E1", mean.value, mean.low, mean.high, mean.n)
    return (*head, declined / of if of else None, None, None, None, None, remarks)


def _mean_of_people(graded: _Graded) -> Estimate:
    people = graded.people
    return bootstrap_mean([], []) if people is None else bootstrap_mean(people.people, people.questions)


def _row(grader: GradedBy, graded: _Graded) -> tuple[Cell, ...]:
    if grader.name not in graded.outputs:
        why = Message("paper_dialogues", grader.why if grader.run.is_dir() or not grader.evidence else "not_run")
        return (_who(grader), grader.evidence or None, *(None,) * 9, why)
    mean, statuses = _mean(grader, graded)
    closeness = _closeness(grader.name, graded)
    left = unmeasured(grader.metric, statuses)
    remarks = joined([left, mean.note, closeness.reason, closeness.note if closeness.note != mean.note else None])
    share = statuses["declined"] / sum(statuses.values()) if grader.evidence else None
    return (
        _who(grader), grader.evidence or None, mean.value, mean.low, mean.high, mean.n, share,
        closeness.value, closeness.low, closeness.high, closeness.n if graded.compared else None, remarks,
    )  # fmt: skip


def _who(grader: GradedBy) -> Cell:
    return Name(grader.who)


def _mean(grader: GradedBy, graded: _Graded) -> tuple[Estimate, Counter[Status]]:
    of = graded.outputs.get(grader.name, {})
    numbers = {item: one.said for item, one in of.items() if not isinstance(one.said, str)}
    statuses: Counter[Status] = Counter(one.said if isinstance(one.said, str) else "ok" for one in of.values())
    return bootstrap_mean(list(numbers.values()), [graded.items[item].question for item in numbers]), statuses


def _closeness(name: str, graded: _Graded) -> Estimate:
    """Return Pearson's correlation with people."""
    if graded.compared is None:
        return Estimate(None, 0)
    return next(each.items.pearson for each in graded.compared.metrics if each.metric == name)


def _as_figure(mean: Estimate) -> Figure:
    return Figure(_ASPECT, None, None, mean.value, mean.low, mean.high, mean.n, mean.clusters or 0, {"ok": mean.n})


# ------------------------------------------------------------------------------------------ from E2 to E3


@dataclass(frozen=True, slots=True)
class _Shift:
    """A figure with either kind of evidence, over the answers graded with both."""

    judge: str
    figure: str
    values: tuple[Estimate, Estimate]
    difference: Estimate
    """E3 minus E2."""
    p_value: float | None
    williams: float | None = None


def _shifts(graders: Sequence[GradedBy], graded: _Graded) -> Table:
    pairs = [(first, second) for first, second in pairwise(graders) if second.evidence == "E3"]
    shifts = {
        figure: [make(first, second, graded) for first, second in pairs]
        for figure, make in (("mean_grade", _of_means), ("pearson", _of_correlations))
    }
    corrected = {figure: holm([each.p_value for each in of]) for figure, of in shifts.items()}
    rows = [_shift_cells(shifts[figure][at], corrected[figure][at]) for at in range(len(pairs)) for figure in shifts]
    return Table(
        Message("paper_dialogues", "shift"),
        ("judge", "figure", Name("E2"), Name("E3"), "e3_minus_e2", "ci_low", "ci_high", "p_value", "williams_p",
         "n", "remarks"),
        tuple(rows),
        (Message("paper_dialogues", "about_shift"),),
        (Interval("e3_minus_e2", "ci_low", "ci_high"),),
    )  # fmt: skip


def _shift_cells(one: _Shift, p: float | None) -> tuple[Cell, ...]:
    why = joined(list(dict.fromkeys([one.difference.reason, one.difference.note])))
    apart = one.difference
    values = (*(each.value for each in one.values), apart.value, apart.low, apart.high)
    figure = Message("paper_dialogues", one.figure)
    return (Name(one.judge), figure, *values, PValue.of(p), PValue.of(one.williams), one.difference.n, why)


def _of_means(first: GradedBy, second: GradedBy, graded: _Graded) -> _Shift:
    numbers = [
        {item: one.said for item, one in graded.outputs.get(each.name, {}).items() if not isinstance(one.said, str)}
        for each in (first, second)
    ]
    both = sorted(set(numbers[0]) & set(numbers[1]))
    questions = [graded.items[item].question for item in both]
    e2, e3 = ([of[item] for item in both] for of in numbers)
    found = compare_paired(e2, e3, questions)
    reason = _why_apart(first, second, graded) if not both else None
    difference = Estimate(found.difference, found.n, reason, found.low, found.high, note=found.note if both else None)
    means = bootstrap_mean(e2, questions), bootstrap_mean(e3, questions)
    return _Shift(first.who, "mean_grade", means, difference, found.p_value if both else None)


def _of_correlations(first: GradedBy, second: GradedBy, graded: _Graded) -> _Shift:
    nothing = Estimate(None, 0)
    absent = graded.reason or _why_apart(first, second, graded)
    if graded.people is None or absent is not None:
        return _Shift(first.who, "pearson", (nothing, nothing), replace(nothing, reason=absent), None)
    people, (e2, e3) = graded.people, (graded.columns[each.name] for each in (first, second))
    rows = np.flatnonzero(~(np.isnan(e2) | np.isnan(e3)))
    x, other, y = e2[rows], e3[rows], people.people[rows]
    closeness = pearson(x, y), pearson(other, y)
    reason = next((each.reason for each in closeness if each.reason is not None), None)
    if reason is not None:
        return _Shift(first.who, "pearson", closeness, Estimate(None, len(rows), reason), None)
    resamples = Resamples.of([people.questions[row] for row in rows])
    columns = [moments(column, y) for column in (x, other)]
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = [pearson_of(resamples.sums(column)) for column in columns]
    ((apart, p),) = swap_tests([SummedPair(columns[1], columns[0], pearson_of)], [resamples.groups], resamples.clusters)
    difference = resamples.interval(Estimate(apart, len(rows)), drawn[1] - drawn[0])
    return _Shift(first.who, "pearson", closeness, difference, p, williams(other, x, y).p_value)


def _why_apart(first: GradedBy, second: GradedBy, graded: _Graded) -> Message | None:
    lacking = next((each for each in (first, second) if each.name not in graded.outputs), None)
    if lacking is not None:
        return Message("paper_dialogues", lacking.why if lacking.run.is_dir() else "not_run")
    return None
