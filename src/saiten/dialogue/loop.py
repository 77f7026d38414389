"""The loop T1 … T7: one dialogue with the system under test, from the pair's question to its end.

    T1  the system answers                    T4  the questioner: is another question needed?
    T2  the composer composes an answer       T5  the questioner asks it, and back to T1
    T3  the grader grades it; 5 ends          T6  the composer revises, T7 the grader grades; the end

T4 and T5 are one call, or two as published (`questioning`). T4 is asked in the last turn too: T6 and T7 may follow, T5
may not, since its question would get no answer. A recorded conversation has its own questions and answers, and so only
T2 and T3.
Source: the ANLP paper on multi-turn evaluation (spec 02). Each agent knows only the fields of its task.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, NamedTuple, TypedDict

from saiten.choices import MAX_TURNS, RECORDED, LastGrade, Questioning
from saiten.dialogue.dialogue import Agent, Dialogue, DialogueStep, Ended, StepName
from saiten.dialogue.leak import find_leak
from saiten.dialogue.refusing import PROPOSALS, Refusal, refuse
from saiten.dialogue.scores import HIGHEST
from saiten.errors import FailureKind, JudgeError, SystemFailed, Unreadable
from saiten.protocols import Judge, System
from saiten.records import Answer, Inquiry, Language, Passage, Retrieved, Sample, Turn, Usage
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, FollowUp, Need, ReviseAnswer

FindEvidence = Callable[[Sample], Awaitable[Retrieved]]
"""Retrieve the grader's evidence in addition to the reference, by question and reference together."""


async def converse(
    pair: Sample,
    system: System | None,
    agents: Judge,
    *,
    max_turns: int = MAX_TURNS,
    questioning: Questioning = "merged",
    last_grade: LastGrade = "replaces",
    find_evidence: FindEvidence | None = None,
    session: str = "",
) -> Dialogue:
    """Hold the dialogue about one pair of question and reference; one that fails midway keeps its steps.

    The grader sees the pair's evidence or, if it has none, the result of `find_evidence`. `session` identifies the
    conversation to the system; the default is the pair's id.

    With `questioning="merged"`, one call decides whether another question is needed and asks it, and a question that
    uses numbers, names or rare words that only the reference has is refused. With `published`, these are two calls, as
    in the paper, and a question may use such words to ask for confirmation.

    `last_grade` is the place of a T7's grade in σ: that of the turn's T3, or one of its own.

    With a system, the pair's history comes before its question: the system and the agents know it, and its turns count
    neither as turns of the dialogue nor as what the system said. Without one, the history is replayed: its answers are
    graded in order, and its questions lead from one to the next.

    Raises:
        ValueError: the pair has no question or no reference, no history to replay, or no turn is allowed.
        ConfigurationError, BudgetSpent: The error concerns the whole run.
    """
    if not pair.question.strip() or not (pair.reference or "").strip():
        raise ValueError("a dialogue needs a question and a reference")
    if system is None and not pair.history:
        raise ValueError("there is no history to replay")
    if max_turns < 1:
        raise ValueError(f"at least one turn is needed, not {max_turns}")
    talk = _Talk(pair, system, agents, max_turns, questioning, last_grade, session or pair.id)
    try:
        if pair.evidence is not None:
            talk.evidence = Retrieved(tuple(map(Passage, pair.evidence)))
        elif find_evidence is not None:
            talk.evidence = await find_evidence(pair)
        ending = await talk.run()
    except SystemFailed as error:
        return talk.failed("system", error.kind, f"{talk.doing}: {_KINDS[error.kind]}: {error}", error.usage)
    except JudgeError as error:
        kind: FailureKind = "unreadable" if isinstance(error, Unreadable) else "failed"
        return talk.failed("judge", kind, f"{talk.doing}: {error}", error.usage)
    return talk.dialogue(*ending)


_KINDS: dict[FailureKind, str] = {
    "failed": "it failed",
    "timeout": "no answer in time",
    "unreadable": "what came was no answer",
}


