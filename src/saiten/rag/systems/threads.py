"""Threads for blocking functions: with a limit and a time-out, or as many as an event loop asks for."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any
from weakref import WeakSet

from saiten.errors import ConfigurationError

_Job = Callable[[], None]


class Threads:
    """Runs blocking functions, at most `limit` at once, reusing threads.

    Threads cannot be stopped, so a function that exceeds its time runs on unattended while another thread takes its
    place; once `limit` threads are stuck, nothing more is started. Threads are daemons, so the process can end without
    them (the standard library's pool would wait).
    """

    def __init__(self, limit: int, what: str) -> None:
        """`what` names the function in the error about stuck threads."""
        self._limit = limit
        self._what = what
        self._idle: list[SimpleQueue[_Job | None]] = []
        self._left_behind = 0
        self._places: asyncio.Semaphore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Callable[[], Any], seconds: float) -> Any:
        """Return the function's result or raise its exception; the time counts from its start.

        Raises:
            OutOfTime: it did not return in time.
            ConfigurationError: too many threads are stuck.
        """
        loop = asyncio.get_running_loop()
        if self._places is None or self._loop is not loop:
            self._places, self._loop = asyncio.Semaphore(self._limit), loop
        async with self._places:
            if self._left_behind >= self._limit:
                raise ConfigurationError(
                    f"{self._left_behind} calls of {self._what} have not returned, long after their time-out; "
                    "no further call is made. Find out why it hangs, or allow more time with --timeout"
                )
            outcome = self._begin(work, loop)
            await asyncio.wait({outcome}, timeout=seconds)  # if canceled, the thread runs on unattended
            if not outcome.done():
                self._left_behind += 1
                outcome.add_done_callback(self._came_back)
                raise OutOfTime
        returned, error = outcome.result()
        if error is None:
            return returned
        if not isinstance(error, Exception):  # sys.exit() and the like, which would end more than this call
            raise RuntimeError(f"{type(error).__name__} was raised: {error}") from error  # noqa: TRY004 - no type at fault
        raise error

    def close(self) -> None:
        """Let idle threads end."""
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
            except BaseException as error:  # noqa: BLE001 - passed on to the caller
                result = None, error
            try:
                loop.call_soon_threadsafe(come_back, result)
            except RuntimeError:  # the loop is closed: the caller is gone
                jobs.put(None)

        jobs.put(job)
        return outcome

    def _came_back(self, _: asyncio.Future[Any]) -> None:
        self._left_behind -= 1


class LoopThreads(ThreadPoolExecutor):
    """Threads of an event loop for the blocking steps of asynchronous code: one each, which nobody waits for.

    asyncio's own are few (cores + 4), so that steps wait for each other, which would count as latency; and a process
    could not end before a step that hangs.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self._free: list[SimpleQueue[_Job | None]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        jobs = self._free_thread()

        def job() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    result = fn(*args, **kwargs)
                except BaseException as error:  # noqa: BLE001 - passed on to the caller
                    future.set_exception(error)
                else:
                    future.set_result(result)
            self._free.append(jobs)

        jobs.put(job)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the pool's
        """Let idle threads end."""
        while self._free:
            self._free.pop().put(None)

    def _free_thread(self) -> "SimpleQueue[_Job | None]":
        try:
            return self._free.pop()
        except IndexError:
            return _started()


_EQUIPPED: "WeakSet[asyncio.AbstractEventLoop]" = WeakSet()


def equip(loop: asyncio.AbstractEventLoop) -> None:
    """Give the loop threads for the blocking steps of the user's asynchronous code, once."""
    if loop not in _EQUIPPED:
        _EQUIPPED.add(loop)
        loop.set_default_executor(LoopThreads())


class OutOfTime(TimeoutError):
    """Distinguishes saiten's time-out from a TimeoutError raised by the function."""


def _started() -> SimpleQueue[_Job | None]:
    jobs: SimpleQueue[_Job | None] = SimpleQueue()

    def run() -> None:
        while (job := jobs.get()) is not None:
            job()
            del job  # do not keep the last job's texts while waiting

    threading.Thread(target=run, name="saiten system", daemon=True).start()
    return jobs
