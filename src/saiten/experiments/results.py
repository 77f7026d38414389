"""The results of an experiment, read from its folder: cells, serial versus parallel chains, E2 versus E3.

Published, for orientation (spec 03): the serial chain was more accurate in 15 of 18 model × data set cells (one tie,
two the other way round), and the mean latency of the parallel chain was 0.78 and 0.58 times that of the serial one
(ratio of the means over nine models).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from saiten.data import usable_labels
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.cells import Cell, cells_of, has_answers, scores_folder
from saiten.experiments.plan import PLAN_NAME, DataSet, ExperimentPlan
from saiten.metrics.catalog import make_metrics
from saiten.metrics.naming import is_human, is_python, read_name
from saiten.metrics.own import code_name
from saiten.rag.extractive import extractive
from saiten.records import Label, Score, Scored, Usage
from saiten.results.figure import Figure
from saiten.results.summary import Summary
from saiten.results.verdict import higher_is_better, verdict_of
from saiten.runs import RunReader, read_run
from saiten.runs.answers import AnswerSummary, summarize_answers
from saiten.runs.lines import read_lines
from saiten.runs.locked_folder import paid_in
from saiten.runs.manifest import read_manifest, signature_parts
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.stats.ratios import ratio_of_means
from saiten.views.tables.run import people_of, summary_of
from saiten.words import Message, joined

SERIAL: Final = "refine"
PARALLEL: Final = "map_reduce"


@dataclass(frozen=True, slots=True)
class CellResult:
    """One row of the table."""

    cell: Cell
    answers: AnswerSummary | None
    """None if no question was asked: the cell was skipped, or its answers existed already."""
    figures: Mapping[str, Figure]
    """Metric → figure over the answers of this cell."""


@dataclass(frozen=True, slots=True)
class ChainComparison:
    """One model's parallel and serial chains on one data set, over the questions that both answered."""

    data: str
    model: str
    form: str
    metric: str
    accuracy: PairedComparison
    """The gain of the parallel chain over the serial one in the main metric."""
    latency: Estimate
    """The parallel chain's mean latency divided by the serial chain's; below 1 is faster."""
    p: float | None
    """The p-value of the accuracy difference, corrected for all comparisons of the experiment (Holm)."""
    of: int
    """Number of questions that either chain answered."""
    higher: bool | None = True
    """Whether higher is better in the main metric; None if neither is."""

    @property
    def recommendation(self) -> Message:
        """Return the conclusion from differences outside the noise; without a model, latency is ignored."""
        n = self.accuracy.n
        accuracy = verdict_of(self.accuracy.difference, self.p, n, self.of, higher=self.higher) if n else "unmeasured"
        better = {"better": PARALLEL, "worse": SERIAL}.get(accuracy)
        found = _conclusion("more_accurate", better) if better else Message("conclusion", f"accuracy_{accuracy}")
        if extractive(self.model.partition(" · ")[0]) is not None:  # its milliseconds say nothing about a model's
            return Message("conclusion", "without_model", conclusion=found)
        faster = None
        if self.latency.low is not None and self.latency.high is not None:
            faster = SERIAL if self.latency.low > 1 else PARALLEL if self.latency.high < 1 else None
        if faster is None:
            if better is not None:
                return _conclusion("only_more_accurate", better)
            return Message("conclusion", "neither") if accuracy == "noise" else found
        if better is None:
            noise = accuracy == "noise"
            return _conclusion("only_faster", faster) if noise else joined([found, _conclusion("faster", faster)])
        if better == faster:
            return _conclusion("accurate_and_faster", better)
        return Message("conclusion", "one_each", accurate=Message("chain", better), fast=Message("chain", faster))


def _conclusion(key: str, chain: str) -> Message:
    return Message("conclusion", key, chain=Message("chain", chain))


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """The results of an experiment."""

    plan: ExperimentPlan
    main: str
    """The metric used as accuracy."""
    cells: tuple[CellResult, ...]
    chains: tuple[ChainComparison, ...]
    latency: Mapping[str, Estimate]
    """Data set → latency of parallel to serial chains: the ratio of the means over the models."""
    latency_overall: Estimate | None = None
    """Over all data sets, if there are several."""
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    """Data set → the summary of its scores, including the shift from E2 to E3."""
    usage: Usage = field(default_factory=Usage)
    """Total for knowledge bases, answers and scores."""

    @property
    def measured(self) -> bool:
        """Whether any score of any cell has a value."""
        return any(summary.measured for summary in self.summaries.values())


