"""The dry run of dialogues: minimum and maximum calls and tokens, without calling a model.

How many turns a dialogue takes depends on the system. At best the first answer gets 5; at worst every turn is used.
The stand-ins reply with texts of the reference's length, so that the real prompts can be counted.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from saiten.choices import Questioning
from saiten.data import BadRow
from saiten.dialogue.dialogue import DialogueStep
from saiten.dialogue.loop import converse
from saiten.dialogue.pairs import pair_of
from saiten.judges.rehearsal import Rehearsal
from saiten.judges.scripted import ScriptedJudge
from saiten.protocols import Judge
from saiten.records import Answer, Inquiry, Sample, Usage
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.dialogue import (
    AskIfNeeded,
    AskNext,
    ComposeAnswer,
    Composition,
    DecideNext,
    FollowUp,
    Need,
    NextQuestion,
    ReviseAnswer,
)

_SENTENCE = "It names most of it and leaves one thing open. "


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The estimate of a dry run."""

    pairs: int
    bad_rows: int
    least: Usage
    """The agents' usage if each first answer gets 5."""
    most: Usage
    """The agents' usage if no answer gets 5: every turn is used, and the last answer revised. A replay has the turns of
    its log, and no revision."""
    questions: tuple[int, int]
    """Minimum and maximum questions to the system."""


async def rehearse(
    rows: Iterable[Sample | BadRow],
    max_turns: int,
    questioning: Questioning = "merged",
    votes: int = 1,
    counting: Callable[[Judge], Judge] = Rehearsal,
    *,
    recorded: bool = False,
) -> Rehearsed:
    """Count calls, tokens and cost of the longest possible dialogues, held with stand-ins.

    `counting` makes a judge that counts out of the stand-in for the agents. `recorded`: conversations are replayed.
    """
    pairs = bad = 0
    least = most = Usage()
    for number, row in enumerate(rows, 1):
        pair = row if isinstance(row, BadRow) else pair_of(row, number, recorded=recorded)
        if isinstance(pair, BadRow):
            bad += 1
            continue
        pairs += 1
        reference = pair.reference or ""
        agents, system = counting(_agents(reference, max_turns)), None if recorded else _StandIn(reference)
        dialogue = await converse(pair, system, agents, max_turns=max_turns, questioning=questioning)
        least += _cost(dialogue.steps[:3], votes)
        most += _cost(dialogue.steps, votes)
    return Rehearsed(pairs, bad, least, most, (0, 0) if recorded else (pairs, pairs * max_turns))


def _cost(steps: Iterable[DialogueStep], votes: int) -> Usage:
    """Return the cost of the steps; each vote on a grade is a separate call."""
    return sum((step.usage for step in steps for _ in range(votes if step.grade is not None else 1)), Usage())


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A system that gives the same answer each time."""

    text: str
    name: str = "stand-in"

    def describe(self) -> dict[str, str]:
        return {}

    async def answer(self, inquiry: Inquiry) -> Answer:
        return Answer(self.text)

    async def close(self) -> None:
        """Nothing is open."""


def _agents(reference: str, max_turns: int) -> Judge:
    """Return agents that ask until the last turn, and then revise: the longest possible dialogue."""

    def question(task: AskIfNeeded | AskNext) -> str:
        return task.question + " again" * len(task.earlier)

    def needed(task: AskIfNeeded | DecideNext) -> bool:
        return len(task.history) < 2 * max_turns

    composed = Composition(explanation=_SENTENCE, answer=reference)
    return ScriptedJudge(
        {
            ComposeAnswer: composed,
            GradeAnswer: Grade(feedback=_SENTENCE * 4, grade=3),
            AskIfNeeded: lambda task: FollowUp(explanation=_SENTENCE, needed=needed(task), question=question(task)),
            DecideNext: lambda task: Need(explanation=_SENTENCE, needed=needed(task)),
            AskNext: lambda task: NextQuestion(explanation=_SENTENCE, question=question(task)),
            ReviseAnswer: composed,
        }
    )
