"""Probes of a judge and drift as tables: for the terminal with intervals as text, otherwise as numbers."""

from saiten.results.answer_order import OrderRow
from saiten.results.drift import DriftReport, MetricDrift
from saiten.results.figure import unmeasured
from saiten.results.probe import ProbeReport, ProbeRow
from saiten.views.table import PValue, Table, Unbroken
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import counted_if, distinct, why_not
from saiten.views.tables.summary import reliability_cells
from saiten.words import Message, joined


def probe_tables(report: ProbeReport, *, glance: bool = False) -> list[Table]:
    """Return all tables of the report except empty ones; `glance`: for the terminal."""
    form = IntervalColumns(numbers=not glance)
    votes = tuple((metric, found.votes, *reliability_cells(found)) for metric, found in report.reliability.items())
    columns = ("metric", "votes", "n", "pairwise_agreement", "icc", "icc_of_mean", "mean_sd", "changed", "note")
    return [
        table
        for table in (
            _probes("probes", [(row.probe, row) for row in report.probes], form),
            _probes("probes_by_form", [(f"{row.probe}: {row.variant}", row) for row in report.variants], form),
            _orders(report.orders, form),
            Table(Message("title", "votes_on_originals"), columns, votes),
        )
        if table.rows
    ]


def _probes(title: str, rows: list[tuple[str, ProbeRow]], form: IntervalColumns) -> Table:
    share = form.columns("share")
    # For people the share is next to the number, so that the table fits the screen.
    columns = ("probe", "metric", "expected", "verdict", "broken", *(share if form.numbers else share[1:]))
    return Table(
        Message("title", title),
        (*columns, "n", "questions", *form.columns("difference"), "p_value", "remarks"),
        tuple(_probe(*row, form) for row in rows),
        (Message("caption", "probes"),) if title == "probes" else (),
        form.intervals("share", "difference"),
    )


def _probe(name: str, row: ProbeRow, form: IntervalColumns) -> Cells:
    remarks = [
        counted_if("no_room", row.no_room),
        unmeasured(row.metric, row.others),
        Message("remark", "such_as", example=row.examples[0]) if row.examples else None,
        row.reason,
    ]
    expected = Message("expectation", row.expectation.replace(" ", "_"))
    verdict = Message("verdict", row.verdict.replace(" ", "_"))
    difference = (row.difference, *form.ends(row.low, row.high), PValue.of(row.p_value))
    return (
        name,
        row.metric,
        expected,
        verdict,
        *_broken(row, form),
        row.n,
        row.questions,
        *difference,
        joined(remarks),
    )


def _broken(row: ProbeRow, form: IntervalColumns) -> Cells:
    if row.share is None or row.share_low is None or row.share_high is None:
        return (None,) * (4 if form.numbers else 2)
    if form.numbers:
        return (row.broken, row.share, row.share_low, row.share_high)
    return (f"{row.broken} ({row.share:.0%})", Unbroken(f"[{row.share_low:.0%}, {row.share_high:.0%}]"))


def _orders(orders: tuple[OrderRow, ...], form: IntervalColumns) -> Table:
    shares = ("changes", "share_of_first")
    columns = ("pairs_of", "n", "questions", *form.columns(*shares), "same_place", "ties", "calls", "remarks")
    rows = tuple(_order(row, form) for row in orders)
    captions = (Message("caption", "order_of_answers"),)
    return Table(Message("title", "order_of_answers"), columns, rows, captions, form.intervals(*shares))


def _order(row: OrderRow, form: IntervalColumns) -> Cells:
    without = counted_if("without_two_verdicts", row.pairs - row.changed.n)
    remarks = distinct(without, why_not(row.changed) or why_not(row.first))
    variant = row.variant or Message("cell", "all")
    shares = (row.changed.n, row.changed.clusters, *form.cells(row.changed, row.first))
    return (variant, *shares, row.same_place, row.ties, row.usage.calls, remarks)


def drift_tables(report: DriftReport, *, glance: bool = False) -> list[Table]:
    """Return all tables of the report except empty ones; `glance`: for the terminal."""
    form = IntervalColumns(numbers=not glance)
    made = tuple(tuple(Message("cell", "not_set") if cell is None else cell for cell in row) for row in report.made)
    moved: tuple[Cells, ...] = tuple(
        (each.metric, item.sample, item.before, item.now, item.now - item.before, item.people)
        for each in report.metrics
        for item in each.moved
    )
    tables = (
        _shifts(report, form),
        _people(report, form),
        Table(Message("title", "made_differently"), ("metric", "part", "before", "now"), made),
        Table(Message("title", "moved_most"), ("metric", "sample", "before", "now", "change", "people"), moved),
        Table(Message("title", "in_one_run"), ("metric",), tuple((metric,) for metric in report.only)),
    )
    return [table for table in tables if table.rows]


def _shifts(report: DriftReport, form: IntervalColumns) -> Table:
    columns = ("metric", "before", "now", *form.columns("drift"), "p_value", "n", "equal", *form.columns("icc_of_runs"))
    return Table(
        Message("title", "drift", n=report.samples),
        (*columns, "kappa", "status_changes", "remarks"),
        tuple(_shift(each, form) for each in report.metrics),
        (Message("caption", "drift"),),
        form.intervals("drift", "icc_of_runs"),
    )


def _shift(each: MetricDrift, form: IntervalColumns) -> Cells:
    shift = each.shift
    changes = [
        Message("remark", "status_change", n=n, old=Message("status", old), new=Message("status", new))
        for (old, new), n in sorted(each.statuses.items())
    ]
    remarks = distinct(shift.note, each.icc.reason or each.icc.note, each.kappa.reason if form.numbers else None)
    means = (each.mean_before, each.mean_now, shift.difference, *form.ends(shift.low, shift.high))
    same = (each.equal.value, *form.cells(each.icc), each.kappa.value)
    return (each.metric, *means, PValue.of(shift.p_value), shift.n, *same, joined(changes, "listed"), remarks)


def _people(report: DriftReport, form: IntervalColumns) -> Table:
    captions = [Message("caption", "drift_alarm", tolerance=report.tolerance)]
    if report.unmatched_labels:
        captions.append(Message("caption", "unmatched_labels", n=report.unmatched_labels))
    if report.declined:
        captions.append(Message("caption", "declined_left_out", n=report.declined))
    return Table(
        Message("title", "agreement_with_people"),
        ("metric", "measure", "before", "now", *form.columns("change"), "n", "verdict", "remarks"),
        tuple(row for each in report.metrics for row in _agreement(each, form)),
        tuple(captions),
        form.intervals("change"),
    )


def _agreement(each: MetricDrift, form: IntervalColumns) -> list[Cells]:
    found = each.people
    if found is None:
        return []
    change = found.change
    known = change.low is not None or change.value == 0
    verdict = Message("verdict", "alarm" if found.alarm else "no_alarm" if known else "unknown")
    figures = (found.before, found.now, *form.cells(change), change.n)
    measure = Message("measure", found.measure)
    return [(each.metric, measure, *figures, verdict, why_not(change))]
