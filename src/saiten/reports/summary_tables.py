"""The summary of a run as tables: the figures, the grades, the reliability of votes, what it cost, how it was made."""

from collections.abc import Mapping

from saiten.records import Usage
from saiten.reports.tables import Cell, Table
from saiten.summary import Figure, Summary

_CAPTION = (
    "95 % interval: bootstrap over questions. n: scores that enter the mean; the statuses beside it are counted, "
    "never averaged."
)
_STATUS_WORDS = {
    "declined": "declined (grade 0)",
    "undefined": "undefined",
    "unreadable": "unreadable",
    "failed": "failed",
}


def summary_tables(summary: Summary) -> list[Table]:
    """All tables of a summary; those with nothing in them are left out."""
    tables = [_overall(summary), *_breakdown(summary, "system"), *_breakdown(summary, "group")]
    tables += [table for table in (_grades(summary), _votes(summary), _signatures(summary)) if table.rows]
    return tables


def _overall(summary: Summary) -> Table:
    rows = [_row(figure) for figure in summary.figures if figure.group is None and figure.system is None]
    return Table(
        "Scores", ("metric", "mean", "95 % interval", "n", "of", "questions", "not measured"), tuple(rows), _CAPTION
    )


def _breakdown(summary: Summary, by: str) -> list[Table]:
    figures = [figure for figure in summary.figures if getattr(figure, by) is not None]
    if not figures:
        return []
    rows = tuple((getattr(figure, by), *_row(figure)) for figure in figures)
    columns = (by, "metric", "mean", "95 % interval", "n", "of", "questions", "not measured")
    return [Table(f"By {by}", columns, rows)]


def _row(figure: Figure) -> tuple[Cell, ...]:
    return (
        figure.metric,
        figure.mean,
        interval_text(figure.low, figure.high, figure.note),
        figure.n,
        figure.total,
        figure.questions,
        not_measured(figure.coverage),
    )


def interval_text(low: float | None, high: float | None, note: str | None = None) -> str:
    """`[0.712, 0.843]`, or why there is none."""
    if low is None or high is None:
        return note or "–"
    return f"[{low:.3f}, {high:.3f}]"


def not_measured(coverage: Mapping[str, int]) -> str:
    """`2 undefined, 1 failed`; empty if every score is ok."""
    return ", ".join(f"{n} {_STATUS_WORDS[status]}" for status, n in coverage.items() if status in _STATUS_WORDS)


def _grades(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for figure in summary.figures:
        if figure.group is None and figure.system is None and len(figure.distribution) > 1:
            declined = figure.coverage.get("declined", 0)
            counts = ({0.0: declined} if declined else {}) | dict(figure.distribution)
            text = " · ".join(f"{value:g}: {n}" for value, n in counts.items())
            rows.append((figure.metric, text, round(declined / figure.total, 3) if figure.total else None))
    return Table("How often each value was given", ("metric", "value: times", "share of grade 0"), tuple(rows))


def _votes(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            metric,
            found.votes,
            found.items,
            found.agreement,
            found.icc,
            found.icc_average,
            found.spread,
            found.changed,
            found.reason,
        )
        for metric, found in summary.reliability.items()
    ]
    columns = (
        "metric",
        "votes",
        "n",
        "pairwise agreement",
        "ICC(1)",
        "ICC of the mean",
        "mean SD",
        "items that changed",
        "note",
    )
    return Table("Test–retest reliability of the votes", columns, tuple(rows))


def _signatures(summary: Summary) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple((str(signature),) for signature in summary.signatures.values())
    return Table("How the figures were made", ("signature",), rows)


def usage_text(usage: Usage, currency: str = "USD") -> str:
    """One sentence about what was spent; a price that is not known is said to be unknown."""
    if usage.calls == 0 and usage.reused == 0:
        return "no calls, no cost"
    tokens = f"{usage.calls} calls, {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
    reused = f", {usage.reused} answers reused" if usage.reused else ""
    if usage.calls == 0:
        return f"no calls, no cost{reused}"
    if usage.unpriced == usage.calls:
        cost = "cost unknown (set [prices] in saiten.toml)"
    elif usage.unpriced:
        cost = f"at least {usage.cost:.4f} {currency} ({usage.unpriced} calls without a known price)"
    else:
        cost = f"{usage.cost:.4f} {currency}"
    return f"{tokens}, {cost}{reused}"
