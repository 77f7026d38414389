"""A question sent through the layers also used for models: retries, limits, the budget."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from saiten.errors import CallFailed, SystemFailed
from saiten.models.layers import Layer, Load, likely_tokens, through
from saiten.protocols import Completion
from saiten.records import Answer, Inquiry


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
