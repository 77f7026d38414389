"""Rehearsing without a model: the usage that a run would have."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saiten.errors import CannotJudge
from saiten.judges.joining import Joins
from saiten.judges.tidying import tidy
from saiten.judges.wrappers import JudgeWrapper
from saiten.models.prices import Price
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import ChatMessage, Judge, R, Task
from saiten.records import Usage
from saiten.tasks.similarity import MeasureSimilarity

_TOKENS_PER_MESSAGE = 4
"""Approximate tokens for role and separators in common chat templates."""
_SHORT_REPLY = 50
"""Tokens of a verdict with a sentence, for tasks the stand-in cannot judge."""


@dataclass(frozen=True)
class Rehearsal(JudgeWrapper):
    """Performs tasks with a stand-in, for `--dry-run`, and reports the usage a model would have had.

    An estimate: one call per task, no repairs, no reasoning; tokens by `estimate_tokens`; embeddings count nothing. The
    number of later steps (such as verdicts on statements) follows from the stand-in's replies.
    """

    judge: Judge
    """The stand-in, usually the offline judge."""
    prompts: Prompts = BUILT_IN
    price: Price | None = None
    """The price of each call; None if it is unknown."""
    separate_calls: bool = False
    """Count one call per task, as `LLMJudge.separate_calls` makes."""

    @property
    def joins(self) -> Joins | None:
        return None if self.separate_calls else Joins.of(self.prompts)

    async def perform(self, task: Task[R]) -> R:
        """Return the stand-in's reply, or raise its error, with the usage a model would have had."""
        try:
            reply = await self.judge.perform(task)
        except CannotJudge as error:
            error.usage = self._usage(task, _SHORT_REPLY)
            raise
        if isinstance(task, MeasureSimilarity):
            return reply.with_usage(Usage())
        answered = json.dumps(tidy(reply.model_dump(), type(reply)), ensure_ascii=False)
        return reply.with_usage(self._usage(task, estimate_tokens(answered)))

    async def preflight(self) -> None:
        """Do nothing: there is no server."""

    def _usage(self, task: Task[Any], answered: int) -> Usage:
        return estimate_usage(self.prompts.render(task), answered, self.price)


def estimate_usage(messages: Sequence[ChatMessage], answered: int, price: Price | None) -> Usage:
    """Estimate the usage of one call; `answered`: the tokens of the reply, `price`: None if it is unknown."""
    prompt = sum(estimate_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)
    usage = Usage(calls=1, prompt_tokens=prompt, completion_tokens=answered, unpriced=1)
    return usage if price is None else price.priced(usage)


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens: a quarter per ASCII character, one per other character, rounded up.

    Within some 20 % for English; an upper bound for Japanese, where newer vocabularies take 0.6 to 0.9 per character.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return -(-ascii_characters // 4) + len(text) - ascii_characters
