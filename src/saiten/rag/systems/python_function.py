"""A Python function as the system under test, or as the retriever of evidence; synchronous or asynchronous.

A system is called with the question, and with `history` (a list of `{"question", "answer"}`, oldest first), `session`,
`id` and `language` if it has parameters of these names; a retriever with the query, and with `k` and `language`.
`contract.py` and `retrieval.py` specify what they may return.
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from inspect import isasyncgen, iscoroutinefunction, isgenerator
from typing import Any

from saiten.rag.systems.arguments import arguments_for
from saiten.rag.systems.contract import question_object, read_answer
from saiten.rag.systems.loading import Loaded
from saiten.rag.systems.retrieval import query_object
from saiten.records import Answer, Inquiry


class PythonFunction:
    """Calls a function that answers; an `EntryPoint`."""

    one_at_a_time = False
    doubt = ""

    def __init__(self, loaded: Loaded) -> None:
        """Raises ConfigurationError if the function cannot be called with a question."""
        self._function: Callable[..., Any] = loaded.value
        self._arguments = arguments_for(loaded, "question", ("history", "session", "id", "language"))
        self.name = loaded.name
        self.file = loaded.file
        self.is_async = _is_async(loaded.value)

    def describe(self) -> Mapping[str, str]:
        return {}

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        positional, named = self._arguments(question_object(inquiry))
        return partial(self._function, *positional, **named)

    def read(self, value: Any) -> Answer:
        try:
            return read_answer(value)
        except ValueError as error:
            raise ValueError(f"{error}{_unfinished(value, 'into one text')}") from error


class PythonRetriever:
    """Calls a function that retrieves; a `PassageSource`."""

    def __init__(self, loaded: Loaded) -> None:
        """Raises ConfigurationError if the function cannot be called with a query."""
        self._function: Callable[..., Any] = loaded.value
        self._arguments = arguments_for(loaded, "query", ("k", "language"))
        self.name = loaded.name
        self.file = loaded.file
        self.is_async = _is_async(loaded.value)

    def call(self, query: str, k: int) -> Callable[[], Any]:
        positional, named = self._arguments(query_object(query, k))
        return partial(self._function, *positional, **named)

    def passages(self, value: Any) -> Any:
        if hint := _unfinished(value, "in a list"):
            raise ValueError(f"it is a generator{hint}")
        return value


def _is_async(function: Any) -> bool:
    """Return whether calling it gives a coroutine, also for an object that is called."""
    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - a callable object


def _unfinished(value: Any, joined: str) -> str:
    """Return the advice for a generator; close it, and a coroutine that nobody awaited."""
    if isgenerator(value) or isasyncgen(value):
        if isgenerator(value):
            value.close()
        return f"; join what it yields {joined}"
    if isinstance(value, Coroutine):
        value.close()
    return ""
