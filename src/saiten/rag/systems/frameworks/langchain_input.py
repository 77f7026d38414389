"""The input of a LangChain object: which key takes the question, and whether it takes messages.

It is found in the object's input schema. LangGraph's state cannot always be put into a schema; then the names of its
fields count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.frameworks.object_options import HISTORIES, QUESTIONS, ObjectOptions, package
from saiten.records import Inquiry, Turn

_MESSAGES = "messages"


@dataclass(frozen=True, slots=True)
class LangChainInput:
    """How an inquiry is passed."""

    question: str | None
    """The key of the question; None if it is the whole input."""
    in_messages: bool = False
    """Whether the question is the last of a list of messages, which begins with the history."""
    history: str | None = None
    """The key of the earlier messages, if they have one of their own."""
    history_as_text: bool = False
    guessed: bool = False
    """Whether the schema says nothing, so that the question is passed as a plain text by convention."""

    def of(self, inquiry: Inquiry, history: tuple[Turn, ...]) -> Any:
        """Return the input for this question after this history."""
        if self.in_messages:
            value: Any = [*_messages(history), _message("HumanMessage", inquiry.question)]
        else:
            value = inquiry.question
        if self.question is None:
            return value
        given = {self.question: value}
        if self.history is not None:
            given[self.history] = _transcript(history) if self.history_as_text else _messages(history)
        return given


def input_of(value: Any, options: ObjectOptions, name: str) -> LangChainInput:
    """Find out how the object is asked.

    Raises:
        ConfigurationError: it needs more than a question and a history, or its question cannot be told from other
            inputs; the text shows the inputs and how to name one.
    """
    if hasattr(value, "get_session_history"):  # RunnableWithMessageHistory declares its key, and keeps the history
        key = options.question or value.input_messages_key
        return LangChainInput(key, in_messages=key is None)
    schema = _schema_of(value)
    properties: Mapping[str, Any] = schema.get("properties", {})
    if options.question == "":
        return LangChainInput(None)
    if options.question is None and not properties:
        return _whole_input(schema)
    question = options.question or _question_among(properties, name)
    is_list = properties.get(question, {}).get("type") == "array" or (question == _MESSAGES and not options.history)
    history = options.history or next((each for each in HISTORIES if each in properties and each != question), None)
    needed = {*schema.get("required", ())} - {question, history}
    if needed:
        raise ConfigurationError(
            f"{name} requires {_listed(sorted(needed))} in addition to {question}, which saiten does not have; name "
            "the chain that retrieves and fills these in, or a function around it (python:FILE.py:FUNCTION)"
        )
    as_text = history is not None and properties.get(history, {}).get("type") == "string"
    return LangChainInput(question, in_messages=is_list, history=history, history_as_text=as_text)


def _whole_input(schema: Mapping[str, Any]) -> LangChainInput:
    """Return the way for an input without keys: a text, or messages as chat models take them."""
    forms = [each.get("type") for each in schema.get("anyOf", ())]
    if "array" in forms:
        return LangChainInput(None, in_messages=True)
    return LangChainInput(None, guessed=schema.get("type") != "string" and "string" not in forms)


def _schema_of(value: Any) -> Mapping[str, Any]:
    """Return the JSON schema of the input; a graph's fields are all optional."""
    graph = getattr(value, "builder", None)
    state = getattr(graph, "input_schema", None)
    fields = getattr(state, "__annotations__", None)
    if isinstance(fields, Mapping) and hasattr(value, "input_channels"):
        return {"properties": {name: {"type": "array"} if name == _MESSAGES else {} for name in _all_fields(state)}}
    try:
        schema = value.get_input_jsonschema()
    except Exception:  # noqa: BLE001 - a type that has no schema; then nothing is known
        return {}
    found = schema if isinstance(schema, Mapping) else {}
    reference = str(found.get("$ref", "")).rpartition("/")[2]
    return found.get("$defs", {}).get(reference, found) if reference else found


def _all_fields(state: Any) -> list[str]:
    """Return the fields of a TypedDict, a dataclass or a pydantic model, with inherited ones."""
    return list(dict.fromkeys(name for base in state.__mro__ for name in getattr(base, "__annotations__", ())))


def _question_among(properties: Mapping[str, Any], name: str) -> str:
    known = next((each for each in (*QUESTIONS, _MESSAGES) if each in properties), None)
    if known is not None:
        return known
    if len(properties) == 1:
        return next(iter(properties))
    raise ConfigurationError(
        f"{name} takes {_listed(properties)}, and none of these is known as the question; name it: "
        f"--system-option question={next(iter(properties))}"
    )


def _listed(names: Any) -> str:
    return ", ".join(map(str, names))


def _messages(history: tuple[Turn, ...]) -> list[Any]:
    both = ((_message("HumanMessage", turn.question), _message("AIMessage", turn.answer)) for turn in history)
    return [message for pair in both for message in pair]


def _message(kind: str, text: str) -> Any:
    return getattr(package("langchain_core.messages", "langchain-core"), kind)(content=text)


def _transcript(history: tuple[Turn, ...]) -> str:
    """Write the history as LangChain's memories do."""
    return "\n".join(f"Human: {turn.question}\nAI: {turn.answer}" for turn in history)
