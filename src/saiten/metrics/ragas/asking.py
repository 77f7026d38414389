"""Asking several things at a time."""

import asyncio
from collections.abc import Sequence

from saiten.errors import JudgeError
from saiten.protocols import Judge, R, Task


async def perform_all(judge: Judge, tasks: Sequence[Task[R]]) -> list[R]:
    """The replies to the tasks, in order, asked concurrently.

    Raises:
        SaitenError: the first error, an error of the whole run before that of one call; only when all have ended,
            since a reply that is on its way is paid for and may serve another metric or the next try.
    """
    replies = await asyncio.gather(*(judge.perform(task) for task in tasks), return_exceptions=True)
    errors = [reply for reply in replies if isinstance(reply, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, JudgeError))
    return [reply for reply in replies if not isinstance(reply, BaseException)]
