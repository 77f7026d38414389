"""Summaries of contexts: key phrases, questions made of them, and whether the summary answers these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import Verdicts, check_numbers, merge_verdicts

MOST_KEYPHRASES = 12
"""As many as the prompt asks for. Without a limit, a model extracts every noun of a long text."""


class Keyphrases(Reply):
    """The important phrases of the text."""

    keyphrases: list[str]


@dataclass(frozen=True, slots=True)
class ExtractKeyphrases(Task[Keyphrases]):
    """Extract the key phrases of the contexts."""

    reply = Keyphrases
    contexts: tuple[str, ...]


class ClosedQuestions(Reply):
    """Questions answered by yes or no."""

    questions: list[str]


@dataclass(frozen=True, slots=True)
class WriteClosedQuestions(Task[ClosedQuestions]):
    """Write closed questions from the key phrases, to all of which the contexts answer yes."""

    reply = ClosedQuestions
    contexts: tuple[str, ...]
    keyphrases: tuple[str, ...]


class SummaryAnswers(Reply):
    """One verdict per question: whether the summary says enough to answer it."""

    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class AnswerFromSummary(Task[SummaryAnswers]):
    """Decide for each question whether the summary alone answers it with yes."""

    reply = SummaryAnswers
    votable = True
    summary: str
    questions: tuple[str, ...]
    partial: bool = False
    """Accept a reply that omits questions, as RAGAS does."""

    @property
    def counts(self) -> Mapping[str, int]:
        return {"verdicts": len(self.questions)}

    def check(self, reply: SummaryAnswers) -> None:
        check_numbers(reply.verdicts, len(self.questions), partial=self.partial, what="question")

    def merge(self, replies: Sequence[SummaryAnswers]) -> SummaryAnswers:
        return SummaryAnswers(verdicts=merge_verdicts([reply.verdicts for reply in replies]))
