"""Metered: a judge that adds up its usage."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.errors import JudgeError
from saiten.protocols import Judge, R, Task
from saiten.records import Usage


@dataclass(slots=True)
class Metered:
    """Passes everything on and adds up the usage of replies and errors.

    Not frozen: `usage` grows with every task. Make one per score and discard it.
    """

    judge: Judge
    stopped: Callable[[], BaseException | None] = lambda: None
    """Returns the reason to stop, raised instead of performing a task; None while the run may continue."""
    usage: Usage = field(default_factory=Usage, init=False)
    """Usage so far, including failures."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return the inner judge's description: metering changes no figure."""
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """Return or raise what the inner judge returns or raises."""
        stopped = self.stopped()
        if stopped is not None:
            raise stopped
        try:
            reply = await self.judge.perform(task)
        except JudgeError as error:
            self.usage += error.usage
            raise
        self.usage += reply.usage
        return reply

    async def preflight(self) -> None:
        """Preflight the inner judge."""
        await self.judge.preflight()

    async def close(self) -> None:
        """Close the inner judge."""
        await self.judge.close()
