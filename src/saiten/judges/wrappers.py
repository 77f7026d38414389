"""The base of judges around other judges, and the meter of their usage."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.errors import JudgeError
from saiten.protocols import Judge, R, Task
from saiten.records import FREE, Usage


class JudgeWrapper(Judge):
    """The base of wrappers: passes everything on, and changes no figure."""

    judge: Judge

    @property
    def joins(self) -> Any:
        """What the inner judge wants joined (`joining.Joins`), or None."""
        return getattr(self.judge, "joins", None)

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        return await self.judge.perform(task)

    async def preflight(self) -> None:
        await self.judge.preflight()

    async def close(self) -> None:
        await self.judge.close()


@dataclass
class Metered(JudgeWrapper):
    """Adds up the usage of replies and errors.

    Not frozen: `usage` grows with every task. Make one per score and discard it.
    """

    judge: Judge
    stopped: Callable[[], BaseException | None] = lambda: None
    """Returns the reason to stop, raised instead of performing a task; None while the run may continue."""
    usage: Usage = field(default=FREE, init=False)
    """Usage so far, including failures; `FREE` itself until there is a reply."""

    async def perform(self, task: Task[R]) -> R:
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
