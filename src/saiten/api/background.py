"""An event loop in a separate thread, for plain functions and for callers that run in loops or threads of their own."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from threading import Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")

_PATIENCE = 10.0
"""Seconds to wait for the thread at the end."""


class BackgroundLoop:
    """Runs coroutines from any thread in one loop, so that connections can be reused."""

    def __init__(self, name: str) -> None:
        """`name` is that of the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start the work and return its future; cancelling the future cancels the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work and return its result, blocking this thread; Ctrl-C cancels the work too."""
        future = self.begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self, *closing: Callable[[], Awaitable[object]]) -> None:
        """Cancel running work, await each of `closing`, and end the thread."""
        self.begin(self._end(closing))
        if current_thread() is not self._thread:  # garbage collection may call this in any thread
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    async def _end(self, closing: tuple[Callable[[], Awaitable[object]], ...]) -> None:
        try:
            await _cancel_others()
            for close in closing:
                await close()
        finally:
            self._loop.stop()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_PATIENCE) if others else None
    await asyncio.get_running_loop().shutdown_asyncgens()
