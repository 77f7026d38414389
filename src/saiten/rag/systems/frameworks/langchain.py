"""LangChain and LangGraph objects as systems under test: chains, chat models, agents and graphs.

They are called with `ainvoke`, or in threads with `invoke`. Contexts are the documents in the output or, without any
there, those that the retrievers returned on the way. A conversation is passed as messages where the input has a
place for them, and its session as `thread_id` and `session_id` in the configuration.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from saiten.models.http_client import CHARGED
from saiten.rag.systems.frameworks.langchain_input import input_of
from saiten.rag.systems.frameworks.langchain_output import read_output
from saiten.rag.systems.frameworks.langchain_watch import watching
from saiten.rag.systems.frameworks.object_options import ObjectOptions, package
from saiten.rag.systems.loading import load_object
from saiten.rag.systems.passages import read_passages
from saiten.records import Answer, Inquiry, Turn

PREFIX = "langchain"
INSTALL = "langchain-core"
_EXPECTED = "a chain, chat model, agent or graph that can be invoked; a retriever is for --retriever"


class LangChainObject:
    """A Runnable; an `EntryPoint`."""

    one_at_a_time = False

    def __init__(self, spec: str, options: Mapping[str, Any]) -> None:
        """Load the object.

        Raises:
            ConfigurationError: LangChain or the object is missing, it is no such object, or its input is not known.
        """
        runnable = package("langchain_core.runnables", INSTALL).Runnable
        retriever = package("langchain_core.retrievers", INSTALL).BaseRetriever
        loaded = load_object(
            spec, PREFIX, _EXPECTED, lambda each: isinstance(each, runnable) and not isinstance(each, retriever)
        )
        self._options = ObjectOptions.read(options, loaded.name)
        self._object = loaded.value
        self._input = input_of(loaded.value, self._options, loaded.name)
        self._remembers = bool(getattr(loaded.value, "checkpointer", None))
        self._process = uuid4().hex[:8]
        self._begun: set[str] = set()
        self.name = loaded.name
        self.file = loaded.file
        self.is_async = self._options.is_async

    def describe(self) -> Mapping[str, str]:
        return self._options.described()

    @property
    def doubt(self) -> str:
        """What may be wrong if a call fails because of its input."""
        if not self._input.guessed:
            return ""
        return (
            "it was called with the question as a text, since its input schema says nothing; if it takes an object, "
            "name the key of the question: --system-option question=KEY"
        )

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        history, session = self._conversation(inquiry)
        watch = watching()
        config = {"configurable": {"thread_id": session, "session_id": session}, "callbacks": [watch]}
        given = self._input.of(inquiry, history)
        if self.is_async:
            return partial(self._invoke_later, given, config, watch)
        return lambda: (self._object.invoke(given, config), watch)

    def read(self, value: Any) -> Answer:
        output, watch = value
        found = read_output(output, self._options)
        contexts = read_passages(watch.documents, "documents") if found.contexts is None else found.contexts
        return replace(found, contexts=contexts, usage=watch.usage or CHARGED)

    async def _invoke_later(self, given: Any, config: Any, watch: Any) -> Any:
        return await self._object.ainvoke(given, config), watch

    def _conversation(self, inquiry: Inquiry) -> tuple[tuple[Turn, ...], str]:
        """Return the history to pass, and the session.

        A graph with a checkpointer remembers what it was asked in a thread, so that it gets the history only once. The
        thread is one of this process: what an earlier one left there, or lost, is not known.
        """
        if not inquiry.session:
            return inquiry.history, uuid4().hex
        if not self._remembers:
            return inquiry.history, inquiry.session
        thread = f"{inquiry.session}-{self._process}"
        history = () if thread in self._begun else inquiry.history
        self._begun.add(thread)
        return history, thread
