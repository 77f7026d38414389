"""What LangChain objects return: texts, messages, and objects with an answer, documents or messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from saiten.rag.systems.frameworks.object_options import ANSWERS, CONTEXTS, ObjectOptions
from saiten.rag.systems.passages import is_document, read_passages
from saiten.rag.systems.plain_values import answer_text, names_in
from saiten.records import Answer, Passage


def read_output(value: Any, options: ObjectOptions) -> Answer:
    """Read the answer and its contexts; the usage is not part of what is returned.

    Raises:
        ValueError: there is no answer in it; the message says what was expected and what came.
    """
    if not isinstance(value, Mapping):
        if isinstance(value, Sequence) and not isinstance(value, str) and any(map(is_document, value)):
            raise ValueError("documents, as a retriever's; expected a chain that answers (a retriever: --retriever)")
        return Answer(_text(value, "its output"))
    messages = value.get("messages")
    turn = _last_turn(messages) if isinstance(messages, Sequence) and not isinstance(messages, str) else []
    name = options.answer or next((each for each in ANSWERS if value.get(each) is not None), None)
    if name is not None and name in value:
        text = _text(value[name], name)
    elif turn and options.answer is None:
        text = _text(turn[-1], "messages[-1]")
    else:
        expected = f"`{options.answer}`" if options.answer else "an answer"
        raise ValueError(
            f"expected {expected} in an object with {names_in(value)}; name its key with --system-option answer=KEY"
        )
    return Answer(text, _contexts(value, turn, options, without=name))


def _contexts(
    value: Mapping[Any, Any], turn: Sequence[Any], options: ObjectOptions, *, without: str | None
) -> tuple[Passage, ...] | None:
    """Return the documents of the object, or those that its tools attached to their messages of this turn."""
    name = options.contexts or next((each for each in CONTEXTS if each in value and each != without), None)
    if name is not None:
        if name not in value:
            raise ValueError(f"there is no `{name}` for the contexts, only {names_in(value)}")
        found = value[name]
        return read_passages([found] if isinstance(found, str) or is_document(found) else found, name)
    attached = [getattr(message, "artifact", None) for message in turn]
    documents = [each for artifact in attached if isinstance(artifact, list | tuple) for each in artifact]
    return read_passages(documents, "artifact") if documents and all(map(is_document, documents)) else None


def _last_turn(messages: Sequence[Any]) -> list[Any]:
    """Return the messages after the last question."""
    asked = [number for number, each in enumerate(messages) if getattr(each, "type", None) == "human"]
    return list(messages[asked[-1] + 1 if asked else 0 :])


def _text(value: Any, name: str) -> str:
    """Return the text of a text or of the model's message."""
    if getattr(value, "type", "ai") in {"human", "system", "tool", "function"}:
        raise ValueError(f"`{name}` is a message of type {value.type}; expected the model's")
    return answer_text(value, name)
