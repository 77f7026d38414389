"""A judge that performs equal tasks once."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

from saiten.errors import JudgeError
from saiten.judges.joining import Joining
from saiten.judges.wrappers import JudgeWrapper
from saiten.models.flights import shielded
from saiten.protocols import Judge, R, Reply, Task
from saiten.records import FREE, REUSED


@dataclass(slots=True)
class _Performance:
    """A task in progress or done, and the number of callers waiting for it."""

    outcome: asyncio.Future[Reply]
    waiting: int = 0
    paid: bool = False
    """Whether a caller has been charged the usage; later callers get `REUSED`."""


@dataclass(frozen=True)
class Memo(JudgeWrapper):
    """A judge that remembers replies and failures. It forgets nothing, so make one per sample and discard it.

    The first caller is charged the usage; all others get `Usage(reused=1)`. A caller that stops waiting does not affect
    the others; the call itself is canceled once no caller waits for it.
    """

    judge: Judge
    _known: dict[Task[Any], _Performance] = field(default_factory=dict, init=False, repr=False, compare=False)

    async def perform(self, task: Task[R]) -> R:
        """Return the reply to this or an equal task; raise what the inner judge raises, to every caller."""
        known = self._known.get(task)
        if known is None:
            known = self._known[task] = _Performance(self._begin(task))
        known.waiting += 1
        try:
            reply = await shielded(known.outcome)
        except JudgeError as error:
            if known.paid:
                raise error.with_usage(REUSED) from error
            known.paid = True
            raise
        except asyncio.CancelledError:
            last = known.waiting == 1 and not known.outcome.done()
            if (last and known.outcome.cancel()) or known.outcome.cancelled():
                self._known.pop(task, None)
            raise
        finally:
            known.waiting -= 1
        if known.paid and reply.usage != FREE:  # free replies are not counted as reused
            reply = reply.with_usage(REUSED)
        known.paid = True
        return cast("R", reply)

    def _begin(self, task: Task[Any]) -> asyncio.Future[Reply]:
        if isinstance(self.judge, Joining):  # it runs a coroutine per call; another one per task would only cost time
            return self.judge.begin(task)
        return asyncio.create_task(self.judge.perform(task))
