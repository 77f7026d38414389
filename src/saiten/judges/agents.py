"""Several judges as one: each does the tasks of its role."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from saiten.protocols import Judge, R, Task


@dataclass(frozen=True)
class Agents:
    """A judge that passes the tasks of some roles to judges of their own, and keeps all others."""

    judge: Judge
    others: Mapping[str, Judge]
    """Role → its judge, as `composer`."""
    roles: Mapping[str, tuple[type[Task[Any]], ...]]
    """Role → its tasks."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return what the judge's tasks depend on, and that of each other role under its name: `composer.seed`."""
        left, parts = set(tasks), {}
        for role, judge in self.others.items():
            own = left & set(self.roles[role])
            left -= own
            for key, value in judge.describe(own).items() if own else ():
                parts[role if key == "judge" else f"{role}.{key}"] = value
        return {**self.judge.describe(left), **parts}

    async def perform(self, task: Task[R]) -> R:
        return await self._judge_of(type(task)).perform(task)

    async def preflight(self) -> None:
        for judge in (self.judge, *self.others.values()):
            await judge.preflight()

    async def close(self) -> None:
        for judge in (self.judge, *self.others.values()):
            await judge.close()

    def _judge_of(self, kind: type[Task[Any]]) -> Judge:
        role = next((role for role in self.others if kind in self.roles[role]), None)
        return self.judge if role is None else self.others[role]
