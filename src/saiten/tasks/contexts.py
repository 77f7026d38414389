"""Contexts: whether one is useful, which of their sentences are needed, and whether a summary covers them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import Verdicts, YesNo, agreeing, check_numbers, majority, merge_verdicts


class ContextVerdict(Reply):
    """Whether the context was useful for arriving at the reference; one on the same subject can be."""

    reason: str = Field(description="why, in one sentence")
    useful: YesNo


@dataclass(frozen=True, slots=True)
class JudgeContext(Task[ContextVerdict]):
    """Decide whether one context is useful for arriving at the reference answer to the question."""

    reply = ContextVerdict
    votable = True
    question: str
    context: str
    reference: str

    def merge(self, replies: Sequence[ContextVerdict]) -> ContextVerdict:
        return agreeing(replies, lambda reply: reply.useful)


class RelevantSentences(Reply):
    """The sentences needed to answer."""

    numbers: list[int] = Field(description="the numbers of the sentences that are needed; empty if none is")


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
                raise ValueError(f"there are sentences 1 to {len(self.sentences)}, but number {number} was picked")

    def merge(self, replies: Sequence[RelevantSentences]) -> RelevantSentences:
        picked = [set(reply.numbers) for reply in replies]
        kept = [n for n in range(1, len(self.sentences) + 1) if majority([n in vote for vote in picked])]
        return RelevantSentences(numbers=kept)


class Keyphrases(Reply):
    """The important phrases of the text."""

    keyphrases: list[str] = Field(description="names, dates, amounts and notions, as they stand in the text")


@dataclass(frozen=True, slots=True)
class ExtractKeyphrases(Task[Keyphrases]):
    """Extract the key phrases of the contexts."""

    reply = Keyphrases
    contexts: tuple[str, ...]


class ClosedQuestions(Reply):
    """Questions answered by yes or no."""

    questions: list[str] = Field(description="closed questions; the text answers each of them with yes")


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

    def check(self, reply: SummaryAnswers) -> None:
        check_numbers(reply.verdicts, len(self.questions), partial=self.partial, what="question")

    def merge(self, replies: Sequence[SummaryAnswers]) -> SummaryAnswers:
        return SummaryAnswers(verdicts=merge_verdicts([reply.verdicts for reply in replies]))
