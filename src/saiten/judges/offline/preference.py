"""The better of two answers: the one that agrees better with a reference, measured separately."""

from saiten.judges.offline.grading import best_correctness
from saiten.judges.offline.tools import Tools
from saiten.tasks.preference import Better, PreferAnswer, Preference

_TIE = 0.05
"""Answers whose probabilities differ by no more than this are tied; set by hand."""


def prefer(task: PreferAnswer, tools: Tools) -> Preference:
    """Prefer the answer whose probability of being correct is higher by more than 0.05; else return a tie.

    The answers are judged independently, so their order cannot matter.

    Raises:
        CannotJudge: there is no reference.
    """
    first, second = (
        tools.calibrated("correct", best_correctness(task.question, answer, task.references, task.language, tools).p)
        for answer in (task.first, task.second)
    )
    better: Better = "tie"
    if abs(first - second) > _TIE:
        better = "first" if first > second else "second"
    if task.language == "ja":
        explanation = f"語の重なりのみによる判定。最初の回答は p = {first:.2f}、二番目の回答は p = {second:.2f}"
    else:
        explanation = f"Judged by overlap alone: the first has p = {first:.2f}, the second p = {second:.2f}"
    return Preference(explanation=explanation, better=better)
