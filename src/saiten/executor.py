"""Many items at a time in one process: a fixed set of workers on one stream, with back-pressure at both ends."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from saiten.errors import ConfigurationError, JudgeError
from saiten.protocols import Item, Result

_AHEAD = 8
"""Results that may wait for the consumer before the workers stop: enough that a worker seldom does."""

_END: Any = object()

T = TypeVar("T")


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
    """Works on at most `limit` items at once. No task is made per item, so an item costs a few microseconds."""

    limit: int
    """Items in work at a time; at most `limit` + 8 are ever pulled and not yet handed out."""

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ConfigurationError(f"at least one item must be in work at a time, the limit is {self.limit}")

    async def run(
        self, work: Callable[[Item], Awaitable[Result]], items: Iterable[Item] | AsyncIterable[Item]
    ) -> AsyncGenerator[Result]:
        """The results in the order in which they are done.

        A consumer that is slow stops the workers, and they stop the source. A synchronous source may block, for example
        on a disk; it is asked between two steps of the work. The source is the caller's, who closes it.

        The first exception, of the work or of the source, cancels what is under way and waits for it to end; results
        that were there by then are still handed out before it is raised. Leaving the loop early, or being cancelled,
        ends all work likewise: use `contextlib.aclosing` where it must have ended before the next line runs. Results of
        a cancelled run are lost, so work that is paid for writes down its result itself.
        """
        flow: _Flow[Result] = _Flow(open_at_most=self.limit + _AHEAD)
        pull = _pulling(items)
        workers = [asyncio.create_task(_worker(work, pull, flow)) for _ in range(self.limit)]
        for worker in workers:
            worker.add_done_callback(flow.worker_ended)
        try:
            while True:
                while flow.results:
                    yield flow.hand_out()
                if flow.error is not None or flow.ended == self.limit:
                    break
                await flow.something_new()
            await _end(workers)
            while flow.results:
                yield flow.hand_out()
            if flow.error is not None:
                raise flow.error
        finally:
            await _end(workers)


@dataclass(slots=True)
class _Flow(Generic[Result]):
    """The state shared by the workers and the consumer."""

    open_at_most: int
    open: int = 0
    """Items pulled, or about to be, whose results were not handed out."""
    results: deque[Result] = field(default_factory=deque)
    error: BaseException | None = None
    ended: int = 0
    """Workers that are through."""
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    async def admit(self) -> None:
        """Wait until one more item may be open."""
        while self.open >= self.open_at_most:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self.open += 1

    def put(self, result: Result) -> None:
        self.results.append(result)
        self._news.set()

    def hand_out(self) -> Result:
        self.open -= 1
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        return self.results.popleft()

    async def something_new(self) -> None:
        await self._news.wait()
        self._news.clear()

    def worker_ended(self, worker: asyncio.Task[None]) -> None:
        """Note that a worker has ended; the first error counts."""
        self.ended += 1
        error = asyncio.CancelledError() if worker.cancelled() else worker.exception()
        self.error = self.error or error
        self._news.set()


async def _worker(
    work: Callable[[Item], Awaitable[Result]], pull: Callable[[], Awaitable[Item]], flow: _Flow[Result]
) -> None:
    while True:
        await flow.admit()
        item = await pull()
        if item is _END:
            return
        flow.put(await work(item))


def _pulling(items: Iterable[Item] | AsyncIterable[Item]) -> Callable[[], Awaitable[Item]]:
    """How a worker gets its next item; after the last one, `_END` for ever."""
    if isinstance(items, AsyncIterable):
        stream, turn = aiter(items), asyncio.Lock()

        async def pull_async() -> Item:
            async with turn:  # an asynchronous generator cannot be asked by two at a time
                return await anext(stream, _END)

        return pull_async
    iterator = iter(items)

    async def pull() -> Item:
        return next(iterator, _END)

    return pull


async def _end(workers: list[asyncio.Task[None]]) -> None:
    """Cancel the workers and wait until all have ended, even while being cancelled."""
    for worker in workers:
        worker.cancel()
    cancelled: asyncio.CancelledError | None = None
    while not all(worker.done() for worker in workers):
        try:
            await asyncio.wait(workers)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
