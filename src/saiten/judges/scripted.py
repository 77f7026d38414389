"""A judge that says what it was told to say: the double for tests of metrics, of runs, of your own code."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from saiten.errors import ConfigurationError
from saiten.protocols import R, Reply, Task

Line = Reply | Exception | Callable[[Any], Reply]
"""What is said to a task: this reply, this exception, or what the function makes of the task."""


@dataclass(frozen=True, slots=True)
class ScriptedJudge:
    """Answers each type of task by the script, and notes what it was asked.

        judge = ScriptedJudge({SplitStatements: Statements(statements=["Saiten means grading."])})

    A reply must fit the task as a model's must: it is checked by the task.
    """

    script: Mapping[type[Task[Any]], Line]
    asked: list[Task[Any]] = field(default_factory=list, init=False)
    """Every task, in the order in which they were asked."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """That it is a double."""
        return {"judge": "scripted"}

    async def perform(self, task: Task[R]) -> R:
        """The reply in the script.

        Raises:
            ConfigurationError: the script says nothing about this type of task.
            TypeError: what it says is no reply to this task.
            ValueError: the reply does not fit the task, for example because a verdict is missing.
        """
        self.asked.append(task)
        if type(task) not in self.script:
            raise ConfigurationError(f"nothing is scripted for {type(task).__name__}")
        line = self.script[type(task)]
        reply = line if isinstance(line, Reply | Exception) else line(task)
        if isinstance(reply, Exception):
            raise reply
        if not isinstance(reply, task.reply):
            got, expected = type(reply).__name__, task.reply.__name__
            raise TypeError(f"the script answers {type(task).__name__} with {got}, expected {expected}")
        fitting = cast("R", reply)
        task.check(fitting)
        return fitting

    async def preflight(self) -> None:
        """Nothing: it is always there."""

    async def close(self) -> None:
        """Nothing: it holds nothing."""
