"""The base of metrics: names made of title and settings, default declarations, and concurrent tasks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from saiten.errors import JudgeError
from saiten.protocols import Judge, Need, R, Task


@dataclass(frozen=True)
class BaseMetric:
    """The base of saiten's own metrics; yours only need to fit `protocols.Metric`."""

    title: ClassVar[str]
    """The name without settings, as typed on the command line."""
    needs: ClassVar[tuple[Need, ...]] = ()
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool | None] = True

    @property
    def name(self) -> str:
        """`title`, or `title[setting=value,…]` with the settings that differ from their defaults."""
        changed = [f"{f.name}={getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name) != _default(f)]
        return f"{self.title}[{','.join(changed)}]" if changed else self.title

    def describe(self) -> Mapping[str, str]:
        """Return nothing beyond the judge's description; text metrics name their tokeniser here."""
        return {}


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


async def perform_all(judge: Judge, tasks: Sequence[Task[R]]) -> list[R]:
    """Return the replies to the tasks, in order, performing them concurrently.

    Raises:
        SaitenError: the first error, errors of the whole run before those of one call; raised after all tasks have
            ended, since a reply in flight is paid for and may serve another metric or the next try.
    """
    replies = await asyncio.gather(*(judge.perform(task) for task in tasks), return_exceptions=True)
    errors = [reply for reply in replies if isinstance(reply, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, JudgeError))
    return [reply for reply in replies if not isinstance(reply, BaseException)]
