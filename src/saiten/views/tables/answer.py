"""The summary of a file of answers as tables."""

from saiten.runs.answers.summary import AnswerSummary
from saiten.stats.latency import Latency
from saiten.views.table import Cell, Table
from saiten.words import Message

_REASONS_SHOWN = 5


def answer_tables(summary: AnswerSummary, currency: str = "USD") -> list[Table]:
    """Return the answers, and the reasons for missing ones."""
    tables = [_answers(summary), _spent(summary, currency)]
    if summary.reasons:
        rest = len(summary.reasons) - _REASONS_SHOWN
        more = (Message("caption", "further_reasons", n=rest),) if rest > 0 else ()
        columns = ("kind", "reason", "n", "for_example")
        tables.append(Table(Message("title", "no_answer"), columns, tuple(summary.reasons[:_REASONS_SHOWN]), more))
    return tables


def _answers(summary: AnswerSummary) -> Table:
    kinds = ("failed", "timeout", "unreadable")
    columns = ("system", "answered", *kinds, "median", "mean", "p95", "measured")
    failures = (summary.failures.get(kind, 0) for kind in kinds)
    row = (summary.system, summary.answered, *failures, *latency_cells(summary.latency))
    without = summary.answered - summary.with_contexts
    captions = (Message("caption", "without_contexts", n=without),) if without else ()
    return Table(Message("title", "answers"), columns, (row,), (*captions, Message("caption", "answers")))


def latency_cells(latency: Latency | None) -> tuple[Cell, ...]:
    """Return median, mean and 95th percentile in seconds, and the number of measured answers."""
    return (None, None, None, 0) if latency is None else (latency.median, latency.mean, latency.p95, latency.n)


def _spent(summary: AnswerSummary, currency: str) -> Table:
    usage = summary.usage
    columns = ("system", "calls", "reused", "prompt_tokens", "cached_tokens", "completion_tokens")
    row = (summary.system, usage.calls, usage.reused, *usage.tokens, usage.known_cost)
    unpriced = (
        Message("caption", "cost_at_least", n=usage.unpriced) if usage.cost else Message("caption", "cost_unknown")
    )
    return Table(
        Message("title", "spent_on_answers"),
        (*columns, Message("column", "cost", currency=currency)),
        (row,),
        (unpriced,) if usage.unpriced else (),
    )
