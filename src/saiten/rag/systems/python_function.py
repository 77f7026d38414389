"""A Python function as the system under test, synchronous or asynchronous.

It is called with the question, and with `history` (a list of `{"question", "answer"}`, oldest first), `session`, `id`
and `language` if it has parameters of these names. `contract.py` specifies what it may return.
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from inspect import isasyncgen, iscoroutinefunction, isgenerator
from typing import Any

from saiten.rag.systems.arguments import arguments_for
from saiten.rag.systems.contract import read_answer
from saiten.rag.systems.loading import Loaded
from saiten.records import Answer, Inquiry


class PythonFunction:
    """Calls a function; an `Entry`."""

    one_at_a_time = False
    doubt = ""

    def __init__(self, loaded: Loaded) -> None:
        """Raises ConfigurationError if the function cannot be called with a question."""
        self._function: Callable[..., Any] = loaded.value
        self._arguments = arguments_for(loaded)
        self.name = loaded.name
        self.file = loaded.file
        self.is_async = is_async(loaded.value)

    def describe(self) -> Mapping[str, str]:
        return {}

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        positional, named = self._arguments(inquiry)
        return partial(self._function, *positional, **named)

    def read(self, value: Any) -> Answer:
        try:
            return read_answer(value)
        except ValueError as error:
            raise ValueError(f"{error}{unfinished(value)}") from error


def is_async(function: Any) -> bool:
    """Return whether calling it gives a coroutine, also for an object that is called."""
    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - a callable object


def unfinished(value: Any) -> str:
    """Return the advice for a generator; close it, and a coroutine that nobody awaited."""
    if isgenerator(value) or isasyncgen(value):
        if isgenerator(value):
            value.close()
        return "; join what it yields into one text"
    if isinstance(value, Coroutine):
        value.close()
    return ""
