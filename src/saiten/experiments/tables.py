"""Tables of an experiment: the cells, serial versus parallel chains, the effect of the evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from saiten.experiments.cells import Cell as GridCell
from saiten.experiments.results import CellResult, ChainComparison, ExperimentResult
from saiten.metrics.naming import is_human
from saiten.records import Usage
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison, holm
from saiten.views.charts.accuracy_latency import SystemPoint, accuracy_against_latency
from saiten.views.charts.chart import VegaChart
from saiten.views.table import Cell, Heading, Interval, MetricName, Name, PValue, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.views.tables.summary import evidence_shift
from saiten.words import Message

_ENDS = ("ci_low", "ci_high")
_RATIO_ENDS = ("ratio_ci_low", "ratio_ci_high")


def experiment_tables(
    result: ExperimentResult, currency: str = "USD", *, glance: bool = False, pictured: bool = False
) -> list[Table]:
    """Return the tables.

    `glance`: for the terminal, with fewer columns and intervals as text; `pictured`: the intervals of the main metric
    are drawn elsewhere on the page.
    """
    form = IntervalColumns(numbers=not glance)
    tables = [replace(_cells(result, currency, form), charts=tuple(_pictures(result, intervals=not pictured)))]
    metrics = list(dict.fromkeys(metric for each in result.cells for metric in each.figures))
    if len(metrics) > 1:
        tables.append(_all_metrics(result, metrics))
    if result.chains:
        tables += [_chains(result.chains, form), _ratios(result, form)]
    shifts = [(name, summary.evidence) for name, summary in result.summaries.items() if summary.evidence is not None]
    if shifts:
        tables.append(_evidence(shifts, form))
    return tables


def recommendations(result: ExperimentResult) -> list[Message]:
    """Return a sentence per data set and model: which chain to take, or why neither."""
    return [
        Message("report", "recommended", data=each.data, model=_model(each), conclusion=each.recommendation)
        for each in result.chains
    ]


def _model(each: ChainComparison) -> str:
    return each.model if each.form == "qa" else f"{each.model} · {each.form}"


def _cells(result: ExperimentResult, currency: str, form: IntervalColumns) -> Table:
    main, at_once = MetricName(result.main), result.plan.at_once
    latency = ("median_seconds", "mean_seconds", "p95_seconds")
    paid = ("tokens", "calls", Message("column", "cost", currency=currency))
    columns: tuple[Heading, ...] = ("data", "system", main, *_ends(_ENDS, form), "n", "of", "failed", *latency, *paid)
    captions = [Message("caption", "experiment")]
    if is_human(result.main):
        captions.append(Message("caption", "experiment_labels"))
    if at_once > 1:
        captions.append(Message("caption", "experiment_load", n=at_once))
    captions += _graded_without_evidence(result)
    return Table(
        Name(result.plan.title) or Message("title", "experiment"),
        columns,
        tuple(_cell(each, result.main, form) for each in result.cells),
        tuple(captions),
        (Interval(main, *_ENDS),) if form.numbers else (),
        key="experiment",
    )


def _graded_without_evidence(result: ExperimentResult) -> Iterator[Message]:
    """Yield a sentence per metric whose judge saw no evidence on some answers, although the mode requests it."""
    figures = [(metric, figure) for each in result.cells for metric, figure in each.figures.items()]
    for metric in dict.fromkeys(metric for metric, figure in figures if figure.without_evidence):
        own = [figure for name, figure in figures if name == metric]
        without, n = sum(figure.without_evidence for figure in own), sum(figure.total for figure in own)
        yield Message("caption", "graded_without_evidence", metric=metric, n=without, of=n)


def _pictures(result: ExperimentResult, *, intervals: bool) -> Iterator[VegaChart]:
    """Yield one chart of accuracy against latency per data set."""
    for data in result.plan.data:
        points = tuple(
            SystemPoint(
                each.cell.model or each.cell.system,
                _series(each.cell),
                each.answers.latency.median,
                figure.mean,
                figure.low if intervals else None,
                figure.high if intervals else None,
                figure.n,
            )
            for each in result.cells
            if each.cell.data.name == data.name
            and each.answers is not None
            and each.answers.latency is not None
            and (figure := each.figures.get(result.main)) is not None
            and figure.mean is not None
        )
        yield accuracy_against_latency(points, metric=result.main, data=data.name)


def _series(cell: GridCell) -> str:
    if cell.chain is None:
        return ""
    return cell.chain if cell.form == "qa" else f"{cell.chain} · {cell.form}"


def _cell(each: CellResult, main: str, form: IntervalColumns) -> tuple[Cell, ...]:
    figure, answers = each.figures.get(main), each.answers
    accuracy: tuple[Cell, ...] = (None, *form.ends(None, None), 0, 0)
    if figure is not None:
        accuracy = (figure.mean, *form.ends(figure.low, figure.high), figure.n, figure.total)
    seconds: tuple[Cell, ...] = (None, None, None)
    if answers is not None and answers.latency is not None:
        seconds = (answers.latency.median, answers.latency.mean, answers.latency.p95)
    failed, usage = (None, Usage()) if answers is None else (sum(answers.failures.values()), answers.usage)
    paid = (usage.prompt_tokens + usage.completion_tokens, usage.calls, usage.known_cost)
    return (each.cell.data.name, each.cell.system, *accuracy, failed, *seconds, *paid)


def _all_metrics(result: ExperimentResult, metrics: list[str]) -> Table:
    rows = tuple(
        (
            each.cell.data.name,
            each.cell.system,
            *(None if (figure := each.figures.get(name)) is None else figure.mean for name in metrics),
        )
        for each in result.cells
    )
    columns = ("data", "system", *map(MetricName, metrics))
    return Table(Message("title", "all_metrics"), columns, rows, (Message("caption", "all_metrics"),))


def _chains(chains: tuple[ChainComparison, ...], form: IntervalColumns) -> Table:
    accuracy = ("difference", *_ends(_ENDS, form), "p_value", "n")
    columns = ("data", "model", *accuracy, "latency_ratio", *_ends(_RATIO_ENDS, form), "conclusion")
    rows = tuple(
        (
            each.data,
            _model(each),
            each.accuracy.difference,
            *form.ends(each.accuracy.low, each.accuracy.high),
            PValue.of(each.p),
            each.accuracy.n,
            each.latency.value,
            *form.ends(each.latency.low, each.latency.high),
            each.recommendation,
        )
        for each in chains
    )
    return Table(
        Message("title", "chains", metric=chains[0].metric),
        columns,
        rows,
        (Message("caption", "chains", tests=len(rows)), _wins(chains)),
        (Interval("difference", *_ENDS), Interval("latency_ratio", *_RATIO_ENDS)) if form.numbers else (),
    )


def _wins(chains: tuple[ChainComparison, ...]) -> Message:
    differences = [each.accuracy.difference for each in chains if each.accuracy.difference is not None]
    serial, parallel = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    ties = len(differences) - serial - parallel
    return Message("caption", "chain_wins", n=len(differences), serial=serial, parallel=parallel, ties=ties)


def _ratios(result: ExperimentResult, form: IntervalColumns) -> Table:
    ratios: list[tuple[Cell, Estimate]] = list(result.latency.items())
    if result.latency_overall is not None:
        ratios.append((Message("cell", "all"), result.latency_overall))
    return Table(
        Message("title", "latency_ratios"),
        ("data", "latency_ratio", *_ends(_ENDS, form), "pairs", "questions", "remarks"),
        tuple(
            (name, one.value, *form.ends(one.low, one.high), one.n, one.clusters, one.reason or one.note or "")
            for name, one in ratios
        ),
        (Message("caption", "latency_ratios"),),
        (Interval("latency_ratio", *_ENDS),) if form.numbers else (),
    )


def _evidence(shifts: Sequence[tuple[str, PairedComparison]], form: IntervalColumns) -> Table:
    corrected = holm([one.p_value for _, one in shifts])
    return Table(
        Message("title", "evidence"),
        ("data", "e3_minus_e2", *_ends(_ENDS, form), "p_value", "n", "conclusion"),
        tuple(
            (
                name,
                one.difference,
                *form.ends(one.low, one.high),
                PValue.of(p),
                one.n,
                Message("conclusion", evidence_shift(one.difference, p)),
            )
            for (name, one), p in zip(shifts, corrected, strict=True)
        ),
        (Message("caption", "evidence", tests=len(shifts)),),
        (Interval("e3_minus_e2", *_ENDS),) if form.numbers else (),
    )


def _ends(ends: tuple[str, str], form: IntervalColumns) -> tuple[str, ...]:
    return ends if form.numbers else (ends[0].replace("ci_low", "interval"),)
