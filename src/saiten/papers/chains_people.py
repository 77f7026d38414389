"""What people said of the answers of a grid: the order of systems (Table 5), and how often the judge decides alike.

Their verdict on an answer is a third decision, or else the majority; an evenly split answer has none, and is counted.
All tables are over these verdicts. Grades instead of verdicts count by their mean.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from saiten.data import usable_labels
from saiten.errors import BadInput
from saiten.experiments.cells import scores_folder
from saiten.experiments.plan import DataSet
from saiten.metrics.naming import HUMAN
from saiten.records import Label, Score, Scored
from saiten.results.labeled_answers import of_these_answers
from saiten.results.place import digests_of, labeled_place_of
from saiten.runs import RunReader, read_run
from saiten.stats.clusters import Floats
from saiten.stats.corpus_bleu import COUNTS, bleu_of
from saiten.stats.correlation import correlations_by_row, kendall
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.human_scores import score_of
from saiten.trust.inputs.outputs import outputs_of_run
from saiten.trust.inputs.pairing import LabeledAspect, MetricColumn, pair, part_of
from saiten.trust.meta_evaluation.decisions import NO_VALUE, as_verdicts
from saiten.trust.meta_evaluation.levels import few, of_systems, system_level
from saiten.views.table import Cell, Name, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.words import Message, joined

SIMULATED = "simulated-person"
"""The annotator of the built-in labels."""
ASPECT = "correct"
"""The aspect of the built-in labels."""

_ASPECTS = (ASPECT, "accuracy", "correctness", "")
"""The aspect that is taken if there are several, in this order."""
_FORM = IntervalColumns(numbers=True)
SPLIT = "people are split"
"""Reason for an answer without people's verdict."""


@dataclass(frozen=True, slots=True, eq=False)
class PeoplesVerdicts:
    """People's verdicts on the answers to a data set, or their mean grades, with every metric on the same answers."""

    data: str
    aspect: LabeledAspect | None = None
    """Its `people` are the verdicts; None if there are none that can be used."""
    split: frozenset[str] = frozenset()
    """The evenly split answers, which are not among the items."""
    why_not: Message | str | None = None
    labels: tuple[Label, ...] = field(default=(), repr=False)
    """Those of these answers."""
    run: Path | None = None

    @property
    def figure(self) -> str | None:
        """The name of their mean among the figures of a run; None without labels."""
        if self.aspect is None:
            return None
        return f"{HUMAN}:{self.aspect.name}" if self.aspect.name else HUMAN

    @property
    def simulated(self) -> bool:
        """Whether no person gave them."""
        return self.aspect is not None and SIMULATED in self.aspect.annotators

    @property
    def labeled(self) -> bool:
        """Whether people said something of these answers, even if it is no verdict."""
        return self.aspect is not None or bool(self.split)

    @property
    def graded(self) -> bool:
        """Whether people gave grades."""
        return self.aspect is not None and not self.aspect.verdicts

    def scores(self) -> Iterator[Scored]:
        """Yield each answer's verdict as a score, under the name of the figure; an answer without one says why."""
        if self.aspect is None or self.run is None or self.figure is None:
            return
        values = dict(zip(self.aspect.items, self.aspect.people.tolist(), strict=True))
        declined = frozenset(self.aspect.declined)
        for sample in read_run(self.run, notify=lambda _: None).samples():
            score = score_of(sample.id, values, declined)
            yield Scored(sample.id, self.figure, Score.undefined(SPLIT) if sample.id in self.split else score)

    def column(self, metric: str) -> MetricColumn | None:
        """Return a metric's values on the labeled answers."""
        columns = () if self.aspect is None else self.aspect.columns
        return next((column for column in columns if column.metric == metric), None)


def verdicts_on(data: DataSet, folder: Path, notify: Callable[[str | Message], None]) -> PeoplesVerdicts:
    """Read what people said of a data set's answers; says how to collect labels if there are none."""
    run = scores_folder(folder, data)
    if not (run / "manifest.json").is_file():
        return PeoplesVerdicts(data.name, why_not=Message("paper_chains", "not_scored"))
    if data.labels is None:
        notify(_how_to_collect(data, run))
        return PeoplesVerdicts(data.name, why_not=Message("paper_chains", "no_labels"))
    try:
        reader = read_run(run, notify=lambda _: None)
        given = list(usable_labels(data.labels, lambda _: None))
        return _paired(data.name, reader, given, notify)
    except BadInput as error:
        notify(Message("paper_chains", "unusable_labels", data=data.name, why=str(error)))
        return PeoplesVerdicts(data.name, why_not=Message("paper_chains", "no_usable_label"))


