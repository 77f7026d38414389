"""A run from the first score to its end, whatever ends it: done, the budget, Ctrl-C."""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted
from saiten.cli.progress import RunProgress
from saiten.data import BadRow
from saiten.errors import BudgetSpent
from saiten.protocols import Retriever
from saiten.records import Sample
from saiten.runs.scoring import Ledger, Scorer, score_into

STOPPED = 3
"""Exit status of a run that can be continued, as that of Ctrl-C."""


def run_to_end(
    ledger: Ledger,
    rows: Iterable[Sample | BadRow],
    scorer: Scorer,
    progress: RunProgress,
    notes: Console,
    *,
    strict: bool = False,
    further: Retriever | None = None,
) -> int:
    """Score, and say how it ended: 0, or the exit status of a run that can be continued.

    The judge is closed at the end, and `further`: the knowledge base of the evidence, if there is one.
    """

    async def all_of_it() -> None:
        try:
            await score_into(ledger, rows, scorer, progress, strict=strict)
        finally:
            await scorer.judge.close()
            if further is not None:
                await further.close()

    unfinished = "answers to scores that are not finished are kept and not asked for again"
    return to_end(all_of_it, notes, kept="all scores so far are kept", unfinished=unfinished)


def to_end(
    all_of_it: Callable[[], Coroutine[Any, Any, object]], notes: Console, *, kept: str, unfinished: str = ""
) -> int:
    """Do it, and say how it ended: 0, or the exit status of what can be continued.

    `kept` says what Ctrl-C leaves, `unfinished` what becomes of work that the budget cut off.
    """
    try:
        with _fewer_collections():
            asyncio.run(all_of_it())
    except BudgetSpent as error:
        notes.print(f"[yellow]stopped:[/] {escape_untrusted(error)}")
        if unfinished:
            notes.print(unfinished)
        return STOPPED
    except KeyboardInterrupt:
        notes.print(f"[yellow]interrupted:[/] {kept}; the same command goes on from here")
        return INTERRUPTED
    return 0


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Leave what start-up made alone, and collect garbage less often: a tenth of the time of a run with a model."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
