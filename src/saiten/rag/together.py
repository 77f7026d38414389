"""Several calls at once, of which none outlives the others."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from saiten.errors import BudgetSpent, ConfigurationError

T = TypeVar("T")


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What the calls give, in their order; all of them are begun before any is waited for.

    Where one fails, its error is raised when the others have ended: they were sent and are paid for, so they count.
    Where several fail, one that stops the whole run (`ConfigurationError`, `BudgetSpent`) goes before one that fails a
    question. Who is cancelled cancels them, and waits until they have ended.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    except asyncio.CancelledError:
        await asyncio.wait(tasks)
        raise
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if errors:
        grave = [error for error in errors if isinstance(error, BudgetSpent | ConfigurationError)]
        raise (grave or errors)[0]
    return [task.result() for task in tasks]
