"""Conversations as questions and answers: each answer with its question and what was said before."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from saiten.data.chat_messages import as_messages, read_message
from saiten.data.values import as_object, as_text, is_list, is_nothing, listed
from saiten.records import Turn

ChatUse = Literal["answers", "questions", "conversations", "openings"]
"""What a chat log is read for: each answer with its history, each question whether or not it was answered, each
conversation as a whole, or the question that each begins with."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said between two answers, and the next answer."""

    question: str
    """Consecutive messages joined by blank lines; empty for a greeting of the assistant."""
    answer: str | None = None
    """None if the conversation ends with the question."""
    contexts: tuple[str, ...] | None = None
    """What was retrieved for it, in order, without repetitions; None if the messages do not say."""
    references: tuple[str, ...] = ()

    @property
    def turn(self) -> Turn:
        """The exchange as an element of a history."""
        return Turn(self.question, self.answer or "")


@dataclass
class ChatNotes:
    """What a chat log has that is not graded, for one note each at its end."""

    greetings: int = 0
    unanswered: int = 0
    references: int = 0
    histories: int = 0

    def tell(self, name: str, notify: Callable[[str], None]) -> None:
        """Pass on the notes."""
        for which, note in _NOTES.items():
            if count := getattr(self, which):
                notify(f"{name}: {note.format(n=count)}")


_NOTES = {
    "greetings": "conversations that begin with the assistant: {n}; what it says before the first question is shown to "
    "the judge, but not graded",
    "unanswered": "conversations that end with a question without an answer: {n}; that question is left out",
    "references": "conversations with a reference and several answers: {n}; the reference belongs to the whole and not "
    "to one of the answers, so that only `saiten converse --system recorded` uses it",
    "histories": "rows whose history is a text: {n}; it is not shown to the judge, since it is no list of messages or "
    "of questions and answers",
}


def read_exchanges(messages: Sequence[Any]) -> list[Exchange]:
    """Return the questions with their answers, in order.

    A message of the user that follows an answer begins a new exchange; until then, consecutive messages of one side
    are joined by blank lines. An answer is empty if all the assistant said is an empty text.

    Raises:
        ValueError: a message is none, or has an unknown role; the text begins with its number.
    """
    found: list[_Unfinished] = []
    for number, value in enumerate(messages, 1):
        message = read_message(value, number)
        asks = message.role == "user" and bool((message.text or "").strip())
        if not found or (asks and found[-1].answers):
            found.append(_Unfinished())
        now = found[-1]
        if asks:
            now.questions.append(message.text or "")
        elif message.role == "assistant" and message.text is not None:
            now.answers.append(message.text)
        if message.contexts is not None:
            now.contexts = [*(now.contexts or ()), *message.contexts]
        now.references += message.references
    return [each.exchange() for each in found if each.questions or each.answers]


@dataclass
class _Unfinished:
    questions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    contexts: list[str] | None = None
    references: tuple[str, ...] = ()

    def exchange(self) -> Exchange:
        said = [answer for answer in self.answers if answer.strip()] or self.answers[:1]
        return Exchange(
            "\n\n".join(self.questions),
            "\n\n".join(said) if said else None,
            None if self.contexts is None else tuple(dict.fromkeys(self.contexts)),
            tuple(dict.fromkeys(self.references)),
        )


class RowChat(NamedTuple):
    """The messages of a row."""

    field: Literal["question", "messages"]
    """Where they are."""
    messages: list[Any]
    is_log: bool
    """Whether each of their answers counts; otherwise they are a request, and end with the question."""


def chat_in(given: Mapping[str, Any]) -> RowChat | None:
    """Return the messages of a row; None if it has no chat.

    Messages with an answer next to them are a request. So are those under a name of the question (`inputs`, `request`,
    `user_input`), unless they end with an answer. A row with both a question and an answer has all it needs; its
    messages are not read.

    Raises:
        ValueError: what should be messages is a list of something else.
    """
    answered = not is_nothing(given.get("answer"))
    asked = as_messages(given.get("question"))
    if asked is not None:
        return RowChat("question", asked, not answered and _ends_with_answer(asked))
    messages = given.get("messages")
    if is_nothing(messages) or (answered and not is_nothing(given.get("question"))):
        return None
    read = as_messages(messages)
    if read is not None:
        return RowChat("messages", read, not answered)
    items = listed(as_object(messages))
    listing = len(items) if is_list(items) else isinstance(items, str) and items.lstrip()[:1] in {"[", "{"}
    if listing and not answered and is_nothing(given.get("question")):
        raise ValueError("the messages are not a list, or its JSON, of objects with a role and a content")
    return None


def _ends_with_answer(messages: Sequence[Any]) -> bool:
    exchanges = read_exchanges(messages)
    return bool(exchanges) and exchanges[-1].answer is not None


def read_request(messages: Sequence[Any], answer: str | None) -> tuple[tuple[Turn, ...], Exchange]:
    """Return the history and the last exchange, whose answer is the one next to the messages.

    Raises:
        ValueError: they do not end with a question, or end with another answer.
    """
    *before, last = read_exchanges(messages) or [Exchange("")]
    if last.answer is not None and answer is not None and last.answer.strip() != answer.strip():
        raise ValueError("the messages end with an answer that is not the one given with them; leave out one of them")
    if not last.question.strip():
        raise ValueError("there is no message of a user")
    return tuple(each.turn for each in before), replace(last, answer=answer)


def with_histories(exchanges: Sequence[Exchange]) -> Iterator[tuple[tuple[Turn, ...], Exchange]]:
    """Yield each exchange that has a question, after what was said before."""
    for at, exchange in enumerate(exchanges):
        if exchange.question.strip():
            yield tuple(each.turn for each in exchanges[:at]), exchange


def as_history(value: Any, question: str) -> tuple[Turn, ...] | None:
    """Return the turns of a column `history`; None for a text.

    It is a list of objects with question and answer, of pairs, or of messages, or the JSON of such a list. If messages
    end with the current question, it is left out.

    Raises:
        ValueError: an element is something else.
    """
    items = _parsed(value) if isinstance(value, str) else value
    if is_nothing(items) or (isinstance(items, str) and not items.strip()):
        return ()
    if not is_list(items):
        return None
    messages = as_messages(items)
    if messages is not None:
        exchanges = read_exchanges(messages)
        if exchanges and exchanges[-1].answer is None and exchanges[-1].question.strip() == question.strip():
            exchanges.pop()
        return tuple(each.turn for each in exchanges)
    return tuple(_turn(item, number) for number, item in enumerate(items, 1))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] == "[" else text
    except (ValueError, RecursionError):
        return text


def _turn(item: Any, number: int) -> Turn:
    if isinstance(item, Mapping) and {"question", "answer"} <= item.keys():
        said = item["question"], item["answer"]
    elif is_list(item) and len(item) == 2:
        said = item[0], item[1]
    else:
        raise ValueError(
            f"history: turn {number} is none: expected an object with question and answer, a pair, or a message with "
            "role and content"
        )
    return Turn(as_text(said[0]) or "", as_text(said[1]) or "")
