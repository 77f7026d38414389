import pytest
from talking import in_turn

from saiten.judges.scripted import ScriptedJudge
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


@pytest.fixture
def agents():
    """Agents with the given grades, needs and questions, which compose and revise plainly."""

    def made(grades, questions=(), needed=None, **script):
        needs = [True] * len(questions) if needed is None else needed
        rest = list(questions)
        merged = [(need, (rest.pop(0) if rest else "Unused?") if need else "") for need in needs]
        merged += [(True, question) for question in rest]  # proposed after a refusal
        return ScriptedJudge(
            {
                ComposeAnswer: in_turn(
                    *(Composition(explanation="all of it", answer=f"tentative {n}") for n in range(1, 9))
                ),
                GradeAnswer: in_turn(
                    *(g if isinstance(g, Exception) else Grade(feedback=f"review {g}", grade=g) for g in grades)
                ),
                AskIfNeeded: in_turn(
                    *(FollowUp(explanation="because", needed=need, question=question) for need, question in merged)
                ),
                DecideNext: in_turn(*(Need(explanation="because", needed=need) for need in needs)),
                AskNext: in_turn(*(NextQuestion(explanation="to know", question=q) for q in questions)),
                ReviseAnswer: in_turn(Composition(explanation="shorter", answer="final")),
            }
            | {
                {
                    "compose": ComposeAnswer,
                    "grade": GradeAnswer,
                    "follow": AskIfNeeded,
                    "decide": DecideNext,
                    "ask": AskNext,
                    "revise": ReviseAnswer,
                }[key]: line
                for key, line in script.items()
            }
        )

    return made
