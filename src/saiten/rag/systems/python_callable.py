"""A Python function as the system under test, synchronous or asynchronous.

It is called with the question, and with `history` (a list of `{"question", "answer"}`, oldest first), `session`, `id`
and `language` if it has parameters of these names. `contract.py` specifies what it may return.
"""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import isasyncgen, isawaitable, iscoroutinefunction, isgenerator
from time import perf_counter
from typing import Any

from saiten.errors import CallFailed, FailureKind, SaitenError
from saiten.models.http_client import CHARGED
from saiten.models.layers import Layer
from saiten.rag.systems.arguments import arguments_for
from saiten.rag.systems.contract import ask, read_answer
from saiten.rag.systems.loading import Loaded
from saiten.rag.systems.threads import OutOfTime, Threads
from saiten.records import Answer, Inquiry

_SHOWN = 500  # characters of an exception's text


class PythonCallable:
    """Calls a function. Synchronous functions run in threads, so they must allow concurrent calls.

    The latency is that of the call alone, without the wait for a free thread.
    """

    def __init__(
        self, loaded: Loaded, *, timeout: float = 120.0, concurrency: int = 8, around: Sequence[Layer] = ()
    ) -> None:
        """`timeout`: seconds per answer; `concurrency`: threads; `around`: layers around each call.

        Raises:
            ConfigurationError: the function cannot be called with a question.
        """
        self._loaded = loaded
        self._timeout = timeout
        self._arguments = arguments_for(loaded)
        called = loaded.function
        self._is_async = iscoroutinefunction(called) or iscoroutinefunction(getattr(called, "__call__", None))  # noqa: B004 - a callable object
        self._threads = Threads(concurrency, loaded.name)
        self._around = around

    @property
    def name(self) -> str:
        return self._loaded.name

    def describe(self) -> Mapping[str, str]:
        """Return only the name: a fixed function is the same system, and can be asked again where it failed."""
        return {"system": self.name}

    async def answer(self, inquiry: Inquiry) -> Answer:
        return await ask(self._around, partial(self._attempt, inquiry), inquiry)

    async def close(self) -> None:
        self._threads.close()

    async def _attempt(self, inquiry: Inquiry) -> Answer:
        positional, named = self._arguments(inquiry)
        call = partial(self._loaded.function, *positional, **named)
        try:
            value, seconds = await (self._awaited(call) if self._is_async else self._in_thread(call))
        except SaitenError:
            raise
        except OutOfTime as error:
            message = f"it did not answer within {self._timeout:g} s"
            raise CallFailed(message, CHARGED, kind="timeout") from error
        except Exception as error:
            kind: FailureKind = "timeout" if isinstance(error, TimeoutError) else "failed"
            raise CallFailed(self._explain(error), CHARGED, kind=kind) from error
        try:
            answer = read_answer(value)
        except ValueError as error:
            message = f"it did not return an answer: {error}{_hint(value)}"
            raise CallFailed(message, CHARGED, kind="unreadable") from error
        return answer if answer.seconds is not None else replace(answer, seconds=seconds)

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
        """Return the exception's type and text, and the last line in the function's own file that led to it."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == self._loaded.file]
        frame = next(iter(reversed(own)), None)
        where = f" (line {frame.lineno} of {frame.filename}, in {frame.name})" if frame else ""
        try:
            said = " ".join(str(error).split())
        except Exception:  # noqa: BLE001 - an exception whose text cannot be produced
            said = "…"
        return f"{type(error).__name__}: {said[:_SHOWN]}{where}" if said else f"{type(error).__name__}{where}"


async def _without_exit(call: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await call()
    except SystemExit as error:  # asyncio would let it end the whole run
        raise RuntimeError(f"sys.exit({error.code!r}) was called") from error


def _heard(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception, so that asyncio does not complain."""
    if not task.cancelled():
        task.exception()


def _hint(value: Any) -> str:
    if isgenerator(value) or isasyncgen(value):
        if isgenerator(value):
            value.close()
        return "; join what it yields into one text"
    if isinstance(value, Coroutine):
        value.close()
    return ""
