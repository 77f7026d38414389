"""The answer store on a PostgreSQL server: shared by all machines of a cluster, and equal requests are asked once.

One connection per process, in a thread of its own. What callers want at the same time goes to the server together.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Literal

from saiten.errors import ConfigurationError, NotWritten
from saiten.models.answer_store import ClaimedKeys
from saiten.models.networks import require

_AT_ONCE = 500
"""Orders that are carried out together."""
_PATIENCE = 30.0
"""Seconds for which a lost connection is tried again."""
_PAUSES = 0.05, 2.0
"""The first and the longest pause between two tries, in seconds; each is twice the one before."""
_LOOKS = 0.02, 1.0
"""As `_PAUSES`, between two looks whether others have what they asked for."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What a caller wants."""

    kind: Literal["put", "drop", "release", "get", "claim", "close"]
    keys: Sequence[bytes] = ()
    model: str = ""
    values: Mapping[bytes, bytes] = field(default_factory=dict)
    outcome: "Future[Any]" = field(default_factory=Future)


class PostgresStore:
    """An `AnswerStore` whose claims hold over all processes and machines that use the database.

    A process that dies loses its claims, and others ask. If the connection is lost, it is tried again for half a
    minute; claims are kept unless others took them meanwhile.
    """

    def __init__(self, address: str, *, failed: Callable[[ConfigurationError], object] = lambda _: None) -> None:
        """Connect once, and make the tables if there are none.

        Args:
            address: As libpq reads it, `postgresql://USER@HOST/DATABASE`; of the server itself, not of a pooler.
            failed: Called with every later error before it is raised.

        Raises:
            ConfigurationError: The address cannot be read, the database cannot be used or has other tables of these
                names, or the extra is not installed.
        """
        require("a cache in a PostgreSQL database", "postgres", "psycopg")
        import psycopg  # noqa: PLC0415 - an extra

        from saiten.models.postgres_session import PostgresSession  # noqa: PLC0415 - needs the extra

        self._errors, self._lost = psycopg.Error, psycopg.OperationalError
        self._session = PostgresSession(address)
        self._failed = failed
        self._orders: SimpleQueue[_Order] = SimpleQueue()
        self._serving = Lock()
        self._thread: Thread | None = None
        self._patience = _PATIENCE
        try:
            self._session.prepare()
        except psycopg.Error as error:
            raise self._explained(error) from None
        finally:
            self._session.disconnect()

    async def get(self, key: bytes) -> bytes | None:
        return (await self.get_many([key])).get(key)

    async def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = await self._done(_Order("get", keys))
        return found

    async def claim(self, keys: Sequence[bytes]) -> ClaimedKeys:
        pause, longest = _LOOKS
        while True:
            claimed = await self._claimed(keys)
            if claimed.found or claimed.ours:
                return claimed
            await asyncio.sleep(pause - time.monotonic() % pause)  # all who wait look together
            pause = min(2 * pause, longest)

    async def put(self, model: str, values: Mapping[bytes, bytes]) -> None:
        order = _Order("put", model=model, values=values)
        order.outcome.set_running_or_notify_cancel()  # from here on, a caller that gives up changes nothing
        await self._done(order)

    def release(self, keys: Sequence[bytes]) -> None:
        self._post(_Order("release", keys))

    def drop(self, key: bytes) -> None:
        self._post(_Order("drop", [key]))

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._orders.put(_Order("close"))
            await asyncio.to_thread(thread.join)

    async def _claimed(self, keys: Sequence[bytes]) -> ClaimedKeys:
        order = _Order("claim", keys)
        try:
            claimed: ClaimedKeys = await self._done(order)
        except asyncio.CancelledError:
            order.outcome.add_done_callback(self._give_back)
            raise
        return claimed

    def _give_back(self, outcome: "Future[ClaimedKeys]") -> None:
        """Release what was claimed for a caller that had given up."""
        if not outcome.cancelled() and outcome.exception() is None:
            self.release(list(outcome.result().ours))

    async def _done(self, order: _Order) -> Any:
        self._post(order)
        try:
            return await asyncio.wrap_future(order.outcome)
        except ConfigurationError as error:
            self._failed(error)
            raise

    def _post(self, order: _Order) -> None:
        self._orders.put(order)
        if self._thread is None:
            self._thread = Thread(target=self._serve, name="saiten cache", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        """Carry out orders until one to close; a thread that was started after that order waits for this one."""
        with self._serving:
            orders = [_Order("get")]
            while orders[-1].kind != "close":
                orders = [self._orders.get()]
                while len(orders) < _AT_ONCE and orders[-1].kind != "close" and not self._orders.empty():
                    orders.append(self._orders.get())
                wanted = [
                    each for each in orders if each.outcome.running() or each.outcome.set_running_or_notify_cancel()
                ]
                for kind in ("put", "drop", "release", "get", "claim"):
                    self._carry_out(kind, [order for order in wanted if order.kind == kind])
            self._session.disconnect()

    def _carry_out(self, kind: str, orders: Sequence[_Order]) -> None:
        if not orders:
            return
        work = {"put": self._put, "drop": self._drop, "release": self._release, "get": self._get, "claim": self._claim}
        try:
            outcomes = self._patiently(lambda: work[kind](orders))
        except Exception as error:  # noqa: BLE001 - raised by the callers
            for order in orders:
                order.outcome.set_exception(self._explained(error))
        else:
            for order, outcome in zip(orders, outcomes, strict=True):
                order.outcome.set_result(outcome)

    def _patiently(self, work: Callable[[], list[Any]]) -> list[Any]:
        """Return the outcome of the work, which is tried again if the connection is lost or a deadlock was resolved."""
        pause, longest = _PAUSES
        until = time.monotonic() + self._patience
        while True:
            try:
                outcomes = work()
            except self._lost:
                if time.monotonic() + pause > until:
                    self._patience = 0.0  # until it works again: the run has ended
                    raise
                time.sleep(pause)
                pause = min(2 * pause, longest)
            else:
                self._patience = _PATIENCE
                return outcomes

    def _put(self, orders: Sequence[_Order]) -> list[Any]:
        self._session.put({key: (order.model, value) for order in orders for key, value in order.values.items()})
        return [None] * len(orders)

    def _drop(self, orders: Sequence[_Order]) -> list[Any]:
        self._session.drop(_keys(orders))
        return [None] * len(orders)

    def _release(self, orders: Sequence[_Order]) -> list[Any]:
        self._session.release(_keys(orders))
        return [None] * len(orders)

    def _get(self, orders: Sequence[_Order]) -> list[Any]:
        found = self._session.find(_keys(orders))
        return [{key: found[key] for key in order.keys if key in found} for order in orders]

    def _claim(self, orders: Sequence[_Order]) -> list[Any]:
        """Return what each may ask for; of several that want the same, the first."""
        claimed = self._session.claim(_keys(orders))
        ours = set(claimed.ours)
        outcomes = []
        for order in orders:
            found = {key: claimed.found[key] for key in order.keys if key in claimed.found}
            outcomes.append(ClaimedKeys(found, frozenset(ours.intersection(order.keys))))
            ours.difference_update(order.keys)
        return outcomes

    def _explained(self, error: Exception) -> Exception:
        """Return a driver's error as one that says what to do; others as they are."""
        if not isinstance(error, self._errors):
            return error
        reason = self._session.reason(error)
        return NotWritten(
            f"the cache {self._session.name} cannot be used: {reason}. No further call is made: fix this and re-run "
            "the command"
        )


def _keys(orders: Sequence[_Order]) -> list[bytes]:
    """Return the keys of all orders, each once."""
    return list(dict.fromkeys(key for order in orders for key in order.keys))
