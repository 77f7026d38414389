"""Statements: comparing them with contexts or each other, and asking about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.errors import CannotJudge
from saiten.judges.offline.index import Index
from saiten.judges.offline.reasons import Source, why
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.similarity import Questions, WriteQuestions
from saiten.tasks.statements import Classification, ClassifyStatements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.text.refusals import is_refusal
from saiten.text.words import content_units


def verify(task: VerifyStatements, tools: Tools) -> StatementVerdicts:
    """Return one verdict per statement, given the contexts."""
    sources = Sources(
        tools.indexes.of(task.contexts, task.language), "contexts", task.language, tools, aspect="support"
    )
    return StatementVerdicts(verdicts=sources.verdicts(task.statements))


def classify(task: ClassifyStatements, tools: Tools) -> Classification:
    """Compare answer and reference statements in both directions; the question's words do not count as new."""
    in_question = frozenset(content_units(task.question))
    answer, reference = task.answer_statements, task.reference_statements
    from_reference = Sources(tools.indexes.of(reference, task.language), "reference", task.language, tools, in_question)
    from_answer = Sources(tools.indexes.of(answer, task.language), "answer", task.language, tools, in_question)
    return Classification(answer=from_reference.verdicts(answer), reference=from_answer.verdicts(reference))


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts that statements are compared with."""

    index: Index
    kind: Source
    language: Language
    tools: Tools
    excused: frozenset[str] = frozenset()
    """Units that never count as new."""
    aspect: str = ""
    """The aspect whose calibration applies, if any."""

    def verdicts(self, statements: Sequence[str]) -> list[Verdict]:
        """Return one verdict per statement, numbered from 1."""
        return [self._verdict(number, statement) for number, statement in enumerate(statements, start=1)]

    def _verdict(self, number: int, statement: str) -> Verdict:
        found = support(statement, self.index, self.tools.constants, self.excused)
        p = self.tools.calibrated(self.aspect, found.p)
        yes = found.comparable and p >= self.tools.constants.band["threshold"]
        unclear = not found.comparable or self.tools.unclear(p)
        return Verdict(
            number=number,
            reason=why(found, yes, unclear, self.kind, self.language, cut=self.index.cut),
            verdict=yes,
            p=p if found.comparable else None,
            unclear=unclear,
            evidence=() if found.window < 0 else (self.index.windows[found.window],),
        )


def write_questions(task: WriteQuestions) -> Questions:
    """Return the first `count` statements of the answer as questions, starting over if there are fewer.

    Answer relevancy is then the similarity of the question and the answer's own sentences. Non-committal answers are
    recognized by the refusal patterns.
    """
    statements = statements_of(task.answer, task.language)
    if not statements:
        raise CannotJudge("the answer holds no statement that a question could be made of")
    mark = "？" if task.language == "ja" else "?"
    first = task.draw * task.count
    chosen = [statements[(first + at) % len(statements)] for at in range(task.count)]
    return Questions(
        questions=[statement.rstrip(".!?。．！？ ") + mark for statement in chosen],
        noncommittal=is_refusal(task.answer, task.language),
    )
