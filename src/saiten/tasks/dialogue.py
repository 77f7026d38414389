"""Tasks of the three agents of a dialogue: compose an answer, ask the next question, revise the answer.

A task's fields are all that its agent may know: the composer's first task has no field for the reference. A history is
a flat list that starts with a question and alternates questions and answers.
Source: the ANLP paper on multi-turn evaluation (spec 02), tasks T2, T4, T5 and T6; T3 and T7 are `GradeAnswer`. The
paper decides (T4) and asks (T5) in two calls; `AskIfNeeded` does both in one.
"""

import unicodedata
from dataclasses import dataclass

from saiten.protocols import R, Reply, Task
from saiten.tasks.described import described
from saiten.tasks.verdicts import YesNo


class Composition(Reply):
    """An answer with an explanation of how it was composed."""

    explanation: str = described(
        "which of the system's answers were used, and what was left out", "システムのどの応答を使い、何を除いたか"
    )
    answer: str = described("the answer, in prose", "回答(文章で)")


@dataclass(frozen=True, slots=True)
class ComposeAnswer(Task[Composition]):
    """T2, the composer: a tentative answer to the question from the history alone."""

    reply = Composition
    question: str
    history: tuple[str, ...]

    def check(self, reply: Composition) -> None:
        _expect_text(reply.answer, "answer")


class Need(Reply):
    """Whether another question is needed."""

    explanation: str = described(
        "what is still missing or wrong, or why nothing is", "まだ足りない点や誤っている点、または何もないと言える理由"
    )
    needed: YesNo


@dataclass(frozen=True, slots=True)
class _Informed(Task[R]):
    """A task whose agent knows the reference."""

    question: str
    reference: str
    history: tuple[str, ...]
    answer: str
    """The tentative answer."""


class FollowUp(Reply):
    """Whether another question is needed, and the question."""

    explanation: str = described(
        "what is still missing or wrong, and what the question should bring out",
        "まだ足りない点や誤っている点と、質問で何を引き出すか",
    )
    needed: YesNo
    question: str = described(
        "one question to the system, or empty if none is needed", "システムへの質問(一つ)。不要なら空", default=""
    )


@dataclass(frozen=True, slots=True)
class AskIfNeeded(_Informed[FollowUp]):
    """T4 and T5 in one call, the questioner: the next question if one is needed, without revealing the reference."""

    reply = FollowUp
    review: str
    """The grader's review of the tentative answer."""
    refused: tuple[str, ...] = ()
    """Proposed questions that were refused, each followed by the reason."""

    @property
    def earlier(self) -> tuple[str, ...]:
        """All questions so far."""
        return self.history[::2]

    def check(self, reply: FollowUp) -> None:
        if reply.needed:
            _expect_text(reply.question, "question")


@dataclass(frozen=True, slots=True)
class DecideNext(_Informed[Need]):
    """T4 alone, the questioner: whether another question could bring the answer closer to the reference."""

    reply = Need
    review: str
    """The grader's review of the tentative answer."""


class NextQuestion(Reply):
    """The next question, with its reason."""

    explanation: str = described("what the question should bring out", "その質問で何を引き出すか")
    question: str = described("one question to the system", "システムへの質問(一つ)")


@dataclass(frozen=True, slots=True)
class AskNext(_Informed[NextQuestion]):
    """T5 alone, the questioner: a question that differs from all earlier ones and states nothing of the reference."""

    reply = NextQuestion
    review: str
    refused: tuple[str, ...] = ()
    """Proposed questions that were refused, each followed by the reason."""

    @property
    def earlier(self) -> tuple[str, ...]:
        """All questions so far."""
        return self.history[::2]

    def check(self, reply: NextQuestion) -> None:
        _expect_text(reply.question, "question")


@dataclass(frozen=True, slots=True)
class ReviseAnswer(_Informed[Composition]):
    """T6, the composer: the tentative answer in the reference's level of detail, without its exclusive content."""

    reply = Composition

    def check(self, reply: Composition) -> None:
        _expect_text(reply.answer, "answer")


def _expect_text(text: str, name: str) -> None:
    if not any(unicodedata.category(sign)[0] in "LMNPS" for sign in text):
        raise ValueError(f"the {name} is empty")
