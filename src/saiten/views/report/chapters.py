"""The chapters of a report on its runs: what they are, everything measured, what they cost."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from saiten.dialogue.outcomes import outcomes_of
from saiten.dialogue.reading import read_dialogues
from saiten.records import Usage
from saiten.views.charts.costs import CostRow, costs
from saiten.views.charts.distributions import distributions
from saiten.views.charts.means import bounds_of
from saiten.views.page.chapters import Chapter
from saiten.views.report.headlines import systems_apart
from saiten.views.report.tally import Tally, Values
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.tables.run import currency_of, run_tables
from saiten.words import Message

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def runs_chapter(tallies: Sequence[Tally]) -> Chapter:
    """Return one row per run, and the means of several side by side."""
    tables = [_runs(tallies), *([_side_by_side(tallies)] if len(tallies) > 1 else []), _begun(tallies)]
    return Chapter(Message("report", "runs"), tables, about=Message("report", "about_runs"))


def _runs(tallies: Sequence[Tally]) -> Table:
    columns = ("run", "judge", "samples", "systems", "languages", "scores", "measured", "of")
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            str(one.reader.manifest.settings.get("judge") or ""),
            len(one.facts.places),
            len(one.facts.systems) or None,
            ", ".join(f"{name}: {n}" for name, n in one.facts.languages.items()),
            one.scores,
            one.measured,
            one.expected,
        )
        for one in tallies
    ]
    return Table(Message("title", "runs"), columns, tuple(rows), (Message("caption", "runs"),))


def _begun(tallies: Sequence[Tally]) -> Table:
    """Return the table of start times, shown in the page's footer like all tables with this one column."""
    manifests = [(one.name, one.reader.manifest) for one in tallies]
    rows = tuple(
        (Message("report", "begun", run=name, time=made.created, version=made.versions.get("saiten", "–")),)
        for name, made in manifests
    )
    return Table(Message("title", "begun"), ("signature",), rows)


def _side_by_side(tallies: Sequence[Tally]) -> Table:
    """Return every metric of every run, including those without values; metrics that runs share are grouped."""
    metrics = dict.fromkeys(metric for one in tallies for metric in (*one.summary.signatures, *one.metrics))
    rows: list[tuple[Cell, ...]] = []
    for metric in metrics:
        for one in tallies:
            if metric in one.metrics:
                parts = [f for f in one.summary.figures if f.metric == metric and f.system is not None]
                for f in (*parts, one.summary.overall(metric)):
                    system = Name(f.system) if f.system else Message("cell", "all")
                    rows.append((metric, one.name, system, f.mean, f.low, f.high, f.n, f.total))
            elif metric in one.summary.signatures:
                rows.append((metric, one.name, Message("cell", "all"), None, None, None, 0, len(one.facts.places)))
    columns: tuple[str, ...] = ("metric", "run", "system", "mean", "ci_low", "ci_high", "n", "of")
    if not any(map(systems_apart, tallies)):
        columns, rows = (*columns[:2], *columns[3:]), [(*row[:2], *row[3:]) for row in rows]
    interval = Interval("mean", "ci_low", "ci_high")
    captions = (Message("caption", "means_of_runs"),)
    return Table(Message("title", "means_of_runs"), columns, tuple(rows), captions, (interval,))


def run_chapter(one: Tally) -> Chapter:
    """Return everything that `saiten show` shows of a run, and the distributions of its scores."""
    tables = run_tables(one.reader, one.summary)
    at = next((at for at, table in enumerate(tables) if table.key not in {"scores", "by_system", "by_group"}), 0)
    tables.insert(at, _distributions(one.values))
    # Signatures of several runs are together in the page's footer.
    title = Message("title", "signatures_of", run=one.name)
    tables = [replace(table, title=title) if table.key == "signatures" else table for table in tables]
    shown = [table for table in tables if table.rows]
    return Chapter(Message("report", "run", run=one.name), shown, about=Message("report", "about_run"))


def _distributions(values: Values) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for metric, of in values.items():
        for system, numbers in sorted(of.items()):  # the order of the tables by system
            quarters = np.quantile(np.frombuffer(numbers), _QUARTERS).tolist()
            without = Message("cell", "all") if len(of) == 1 else "–"
            rows.append((metric, Name(system) or without, len(numbers), *quarters))
    columns = ("metric", "system", "n", "lowest", "lower_quarter", "median", "upper_quarter", "highest")
    charts = tuple(distributions(metric, dict(sorted(of.items())), bounds_of(metric)) for metric, of in values.items())
    return Table(Message("title", "distributions"), columns, tuple(rows), charts=charts)


def spent(tallies: Sequence[Tally]) -> Chapter:
    """Return calls, tokens, cost and reuse by run and metric; seconds if any were measured."""
    rows: list[tuple[Cell, ...]] = []
    drawn: list[CostRow] = []
    currency = currency_of(tallies[0].reader)
    for one in tallies:
        total = sum(one.spent.values(), Usage())
        latency = outcomes_of(read_dialogues(one.reader)).latency if one.dialogues else None
        seconds = latency.mean if latency is not None else None
        tokens = total.prompt_tokens + total.completion_tokens
        drawn.append(CostRow(one.name, total.known_cost, seconds, tokens, total.calls, len(one.facts.places)))
        rows.append((one.name, Message("cell", "all"), *_cells(total), seconds))
        rows += [(one.name, metric, *_cells(one.spent[metric]), None) for metric in one.metrics]
    cost = Message("column", "cost", currency=currency)
    used = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", cost, "unpriced", "reused")
    prices = dict.fromkeys(quote.sentence() for one in tallies for quote in one.reader.prices())
    caption = (Message("caption", "spent_by_metric"), *prices)
    charts = (costs(drawn, currency=currency),) if any(row.calls for row in drawn) else ()
    table = Table(
        Message("title", "spent"), ("run", "metric", *used, "mean_seconds"), tuple(rows), caption, charts=charts
    )
    return Chapter(Message("report", "spent"), [table], about=Message("report", "about_spent"))


def _cells(usage: Usage) -> tuple[Cell, ...]:
    return (usage.calls, *usage.tokens, usage.known_cost, usage.unpriced, usage.reused)
