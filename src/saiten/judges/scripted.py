"""A scripted judge: the double for tests of metrics, of runs, and of your own code."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from saiten.errors import ConfigurationError
from saiten.protocols import R, Reply, Task

Line = Reply | Exception | Callable[[Any], Reply]
"""The script's reaction to a task: a reply, an exception, or a function of the task."""


@dataclass(frozen=True, slots=True)
class ScriptedJudge:
    """Answers each type of task by the script, and records the tasks.

        judge = ScriptedJudge({SplitStatements: Statements(statements=["Saiten means grading."])})

    Replies are checked by the task, as a model's are.
    """

    script: Mapping[type[Task[Any]], Line]
    asked: list[Task[Any]] = field(default_factory=list, init=False)
    """Every task, in order."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        return {"judge": "scripted"}

    async def perform(self, task: Task[R]) -> R:
        """Return the scripted reply.

        Raises:
            ConfigurationError: the script has no entry for this type of task.
            TypeError: the script's reply has the wrong type.
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
        """Do nothing: it is always available."""

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""
