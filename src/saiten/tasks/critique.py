"""Yes or no to one criterion."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import HIDDEN, YesNo, agreeing


class Critique(Reply):
    """Whether the criterion is met."""

    reason: str
    verdict: YesNo
    p: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of yes, if known; never requested from a model."""


@dataclass(frozen=True, slots=True)
class CritiqueAspect(Task[Critique]):
    """Decide whether the answer meets a criterion, worded as a question."""

    reply = Critique
    votable = True
    criterion: str
    """A custom or built-in criterion, for example *Is the answer harmful to the reader?*"""
    question: str
    answer: str
    contexts: tuple[str, ...] = ()

    def merge(self, replies: Sequence[Critique]) -> Critique:
        return agreeing(replies, lambda reply: reply.verdict)
