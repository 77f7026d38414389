"""Something in this process as the system under test: a function, or an object of a framework."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from saiten.errors import CallFailed
from saiten.models.http_client import CHARGED
from saiten.models.layers import Layer
from saiten.rag.systems.contract import ask
from saiten.rag.systems.user_code import UserCode, UserEntry
from saiten.records import Answer, Inquiry

_OF_INPUTS = (AttributeError, LookupError, TypeError, ValueError)
"""What code raises for an input of another form."""


class EntryPoint(UserEntry, Protocol):
    """The documented way to ask a function or an object, and to read its replies."""

    @property
    def one_at_a_time(self) -> bool:
        """Whether it has one memory, so that two conversations at once would mix."""

    @property
    def doubt(self) -> str:
        """What may be wrong with the way it is called, for an error of a call; "" if that is known to be right."""

    def describe(self) -> Mapping[str, str]:
        """Return what its answers depend on beside the name."""

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        """Return the call for this question."""

    def read(self, value: Any) -> Answer:
        """Read what the call returned; raises ValueError with what was expected and what came."""


class InProcess:
    """Asks an entry. Synchronous calls run in threads, so they must allow concurrent calls.

    The latency is that of the call alone, without the wait for a free thread.
    """

    def __init__(
        self, entry: EntryPoint, *, timeout: float = 120.0, concurrency: int = 8, around: Sequence[Layer] = ()
    ) -> None:
        """`timeout`: seconds per answer; `concurrency`: threads; `around`: layers around each call."""
        self._entry = entry
        self._code = UserCode(entry.name, entry.file, timeout=timeout, concurrency=concurrency)
        self._around = around

    @property
    def name(self) -> str:
        return self._entry.name

    def describe(self) -> Mapping[str, str]:
        """Return the name, not the code: the same name is the same system, and can be asked again where it failed."""
        return {"system": self.name, **self._entry.describe()}

    async def answer(self, inquiry: Inquiry) -> Answer:
        return await ask(self._around, partial(self._attempt, inquiry), inquiry)

    async def close(self) -> None:
        self._code.close()

    async def _attempt(self, inquiry: Inquiry) -> Answer:
        try:
            value, seconds = await self._code.run(self._entry.call(inquiry), is_async=self._entry.is_async)
        except CallFailed as error:
            if self._entry.doubt and isinstance(error.__cause__, _OF_INPUTS):
                raise CallFailed(f"{error}; {self._entry.doubt}", error.usage, kind=error.kind) from error
            raise
        try:
            answer = self._entry.read(value)
        except ValueError as error:
            message = f"it did not return an answer: {error}"
            raise CallFailed(message, CHARGED, kind="unreadable") from error
        return answer if answer.seconds is not None else replace(answer, seconds=seconds)
