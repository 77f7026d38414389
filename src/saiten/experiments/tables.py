"""Tables of an experiment: the cells, serial versus parallel chains, the effect of the evidence."""

from collections.abc import Iterator

from saiten.experiments.cells import Cell as GridCell
from saiten.experiments.results import CellResult, ChainComparison, ExperimentResult
from saiten.metrics.naming import is_human
from saiten.records import Usage
from saiten.stats.paired import holm
from saiten.stats.ratios import Ratio
from saiten.views.charts import SystemPoint, VegaChart, accuracy_against_latency
from saiten.views.table import Cell, Interval, Name, PValue, Table
from saiten.views.tables.summary import evidence_shift
from saiten.words import Message

_ENDS = ("95 % from", "to")
_CELLS = (
    "Accuracy and latency of each system on each data set. 95 % interval: bootstrap over questions. Latency in "
    "seconds, from the question in to the last token out, over the answers where it was measured."
)
_HUMAN = (
    "The accuracy is people's: the third decision on an answer, else the mean over its annotators. Answers without a "
    "label are in of and not in n."
)
_LOADED = "With {n} questions at a time: the latency is that of a system under this load."
_CHAINS = (
    "On the questions that both chains answered. Difference: map_reduce (parallel) minus refine (serial). p: sign-flip "
    "test over questions, corrected for the {n} tests of this table (Holm), which the intervals are not. Latency "
    "ratio: mean of map_reduce over mean of refine, below 1 is faster; 95 % interval: bootstrap over questions. A "
    "recommendation is made only where a difference is outside the noise: p of the accuracy below 0.05, with 90 % of "
    "the questions measured, and the interval of the latency."
)
_RATIOS = (
    "Mean latency of map_reduce over that of refine, ratio of the means over the models. "
    "Published: 0.78 (NLP2023) and 0.58 (NRI-CIS) over nine models."
)
_EVIDENCE = (
    "The mean grade with the evidence that question and reference retrieve (E3) minus that with the contexts of the "
    "answer (E2), on the answers that both graded. p: sign-flip test over questions, corrected for the {n} tests of "
    "this table (Holm), which the intervals are not. Published: the mean with E2 was never below that with E3."
)


def experiment_tables(result: ExperimentResult, currency: str = "USD", *, glance: bool = False) -> list[Table]:
    """Return the tables; with `glance`, for the terminal: fewer columns, intervals as text."""
    tables = [_cells(result, currency, glance=glance)]
    metrics = list(dict.fromkeys(metric for each in result.cells for metric in each.figures))
    if len(metrics) > 1:
        tables.append(_all_metrics(result, metrics))
    if result.chains:
        tables += [_chains(result.chains, glance=glance), _ratios(result, glance=glance)]
    shifts = [(name, summary.evidence) for name, summary in result.summaries.items() if summary.evidence is not None]
    if shifts:
        corrected = holm([one.p_value for _, one in shifts])
        rows = tuple(
            (
                name,
                one.difference,
                *_interval(one.low, one.high, glance=glance),
                PValue.of(p),
                one.n,
                Message("conclusion", evidence_shift(one.difference, p)),
            )
            for (name, one), p in zip(shifts, corrected, strict=True)
        )
        columns = ("data", "E3 − E2", *_columns(glance=glance), "p", "n", "what follows")
        caption = _EVIDENCE.format(n=len(rows))
        tables.append(Table("Evidence", columns, rows, caption, _drawn("E3 − E2", glance=glance)))
    return tables


def _cells(result: ExperimentResult, currency: str, *, glance: bool) -> Table:
    columns = (
        "data",
        "system",
        Name(result.main),
        *_columns(glance=glance),
        "n",
        "of",
        "failed",
        "median s",
        "mean s",
        "p95 s",
        "tokens",
        "calls",
        f"cost ({currency})",
    )
    rows = tuple(_cell(each, result.main, glance=glance) for each in result.cells)
    at_once = result.plan.at_once
    said = f"{_CELLS} {_HUMAN}" if is_human(result.main) else _CELLS
    caption = said if at_once == 1 else f"{said} {_LOADED.format(n=at_once)}"
    title, drawn = Name(result.plan.title) or "Experiment", _drawn(result.main, glance=glance)
    return Table(title, columns, rows, caption, drawn, charts=tuple(_pictures(result)))


