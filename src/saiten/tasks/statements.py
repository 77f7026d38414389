"""Statements: splitting a text into them, holding them against contexts, and classing them against a reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import Verdicts, check_numbers, merge_verdicts


class Statements(Reply):
    """Atomic claims that can be understood on their own."""

    statements: list[str] = Field(description="each statement as a full sentence without pronouns")


@dataclass(frozen=True, slots=True)
class SplitStatements(Task[Statements]):
    """Split a text, which answers the question, into statements. Used for answers and for references alike."""

    reply = Statements
    question: str
    """Empty where none is known."""
    text: str


class StatementVerdicts(Reply):
    """One verdict a statement: do the contexts support it?"""

    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class VerifyStatements(Task[StatementVerdicts]):
    """Say of each statement whether it can be inferred from the contexts."""

    reply = StatementVerdicts
    votable = True
    statements: tuple[str, ...]
    contexts: tuple[str, ...]
    partial: bool = False
    """Accept a reply that leaves statements out, as RAGAS does."""

    def check(self, reply: StatementVerdicts) -> None:
        check_numbers(reply.verdicts, len(self.statements), partial=self.partial, what="statement")

    def merge(self, replies: Sequence[StatementVerdicts]) -> StatementVerdicts:
        return StatementVerdicts(verdicts=merge_verdicts([reply.verdicts for reply in replies]))


class Classification(Reply):
    """TP and FP are the answer's statements by verdict; FN are the reference's statements with the verdict no."""

    answer: Verdicts = Field(description="for each statement of the answer: does the reference support it?")
    reference: Verdicts = Field(description="for each statement of the reference: does the answer contain it?")


@dataclass(frozen=True, slots=True)
class ClassifyStatements(Task[Classification]):
    """Hold the answer's statements against the reference's, and the other way round."""

    reply = Classification
    votable = True
    question: str
    answer_statements: tuple[str, ...]
    reference_statements: tuple[str, ...]
    partial: bool = False
    """Accept a reply that leaves statements out, as RAGAS does."""

    def check(self, reply: Classification) -> None:
        for verdicts, statements, whose in (
            (reply.answer, self.answer_statements, "answer"),
            (reply.reference, self.reference_statements, "reference"),
        ):
            check_numbers(verdicts, len(statements), partial=self.partial, what=f"statement of the {whose}")

    def merge(self, replies: Sequence[Classification]) -> Classification:
        return Classification(
            answer=merge_verdicts([reply.answer for reply in replies]),
            reference=merge_verdicts([reply.reference for reply in replies]),
        )