def _how_to_collect(data: DataSet, run: Path) -> Message:
    beside = (data.questions or Path()).with_name("labels.jsonl")
    answers, database, labels = (shlex.quote(str(each)) for each in (run / "samples.jsonl", f"{data.name}.db", beside))
    return Message(
        "paper_chains",
        "collect_labels",
        data=data.name,
        command=f"saiten annotate {answers} --form correct --annotator NAME --db {database}",
        export=f"saiten annotate --db {database} --export {labels}",
    )


def _paired(
    name: str, reader: RunReader, given: Sequence[Label], notify: Callable[[str | Message], None]
) -> PeoplesVerdicts:
    items = {sample.id: labeled_place_of(sample) for sample in reader.samples()}
    labels, others = of_these_answers(given, digests_of(items))
    if others:
        notify(Message("paper_chains", "other_answers", data=name, n=len(others)))
    there = {each.name: each for each in pair(items, outputs_of_run(reader), labels) if not each.pairs | each.marked}
    chosen = next((there[aspect] for aspect in _ASPECTS if aspect in there), None)
    if chosen is None and len(there) == 1:
        chosen = next(iter(there.values()))
    if chosen is None:
        wanted = Message("paper_chains", "which_aspect", aspects=", ".join(there) or "–", wanted=ASPECT)
        notify(Message("paper_chains", "unusable_labels", data=name, why=wanted))
        return PeoplesVerdicts(name, why_not=Message("paper_chains", "no_usable_label"))
    own = tuple(label for label in labels if label.aspect == chosen.name)
    return _decided_by_people(PeoplesVerdicts(name, chosen, labels=own, run=reader.folder), chosen)


def _decided_by_people(one: PeoplesVerdicts, aspect: LabeledAspect) -> PeoplesVerdicts:
    """Return people's verdicts in place of the means of their labels; grades stay."""
    truth = as_verdicts(aspect.people, None, verdicts=aspect.verdicts)
    if truth is None:
        return one
    rows = np.flatnonzero(~np.isnan(truth))
    split = frozenset(aspect.items[row] for row in np.flatnonzero(np.isnan(truth)))
    if not len(rows):
        return replace(one, aspect=None, split=split, why_not=Message("paper_chains", "all_split"))
    return replace(one, aspect=replace(part_of(aspect, rows), people=truth[rows]), split=split)


# ------------------------------------------------------------------------------------------------- Table 5


def ranking_table(
    said: Sequence[PeoplesVerdicts], metrics: Sequence[str], unasked: Mapping[str, Message] | None = None
) -> Table:
    """Return Table 5: Kendall's tau-b between a metric's and people's order of the systems, per data set.

    `unasked`: metrics of the text that were not asked for, with the reason.
    """
    rows: list[tuple[Cell, ...]] = []
    for one in said:
        for metric in metrics:
            why = None if one.aspect is None else (unasked or {}).get(metric)
            for name, tau in _taus(one, metric) if why is None else [(metric, Estimate(None, 0, why))]:
                rows.append((Name(one.data), name, *_FORM.cells(tau), tau.n, joined([tau.reason or tau.note])))
    return Table(
        Message("paper_chains", "ranking"),
        ("data", "metric", *_FORM.columns("kendall_tau_b"), "systems", "remarks"),
        tuple(rows),
        (Message("paper_chains", "about_ranking"), *about_people(said)),
        _FORM.intervals("kendall_tau_b"),
    )


def _taus(one: PeoplesVerdicts, metric: str) -> Iterator[tuple[str | Message, Estimate]]:
    column, aspect = one.column(metric), one.aspect
    if aspect is None:
        yield metric, Estimate(None, 0, _reason(one))
    elif column is None or not len(column.rows):
        yield metric, Estimate(None, 0, NO_VALUE)
    else:
        rows = column.rows
        resamples = Resamples.of(aspect.questions).only(rows)
        systems = [aspect.systems[row] for row in rows]
        if metric == "bleu4":
            yield Message("paper_chains", "corpus_bleu"), _tau_of_corpus_bleu(one, resamples, systems)
        level = system_level(column.values[rows], aspect.people[rows], systems, resamples)
        name = Message("paper_chains", "mean_bleu") if metric == "bleu4" else metric
        yield name, level.kendall


def _reason(one: PeoplesVerdicts) -> Message:
    return joined([one.why_not])


