"""A run from its first result to its end: done, budget spent, or Ctrl-C."""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted
from saiten.data import BadRow
from saiten.errors import BudgetSpent
from saiten.executor import LocalExecutor
from saiten.protocols import Judge, Retriever, System
from saiten.records import Sample
from saiten.runs.engine import RunKind, Watch, run_all

T = TypeVar("T")

STOPPED = 3
"""Exit status of a run that can be continued, as that of Ctrl-C."""

KEPT_SCORES = "all scores so far are kept"
UNFINISHED_SCORES = "answers to scores that are not finished are kept and not asked for again"


def run_to_end(
    kind: RunKind[T],
    rows: Iterable[Sample | BadRow],
    watch: Watch[T],
    notes: Console,
    *,
    at_once: int,
    closing: Iterable[Judge | System | Retriever | None],
    first: Callable[[], Coroutine[Any, Any, object]] | None = None,
    strict: bool = False,
    kept: str,
    unfinished: str = "",
) -> int:
    """Run, and return 0 or the exit status of a run that can be continued.

    `first` is awaited before the first of `at_once` samples under way; what is in `closing` is closed at the end. For
    `kept` and `unfinished` see `to_end`, for the rest `run_all`.
    """

    async def all_of_it() -> None:
        async with AsyncExitStack() as stack:
            for each in closing:
                if each is not None:
                    stack.push_async_callback(each.close)
            if first is not None:
                await first()
            await run_all(kind, rows, LocalExecutor(at_once), watch, strict=strict)

    return to_end(all_of_it, notes, kept=kept, unfinished=unfinished)


def to_end(
    all_of_it: Callable[[], Coroutine[Any, Any, object]], notes: Console, *, kept: str, unfinished: str = ""
) -> int:
    """Run to the end, and return 0 or the exit status of what can be continued.

    `kept` says what Ctrl-C leaves, `unfinished` what becomes of work that the budget cut off.
    """
    try:
        with _fewer_collections():
            asyncio.run(_awake(all_of_it))
    except BudgetSpent as error:
        notes.print(f"[yellow]stopped:[/] {escape_untrusted(error)}")
        if unfinished:
            notes.print(unfinished)
        return STOPPED
    except KeyboardInterrupt:
        notes.print(f"[yellow]interrupted:[/] {kept}; the same command goes on from here")
        return INTERRUPTED
    return 0


async def _awake(all_of_it: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Wake twice a second: asyncio notices a Ctrl-C that comes just before it waits only when something wakes it."""

    async def wake() -> None:
        while True:  # noqa: ASYNC110 - no event signals a Ctrl-C
            await asyncio.sleep(0.5)

    waking = asyncio.create_task(wake())
    try:
        await all_of_it()
    finally:
        waking.cancel()


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Exempt start-up objects from garbage collection and collect less often; saves a tenth of a run's time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
