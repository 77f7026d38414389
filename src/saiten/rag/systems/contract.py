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
from typing import Any, TypeVar

from saiten.errors import CallFailed, SystemFailed
from saiten.models.http_client import CHARGED
from saiten.models.layers import Layer, Load, likely_tokens, through
from saiten.protocols import Completion
from saiten.rag.systems.passages import read_passages
from saiten.rag.systems.plain_values import answer_text, count_of, names_in, number_of, text_of
from saiten.records import Answer, Inquiry, Retrieved, Usage

A = TypeVar("A", Answer, Retrieved)

_ANSWER = ("answer", "response", "output")
CONTEXTS = ("contexts", "documents", "retrieved_contexts")
"""Names of the passages."""


def question_object(inquiry: Inquiry) -> dict[str, Any]:
    """Return the question as sent."""
    return {
        "question": inquiry.question,
        "id": inquiry.id,
        "session": inquiry.session,
        "history": [turn.to_json() for turn in inquiry.history],
        "language": inquiry.language,
    }


def read_answer(value: Any) -> Answer:
    """Read the answer from a system's reply: a text, an object, an `Answer`, or a pair of answer and contexts.

    Raises:
        ValueError: it is none of them; the message says what was expected.
    """
    if isinstance(value, Answer):
        seconds = number_of(value.seconds)
        seconds = None if seconds is None or seconds < 0 else seconds
        found = Answer(text_of(value.text, "answer"), read_passages(value.contexts), seconds, value.usage, value.calls)
        return found if found.usage.calls or found.usage.reused else replace(found, usage=CHARGED)
    if isinstance(value, tuple) and len(value) == 2:
        return Answer(answer_text(value[0], "answer"), read_passages(value[1]), usage=CHARGED)
    if not isinstance(value, Mapping):
        return Answer(answer_text(value, "answer"), usage=CHARGED)
    name = next((name for name in _ANSWER if name in value), None)
    if name is None:
        raise ValueError(f"expected an object with `answer`, got one with {names_in(value)}")
    contexts = next((value[name] for name in CONTEXTS if name in value), None)
    return Answer(answer_text(value[name], name), read_passages(contexts), usage=read_usage(value.get("usage")))


def read_usage(value: Any) -> Usage:
    """Read what a reply reports of its cost; without a report, one call of unknown cost."""
    if not isinstance(value, Mapping):
        return CHARGED
    calls = count_of(value.get("calls"))
    calls = 1 if calls is None else calls
    tokens = (count_of(value.get("prompt_tokens")) or 0, count_of(value.get("completion_tokens")) or 0)
    cached = count_of(value.get("cached_tokens")) or 0
    usage = Usage(calls, *tokens, cached_tokens=cached if cached <= tokens[0] else 0)
    cost = number_of(value.get("cost"))
    return replace(usage, unpriced=calls) if cost is None or cost < 0 else replace(usage, cost=cost)


async def ask(around: Sequence[Layer], attempt: Callable[[], Awaitable[Answer]], inquiry: Inquiry) -> Answer:
    """Return the answer of the successful attempt, with the usage of all; its seconds are that attempt's alone.

    Waiting for a slot or before a retry therefore does not count as the system's latency.

    Raises:
        SystemFailed: no attempt succeeded.
        ConfigurationError, BudgetSpent: passed on.
    """
    try:
        return await last_of(around, attempt, inquiry.question)
    except CallFailed as error:
        raise SystemFailed(str(error), error.kind, error.usage) from error


async def last_of(around: Sequence[Layer], attempt: Callable[[], Awaitable[A]], text: str) -> A:
    """Return what the successful attempt to send a text returned, with the usage of all attempts.

    Raises:
        CallFailed: no attempt succeeded.
    """
    found: list[A] = []

    async def one() -> Completion:
        found.append(await attempt())
        return Completion("", found[-1].usage)  # layers only use the usage

    done = await through(around, one, Load(likely_tokens([text])))
    return replace(found[-1], usage=done.usage)
