"""What texts say: their statements, verified or compared, and the entities in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import Verdicts, check_numbers, merge_verdicts


class Statements(Reply):
    """Atomic claims that are understandable by themselves."""

    statements: list[str]


@dataclass(frozen=True, slots=True)
class SplitStatements(Task[Statements]):
    """Split a text that answers the question into statements; for answers and references alike."""

    reply = Statements
    question: str
    """Empty if unknown."""
    text: str


class StatementVerdicts(Reply):
    """One verdict per statement: whether the contexts support it."""

    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class VerifyStatements(Task[StatementVerdicts]):
    """Decide for each statement whether the contexts support it."""

    reply = StatementVerdicts
    votable = True
    statements: tuple[str, ...]
    contexts: tuple[str, ...]
    partial: bool = False
    """Accept a reply that omits statements, as RAGAS does."""
    question: str = ""
    """What the statements answer, and so what they and the contexts are about; empty if unknown."""

    @property
    def counts(self) -> Mapping[str, int]:
        return {"verdicts": len(self.statements)}

    def check(self, reply: StatementVerdicts) -> None:
        check_numbers(reply.verdicts, len(self.statements), partial=self.partial, what="statement")

    def merge(self, replies: Sequence[StatementVerdicts]) -> StatementVerdicts:
        return StatementVerdicts(verdicts=merge_verdicts([reply.verdicts for reply in replies]))


class Classification(Reply):
    """TP and FP are the answer's statements by verdict; FN are the reference's statements with verdict no."""

    answer: Verdicts
    reference: Verdicts


@dataclass(frozen=True, slots=True)
class ClassifyStatements(Task[Classification]):
    """Compare the answer's statements with the reference's, in both directions."""

    reply = Classification
    votable = True
    question: str
    answer_statements: tuple[str, ...]
    reference_statements: tuple[str, ...]
    partial: bool = False
    """Accept a reply that omits statements, as RAGAS does."""

    @property
    def counts(self) -> Mapping[str, int]:
        return {"answer": len(self.answer_statements), "reference": len(self.reference_statements)}

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


class Entities(Reply):
    """Named things, without repetition."""

    entities: list[str]


@dataclass(frozen=True, slots=True)
class ListEntities(Task[Entities]):
    """List the unique entities of a text: people, places, organizations, products, dates, amounts."""

    reply = Entities
    text: str
    contexts: tuple[str, ...] = ()
    """The contexts that the text consists of; empty for any other text."""
