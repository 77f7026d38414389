"""The waves of one model: requests are collected until nothing more is coming, and sent as a batch."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from saiten.errors import BatchPending
from saiten.models.batch.lines import keys_in, request_line
from saiten.models.batch.sending import Batch, Sending, raise_in
from saiten.models.batch.shelf import Shelf
from saiten.models.http_client import HttpReply

_TURNS = 200
"""Turns of the event loop without a new request after which all samples wait for something else than the loop: a
request follows the reply before it within a few dozen."""


class Waves:
    """The queue in front of a `Sending`. Memory: the requests of one wave, and the keys of those that are sent.

    A wave is closed when it is full, or when nothing more is coming: 200 turns of the event loop and `quiet` seconds
    have brought no new request. So it is complete, however slow the machine is, as long as samples wait for nothing
    but replies; what else they wait for (an embedder's server, retrieval) has `quiet` seconds. If a request comes
    later, there is one more batch.
    """

    def __init__(
        self,
        model: str,
        shelf: Callable[[], Shelf],
        sending: Sending,
        pending: Callable[[Sequence[Batch], Shelf], BatchPending],
        *,
        most: int,
        quiet: float,
        largest: int,
    ) -> None:
        """Set when a wave is closed, and what becomes of it.

        Args:
            model: The full name.
            shelf: Called with the first request.
            sending: What becomes of a wave.
            pending: Returns the error for everyone who waits for batches that the user runs.
            most: Requests that fill a wave.
            quiet: Seconds without a new request.
            largest: Bytes that fill a wave.
        """
        self._model = model
        self._find_shelf = shelf
        self._sending = sending
        self._pending = pending
        self._most = most
        self._largest = largest
        self._quiet = quiet
        self._shelf: Shelf | None = None
        self._open: dict[str, tuple[bytes, asyncio.Future[HttpReply]]] = {}
        self._size = 0
        self._sent: dict[str, Batch] = {}
        self._batches: list[Batch] = []
        self._stirred = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._watching = False
        self._stop: BatchPending | None = None

    async def earlier(self, key: str) -> None:
        """Wait for the batch in which an earlier command sent this request, if there is one.

        Raises:
            SaitenError: what has stopped that batch.
        """
        self._begin()
        batch = self._sent.get(key)
        if batch is None or key in batch.waiting:
            return
        self._stir()
        await batch.ended.wait()
        if batch.failed is not None:
            raise copy(batch.failed)

    async def ask(self, key: str, body: Mapping[str, Any]) -> HttpReply:
        """Return the reply to the request, which is sent with the current wave unless it already was.

        The caller is the only one with this key at a time, as behind a cache.

        Raises:
            CallFailed: there is no reply; retryable.
            BatchPending, ConfigurationError: the run stops.
        """
        self._begin()
        if self._stop is not None:
            raise copy(self._stop)
        future: asyncio.Future[HttpReply] = asyncio.get_running_loop().create_future()
        batch = self._sent.get(key)
        if batch is not None:  # its caller is gone
            batch.waiting[key] = future
        else:
            line = request_line(key, body)
            self._open[key] = line, future
            self._size += len(line)
        self._stir()
        if len(self._open) >= self._most or self._size >= self._largest:
            self._close_wave()
        return await future

    async def close(self) -> None:
        """Stop waiting; batches that were submitted go on at the server."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._open.clear()
        self._sent.clear()
        self._batches.clear()
        self._shelf, self._watching = None, False
        await self._sending.close()

    def _begin(self) -> Shelf:
        """Return the shelf; take up the batches that an earlier command left open."""
        if self._shelf is None:
            self._shelf = self._find_shelf()
            for record in self._shelf.records():
                if record.model == self._model and not record.ended:
                    self._take(Batch(record, frozenset(keys_in(self._shelf.requests(record)))))
        return self._shelf

    def _take(self, batch: Batch) -> None:
        self._batches.append(batch)
        self._sent.update(dict.fromkeys(batch.keys, batch))
        self._start(self._follow(batch))

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, batch: Batch) -> None:
        try:
            await self._sending.run(batch, self._begin())
        except Exception as error:  # noqa: BLE001 - raised by the callers
            batch.fail(error)
        finally:
            if batch.ended.is_set():
                self._stop = self._stop or batch.stop
                self._batches.remove(batch)
                for key in batch.keys:
                    if self._sent.get(key) is batch:
                        del self._sent[key]
            self._stir()

    def _stir(self) -> None:
        """Note that something has happened, after which more may come."""
        self._stirred += 1
        if not self._watching:
            self._watching = True
            self._start(self._watch())

    async def _watch(self) -> None:
        """Close the wave when nothing more is coming."""
        seen = -1
        while seen != self._stirred:
            seen = self._stirred
            await _turns()
            if seen == self._stirred and self._quiet:
                await asyncio.sleep(self._quiet)
                await _turns()
        self._watching = False
        self._close_wave()
        if self._batches and all(batch.record.by_hand for batch in self._batches) and self._sending.by_hand:
            error = self._pending(self._batches, self._begin())
            for batch in self._batches:
                batch.fail(error)

    def _close_wave(self) -> None:
        """Send the requests that still have a caller."""
        wave, self._open, self._size = self._open, {}, 0
        wave = {key: entry for key, entry in wave.items() if not entry[1].cancelled()}
        if not wave:
            return
        try:
            if self._stop is not None:
                raise self._stop  # noqa: TRY301 - raised by the callers
            lines = [line for line, _ in wave.values()]
            record = self._begin().add(self._model, lines, by_hand=self._sending.by_hand)
        except Exception as error:  # noqa: BLE001 - raised by the callers
            for _, future in wave.values():
                raise_in(future, error)
            return
        waiting = {key: future for key, (_, future) in wave.items()}
        self._take(Batch(record, frozenset(wave), ours=True, waiting=waiting))


async def _turns() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