def main_metric(plan: ExperimentPlan, folder: Path) -> str:
    """Return the metric used as accuracy, as named in results: the plan's `main`, else the first.

    The name of a metric in Python is looked up in the runs, since reading results runs no code of theirs.
    """
    typed = plan.main or plan.metrics[0]
    if is_human(typed):
        return typed
    title = read_name(typed)[0]
    if not is_python(title):
        try:
            return make_metrics([typed])[0].name
        except ConfigurationError as error:
            raise ConfigurationError(f"{folder / PLAN_NAME}: main: {error}") from error
    named = (
        metric
        for signatures in (_signatures(folder, data) for data in plan.data)
        for metric in signatures
        if signature_parts(metric, signatures).get("code", "").startswith(f"{code_name(title)}@")
    )
    return next(named, typed)


def _signatures(folder: Path, data: DataSet) -> Mapping[str, str]:
    manifest = read_manifest(scores_folder(folder, data))
    return {} if manifest is None else manifest.signatures


def read_results(
    plan: ExperimentPlan,
    folder: Path,
    notify: Callable[[str], None],
    people: Mapping[str, Sequence[Scored]] | None = None,
) -> ExperimentResult:
    """Return the results so far; cells that have not run yet have no answers.

    `people`: what people said of each data set's answers, by its name; None to take the means of its labels.
    """
    cells: list[CellResult] = []
    chains: list[ChainComparison] = []
    pairs: dict[str, list[_Pair]] = {}
    summaries: dict[str, Summary] = {}
    usage = paid_in(folder) or Usage()
    for data in plan.data:
        found = _scores(data, folder, plan, notify, None if people is None else people.get(data.name, ()))
        summary = None
        if found is not None:
            summary = summaries[data.name] = found.summary
            usage += summary.usage
        for result in _cells(plan, data, folder, summary):
            cells.append(result)
            usage += result.answers.usage if result.answers is not None else Usage()
        for comparison, of in _chains(plan, data, folder, found):
            chains.append(comparison)
            pairs.setdefault(data.name, []).extend(of)
    corrected = holm([each.p for each in chains])
    chains = [replace(each, p=p) for each, p in zip(chains, corrected, strict=True)]
    latency = {name: _ratio(of) for name, of in pairs.items()}
    overall = _ratio(chain.from_iterable(pairs.values())) if len(pairs) > 1 else None
    return ExperimentResult(
        plan, main_metric(plan, folder), tuple(cells), tuple(chains), latency, overall, summaries, usage
    )


@dataclass(frozen=True, slots=True)
class _Scores:
    """The scores of a data set."""

    summary: Summary
    main: Mapping[str, Score]
    """Sample id → score of the main metric."""


class _Pair(NamedTuple):
    """One question that both chains of a model answered, in seconds."""

    parallel: float
    serial: float
    question: str
    group: str


def _scores(
    data: DataSet,
    folder: Path,
    plan: ExperimentPlan,
    notify: Callable[[str], None],
    people: Sequence[Scored] | None,
) -> _Scores | None:
    run = scores_folder(folder, data)
    if not (run / "manifest.json").is_file():
        return None
    reader = read_run(run, notify=notify)
    human = plan.main if is_human(plan.main) else ""
    if people is None:
        people = _people(data, reader, human, notify)
    metric = main_metric(plan, folder)
    main = {one.sample: one.score for one in chain(reader.scores(), people) if one.metric == metric}
    if human and people:
        unlabeled = sum(score.status == "undefined" for score in main.values())
        if unlabeled:
            notify(f"{data.name}: {unlabeled} of {len(main)} answers have no label and are not part of {human}")
    called = data.labels.name if data.labels is not None else ""
    return _Scores(summary_of(reader, people, of_labels=called), main)


def _people(data: DataSet, reader: RunReader, human: str, notify: Callable[[str], None]) -> Sequence[Scored]:
    labels = list(_labels(data, reader.folder, notify))
    try:
        return list(people_of(reader, labels, main=human)) if labels else []
    except BadInput as error:
        if human:
            raise BadInput(f"{data.name}: {error}") from error
        notify(f"{data.name}: {error}")
        return []


