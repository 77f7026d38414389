"""The summary of a file of answers as tables."""

from saiten.records import Usage
from saiten.runs.answers.summary import AnswerSummary
from saiten.views.table import Cell, Table

_CAPTION = (
    "median, mean, p95: latency in seconds, from the question in to the whole answer, where it was measured. "
    "Many questions at a time can slow a system down: --concurrency 1 measures it at rest."
)
_REASONS_SHOWN = 5


def answer_tables(summary: AnswerSummary, currency: str = "USD") -> list[Table]:
    """Return the answers, and the reasons for missing ones."""
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
    usage = summary.usage
    spent: dict[str, Cell] = {
        "system": summary.system,
        "calls": usage.calls,
        "reused": usage.reused,
        "prompt tokens": usage.prompt_tokens,
        "completion tokens": usage.completion_tokens,
        f"cost ({currency})": None if usage.unpriced and not usage.cost else usage.cost,
    }
    tables = [
        Table("Answers", tuple(cells), (tuple(cells.values()),), " ".join((*_of_the_contexts(summary), _CAPTION))),
        Table("What they took", tuple(spent), (tuple(spent.values()),), _of_the_cost(usage)),
    ]
    rows = tuple((kind, reason, n, example) for kind, reason, n, example in summary.reasons[:_REASONS_SHOWN])
    if rows:
        rest = len(summary.reasons) - len(rows)
        more = f"{rest} further reasons stand in the file." if rest else ""
        tables.append(Table("Why there is no answer", ("kind", "reason", "n", "for example"), rows, more))
    return tables


def _of_the_contexts(summary: AnswerSummary) -> list[str]:
    without = summary.answered - summary.with_contexts
    return (
        [f"{without} answers came without contexts, so metrics that need them cannot measure them."] if without else []
    )


def _of_the_cost(usage: Usage) -> str:
    if not usage.unpriced:
        return ""
    if not usage.cost:
        return "What the calls cost is not known."
    return f"The cost is a lower bound: of {usage.unpriced} calls it is not known."
