"""Probes of a judge and drift as tables."""

from saiten.meta_evaluation.drift import DriftReport, MetricDrift
from saiten.meta_evaluation.probes import OrderRow, ProbeReport, ProbeRow
from saiten.reports.summary_tables import interval_text, not_measured
from saiten.reports.tables import Cell, Table
from saiten.stats import Estimate

_PROBES = (
    "Broken: trials that do not do what is expected, of those that could show it (n: an answer at the top cannot "
    "rise, and only one in the upper half must fall); 95 % interval by Wilson, each "
    "question counted once. Difference: changed minus original over all trials with two values; 95 % bootstrap over "
    "questions; p by sign flips over questions, Holm over the rows. Holds: not more broken than allowed, which is "
    "no proof that it never breaks."
)
_COLUMNS = (
    "probe",
    "metric",
    "expected",
    "verdict",
    "broken",
    "share 95 %",
    "n",
    "questions",
    "difference",
    "95 % interval",
    "p",
    "remarks",
)
_ORDER_COLUMNS = (
    "pairs of",
    "n",
    "questions",
    "changes",
    "changes 95 %",
    "first",
    "first 95 %",
    "same place",
    "ties",
    "calls",
    "remarks",
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


def probe_tables(report: ProbeReport) -> list[Table]:
    """All tables of the report; those with nothing in them are left out."""
    rows = tuple(_row(row, row.probe) for row in report.rows)
    forms = tuple(_row(row, f"{row.probe}: {row.variant}") for row in report.variants)
    votes = tuple(
        (metric, r.votes, r.items, r.agreement, r.icc, r.icc_average, r.spread, r.changed, r.reason)
        for metric, r in report.reliability.items()
    )
    columns = ("metric", "votes", "n", "pairwise agreement", "ICC(1)", "ICC of the mean", "mean SD", "changed", "note")
    return [
        table
        for table in (
            Table("Probes", _COLUMNS, rows, _PROBES),
            Table("Probes by form", _COLUMNS, forms),
            Table("The order of two answers", _ORDER_COLUMNS, tuple(map(_order, report.orders)), _ORDER),
            Table("Test–retest reliability on the unchanged samples", columns, votes),
        )
        if table.rows
    ]


def _row(row: ProbeRow, name: str) -> tuple[Cell, ...]:
    remarks = [
        f"{row.no_room} without room" if row.no_room else "",
        not_measured(row.others),
        f"such as {row.examples[0]}" if row.examples else "",
        row.reason or "",
    ]
    return (
        name,
        row.metric,
        row.expectation,
        row.verdict,
        f"{row.broken} ({row.share:.0%})" if row.share is not None else None,
        None if row.share_low is None or row.share_high is None else f"[{row.share_low:.0%}, {row.share_high:.0%}]",
        row.n,
        row.questions,
        row.difference,
        interval_text(row.low, row.high),
        row.p_value,
        "; ".join(text for text in remarks if text),
    )


def _order(row: OrderRow) -> tuple[Cell, ...]:
    lost = row.pairs - row.changed.n
    return (
        row.variant or "all",
        row.changed.n,
        row.changed.clusters,
        row.changed.mean,
        interval_text(row.changed.low, row.changed.high),
        row.first.mean,
        interval_text(row.first.low, row.first.high),
        row.same_place,
        row.ties,
        row.usage.calls,
        "; ".join(
            text
            for text in (f"{lost} without two verdicts" if lost else "", row.changed.note or row.first.note)
            if text
        ),
    )


def drift_tables(report: DriftReport) -> list[Table]:
    """All tables of the report; those with nothing in them are left out."""
    shifts = tuple(_shift(each) for each in report.metrics)
    people = tuple(_people(each) for each in report.metrics if each.people is not None)
    moved: tuple[tuple[Cell, ...], ...] = tuple(
        (each.metric, item.sample, item.before, item.now, item.now - item.before, item.people)
        for each in report.metrics
        for item in each.moved
    )
    tolerated = f"Alarm: a drop of more than {report.tolerance:g} whose interval lies below 0."
    unmatched = f" {report.unmatched_labels} labels are of no item of the runs." if report.unmatched_labels else ""
    tables = (
        Table(
            f"Drift on {report.samples} samples",
            (
                "metric",
                "before",
                "now",
                "shift",
                "95 % interval",
                "p",
                "n",
                "equal",
                "ICC",
                "ICC 95 %",
                "kappa",
                "changes of status",
            ),
            shifts,
            _DRIFT,
        ),
        Table(
            "Agreement with people",
            ("metric", "measure", "before", "now", "change", "95 % interval", "n", "verdict"),
            people,
            tolerated + unmatched,
        ),
        Table("What differs in how the figures were made", ("metric", "part", "before", "now"), report.made),
        Table("What moved most", ("metric", "sample", "before", "now", "change", "people"), moved),
        Table("In one of the runs only", ("metric",), tuple((metric,) for metric in report.only)),
    )
    return [table for table in tables if table.rows]


def _shift(each: MetricDrift) -> tuple[Cell, ...]:
    shift = each.shift
    return (
        each.metric,
        each.mean_before,
        each.mean_now,
        shift.difference,
        interval_text(shift.low, shift.high, shift.note),
        shift.p_value,
        shift.n,
        each.equal.value,
        each.icc.value,
        _interval(each.icc),
        each.kappa.value,
        ", ".join(f"{n} {old} → {new}" for (old, new), n in sorted(each.statuses.items())),
    )


def _people(each: MetricDrift) -> tuple[Cell, ...]:
    found = each.people
    assert found is not None  # noqa: S101 - the caller has looked
    change = found.change
    verdict = (
        "alarm" if found.alarm else "no alarm" if change.low is not None or change.value == 0 else "cannot be told"
    )
    return (
        each.metric,
        found.measure,
        found.before,
        found.now,
        change.value,
        _interval(change),
        change.n,
        verdict,
    )


def _interval(estimate: Estimate) -> str:
    return interval_text(estimate.low, estimate.high, estimate.reason or estimate.note)
