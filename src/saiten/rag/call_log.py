"""A log of the calls for one answer: name, time and cost, in the order of their start."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from saiten.errors import JudgeError
from saiten.records import TimedCall, Usage


class Costly(Protocol):
    """A call's result with its cost: a completion, or what a retriever found."""

    @property
    def usage(self) -> Usage:
        """The cost of the call."""
        ...


T = TypeVar("T", bound=Costly)
Clock = Callable[[], float]
"""Returns seconds since a fixed point; monotonic."""


@dataclass(slots=True)
class CallLog:
    """The calls made for one question."""

    clock: Clock
    _entries: list[TimedCall | None] = field(default_factory=list)

    async def timed(self, step: str, call: Awaitable[T]) -> T:
        """Return the call's result, recording time and cost even if it fails or is cancelled."""
        place, begun = len(self._entries), self.clock()
        self._entries.append(None)
        usage = Usage()
        try:
            result = await call
            usage = result.usage
        except JudgeError as error:
            usage = error.usage
            raise
        finally:
            self._entries[place] = TimedCall(step, self.clock() - begun, usage)
        return result

    @property
    def calls(self) -> tuple[TimedCall, ...]:
        """The calls made; cached answers are excluded, since their time means nothing."""
        return tuple(call for call in self._ended if not _reused(call))

    @property
    def measured(self) -> bool:
        """Whether all calls were made, so that the total time is meaningful."""
        return not any(map(_reused, self._ended))

    @property
    def usage(self) -> Usage:
        """The cost of all calls, including reused ones."""
        return sum((call.usage for call in self._ended), Usage())

    @property
    def _ended(self) -> list[TimedCall]:
        return [entry for entry in self._entries if entry is not None]


def _reused(call: TimedCall) -> bool:
    return bool(call.usage.reused and not call.usage.calls)
