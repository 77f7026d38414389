"""Threads for functions that block: as many as are needed up to a limit, and one that hangs holds nobody up."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any

from saiten.errors import ConfigurationError

_Job = Callable[[], None]


class Threads:
    """Runs blocking functions, at most `limit` at once; a thread is used again for the next one.

    A thread cannot be stopped, so a function that ran out of time goes on without anybody waiting for it, and another
    thread takes its place; once `limit` of them are left behind like that, nothing more is begun. The threads are
    daemons: the process ends without them. (The standard library's pool would wait for them at the end.)
    """

    def __init__(self, limit: int, what: str) -> None:
        """`what` is called, for the error when too many were left behind."""
        self._limit = limit
        self._what = what
        self._idle: list[SimpleQueue[_Job | None]] = []
        self._left_behind = 0
        self._places: asyncio.Semaphore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Callable[[], Any], seconds: float) -> Any:
        """What the function returns, or the exception that it raises; the time counts from when it is begun.

        Raises:
            OutOfTime: it did not return in time.
            ConfigurationError: too many were left behind.
        """
        loop = asyncio.get_running_loop()
        if self._places is None or self._loop is not loop:
            self._places, self._loop = asyncio.Semaphore(self._limit), loop
        async with self._places:
            if self._left_behind >= self._limit:
                raise ConfigurationError(
                    f"{self._left_behind} calls of {self._what} have not come back, long after their time-out; "
                    "nothing more can be asked. See why it hangs, or give it more time with --timeout"
                )
            outcome = self._begin(work, loop)
            await asyncio.wait({outcome}, timeout=seconds)  # if this is cancelled, the thread ends for nobody
            if not outcome.done():
                self._left_behind += 1
                outcome.add_done_callback(self._came_back)
                raise OutOfTime
        returned, error = outcome.result()
        if error is None:
            return returned
        if not isinstance(error, Exception):  # sys.exit() and its kind, which here would end more than this call
            raise RuntimeError(f"{type(error).__name__} was raised: {error}") from error  # noqa: TRY004 - no type at fault
        raise error

    def close(self) -> None:
        """Let the idle threads end."""
        while self._idle:
            self._idle.pop().put(None)

    def _begin(self, work: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        outcome: asyncio.Future[Any] = loop.create_future()
        context = copy_context()
        jobs = self._idle.pop() if self._idle else _started()

        def come_back(result: tuple[Any, BaseException | None]) -> None:
            self._idle.append(jobs)
            if not outcome.done():
                outcome.set_result(result)

        def job() -> None:
            result: tuple[Any, BaseException | None]
            try:
                result = context.run(work), None
            except BaseException as error:  # noqa: BLE001 - whoever asked is told
                result = None, error
            try:
                loop.call_soon_threadsafe(come_back, result)
            except RuntimeError:  # the loop is closed: whoever asked is gone
                jobs.put(None)

        jobs.put(job)
        return outcome

    def _came_back(self, _: asyncio.Future[Any]) -> None:
        self._left_behind -= 1


class OutOfTime(TimeoutError):
    """Ours, told apart from a TimeoutError that the function itself raises."""


def _started() -> SimpleQueue[_Job | None]:
    jobs: SimpleQueue[_Job | None] = SimpleQueue()

    def run() -> None:
        while (job := jobs.get()) is not None:
            job()
            del job  # the thread waits for the next one, and must not keep the last one's texts

    threading.Thread(target=run, name="saiten system", daemon=True).start()
    return jobs
