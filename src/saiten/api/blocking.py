"""Synchronous calls of coroutines, even where an event loop is already running (a notebook)."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
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
    outcome: list[T] = []
    errors: list[BaseException] = []
    stops: list[Callable[[], object]] = []
    stopped, ended = threading.Event(), threading.Event()

    async def stoppable() -> T:
        stops.append(partial(asyncio.get_running_loop().call_soon_threadsafe, _current_task().cancel))
        if stopped.is_set():
            _current_task().cancel()
        return await work

    def in_thread() -> None:
        try:
            outcome.append(asyncio.run(stoppable()))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            errors.append(error)
        finally:
            ended.set()

    try:
        threading.Thread(target=in_thread, name="saiten.evaluate").start()
        ended.wait()
    except KeyboardInterrupt:  # the notebook's stop button: without this the run would continue, and keep paying
        stopped.set()  # it may arrive while the thread is still starting
        for stop in stops:
            with suppress(RuntimeError):  # the loop has already ended
                stop()
        ended.wait()
        raise
    if errors:
        raise errors[0]
    return outcome[0]


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine that asyncio runs is a task
    return task
