"""The traces that the samples of a run were read from, as a table."""

from collections.abc import Sequence

from saiten.results.trace_figures import TraceFigures
from saiten.views.table import Table
from saiten.views.tables.answer import latency_cells
from saiten.words import Message


def trace_table(figures: Sequence[TraceFigures]) -> Table:
    """Return the number of traces, their days, latency and tokens, for all systems and for each."""
    columns = (
        "system", "traces", "first_day", "last_day", "median", "mean", "p95", "measured", "prompt_tokens",
        "completion_tokens", "with_tokens",
    )  # fmt: skip
    rows = tuple(
        (
            one.system,
            one.traces,
            one.first_day,
            one.last_day,
            *latency_cells(one.latency),
            *((one.prompt_tokens, one.completion_tokens) if one.with_tokens else (None, None)),
            one.with_tokens,
        )
        for one in figures
    )
    return Table(Message("title", "traces"), columns, rows, (Message("caption", "traces"),))
