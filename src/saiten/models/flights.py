"""Single flight: equal concurrent requests are sent once, and a caller that gives up leaves them to the others."""

import asyncio
from collections.abc import Collection, Coroutine, Hashable, Iterable
from contextlib import ExitStack
from typing import Any, Generic, Self, TypeVar

from saiten.errors import CallFailed
from saiten.records import Usage

T = TypeVar("T")
V = TypeVar("V")
K = TypeVar("K", bound=Hashable)


def shielded(work: asyncio.Future[T]) -> asyncio.Future[T]:
    """Return a future with the outcome of the work, which goes on if the future is canceled.

    Like `asyncio.shield`, with half its turns of the event loop; nobody is warned of an error that nobody waits for.
    """
    if work.done():
        return work
    outcome: asyncio.Future[T] = work.get_loop().create_future()

    def pass_on(work: asyncio.Future[T]) -> None:
        error = None if work.cancelled() else work.exception()
        if outcome.done():
            return
        if work.cancelled():
            outcome.cancel()
        elif error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(work.result())

    work.add_done_callback(pass_on)
    return outcome


class Flight(Generic[K, T]):
    """A call that several callers wait for: `with flight: answer, pays = await flight.answer()`.

    A canceled caller leaves the call to the others; the call is canceled with the last of them. The first caller to
    resume pays; the answer or failure is free for the others.
    """

    def __init__(self, call: Coroutine[Any, Any, T], register: "dict[K, Flight[K, T]]") -> None:
        self._register = register
        self._keys: list[K] = []
        self._askers = 0
        self._paid = False
        self.boarding = True
        """Whether further callers may join."""
        self._task = asyncio.get_running_loop().create_task(self._fly(call))

    def board(self, key: K) -> None:
        """Let this call answer the key as well."""
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
        """Return the call's result and whether this caller pays; raises what the call raises."""
        outcome = await shielded(self._task)
        pays, self._paid = not self._paid, True
        if not isinstance(outcome, Exception):
            return outcome, pays
        if pays or not isinstance(outcome, CallFailed):
            raise outcome
        raise outcome.with_usage(Usage())

    def _close(self) -> None:
        self.boarding = False
        for key in self._keys:
            if self._register.get(key) is self:
                del self._register[key]

    async def _fly(self, call: Coroutine[Any, Any, T]) -> T | Exception:
        try:
            return await call
        except Exception as error:  # noqa: BLE001 - raised by the callers
            return error
        finally:
            self._close()


async def land(
    flights: Collection[Flight[Any, tuple[dict[K, V], Usage]]], shared: Usage | None = None
) -> tuple[dict[K, V], list[Usage]]:
    """Return the entries found by these flights, and what this caller is charged: `shared` if another one pays."""
    found: dict[K, V] = {}
    charged: list[Usage] = []
    with ExitStack() as stack:
        for flight in flights:
            stack.enter_context(flight)
        for flight in flights:
            try:
                (entries, usage), pays = await flight.answer()
            except CallFailed as error:
                error.usage = sum(charged, error.usage)
                raise
            found |= entries
            if pays or shared is not None:
                charged.append(usage if pays or shared is None else shared)
    return found, charged


class Flights(dict[K, Flight[K, T]]):
    """The calls in progress, by key; one call may answer several keys."""

    def start(self, keys: Iterable[K], call: Coroutine[Any, Any, T]) -> Flight[K, T]:
        """Start a call that answers these keys, none of which may be in progress."""
        flight = Flight(call, self)
        for key in keys:
            flight.board(key)
        return flight
