"""Calls of the user's own code in this process: in a thread or awaited, with a time-out, and errors with its line."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterator
from inspect import isawaitable
from time import perf_counter
from typing import Any, Protocol

from saiten.errors import CallFailed, FailureKind, SaitenError
from saiten.models.http_client import CHARGED
from saiten.rag.systems.threads import OutOfTime, Threads, equip

_SHOWN = 500  # characters of an exception's text
_CAUSES = 5  # exceptions that led to one another


class UserEntry(Protocol):
    """A function or an object that the user named."""

    @property
    def name(self) -> str:
        """As typed."""

    @property
    def file(self) -> str:
        """The file that defines it, for errors; "" if unknown."""

    @property
    def is_async(self) -> bool:
        """Whether its calls are awaited; others run in threads."""


class UserCode:
    """Runs calls of functions and objects that the user named."""

    def __init__(self, name: str, file: str, *, timeout: float, concurrency: int) -> None:
        """Set the limits.

        Args:
            name: What is called, for the error about calls that hang.
            file: The user's file, whose lines errors show; "" if unknown.
            timeout: Seconds per call.
            concurrency: Threads for synchronous calls.
        """
        self._file = file
        self._timeout = timeout
        self._threads = Threads(concurrency, name)

    async def run(self, call: Callable[[], Any], *, is_async: bool) -> tuple[Any, float]:
        """Return what the call returns, and its seconds, without the wait for a free thread.

        Raises:
            CallFailed: it raised, or did not return in time.
            SaitenError: it raised one of saiten's own errors.
            ConfigurationError: too many calls are stuck.
        """
        try:
            return await (self._awaited(call) if is_async else self._in_thread(call))
        except SaitenError:
            raise
        except OutOfTime as error:
            message = f"it did not answer within {self._timeout:g} s"
            raise CallFailed(message, CHARGED, kind="timeout") from error
        except Exception as error:
            kind: FailureKind = "timeout" if isinstance(error, TimeoutError) else "failed"
            raise CallFailed(self._explain(error), CHARGED, kind=kind) from error

    def close(self) -> None:
        """Let idle threads end."""
        self._threads.close()

    async def _in_thread(self, call: Callable[[], Any]) -> tuple[Any, float]:
        def timed() -> tuple[Any, float]:
            begun = perf_counter()
            value = call()
            return value, perf_counter() - begun

        value, seconds = await self._threads.run(timed, self._timeout)
        if not isawaitable(value):
            return value, seconds
        value, further = await self._awaited(lambda: value)  # a lambda or partial around an asynchronous function
        return value, seconds + further

    async def _awaited(self, call: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
        equip(asyncio.get_running_loop())
        begun = perf_counter()
        task = asyncio.ensure_future(_without_exit(call))
        try:
            await asyncio.wait({task}, timeout=self._timeout)
        finally:
            if not task.done():  # do not wait for a task that resists cancellation
                task.add_done_callback(_heard)
                task.cancel()
        if not task.done():
            raise OutOfTime
        if task.cancelled():
            raise CallFailed("it was canceled from inside", CHARGED)
        return task.result(), perf_counter() - begun

    def _explain(self, error: BaseException) -> str:
        """Return the exception's type and text, and the last line in the user's own file that led to it."""
        frame = next(
            (
                frame
                for each in _with_causes(error)
                for frame in reversed(traceback.extract_tb(each.__traceback__))
                if frame.filename == self._file
            ),
            None,
        )
        where = f" (line {frame.lineno} of {frame.filename}, in {frame.name})" if frame else ""
        try:
            said = " ".join(str(error).split())
        except Exception:  # noqa: BLE001 - an exception whose text cannot be produced
            said = "…"
        return f"{type(error).__name__}: {said[:_SHOWN]}{where}" if said else f"{type(error).__name__}{where}"


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and those that it was raised from: frameworks wrap the errors of a step."""
    cause: BaseException | None = error
    for _ in range(_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__


async def _without_exit(call: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await call()
    except SystemExit as error:  # asyncio would let it end the whole run
        raise RuntimeError(f"sys.exit({error.code!r}) was called") from error


def _heard(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception, so that asyncio does not complain."""
    if not task.cancelled():
        task.exception()
