"""Metered: a judge that adds up what it spent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.errors import JudgeError
from saiten.protocols import Judge, R, Task
from saiten.records import Usage


@dataclass(slots=True)
class Metered:
    """Passes everything on and adds up the usage of replies and of errors.

    Not frozen: `usage` grows with every task. Made for one score and thrown away after it.
    """

    judge: Judge
    stopped: Callable[[], BaseException | None] = lambda: None
    """Why nothing more is to be asked, raised instead of asking; None while all is well."""
    usage: Usage = field(default_factory=Usage, init=False)
    """What has been spent so far, failures included."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """That of the judge within: measuring changes no figure."""
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """What the judge within replies or raises."""
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
        """That of the judge within."""
        await self.judge.preflight()

    async def close(self) -> None:
        """Close the judge within."""
        await self.judge.close()
