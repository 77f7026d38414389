"""The contract with your system: the object in which questions are sent, and the accepted answers.

A question is `{"question", "id", "session", "history": [{"question", "answer"}, …], "language"}`. An answer is a text,
or an object with

- `answer` (also `response` or `output`): a text; "" is an empty answer,
- `contexts` (also `documents` or `retrieved_contexts`), optional: the passages used, in rank order, each a text or an
  object with `text` (also `content` or `page_content`), `source`, `score`, `start` and `end`,
- `usage`, optional: `calls`, `prompt_tokens`, `cached_tokens` (those of the prompt tokens that the server had in its
  prompt cache), `completion_tokens`, `cost`.

Of several names the first one present counts. Anything but a text where one is required is refused; impossible numbers
in `usage` or scores count as missing.

Questions are sent through the layers that are also used for models: retries, limits, the budget.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from saiten.errors import CallFailed, SystemFailed
from saiten.models.http_client import CHARGED
from saiten.models.layers import Layer, Load, likely_tokens, through
from saiten.protocols import Completion
from saiten.records import Answer, Inquiry, Passage, Usage
from saiten.text.normalization import without_surrogates

_ANSWER = ("answer", "response", "output")
_CONTEXTS = ("contexts", "documents", "retrieved_contexts")
_TEXT = ("text", "content", "page_content")

_MOST = 2**40
"""More tokens, calls or characters than are plausible."""
_NAMES_SHOWN = 10


def question_object(inquiry: Inquiry) -> dict[str, Any]:
    """Return the question as sent."""
    return {
        "question": inquiry.question,
        "id": inquiry.id,
        "session": inquiry.session,
        "history": [{"question": turn.question, "answer": turn.answer} for turn in inquiry.history],
        "language": inquiry.language,
    }


def read_answer(value: Any) -> Answer:
    """Read the answer from a system's reply: a text, an object, an `Answer`, or a pair of answer and contexts.

    Raises:
        ValueError: it is none of them; the message says what was expected.
    """
    if isinstance(value, Answer):
        seconds = _number(value.seconds)
        seconds = None if seconds is None or seconds < 0 else seconds
        found = Answer(_text(value.text, "answer"), _passages(value.contexts), seconds, value.usage, value.calls)
        return found if found.usage.calls or found.usage.reused else replace(found, usage=CHARGED)
    if isinstance(value, tuple) and len(value) == 2:
        return Answer(_text(value[0], "answer"), _passages(value[1]), usage=CHARGED)
    if not isinstance(value, Mapping):
        return Answer(_text(value, "answer"), usage=CHARGED)
    name = next((name for name in _ANSWER if name in value), None)
    if name is None:
        raise ValueError(f"expected an object with `answer`, got one with {_names(value)}")
    contexts = next((value[name] for name in _CONTEXTS if name in value), None)
    return Answer(_text(value[name], name), _passages(contexts), usage=_usage(value.get("usage")))


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"`{name}` must be a text, got {_kind_of(value)}")  # noqa: TRY004 - the input is at fault
    return without_surrogates(value)


def _passages(value: Any) -> tuple[Passage, ...] | None:
    if value is None:
        return None
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise ValueError(f"`contexts` must be a list, got {_kind_of(value)}")  # noqa: TRY004
    return tuple(_passage(item, f"contexts[{number}]") for number, item in enumerate(value))


def _passage(item: Any, place: str) -> Passage:
    if isinstance(item, str):
        return Passage(_text(item, place))
    if isinstance(item, Passage):
        return replace(item, text=_text(item.text, place), source=_text(item.source, place), score=_number(item.score))
    if hasattr(item, "page_content"):  # a document of LangChain's, from a Python function
        item = {"text": item.page_content, "metadata": getattr(item, "metadata", None)}
    if not isinstance(item, Mapping):
        raise ValueError(f"`{place}` must be a text or an object with `text`, got {_kind_of(item)}")  # noqa: TRY004
    name = next((name for name in _TEXT if name in item), None)
    if name is None:
        raise ValueError(f"`{place}` is an object with {_names(item)}; expected `text` in it")
    metadata = item.get("metadata")
    source = item.get("source", metadata.get("source") if isinstance(metadata, Mapping) else None)
    return Passage(
        _text(item[name], f"{place}.{name}"),
        "" if source is None else _text(source if isinstance(source, str) else str(source), f"{place}.source"),
        _number(item.get("score")),
        _count(item.get("start")),
        _count(item.get("end")),
    )


def _usage(value: Any) -> Usage:
    if not isinstance(value, Mapping):
        return CHARGED
    calls = _count(value.get("calls"))
    calls = 1 if calls is None else calls
    tokens = (_count(value.get("prompt_tokens")) or 0, _count(value.get("completion_tokens")) or 0)
    cached = _count(value.get("cached_tokens")) or 0
    usage = Usage(calls, *tokens, cached_tokens=cached if cached <= tokens[0] else 0)
    cost = _number(value.get("cost"))
    return replace(usage, unpriced=calls) if cost is None or cost < 0 else replace(usage, cost=cost)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST else None


def _number(value: Any) -> float | None:
    """Return a finite number, including NumPy's; NaN, infinities and other types count as missing."""
    if value is None or isinstance(value, str | bytes | bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _kind_of(value: Any) -> str:
    """Describe a value's type in a word or two."""
    if value is None:
        return "nothing (null, None)"
    if type(value) is tuple:
        return f"a tuple of {len(value)}"
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def _names(value: Mapping[Any, Any]) -> str:
    names = [f"`{str(name)[:40]}`" for name in list(value)[:_NAMES_SHOWN]]
    return ", ".join(names) + (", …" if len(value) > _NAMES_SHOWN else "") if names else "nothing in it"


async def ask(around: Sequence[Layer], attempt: Callable[[], Awaitable[Answer]], inquiry: Inquiry) -> Answer:
    """Return the answer of the successful attempt, with the usage of all; its seconds are that attempt's alone.

    Waiting for a slot or before a retry therefore does not count as the system's latency.

    Raises:
        SystemFailed: no attempt succeeded.
        ConfigurationError, BudgetSpent: passed on.
    """
    answers: list[Answer] = []

    async def one() -> Completion:
        answer = await attempt()
        answers.append(answer)
        return Completion("", answer.usage)  # layers only use the usage

    try:
        done = await through(around, one, Load(likely_tokens([inquiry.question])))
    except CallFailed as error:
        raise SystemFailed(str(error), error.kind, error.usage) from error
    return replace(answers[-1], usage=done.usage)
