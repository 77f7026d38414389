"""The sheets of a workbook next to the answers: the means, how they were made, and unusable rows."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

from saiten.exports.export import Export, ExportSettings
from saiten.records import STATUSES
from saiten.results.figure import Figure, unmeasured
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.summary import Summary
from saiten.version import __version__
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.workbook import ROWS
from saiten.words import Message, joined

_COLUMNS = ("metric", "system", "group", "mean", "ci_low", "ci_high", "n", "of", "questions")
_WITHOUT_VALUE = tuple(status for status in STATUSES if status != "ok")


def means_table(summary: Summary) -> Table:
    """Return the means of all metrics, over everything, by system and by group, with intervals and coverage."""
    return Table(
        Message("title", "scores"),
        (*_COLUMNS, *(Message("status", status) for status in _WITHOUT_VALUE), "remarks"),
        tuple(_means_row(figure) for figure in summary.figures),
        (
            *([ONLY_WORDS] if only_words(summary.signatures.values()) else []),
            Message("caption", "scores"),
            *summary.remarks,
        ),
        (Interval("mean", "ci_low", "ci_high"),),
    )


def _means_row(figure: Figure) -> tuple[Cell, ...]:
    figures = (figure.mean, figure.low, figure.high, figure.n, figure.total, figure.questions)
    counts = (figure.coverage.get(status, 0) for status in _WITHOUT_VALUE)
    remarks = joined([unmeasured(figure.metric, figure.coverage), figure.note])
    every = Message("cell", "all")
    return (figure.metric, figure.system or every, figure.group or every, *figures, *counts, remarks)


def about_table(export: Export, settings: ExportSettings, summary: Summary) -> Table:
    """Return what was graded, how, when and at what cost, and how the rows are ordered."""
    return Table(
        Message("export", "about"),
        (Message("export", "item"), "value"),
        tuple((label, value) for label, value in _facts(export, settings, summary) if value not in (None, "")),
    )


def _facts(export: Export, settings: ExportSettings, summary: Summary) -> Iterator[tuple[Cell, Cell]]:
    given, usage, answers = export.settings, summary.usage, export.answers
    yield Message("column", "run"), Name(export.name)
    yield Message("column", "data"), given.get("data")
    yield Message("column", "judge"), str(given.get("judge") or "")
    yield Message("column", "begun"), export.created
    yield Message("export", "exported"), datetime.now(UTC).isoformat(timespec="seconds")
    yield Message("export", "made_with"), export.versions.get("saiten")
    yield Message("export", "exported_with"), __version__
    yield Message("export", "answers"), len(answers)
    yield Message("export", "missing"), answers.missing
    yield Message("export", "finished"), not export.unfinished
    yield Message("column", "unusable_rows"), export.bad_rows
    yield Message("column", "calls"), usage.calls
    yield Message("column", "prompt_tokens"), usage.prompt_tokens
    yield Message("column", "completion_tokens"), usage.completion_tokens
    yield Message("column", "cost", currency=export.currency), usage.known_cost
    yield Message("column", "unpriced"), usage.unpriced or None
    for quote in export.prices:
        yield Message("export", "price"), quote.sentence()
    by_metric = settings.order not in {"worst", "data"}
    key = "order_metric" if by_metric else f"order_{settings.order}"
    yield Message("export", "order"), Message("export", key, metric=settings.order)
    for signature in export.signatures.values():
        yield Message("column", "signature"), signature


def bad_rows_table(export: Export) -> Table:
    """Return the rows of the data that could not be used, as many as fit on a sheet."""
    rows = islice(export.read_bad_rows(), ROWS - 1)
    return Table(
        Message("column", "unusable_rows"),
        (Message("export", "where"), "reason", Message("export", "raw")),
        tuple((row.where, row.reason, row.raw) for row in rows),
        key="unusable_rows",
    )
