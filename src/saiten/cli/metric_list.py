"""The tables of `saiten metrics`: which to take first, then all metrics by family."""

from math import inf

from saiten.metrics.catalog import ENTRIES, Entry
from saiten.metrics.first_choices import FirstChoice, first_choices
from saiten.records import Language
from saiten.views.table import Cell, Table
from saiten.words import Message


def metric_tables(language: Language) -> list[Table]:
    """Return the tables, with what is measured in this language."""
    rows = tuple(_choice(choice, language) for choice in first_choices())
    columns = ("ask", "have", "take", "judge_calls")
    first = Table(Message("title", "first_metrics"), columns, rows, (Message("caption", "first_metrics"),))
    return [
        first,
        *(
            Table(
                Message("title", f"metrics_{family}"),
                ("metric", "measures", "needs", "range", "better", "judge"),
                tuple(_row(entry, language) for entry in ENTRIES if entry.family == family),
            )
            for family in ("ragas", "judged", "overlap", "neural")
        ),
    ]


def _choice(choice: FirstChoice, language: Language) -> tuple[Cell, ...]:
    calls: Cell = Message("cell", "no_judge")
    if choice.command != "score":
        calls = Message("cell", "calls_per_turn", calls=max(choice.calls))
    elif any(choice.calls):
        calls = ", ".join(map(str, choice.calls))
    return (choice.ask[language], choice.have[language], choice.typed, calls)


def _row(entry: Entry, language: Language) -> tuple[Cell, ...]:
    metric = entry.load()
    better: dict[bool | None, Cell] = {True: Message("cell", "higher"), False: Message("cell", "lower"), None: "–"}
    return (
        entry.title,
        entry.ja if language == "ja" else entry.en,
        ", ".join(metric.needs),
        range_text(metric.bounds),
        better[metric.higher_is_better],
        Message("cell", "yes" if metric.tasks else "no"),
    )


def range_text(bounds: tuple[float, float]) -> str:
    """Return the bounds as `0 … 1`, with ∞ if unbounded."""
    return " … ".join({inf: "∞", -inf: "-∞"}.get(bound, f"{bound:g}") for bound in bounds)