def _labels(data: DataSet, run: Path, notify: Callable[[str], None]) -> Iterator[Label]:
    if data.labels is None:
        return
    if not data.labels.is_file():
        answers = run / "samples.jsonl"
        notify(
            f"{data.name}: there are no labels yet ({data.labels}); collect them with "
            f"`saiten annotate {answers}`, then run the same command again"
        )
        return
    try:
        # bad rows and notes are reported where metrics are compared with labels
        yield from usable_labels(data.labels, lambda _: None)
    except BadInput as error:  # no labels yet, or in another form; results without labels are shown
        notify(f"{data.name}: the labels cannot be used: {error}")


def _cells(plan: ExperimentPlan, data: DataSet, folder: Path, summary: Summary | None) -> Iterator[CellResult]:
    figures = summary.figures if summary is not None else ()
    if data.answers is not None:
        for system in sorted({figure.system for figure in figures if figure.system is not None}) or (None,):
            yield CellResult(Cell(data, "file" if system is None else system), None, _of(figures, system))
        return
    cells = list(cells_of(plan, data))
    answered = [cell for cell in cells if has_answers(cell, folder)]
    for cell in cells:
        answers = summarize_answers(cell.answers(folder)) if cell in answered else None
        # A run with a single system has no rows by system: the overall rows are that system's.
        whose = cell.system if len(answered) > 1 else None
        yield CellResult(cell, answers, _of(figures, whose) if answers is not None else {})


def _of(figures: Sequence[Figure], system: str | None) -> dict[str, Figure]:
    return {figure.metric: figure for figure in figures if figure.system == system and figure.group is None}


def _chains(
    plan: ExperimentPlan, data: DataSet, folder: Path, scores: _Scores | None
) -> Iterator[tuple[ChainComparison, list[_Pair]]]:
    """Compare each model's serial and parallel answers, question by question."""
    main = scores.main if scores is not None else {}
    values = {sample: score.value for sample, score in main.items() if score.value is not None}
    cells = {(cell.model, cell.form, cell.chain): cell for cell in cells_of(plan, data) if cell.model is not None}
    for (model, form, name), serial in cells.items():
        parallel = cells.get((model, form, PARALLEL))
        if name != SERIAL or parallel is None:
            continue
        first, second = (_answered(cell.answers(folder)) for cell in (serial, parallel))
        both = [identity for identity in first if identity in second]
        if not both:
            continue
        pairs = [
            _Pair(other, taken, f"{data.name}/{first[identity][0]}", f"{data.name}/{model}/{form}")
            for identity in both
            if (taken := first[identity][1]) is not None and (other := second[identity][1]) is not None
        ]
        graded = [
            (first[identity][0], values[a], values[b])
            for identity in both
            if (a := f"{identity}@{serial.system}") in values and (b := f"{identity}@{parallel.system}") in values
        ]
        accuracy = compare_paired([a for _, a, _ in graded], [b for *_, b in graded], [q for q, *_ in graded])
        metric = main_metric(plan, folder)
        yield (
            ChainComparison(
                data.name,
                str(model),
                str(form),
                metric,
                accuracy,
                _ratio(pairs),
                accuracy.p_value,
                _could_be_graded(first.keys() | second.keys(), main, (serial.system, parallel.system), metric),
                higher_is_better(metric, _signatures(folder, data)),
            ),
            pairs,
        )


def _could_be_graded(asked: AbstractSet[str], main: Mapping[str, Score], systems: Sequence[str], metric: str) -> int:
    """Count questions that either system answered; with human labels only labeled ones: no label is no failure."""
    if not is_human(metric):
        return len(asked)
    scores = ((main.get(f"{identity}@{system}") for system in systems) for identity in asked)
    return sum(any(score is not None and score.status != "undefined" for score in of) for of in scores)


def _answered(path: Path) -> dict[str, tuple[str, float | None]]:
    """Return id → the question and the seconds its answer took."""
    found: dict[str, tuple[str, float | None]] = {}
    for _, row in read_lines(path, dict[str, Any]):
        if row.get("answer") is not None:
            seconds = row.get("seconds")
            taken = float(seconds) if isinstance(seconds, int | float) else None
            found[str(row.get("id"))] = (str(row.get("question")), taken)
    return found


def _ratio(pairs: Iterable[_Pair]) -> Estimate:
    rows = list(pairs)
    parallel, serial, questions, groups = zip(*rows, strict=True) if rows else ((), (), (), ())
    return ratio_of_means(parallel, serial, questions, groups)
