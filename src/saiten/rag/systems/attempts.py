"""One question through the layers that also stand around requests to models: retries, limits, the budget."""

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
    """An attempt that brought no answer, for the layers to see; `SystemFailed` is what comes out of them."""

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
    """The answer of the attempt that succeeds, with the usage of all; its seconds are that attempt's own.

    So neither a wait for a free place nor one before another attempt counts as the system's latency.

    Raises:
        SystemFailed: no attempt brought an answer.
        ConfigurationError, BudgetSpent: as they come.
    """
    answers: list[Answer] = []

    async def one() -> Completion:
        answer = await attempt()
        answers.append(answer)
        return Completion("", answer.usage)  # layers look at the usage alone

    try:
        told = await through(around, one, Load(likely_tokens([inquiry.question])))
    except CallFailed as error:
        raise SystemFailed(str(error), _kind(error), error.usage) from error
    return replace(answers[-1], usage=told.usage)


def _kind(error: CallFailed) -> Kind:
    """Of the last attempt: retries that give up raise an error of their own, caused by it."""
    return next((each.kind for each in (error, error.__cause__) if isinstance(each, Trouble)), "failed")
