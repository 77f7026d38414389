"""Many items at a time in one process: a few workers on one stream, with back-pressure at both ends."""

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from saiten.errors import ConfigurationError, JudgeError
from saiten.protocols import Item, Result

_AHEAD = 8
"""Results that may wait for the consumer before the workers stop: enough that a worker seldom does."""

_END: Any = object()

T = TypeVar("T")


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Exempt start-up objects from garbage collection and collect less often; saves a tenth of a run's time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run the calls concurrently and return their results in order.

    If one fails, its error is raised after the others have ended, since they are paid for and count; errors of the
    whole run (`ConfigurationError`, `BudgetSpent`) take precedence over those of one call. Cancellation cancels all
    calls and waits for them to end.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    except asyncio.CancelledError:
        await asyncio.wait(tasks)
        raise
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, JudgeError))
    return [task.result() for task in tasks]


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Works on at most `limit` items at once.

    No task is made per item, so an item costs a few microseconds; and a worker is made only once all others are busy,
    so a high limit costs nothing by itself.
    """

    limit: int
    """Items in work at a time; at most `limit` + 8 are ever pulled and not yet handed out."""

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ConfigurationError(f"at least one item must be in work at a time, the limit is {self.limit}")

    async def run(
        self, work: Callable[[Item], Awaitable[Result]], items: Iterable[Item] | AsyncIterable[Item]
    ) -> AsyncGenerator[Result]:
        """Yield the results in the order in which they are done.

        A slow consumer stops the workers, and they stop the source. A synchronous source may block, for example on a
        disk. The caller closes the source.

        The first exception, of the work or of the source, cancels everything else and waits for it to end; results that
        exist by then are yielded before it is raised. Leaving the loop early, or being canceled, ends all work, too:
        use `contextlib.aclosing` where it must have ended before the next line runs. Results of a canceled run are
        lost, so work that is paid for writes its result itself.
        """
        pull = _pulling(items)
        room = asyncio.Semaphore(self.limit + _AHEAD)
        done: asyncio.Queue[Result | _Ended] = asyncio.Queue()
        workers: list[asyncio.Task[None]] = []
        free, ending = 0, False

        def begin() -> None:
            nonlocal free
            free += 1
            workers.append(task := asyncio.create_task(worker()))
            task.add_done_callback(lambda each: done.put_nowait(_Ended.of(each)))

        async def worker() -> None:
            nonlocal free
            await room.acquire()
            while not ending and (item := await pull()) is not _END:
                free -= 1
                if not free and len(workers) < self.limit:
                    begin()
                done.put_nowait(await work(item))
                free += 1
                await room.acquire()

        begin()
        over, error = 0, None
        try:
            while over < len(workers) and error is None:
                result = await done.get()
                if isinstance(result, _Ended):
                    over, error = over + 1, result.error
                    continue
                room.release()
                yield result
            ending = True  # work that resists its cancellation must not begin anything else
            await _end(workers)
            while not done.empty():
                if not isinstance(result := done.get_nowait(), _Ended):
                    yield result
            if error is not None:
                raise error
        finally:
            ending = True
            await _end(workers)


@dataclass(frozen=True, slots=True)
class _Ended:
    """A worker that has ended; the first error counts."""

    error: BaseException | None

    @classmethod
    def of(cls, worker: asyncio.Task[None]) -> "_Ended":
        """Return how this worker ended."""
        return cls(asyncio.CancelledError() if worker.cancelled() else worker.exception())


def _pulling(items: Iterable[Item] | AsyncIterable[Item]) -> Callable[[], Awaitable[Item]]:
    """Return the function with which a worker gets its next item; after the last one, it returns `_END` forever."""
    if isinstance(items, AsyncIterable):
        stream, turn = aiter(items), asyncio.Lock()

        async def pull_async() -> Item:
            async with turn:  # an asynchronous generator cannot be advanced twice at a time
                return await anext(stream, _END)

        return pull_async
    iterator = iter(items)

    async def pull() -> Item:
        return next(iterator, _END)

    return pull


async def _end(workers: list[asyncio.Task[None]]) -> None:
    """Cancel the workers and wait until all have ended, even while being canceled."""
    for worker in workers:
        worker.cancel()
    canceled: asyncio.CancelledError | None = None
    while not all(worker.done() for worker in workers):
        try:
            await asyncio.wait(workers)
        except asyncio.CancelledError as error:
            canceled = error
    if canceled is not None:
        raise canceled
