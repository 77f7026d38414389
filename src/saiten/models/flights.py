"""Single flight: equal requests that are under way at the same time are asked once."""

import asyncio
from collections.abc import Coroutine, Hashable, Iterable
from typing import Any, Generic, Self, TypeVar

from saiten.errors import CallFailed

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Flight(Generic[K, T]):
    """One call that several askers wait for: `with flight: answer, pays = await flight.answer()`.

    An asker that is cancelled leaves the call to the others; it is cancelled with the last of them. The first asker to
    come back pays: to the others the answer, or the failure, cost nothing.
    """

    def __init__(self, call: Coroutine[Any, Any, T], register: "dict[K, Flight[K, T]]") -> None:
        self._register = register
        self._keys: list[K] = []
        self._askers = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._answers: list[T] = []
        self._error: Exception | None = None
        self._paid = False
        self.boarding = True
        """Whether further askers may join."""
        self._task = asyncio.get_running_loop().create_task(self._fly(call))

    def board(self, key: K) -> None:
        """This call answers that key, too."""
        self._keys.append(key)
        self._register[key] = self

    def __enter__(self) -> Self:
        self._askers += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._askers -= 1
        if not self._askers and not self._task.done():
            self._close()
            self._task.cancel()

    async def answer(self) -> tuple[T, bool]:
        """What the call returns, and whether this asker is the one who pays; raises what the call raises."""
        if not self._answers and self._error is None:
            # a future of one's own: what is cancelled with an asker is this, not the call
            landed = asyncio.get_running_loop().create_future()
            self._waiting.append(landed)
            await landed
        pays = self._pays()
        if self._error is None:
            return self._answers[0], pays
        if pays or not isinstance(self._error, CallFailed):
            raise self._error
        error = self._error
        raise CallFailed(str(error), retryable=error.retryable, retry_after=error.retry_after, status=error.status)

    def _pays(self) -> bool:
        first, self._paid = not self._paid, True
        return first

    def _close(self) -> None:
        self.boarding = False
        for key in self._keys:
            if self._register.get(key) is self:
                del self._register[key]

    async def _fly(self, call: Coroutine[Any, Any, T]) -> None:
        try:
            self._answers.append(await call)
        except Exception as error:  # noqa: BLE001 - the askers raise it
            self._error = error
        finally:
            self._close()
            cut_off = not self._answers and self._error is None
            for landed in self._waiting:
                if not landed.done():
                    landed.cancel() if cut_off else landed.set_result(None)


class Flights(Generic[K, T]):
    """The calls under way, by key; one call may answer several keys."""

    def __init__(self) -> None:
        self._register: dict[K, Flight[K, T]] = {}

    def get(self, key: K) -> Flight[K, T] | None:
        """The call that is under way for this key."""
        return self._register.get(key)

    def start(self, keys: Iterable[K], call: Coroutine[Any, Any, T]) -> Flight[K, T]:
        """Start a call that answers these keys, none of which is under way."""
        flight = Flight(call, self._register)
        for key in keys:
            flight.board(key)
        return flight
