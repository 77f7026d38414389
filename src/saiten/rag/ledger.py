"""What one answer took: each call with its name, its time and its cost, in the order in which the calls were begun."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from saiten.errors import JudgeError
from saiten.records import TimedCall, Usage


class Costly(Protocol):
    """What a call gives that knows what it cost: a completion, a retriever's findings."""

    @property
    def usage(self) -> Usage:
        """What it cost."""
        ...


T = TypeVar("T", bound=Costly)
Clock = Callable[[], float]
"""Seconds from some fixed point on; never goes back."""


@dataclass(slots=True)
class Ledger:
    """Kept while one question is answered, and by nobody else."""

    clock: Clock
    _entries: list[TimedCall | None] = field(default_factory=list)

    async def timed(self, step: str, call: Awaitable[T]) -> T:
        """The call's result; its time and cost are written down, also when it fails or is cancelled."""
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
        """Those that were made: an answer that lay on disk took no call, and its time says nothing."""
        return tuple(call for call in self._ended if not _reused(call))

    @property
    def measured(self) -> bool:
        """Whether the time of the whole is that of calls that were all made."""
        return not any(map(_reused, self._ended))

    @property
    def usage(self) -> Usage:
        """What all of them cost, with what was reused."""
        return sum((call.usage for call in self._ended), Usage())

    @property
    def _ended(self) -> list[TimedCall]:
        return [entry for entry in self._entries if entry is not None]


def _reused(call: TimedCall) -> bool:
    return bool(call.usage.reused and not call.usage.calls)