def _tau_of_corpus_bleu(one: PeoplesVerdicts, resamples: Resamples, systems: Sequence[str | None]) -> Estimate:
    """Return tau-b of the systems' corpus BLEU with people's means, both resampled by question."""
    aspect, column = one.aspect, one.column("bleu4")
    if aspect is None or column is None or one.run is None:
        return Estimate(None, 0, NO_VALUE)
    counts = _bleu_counts(one.run)
    if any(aspect.items[row] not in counts for row in column.rows):
        return Estimate(None, 0, NO_VALUE)
    names = sorted({system for system in systems if system is not None})
    if reason := few(len(names)):
        return reason
    member = np.array([[system == name for name in names] for system in systems], dtype=np.float64)
    of_items = np.array([counts[aspect.items[row]] for row in column.rows])
    people = aspect.people[column.rows]
    added = (member[:, :, None] * of_items[:, None, :]).reshape(len(people), -1)
    features = np.concatenate([added, member, member * people[:, None]], axis=1)

    def levels(sums: Floats) -> tuple[Floats, Floats]:
        counted, sizes, given = np.split(sums, [len(names) * COUNTS, len(names) * (COUNTS + 1)], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return bleu_of(counted.reshape(len(sums), len(names), COUNTS)), given / sizes

    x, y = levels(features.sum(axis=0, keepdims=True))
    drawn_x, drawn_y = levels(resamples.sums(features))
    drawn_x = np.where(np.isnan(drawn_y), np.nan, drawn_x)
    return resamples.interval(of_systems(kendall(x[0], y[0])), correlations_by_row(drawn_x, drawn_y)[:, 2])


def _bleu_counts(run: Path) -> dict[str, list[float]]:
    """Return the counts of each answer that corpus BLEU adds up."""
    found: dict[str, list[float]] = {}
    for one in read_run(run, notify=lambda _: None).scores():
        if one.metric == "bleu4" and one.score.value is not None:
            of = one.score.details
            found[one.sample] = [*of["matched"], *of["runs"], of["answer_size"], of["reference_size"]]
    return found


# ----------------------------------------------------------------------------------------------- agreement


@dataclass(frozen=True, slots=True, eq=False)
class _Decided:
    """The answers that both sides decided: 1 or 0 each, and the question."""

    judge: Floats
    people: Floats
    questions: tuple[tuple[str, str], ...]
    remarks: tuple[Message | None, ...] = ()


def agreement_table(said: Sequence[PeoplesVerdicts], judge: str) -> Table:
    """Return how often the judge decides as people do, per data set and over all."""
    found = {one.data: _decided(one, judge) for one in said}
    rows = [_agreement_row(Name(name), decided) for name, decided in found.items()]
    both = [one for one in found.values() if isinstance(one, _Decided)]
    if len(found) > 1 and both:
        whole = _Decided(
            np.concatenate([one.judge for one in both]),
            np.concatenate([one.people for one in both]),
            tuple(question for one in both for question in one.questions),
        )
        rows.append(_agreement_row(Message("cell", "all"), whole))
    columns = ("data", "agreement", "ci_low", "ci_high", "judgments", "questions")
    return Table(
        Message("paper_chains", "agreement"),
        (*columns, "judge_yes_people_no", "judge_no_people_yes", "remarks"),
        tuple(rows),
        (Message("paper_chains", "about_agreement"), *about_people(said)),
    )


def _decided(one: PeoplesVerdicts, judge: str) -> _Decided | Message:
    column, aspect = one.column(judge), one.aspect
    if aspect is None:
        return _reason(one)
    if column is None:
        return NO_VALUE
    if one.graded:
        return Message("paper_chains", "no_verdicts")
    rows, split = column.rows, len(one.split)
    lacking = len(aspect.items) - len(rows)
    remarks = (
        Message("remark", "split_items", n=split) if split else None,
        Message("paper_chains", "unjudged", n=lacking) if lacking else None,
    )
    questions = tuple((one.data, aspect.questions[row]) for row in rows)
    return _Decided((column.values[rows] >= 0.5).astype(np.float64), aspect.people[rows], questions, remarks)


def _agreement_row(name: str | Message, decided: _Decided | Message) -> tuple[Cell, ...]:
    if isinstance(decided, Message):
        return (name, None, None, None, 0, 0, None, None, decided)
    apart = decided.judge - decided.people
    found = Resamples.of(decided.questions).mean((apart == 0).astype(np.float64))
    counts = (len(apart), len(set(decided.questions)), int((apart > 0).sum()), int((apart < 0).sum()))
    remarks = joined([*decided.remarks, found.reason or found.note])
    return (name, found.value, found.low, found.high, *counts, remarks)


def about_people(said: Sequence[PeoplesVerdicts]) -> Iterator[Message]:
    """Yield what a reader has to know of people's figures: what grades are, and that labels are simulated."""
    if graded := ", ".join(one.data for one in said if one.graded):
        yield Message("paper_chains", "graded", data=graded)
    if any(one.simulated for one in said):
        yield Message("paper_chains", "simulated")
