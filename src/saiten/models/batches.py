"""Batching: requests that many coroutines make one by one are processed together in one worker thread."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from saiten.errors import ConfigurationError

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")


class Batches(Generic[Item, Result]):
    """Collects concurrent requests, sorts them by length, and passes them to `work` in batches of `size`.

    Sorting keeps batches fast, since a batch is as slow as its longest item. Equal items in flight are processed once;
    items whose callers have all been canceled are dropped. The queue holds at most one item per caller.

    A batch that fails is halved until the failing items are isolated or the halves fit into memory; each caller gets
    its own error. A `ConfigurationError` goes to all callers at once.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result]],
        *,
        size: int,
        length: Callable[[Item], int],
        what: str = "network",
    ) -> None:
        """`work` returns one result per item, in order, and is never called concurrently; `what` names the thread."""
        self._work = work
        self._size = size
        self._length = length
        self._callers: Counter[Item] = Counter()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"saiten {what}")
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue[Item, Result]] = WeakKeyDictionary()

    async def of(self, item: Item) -> Result:
        """Return the result for the item, or raise what `work` raised for it."""
        queue = self._queues.setdefault(asyncio.get_running_loop(), _Queue())
        pending = queue.pending.get(item)
        if pending is None:
            pending = queue.pending[item] = _Pending(asyncio.get_running_loop().create_future())
            queue.waiting.append(item)
            if queue.pump is None or queue.pump.done():
                queue.pump = asyncio.create_task(self._pump(queue))
        pending.waiters += 1
        self._callers[item] += 1
        try:
            return await asyncio.shield(pending.result)
        finally:
            pending.waiters -= 1
            self._callers[item] -= 1
            if not self._callers[item]:
                del self._callers[item]

    def awaited(self, items: Sequence[Item]) -> bool:
        """Return whether a caller still waits for one of the items; none does after Ctrl-C, so `work` can give up."""
        return any(item in self._callers for item in items)

    def close(self) -> None:
        """Shut the thread down after the current batch; start nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _pump(self, queue: "_Queue[Item, Result]") -> None:
        while queue.waiting:
            await asyncio.sleep(0)  # let callers started together with the first one join the batch
            found, queue.waiting = sorted(queue.waiting, key=self._length, reverse=True), []
            for start in range(0, len(found), self._size):
                await self._batch(queue, found[start : start + self._size])

    async def _batch(self, queue: "_Queue[Item, Result]", items: list[Item]) -> None:
        items = [item for item in items if queue.wanted(item)]
        if not items:
            return
        try:
            results = await asyncio.get_running_loop().run_in_executor(self._thread, self._work, items)
            if len(results) != len(items):
                raise RuntimeError(f"{len(items)} items gave {len(results)} results")  # noqa: TRY301 - goes to callers
        except Exception as error:  # noqa: BLE001 - passed on to the callers
            if len(items) == 1 or isinstance(error, ConfigurationError):
                for item in items:
                    queue.fail(item, error)
                return
            half = len(items) // 2
            await self._batch(queue, items[:half])
            await self._batch(queue, items[half:])
        else:
            for item, result in zip(items, results, strict=True):
                queue.give(item, result)


@dataclass
class _Pending(Generic[Result]):
    """An item awaiting its result, with the number of callers waiting for it."""

    result: asyncio.Future[Result]
    waiters: int = 0


@dataclass
class _Queue(Generic[Item, Result]):
    """The requests of one event loop."""

    pending: dict[Item, _Pending[Result]] = field(default_factory=dict)
    waiting: list[Item] = field(default_factory=list)
    """The `pending` items not yet in a batch."""
    pump: asyncio.Task[None] | None = None

    def wanted(self, item: Item) -> bool:
        """Return whether any caller still waits for the item; forget it otherwise."""
        if self.pending[item].waiters:
            return True
        self.pending.pop(item).result.cancel()
        return False

    def give(self, item: Item, value: Result) -> None:
        result = self.pending.pop(item).result
        if not result.done():
            result.set_result(value)

    def fail(self, item: Item, error: Exception) -> None:
        pending = self.pending.pop(item)
        if not pending.result.done():
            pending.result.set_exception(error)
            if not pending.waiters:
                pending.result.exception()  # retrieved, so that asyncio does not log it as never retrieved
