"""Many callers, one network: what coroutines ask for one by one is worked on in batches, in a thread of its own."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from saiten.errors import ConfigurationError

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")


class Batches(Generic[Item, Result]):
    """Collects what is asked for at the same time, sorts it by length, and hands it to `work`, `size` at once.

    Sorted, because a batch is as slow as its longest item. Equal items in flight are worked on once. What nobody waits
    for any more is left out. Holds as many items as there are callers, so whoever bounds the callers bounds it.

    A batch that fails is halved until the items are found that cannot be done, or the halves fit into memory; each
    caller gets its own error. A `ConfigurationError` goes to all at once.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result]],
        *,
        size: int,
        length: Callable[[Item], int],
        what: str = "network",
    ) -> None:
        """`work` gives a result for each item, in order, and is never called twice at once; `what` names the thread."""
        self._work = work
        self._size = size
        self._length = length
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"saiten {what}")
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue[Item, Result]] = WeakKeyDictionary()

    async def of(self, item: Item) -> Result:
        """The result of the item; raises what `work` raised for it."""
        queue = self._queues.setdefault(asyncio.get_running_loop(), _Queue())
        asked = queue.asked.get(item)
        if asked is None:
            asked = queue.asked[item] = _Asked(asyncio.get_running_loop().create_future())
            queue.waiting.append(item)
            if queue.pump is None or queue.pump.done():
                queue.pump = asyncio.create_task(self._pump(queue))
        asked.waiters += 1
        try:
            return await asyncio.shield(asked.result)
        finally:
            asked.waiters -= 1

    def close(self) -> None:
        """Let the thread end; what it is at is brought to its end, nothing more is begun."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _pump(self, queue: "_Queue[Item, Result]") -> None:
        while queue.waiting:
            await asyncio.sleep(0)  # whoever was started together with the first may ask too
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
                raise RuntimeError(f"{len(items)} items gave {len(results)} results")  # noqa: TRY301 - told to callers
        except Exception as error:  # noqa: BLE001 - whoever asked is told
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
class _Asked(Generic[Result]):
    """One item that is asked for, and by how many."""

    result: asyncio.Future[Result]
    waiters: int = 0


@dataclass
class _Queue(Generic[Item, Result]):
    """What one event loop asks for."""

    asked: dict[Item, _Asked[Result]] = field(default_factory=dict)
    waiting: list[Item] = field(default_factory=list)
    """Those of `asked` that were not begun yet."""
    pump: asyncio.Task[None] | None = None

    def wanted(self, item: Item) -> bool:
        """Whether anybody still waits for it; what nobody does is forgotten."""
        if self.asked[item].waiters:
            return True
        self.asked.pop(item).result.cancel()
        return False

    def give(self, item: Item, result: Result) -> None:
        asked = self.asked.pop(item).result
        if not asked.done():
            asked.set_result(result)

    def fail(self, item: Item, error: Exception) -> None:
        asked = self.asked.pop(item)
        if not asked.result.done():
            asked.result.set_exception(error)
            if not asked.waiters:
                asked.result.exception()  # looked at, so that nobody is told that nobody looked
