"""Memo: equal tasks are performed once, however many metrics ask, at the same time or one after the other."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from saiten.errors import JudgeError
from saiten.judges.costing import costing
from saiten.protocols import Judge, R, Reply, Task
from saiten.records import Usage

_REUSED = Usage(reused=1)


@dataclass(slots=True)
class _Performance:
    """One task under way or done, and who still waits for it."""

    outcome: asyncio.Task[Reply]
    waiting: int = 0
    paid: bool = False
    """Whether somebody has been handed the usage; everybody after that is told that it was reused."""


@dataclass(frozen=True, slots=True)
class Memo:
    """A judge that remembers, failures too. It forgets nothing, so it is made for one sample and thrown away after it.

    The first to get an answer is told what it cost; all others get it with `Usage(reused=1)`. Whoever stops waiting
    takes nothing from the others; the call itself is cancelled once nobody waits for it any more.
    """

    judge: Judge
    _known: dict[Task[Any], _Performance] = field(default_factory=dict, init=False, repr=False, compare=False)

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """That of the judge within: remembering changes no figure."""
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """The reply to this or to an equal task; raises what the judge within raises, to everybody who asks."""
        known = self._known.get(task)
        if known is None:
            known = self._known[task] = _Performance(asyncio.create_task(_perform(self.judge, task)))
            known.outcome.add_done_callback(_look_at)
        known.waiting += 1
        try:
            reply = await asyncio.shield(known.outcome)
        except JudgeError as error:
            if known.paid:
                raise costing(error, _REUSED) from error
            known.paid = True
            raise
        except asyncio.CancelledError:
            if known.waiting == 1 and not known.outcome.done():
                known.outcome.cancel()
            if known.outcome.cancelled() or known.outcome.cancelling():
                self._known.pop(task, None)
            raise
        finally:
            known.waiting -= 1
        if known.paid and reply.usage != Usage():  # where nothing was spent, nothing was spared
            reply = reply.costing(_REUSED)
        known.paid = True
        return cast("R", reply)

    async def preflight(self) -> None:
        """That of the judge within."""
        await self.judge.preflight()

    async def close(self) -> None:
        """Close the judge within."""
        await self.judge.close()


async def _perform(judge: Judge, task: Task[R]) -> Reply:
    return await judge.perform(task)


def _look_at(outcome: asyncio.Task[Reply]) -> None:
    """Look at the exception, so that asyncio does not complain where all who waited have gone."""
    if not outcome.cancelled():
        outcome.exception()