_NEEDED = "another question is needed"


class _Ending(NamedTuple):
    """Why a dialogue ended, with details."""

    ended: Ended
    reason: str | None = None


class _BeforeQuestion(TypedDict):
    """The language of a task, and what is shown before the question."""

    language: Language
    conversation: tuple[Turn, ...]


@dataclass
class _Talk:
    """A dialogue in progress."""

    pair: Sample
    system: System | None
    """None: the pair's history is replayed."""
    agents: Judge
    max_turns: int
    questioning: Questioning
    last_grade: LastGrade
    session: str
    evidence: Retrieved = field(default_factory=lambda: Retrieved(()))
    steps: list[DialogueStep] = field(default_factory=list)
    history: tuple[Turn, ...] = ()
    turn: int = 1
    doing: str = "retrieving the evidence"

    @property
    def earlier(self) -> tuple[Turn, ...]:
        """What was said before the pair's question."""
        return () if self.system is None else self.pair.history

    async def run(self) -> _Ending:
        """Run the loop to its end, and return the reason for it."""
        question = self.pair.question if self.system is not None else self.pair.history[0].question
        while True:
            await self._answer(question)
            tentative = await self._compose("T2")
            grade = await self._grade("T3", tentative)
            if grade.value >= HIGHEST - 0.5:  # a mean of votes that rounds to the highest
                return _Ending("grade 5")
            following = self._recorded() if self.system is None else await self._follow_up(tentative, grade.feedback)
            if isinstance(following, _Ending):
                if following.ended == "no question needed":
                    await self._grade("T7", await self._compose("T6", tentative))
                return following
            question = following
            self.turn += 1

    async def _answer(self, question: str) -> None:
        """T1: the system sees only the question and the history."""
        step = self._begin("T1", "system")
        pair = self.pair
        if self.system is None:
            answer = Answer(pair.history[self.turn - 1].answer)
        else:
            said = self.earlier + self.history
            answer = await self.system.answer(Inquiry(question, pair.id, said, self.session, pair.language))
        self.history += (Turn(question, answer.text),)
        self.steps.append(step(answer.text, contexts=answer.contexts, seconds=answer.seconds, usage=answer.usage))

    async def _compose(self, name: StepName, tentative: str | None = None) -> str:
        """T2: the composer sees the question and the history only. T6: the reference, too, for its level of detail."""
        step = self._begin(name, "composer")
        pair, said = self.pair, _flat(self.history)
        task: ComposeAnswer | ReviseAnswer = ComposeAnswer(pair.question, said, **self._shown)
        if tentative is not None:
            task = ReviseAnswer(pair.question, pair.reference or "", said, tentative, **self._shown)
        reply = await self.agents.perform(task)
        self.steps.append(step(reply.answer, reply.explanation, usage=reply.usage))
        return reply.answer

    async def _grade(self, name: StepName, answer: str) -> Grade:
        """T3 and T7: the graded judge of spec 01, with the evidence that question and reference retrieve."""
        step = self._begin(name, "grader")
        pair, evidence = self.pair, tuple(passage.text for passage in self.evidence.passages)
        reply = await self.agents.perform(GradeAnswer(pair.question, answer, pair.references, evidence, **self._shown))
        self.steps.append(step(reply.feedback, grade=reply.value, usage=reply.usage))
        return reply

    def _recorded(self) -> str | _Ending:
        """Return the next question of a recorded conversation, or the reason why there is none."""
        if self.turn == len(self.pair.history):
            return _Ending("end of the log")
        return _Ending("turn limit") if self.turn == self.max_turns else self.pair.history[self.turn].question

    async def _follow_up(self, tentative: str, review: str) -> str | _Ending:
        """T4 and T5: return the next question, or the reason why there is none."""
        ending = await self._decide(tentative, review) if self.questioning == "published" else None
        refused: tuple[Refusal, ...] = ()
        while ending is None and len(refused) < PROPOSALS:
            reply = await self._propose(tentative, review, refused)
            ending = self._settled(needed=reply.needed)
            if ending is not None:  # only a merged call can decide here
                self._take("T4", _NEEDED if reply.needed else "", reply)
                continue
            refusal = refuse(reply.question, self.pair, self.earlier + self.history, self.questioning)
            if refusal is None:
                self._take("T5", reply.question, reply)
                return reply.question
            self._take("T5", "", reply, refusal.note)
            refused += (refusal,)
        return ending or _Ending(refused[-1].kind, " / ".join(each.note for each in refused))

    async def _decide(self, tentative: str, review: str) -> _Ending | None:
        """T4 alone: the questioner sees reference, history, tentative answer and review."""
        self._begin("T4", "questioner")
        reply = await self.agents.perform(DecideNext(*self._known(tentative, review), **self._shown))
        self._take("T4", _NEEDED if reply.needed else "", reply)
        return self._settled(needed=reply.needed)

    async def _propose(self, tentative: str, review: str, refused: Sequence[Refusal]) -> FollowUp:
        """Return a proposed question: of T5 alone, or of a call that also decides whether one is needed."""
        shown = tuple(text for each in refused for text in (each.question, each.reason))
        known = *self._known(tentative, review), shown
        self._begin("T5", "questioner")
        if self.questioning == "merged":
            return await self.agents.perform(AskIfNeeded(*known, **self._shown))
        reply = await self.agents.perform(AskNext(*known, **self._shown))
        asked = FollowUp(explanation=reply.explanation, needed=True, question=reply.question)
        return asked.with_usage(reply.usage)

    def _settled(self, *, needed: bool) -> _Ending | None:
        """Return the end of a dialogue that needs no other question, or has no turn left for it."""
        if not needed:
            return _Ending("no question needed")
        return _Ending("turn limit") if self.turn == self.max_turns else None

    def _take(self, name: StepName, text: str, reply: FollowUp | Need, explanation: str = "") -> None:
        step = DialogueStep(name, self.turn, "questioner", text, explanation or reply.explanation, usage=reply.usage)
        self.steps.append(step)

    def _known(self, tentative: str, review: str) -> tuple[str, str, tuple[str, ...], str, str]:
        return self.pair.question, self.pair.reference or "", _flat(self.history), tentative, review

    @property
    def _shown(self) -> "_BeforeQuestion":
        """What every task of the agents has."""
        return {"language": self.pair.language, "conversation": self.earlier}

    def _begin(self, name: StepName, agent: Agent) -> Callable[..., DialogueStep]:
        """Return the constructor of the step, from its text on."""
        self.doing = f"{name} ({agent}), turn {self.turn}"
        return partial(DialogueStep, name, self.turn, agent)

    def failed(self, whose: Literal["system", "judge"], kind: FailureKind, reason: str, lost: Usage) -> Dialogue:
        """Return the failed dialogue with its steps so far."""
        return replace(self.dialogue("failed", reason), fault=whose, kind=kind, lost=lost)

    def dialogue(self, ended: Ended, reason: str | None) -> Dialogue:
        pair = self.pair
        made = Dialogue(
            id=pair.id,
            question=pair.question,
            reference=pair.reference or "",
            max_turns=self.max_turns,
            steps=tuple(self.steps),
            ended=ended,
            reason=reason,
            system=RECORDED if self.system is None else self.system.name,
            group=pair.group,
            language=pair.language,
            evidence=self.evidence,
            session=self.session,
            earlier=self.earlier,
            recorded=tuple(turn.question for turn in pair.history[: self.turn]) if self.system is None else (),
            last_grade=self.last_grade,
        )
        return replace(made, leak=find_leak(made))


def _flat(history: tuple[Turn, ...]) -> tuple[str, ...]:
    """Return the history as the agents' tasks take it: question, answer, question, answer, …."""
    return tuple(said for turn in history for said in (turn.question, turn.answer))
