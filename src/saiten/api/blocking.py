"""Synchronous calls of coroutines, even where an event loop is already running (a notebook)."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def blocking(work: Callable[P, Coroutine[Any, Any, T]], name: str, doc: str) -> Callable[P, T]:
    """Return a plain function with the coroutine function's parameters."""

    @wraps(work)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_for(work(*args, **kwargs))

    waiting.__name__ = waiting.__qualname__ = name
    waiting.__doc__ = doc
    return waiting


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine and return its result, in a separate thread if this one has a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: Future[T] = Future()
    stopping: Future[Callable[[], object]] = Future()

    async def stoppable() -> T:
        task = asyncio.ensure_future(work)
        stopping.set_result(partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel))
        return await task

    def in_thread() -> None:
        try:
            outcome.set_result(asyncio.run(stoppable()))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            outcome.set_exception(error)

    try:
        threading.Thread(target=in_thread, name="saiten.evaluate").start()
        return outcome.result()
    except KeyboardInterrupt:  # the notebook's stop button: without this the run would continue, and keep paying
        stop = stopping.result()  # waits, since the thread may still be starting
        with suppress(RuntimeError):  # the loop has already ended
            stop()
        wait([outcome])
        raise