def _pictures(result: ExperimentResult) -> Iterator[VegaChart]:
    """Yield one chart of accuracy against latency per data set."""
    for data in result.plan.data:
        points = tuple(
            SystemPoint(
                each.cell.model or each.cell.system,
                _series(each.cell),
                each.answers.latency.median,
                figure.mean,
                figure.low,
                figure.high,
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


def _cell(each: CellResult, main: str, *, glance: bool) -> tuple[Cell, ...]:
    figure, answers = each.figures.get(main), each.answers
    low, high = (None, None) if figure is None else (figure.low, figure.high)
    latency = answers.latency if answers is not None else None
    usage = answers.usage if answers is not None else Usage()
    return (
        each.cell.data.name,
        each.cell.system,
        None if figure is None else figure.mean,
        *_interval(low, high, glance=glance),
        0 if figure is None else figure.n,
        0 if figure is None else figure.total,
        None if answers is None else sum(answers.failures.values()),
        None if latency is None else latency.median,
        None if latency is None else latency.mean,
        None if latency is None else latency.p95,
        usage.prompt_tokens + usage.completion_tokens,
        usage.calls,
        None if usage.unpriced and not usage.cost else usage.cost,
    )


def _all_metrics(result: ExperimentResult, metrics: list[str]) -> Table:
    rows = tuple(
        (
            each.cell.data.name,
            each.cell.system,
            *(None if (figure := each.figures.get(name)) is None else figure.mean for name in metrics),
        )
        for each in result.cells
    )
    caption = "Means; intervals and what could not be measured: saiten show OUT/scores/DATA."
    return Table("All metrics", ("data", "system", *map(Name, metrics)), rows, caption)


def _chains(chains: tuple[ChainComparison, ...], *, glance: bool) -> Table:
    columns = (
        "data",
        "model",
        "difference",
        *_columns(glance=glance),
        "p",
        "n",
        "latency ratio",
        *_columns(glance=glance, of="ratio "),
        "what follows",
    )
    rows = tuple(
        (
            each.data,
            each.model if each.form == "qa" else f"{each.model} · {each.form}",
            each.accuracy.difference,
            *_interval(each.accuracy.low, each.accuracy.high, glance=glance),
            PValue.of(each.p),
            each.accuracy.n,
            each.latency.ratio,
            *_interval(each.latency.low, each.latency.high, glance=glance),
            each.recommendation,
        )
        for each in chains
    )
    drawn = (
        *_drawn("difference", glance=glance),
        *_drawn("latency ratio", glance=glance, of="ratio "),
    )
    title = f"Parallel beside serial ({chains[0].metric})"
    wins = _wins(chains)
    return Table(title, columns, rows, f"{_CHAINS.format(n=len(rows))} {wins}", drawn)


def _wins(chains: tuple[ChainComparison, ...]) -> str:
    differences = [each.accuracy.difference for each in chains if each.accuracy.difference is not None]
    serial, parallel = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    ties = len(differences) - serial - parallel
    cells = "cell" if len(differences) == 1 else "cells"
    return (
        f"By the mean alone, refine is the more accurate one in {serial} of {len(differences)} {cells}, map_reduce in "
        f"{parallel}, {ties} are equal (published: 15, 2 and 1 of 18)."
    )


def _ratios(result: ExperimentResult, *, glance: bool) -> Table:
    columns = ("data", "latency ratio", *_columns(glance=glance), "pairs", "questions", "remarks")
    rows = tuple((name, *_ratio(ratio, glance=glance)) for name, ratio in result.latency.items())
    return Table("Latency, parallel to serial", columns, rows, _RATIOS, _drawn("latency ratio", glance=glance))


def _ratio(ratio: Ratio, *, glance: bool) -> Iterator[Cell]:
    yield ratio.ratio
    yield from _interval(ratio.low, ratio.high, glance=glance)
    yield from (ratio.n, ratio.clusters, ratio.note or "")


def _columns(*, glance: bool, of: str = "") -> tuple[str, ...]:
    return (f"{of}95 % interval",) if glance else tuple(f"{of}{end}" for end in _ENDS)


def _interval(low: float | None, high: float | None, *, glance: bool) -> tuple[Cell, ...]:
    if not glance:
        return (low, high)
    return (None if low is None or high is None else f"[{low:.3f}, {high:.3f}]",)


def _drawn(figure: str, *, glance: bool, of: str = "") -> tuple[Interval, ...]:
    return () if glance else (Interval(figure, f"{of}{_ENDS[0]}", f"{of}{_ENDS[1]}"),)
