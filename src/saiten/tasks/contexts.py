"""Contexts: whether one is useful, and which of their sentences are needed."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import HIDDEN, YesNo, agreeing, majority


class ContextVerdict(Reply):
    """Whether the context was useful for arriving at the reference; one on the same subject can be."""

    reason: str
    useful: YesNo
    p: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability that it is useful, if known; never requested from a model."""


@dataclass(frozen=True, slots=True)
class JudgeContext(Task[ContextVerdict]):
    """Decide whether one context is useful for arriving at the reference answer to the question."""

    reply = ContextVerdict
    votable = True
    question: str
    context: str
    reference: str
    alone: bool = False
    """Never judged in one call with other contexts, as in RAGAS."""

    def merge(self, replies: Sequence[ContextVerdict]) -> ContextVerdict:
        return agreeing(replies, lambda reply: reply.useful)


class RelevantSentences(Reply):
    """The sentences needed to answer."""

    numbers: list[int]


@dataclass(frozen=True, slots=True)
class SelectRelevantSentences(Task[RelevantSentences]):
    """Select the numbered sentences of the contexts that are needed to answer the question."""

    reply = RelevantSentences
    votable = True
    question: str
    sentences: tuple[str, ...]

    def check(self, reply: RelevantSentences) -> None:
        for number in reply.numbers:
            if not 1 <= number <= len(self.sentences):
                raise ValueError(
                    f"there is no sentence {number}; the sentences are numbered 1 to {len(self.sentences)}"
                )

    def merge(self, replies: Sequence[RelevantSentences]) -> RelevantSentences:
        picked = [set(reply.numbers) for reply in replies]
        kept = [n for n in range(1, len(self.sentences) + 1) if majority([n in vote for vote in picked])]
        return RelevantSentences(numbers=kept)
