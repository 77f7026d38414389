"""Probes of a judge and drift as tables: for the terminal with intervals as text, otherwise as numbers."""

from saiten.results.drift import DriftReport, MetricDrift
from saiten.results.probe import OrderRow, ProbeReport, ProbeRow
from saiten.results.summary import unmeasured
from saiten.views.table import PValue, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message

_PROBES = (
    "Broken: trials that do not do what is expected, of those that could show it (n: an answer at the top cannot "
    "rise, and only one in the upper half must fall); share: broken / n, 95 % interval by Wilson, each "
    "question counted once. Difference: changed minus original over all trials with two values; 95 % bootstrap over "
    "questions; p by sign flips over questions, Holm over the rows. Holds: not more broken than allowed, which is "
    "no proof that it never breaks."
)
_ORDER = (
    "Each pair is judged in both orders. Changes: pairs whose verdict is another one in the other order. First: share "
    "of verdicts for the answer that stands first, a tie counting half; 0.5 is no position bias. 95 % bootstrap over "
    "questions. Same place: pairs in which the same place wins in both orders."
)
_DRIFT = (
    "Now minus before, over the items with a value in both runs. 95 % interval: bootstrap over questions. p: sign "
    "flips over questions, Holm over the metrics."
)


def probe_tables(report: ProbeReport, *, glance: bool = False) -> list[Table]:
    """Return all tables of the report except empty ones; `glance`: for the terminal."""
    form = IntervalColumns(numbers=not glance)
    votes = tuple(
        (metric, r.votes, r.items, r.agreement, r.icc, r.icc_average, r.spread, r.changed, r.reason)
        for metric, r in report.reliability.items()
    )
    columns = ("metric", "votes", "n", "pairwise agreement", "ICC(1)", "ICC of the mean", "mean SD", "changed", "note")
    return [
        table
        for table in (
            _probes("Probes", [(row.probe, row) for row in report.probes], form, _PROBES),
            _probes("Probes by form", [(f"{row.probe}: {row.variant}", row) for row in report.variants], form),
            _orders(report.orders, form),
            Table("Test–retest reliability on the unchanged samples", columns, votes),
        )
        if table.rows
    ]


def _probes(title: str, rows: list[tuple[str, ProbeRow]], form: IntervalColumns, caption: str = "") -> Table:
    share = form.columns("share") if form.numbers else ("share 95 %",)
    columns = ("probe", "metric", "expected", "verdict", "broken", *share, "n", "questions")
    columns += (*form.columns("difference"), "p", "remarks")
    drawn = (*form.intervals("share"), *form.intervals("difference"))
    return Table(title, columns, tuple(_probe(*row, form) for row in rows), caption, drawn)


def _probe(name: str, row: ProbeRow, form: IntervalColumns) -> Cells:
    remarks = [
        f"{row.no_room} without room" if row.no_room else "",
        str(unmeasured(row.others)),
        f"such as {row.examples[0]}" if row.examples else "",
        row.reason or "",
    ]
    return (
        name,
        row.metric,
        row.expectation,
        row.verdict,
        *_broken(row, form),
        row.n,
        row.questions,
        row.difference,
        *form.ends(row.low, row.high),
        PValue.of(row.p_value),
        "; ".join(text for text in remarks if text),
    )


def _broken(row: ProbeRow, form: IntervalColumns) -> Cells:
    """Return number and share; for people in two columns of percent, so that the table fits the screen."""
    if row.share is None or row.share_low is None or row.share_high is None:
        return (None,) * (4 if form.numbers else 2)
    if form.numbers:
        return (row.broken, row.share, row.share_low, row.share_high)
    return (f"{row.broken} ({row.share:.0%})", f"[{row.share_low:.0%}, {row.share_high:.0%}]")


def _orders(orders: tuple[OrderRow, ...], form: IntervalColumns) -> Table:
    columns = ("pairs of", "n", "questions", *form.columns("changes", "first"), "same place", "ties", "calls")
    rows = tuple(_order(row, form) for row in orders)
    return Table("The order of two answers", (*columns, "remarks"), rows, _ORDER, form.intervals("changes", "first"))


def _order(row: OrderRow, form: IntervalColumns) -> Cells:
    lost = row.pairs - row.changed.n
    return (
        row.variant or "all",
        row.changed.n,
        row.changed.clusters,
        row.changed.mean,
        *form.ends(row.changed.low, row.changed.high),
        row.first.mean,
        *form.ends(row.first.low, row.first.high),
        row.same_place,
        row.ties,
        row.usage.calls,
        _remarks(f"{lost} without two verdicts" if lost else None, row.changed.note or row.first.note),
    )


def drift_tables(report: DriftReport, *, glance: bool = False) -> list[Table]:
    """Return all tables of the report except empty ones; `glance`: for the terminal."""
    form = IntervalColumns(numbers=not glance)
    moved: tuple[Cells, ...] = tuple(
        (each.metric, item.sample, item.before, item.now, item.now - item.before, item.people)
        for each in report.metrics
        for item in each.moved
    )
    tables = (
        _shifts(report, form),
        _people(report, form),
        Table("What differs in how the figures were made", ("metric", "part", "before", "now"), report.made),
        Table("What moved most", ("metric", "sample", "before", "now", "change", "people"), moved),
        Table("In one of the runs only", ("metric",), tuple((metric,) for metric in report.only)),
    )
    return [table for table in tables if table.rows]


def _shifts(report: DriftReport, form: IntervalColumns) -> Table:
    columns = ("metric", "before", "now", *form.columns("shift"), "p", "n", "equal", *form.columns("ICC"), "kappa")
    return Table(
        f"Drift on {report.samples} samples",
        (*columns, "changes of status", "remarks"),
        tuple(_shift(each, form) for each in report.metrics),
        _DRIFT,
        (*form.intervals("shift"), *form.intervals("ICC")),
    )


def _shift(each: MetricDrift, form: IntervalColumns) -> Cells:
    shift = each.shift
    return (
        each.metric,
        each.mean_before,
        each.mean_now,
        shift.difference,
        *form.ends(shift.low, shift.high),
        PValue.of(shift.p_value),
        shift.n,
        each.equal.value,
        *form.cells(each.icc),
        each.kappa.value,
        ", ".join(f"{n} {old} → {new}" for (old, new), n in sorted(each.statuses.items())),
        _remarks(shift.note, each.icc.reason or each.icc.note, each.kappa.reason if form.numbers else None),
    )


def _people(report: DriftReport, form: IntervalColumns) -> Table:
    unmatched = f" {report.unmatched_labels} labels are of no item of the runs." if report.unmatched_labels else ""
    if report.declined:
        unmatched += f" {report.declined} answers that people call declined (grade 0) are left out."
    return Table(
        "Agreement with people",
        ("metric", "measure", "before", "now", *form.columns("change"), "n", "verdict", "remarks"),
        tuple(row for each in report.metrics for row in _beside_people(each, form)),
        f"Alarm: a drop of more than {report.tolerance:g} whose interval lies below 0.{unmatched}",
        form.intervals("change"),
    )


def _beside_people(each: MetricDrift, form: IntervalColumns) -> list[Cells]:
    found = each.people
    if found is None:
        return []
    change = found.change
    told = change.low is not None or change.value == 0
    verdict = "alarm" if found.alarm else "no alarm" if told else "cannot be told"
    figures = (found.before, found.now, *form.cells(change), change.n)
    return [(each.metric, found.measure, *figures, verdict, _remarks(change.reason or change.note))]


def _remarks(*notes: str | Message | None) -> str:
    return "; ".join(dict.fromkeys(text for note in notes if (text := str(note or ""))))
