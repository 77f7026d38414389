"""A Python function as the system under test, synchronous or asynchronous.

It is called with the question, and with `history` (a list of `{"question", "answer"}`, oldest first), `session`, `id`
and `language` if it has parameters of these names. `contract.py` specifies what it may return.
"""

import asyncio
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from inspect import Parameter, isasyncgen, isawaitable, iscoroutinefunction, isgenerator, signature
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from saiten.errors import CallFailed, ConfigurationError, FailureKind, SaitenError
from saiten.models.http_client import CHARGED
from saiten.models.layers import Layer
from saiten.rag.systems.contract import ask, kind_of, question_object, read_answer
from saiten.rag.systems.loading import Loaded
from saiten.records import Answer, Inquiry

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
            await asyncio.wait({outcome}, timeout=seconds)  # if cancelled, the thread runs on unattended
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


_OPTIONAL = ("history", "session", "id", "language")
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
        self._arguments = _arguments_for(loaded)
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
            raise CallFailed("it was cancelled from inside", CHARGED)
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
    return f"; the value has the type {type(value).__name__}" if kind_of(value) == "a tuple" else ""


def _arguments_for(loaded: Loaded) -> Callable[[Inquiry], tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return how to call the function: the question by position or name, and optional arguments by name."""
    try:
        parameters = dict(signature(loaded.function).parameters)
    except (TypeError, ValueError):  # a builtin without a signature
        return lambda inquiry: ((inquiry.question,), {})
    by_name = {
        name
        for name, each in parameters.items()
        if each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    optional = [name for name in _OPTIONAL if name in by_name or takes_all]
    first = next((name for name, each in parameters.items() if _is_place(each) and name not in _OPTIONAL), None)
    named = "question" in by_name or (takes_all and first is None)
    if not named and first is None:
        raise ConfigurationError(f"{loaded.name} takes no question; it is called with the question, a text")
    given = {*optional, "question" if named else first}
    lacking = [name for name, each in parameters.items() if name not in given and _is_required(each)]
    if lacking:
        raise ConfigurationError(
            f"{loaded.name} requires {', '.join(lacking)}, which saiten does not have; it is called with the question "
            f"and, by name, {', '.join(_OPTIONAL)}: give the others a default"
        )

    def arguments(inquiry: Inquiry) -> tuple[tuple[Any, ...], dict[str, Any]]:
        whole = question_object(inquiry)
        more = {name: whole[name] for name in optional}
        return ((), {"question": inquiry.question} | more) if named else ((inquiry.question,), more)

    return arguments


def _is_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


def _is_required(parameter: Parameter) -> bool:
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and parameter.kind not in variable
