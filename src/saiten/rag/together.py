"""Several calls at once, of which none outlives the others."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from saiten.errors import BudgetSpent, ConfigurationError

T = TypeVar("T")


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What the calls give, in their order; all of them are begun before any is waited for.

    The first that fails cancels the others, and its error is raised when the last of them has ended. Where several
    have failed by then, one that stops the whole run (`ConfigurationError`, `BudgetSpent`) goes before one that fails
    a question.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        grave = [error for error in errors.exceptions if isinstance(error, BudgetSpent | ConfigurationError)]
        raise (grave or errors.exceptions)[0] from None
    return [task.result() for task in tasks]
