"""Rehearsal: what would an LLM judge cost? The stand-in answers, the real messages are counted, nothing is sent."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from saiten import prompts
from saiten.errors import CannotJudge
from saiten.judges.tidying import tidy
from saiten.protocols import Judge, R, Task
from saiten.records import Usage
from saiten.tasks.similarity import MeasureSimilarity

_TOKENS_PER_MESSAGE = 4
"""Role and separators, about, in the chat templates in use."""
_SHORT_REPLY = 50
"""Tokens of a verdict with a sentence, for what the stand-in cannot judge."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Performs tasks with a stand-in, for `--dry-run`, and says of each reply what a model would have used.

    An estimate: one call a task, no repairs, no reasoning; tokens by `estimate_tokens`; embeddings count nothing. The
    steps that follow (verdicts on statements, say) are as many as the stand-in's replies give rise to.
    """

    judge: Judge
    """The stand-in, usually the offline judge."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """That of the stand-in."""
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """The stand-in's reply with the usage that a model would have had; so has the error where it cannot judge."""
        try:
            reply = await self.judge.perform(task)
        except CannotJudge as error:
            error.usage = _usage(task, _SHORT_REPLY)
            raise
        if isinstance(task, MeasureSimilarity):
            return reply.costing(Usage())
        answered = json.dumps(tidy(reply.model_dump(), type(reply)), ensure_ascii=False)
        return reply.costing(_usage(task, estimate_tokens(answered)))

    async def preflight(self) -> None:
        """Nothing: there is no server to be found wanting."""

    async def close(self) -> None:
        """Close the stand-in."""
        await self.judge.close()


def _usage(task: Task[Any], answered: int) -> Usage:
    asked = sum(estimate_tokens(message.content) + _TOKENS_PER_MESSAGE for message in prompts.render(task))
    return Usage(calls=1, prompt_tokens=asked, completion_tokens=answered, unpriced=1)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: a quarter per ASCII character, one per other character, rounded up.

    Within some 20 % for English; for Japanese on the safe side, since newer vocabularies take 0.6 to 0.9 per character.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return -(-ascii_characters // 4) + len(text) - ascii_characters
