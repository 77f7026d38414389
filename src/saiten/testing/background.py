"""An event loop in a separate thread, for plain functions and for tests that run in their own loop."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_PATIENCE = 10.0
"""Seconds to wait for the thread at the end."""


class BackgroundLoop:
    """Runs coroutines from any thread in one loop, so that connections can be reused."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="saiten.testing", daemon=True)
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

    def stop(self) -> None:
        """Cancel running work, and end the thread."""
        self.wait(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_PATIENCE) if others else None
    await asyncio.get_running_loop().shutdown_asyncgens()
