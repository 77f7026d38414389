"""Whether the references of two questions contradict each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import HIDDEN, YesNo, agreeing


class Contradiction(Reply):
    """Whether two references cannot both be right."""

    reason: str
    verdict: YesNo
    p: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of yes, if known; never requested from a model."""


@dataclass(frozen=True, slots=True)
class FindContradiction(Task[Contradiction]):
    """Decide whether two references contradict each other; each answers its own question."""

    reply = Contradiction
    votable = True
    first_question: str
    first_reference: str
    second_question: str
    second_reference: str

    def merge(self, replies: Sequence[Contradiction]) -> Contradiction:
        return agreeing(replies, lambda reply: reply.verdict)
