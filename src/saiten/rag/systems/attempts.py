"""A question sent through the layers also used for models: retries, limits, the budget."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal

from saiten.errors import CallFailed, SystemFailed
from saiten.models import Layer, Load
from saiten.models.layers import likely_tokens, through
from saiten.protocols import Completion
from saiten.records import Answer, Inquiry, Usage

Kind = Literal["failed", "timeout", "unreadable"]


class Trouble(CallFailed):
    """A failed attempt, as seen by the layers; callers get `SystemFailed`."""

    def __init__(
        self,
        message: str,
        kind: Kind = "failed",
        usage: Usage | None = None,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message, usage, retryable=retryable, retry_after=retry_after, status=status)
        self.kind: Kind = kind


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
        raise SystemFailed(str(error), _kind(error), error.usage) from error
    return replace(answers[-1], usage=done.usage)


def _kind(error: CallFailed) -> Kind:
    """Return the kind of the last attempt; retries that give up raise a new error caused by it."""
    return next((each.kind for each in (error, error.__cause__) if isinstance(each, Trouble)), "failed")
