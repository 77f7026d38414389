"""LlamaIndex objects as systems under test: query engines, chat engines, agents and other workflows.

They are asked with `aquery`, `achat` and `run`, or in threads with `query` and `chat`. A chat engine has one memory,
which is set to the history with each question, so that it is asked one question at a time.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.http_client import CHARGED
from saiten.rag.systems.contract import read_answer
from saiten.rag.systems.frameworks.object_options import QUESTIONS, ObjectOptions, package
from saiten.rag.systems.loading import load_object
from saiten.rag.systems.passages import read_passages
from saiten.rag.systems.plain_values import answer_text
from saiten.records import Answer, Inquiry, Passage, Turn

PREFIX = "llamaindex"
INSTALL = "llama-index-core"
_EXPECTED = (
    "a query engine, chat engine, agent or workflow (index.as_query_engine(), index.as_chat_engine(); a retriever is "
    "for --retriever)"
)


class LlamaIndexObject:
    """A query engine, a chat engine or a workflow; an `EntryPoint`."""

    doubt = ""

    def __init__(self, spec: str, options: Mapping[str, Any]) -> None:
        """Load the object.

        Raises:
            ConfigurationError: LlamaIndex or the object is missing, it is no such object, or it is not known how to
                pass a question to the workflow.
        """
        engine = package("llama_index.core.base.base_query_engine", INSTALL).BaseQueryEngine
        chat = package("llama_index.core.chat_engine.types", INSTALL).BaseChatEngine
        workflow = package("llama_index.core.workflow", INSTALL).Workflow
        loaded = load_object(spec, PREFIX, _EXPECTED, lambda each: isinstance(each, (engine, chat, workflow)))
        self._options = ObjectOptions.read(options, loaded.name)
        self._object = loaded.value
        self._chats = self.one_at_a_time = isinstance(loaded.value, chat)
        runs = isinstance(loaded.value, workflow)
        self._keyword = _keyword_of(loaded.value, self._options, loaded.name) if runs else ""
        self._retrieves = not isinstance(
            loaded.value, package("llama_index.core.chat_engine", INSTALL).SimpleChatEngine
        )
        self.name = loaded.name
        self.file = loaded.file
        self.is_async = runs or (self._options.is_async and not _blocks(loaded.value))

    def describe(self) -> Mapping[str, str]:
        return self._options.described()

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        if self._keyword:
            return lambda: self._run(inquiry)
        if self.is_async:
            return lambda: self._ask_later(inquiry)
        return lambda: self._ask(inquiry)

    def read(self, value: Any) -> Answer:
        found = _read(value)
        return found if self._retrieves else replace(found, contexts=None)

    async def _run(self, inquiry: Inquiry) -> Any:
        given: dict[str, Any] = {self._keyword: inquiry.question}
        if self._options.history or self._keyword == _AGENTS:
            given[self._options.history or "chat_history"] = _messages(inquiry.history)
        handler = self._object.run(**given)
        result = asyncio.ensure_future(handler)
        try:
            return await _whole(await asyncio.shield(result))  # a canceled wait alone would leave its steps running
        except asyncio.CancelledError:
            await handler.cancel_run()
            await asyncio.gather(result, return_exceptions=True)
            raise

    async def _ask_later(self, inquiry: Inquiry) -> Any:
        if self._chats:
            return await self._object.achat(inquiry.question, chat_history=_messages(inquiry.history))
        return await _whole(await self._object.aquery(inquiry.question))

    def _ask(self, inquiry: Inquiry) -> Any:
        if self._chats:
            return self._object.chat(inquiry.question, chat_history=_messages(inquiry.history))
        value = self._object.query(inquiry.question)
        return value.get_response() if _streams(value) else value


_AGENTS = "user_msg"
"""The keyword of agents' `run`."""


def _keyword_of(workflow: Any, options: ObjectOptions, name: str) -> str:
    """Return the keyword of the question in `run`; agents and start events with fields of their own declare it."""
    if options.question:
        return options.question
    event = workflow.start_event_class
    agents = package("llama_index.core.agent.workflow.workflow_events", INSTALL).AgentWorkflowStartEvent
    if issubclass(event, agents):
        return _AGENTS
    fields = list(getattr(event, "model_fields", ()))
    known = next((each for each in QUESTIONS if each in fields), None)
    if known is None:
        declared = f"its start event has {', '.join(fields)}" if fields else "its start event declares no field"
        raise ConfigurationError(
            f"{name} is a workflow, and {declared}; name the keyword of the question in run(…): "
            "--system-option question=query"
        )
    return known


def _blocks(value: Any) -> bool:
    """Return whether its asynchronous method only calls the synchronous one, and so blocks all others."""
    custom = package("llama_index.core.query_engine", INSTALL).CustomQueryEngine
    return isinstance(value, custom) and type(value).acustom_query is custom.acustom_query


def _streams(value: Any) -> bool:
    """Return whether the answer has yet to be generated, by a documented `get_response`."""
    return hasattr(value, "response_gen") and hasattr(value, "get_response")


async def _whole(value: Any) -> Any:
    """Return the answer of a streaming engine when it is complete."""
    if not _streams(value):
        return value
    response = value.get_response()
    return await response if hasattr(response, "__await__") else response


def _messages(history: tuple[Turn, ...]) -> list[Any]:
    message = package("llama_index.core.llms", INSTALL).ChatMessage
    pairs = (((turn.question, "user"), (turn.answer, "assistant")) for turn in history)
    return [message(content=text, role=role) for pair in pairs for text, role in pair]


def _read(value: Any) -> Answer:
    """Read a response with its source nodes, an agent's output, or what the user's own workflow returns."""
    if not hasattr(value, "response"):
        return read_answer(value)
    # of an agent's output, the response is a message; that of an engine may be an object with a schema
    said = value.response if hasattr(value, "tool_calls") else value
    return Answer(answer_text(said, "response"), _sources(value), usage=CHARGED)


def _sources(value: Any) -> tuple[Passage, ...] | None:
    """Return the nodes of a response, or those of the responses that an agent's tools returned."""
    nodes = getattr(value, "source_nodes", None)
    if nodes is not None:
        return read_passages(nodes, "source_nodes")
    outputs = (getattr(call, "tool_output", None) for call in getattr(value, "tool_calls", None) or ())
    found = [getattr(getattr(output, "raw_output", None), "source_nodes", None) for output in outputs]
    known = [node for nodes in found if nodes is not None for node in nodes]
    return read_passages(known, "source_nodes") if any(nodes is not None for nodes in found) else None
