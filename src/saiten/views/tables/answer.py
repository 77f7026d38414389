"""The summary of a file of answers as tables."""

from saiten.runs.answers.summary import AnswerSummary
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
    latency = summary.latency
    cells: dict[str, Cell] = {
        "system": summary.system,
        "answered": summary.answered,
        **{kind: summary.failures.get(kind, 0) for kind in ("failed", "timeout", "unreadable")},
        "median": latency.median if latency else None,
        "mean": latency.mean if latency else None,
        "p95": latency.p95 if latency else None,
        "measured": latency.n if latency else 0,
    }
    without = summary.answered - summary.with_contexts
    captions = (Message("caption", "without_contexts", n=without),) if without else ()
    title = Message("title", "answers")
    return Table(title, tuple(cells), (tuple(cells.values()),), (*captions, Message("caption", "answers")))


def _spent(summary: AnswerSummary, currency: str) -> Table:
    usage = summary.usage
    columns = ("system", "calls", "reused", "prompt_tokens", "completion_tokens")
    tokens = (usage.prompt_tokens, usage.completion_tokens)
    row = (summary.system, usage.calls, usage.reused, *tokens, usage.known_cost)
    unpriced = (
        Message("caption", "cost_at_least", n=usage.unpriced) if usage.cost else Message("caption", "cost_unknown")
    )
    return Table(
        Message("title", "spent_on_answers"),
        (*columns, Message("column", "cost", currency=currency)),
        (row,),
        (unpriced,) if usage.unpriced else (),
    )
