"""Grades, decisions and preferences: answers compared with their references, and additions with the contexts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from saiten.errors import CannotJudge
from saiten.judges.offline.correctness import ReferenceMatch, correctness
from saiten.judges.offline.reasons import absent, instead_of, said
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.correctness import (
    DecideCorrect,
    DecideCorrectGrounded,
    Decision,
    Grade,
    GradeAnswer,
    GroundedDecision,
)
from saiten.tasks.preference import Better, PreferAnswer, Preference
from saiten.text.refusals import is_refusal, says_unanswered

_REFUSED, _BOTH_REFUSED = 0.02, 0.95
"""p if either the answer or the reference declines, and if both do: set by logic, not fitted."""

_QUOTED = 160
"""Maximum characters per quoted missing or extra part; at most three are quoted."""


def decide(task: DecideCorrect, tools: Tools) -> Decision:
    """Correct if the best reference gives p ≥ 0.5."""
    best = best_correctness(task.question, task.answer, _meant(task), task.language, tools)
    p = tools.calibrated("correct", best.p)
    explanation = _explain(_remarks(task.answer, best, task.language, tools), p, task.language)
    return Decision(explanation=explanation, correct=p >= tools.constants.band["threshold"], p=p)


def decide_grounded(task: DecideCorrectGrounded, tools: Tools) -> GroundedDecision:
    """Correct as in `decide`, and supported if nothing was added that references and contexts do not support.

    An addition is a statement whose support is below the undecided band; p is then at most that support.
    """
    references, threshold = _meant(task), tools.constants.band["threshold"]
    best = best_correctness(task.question, task.answer, references, task.language, tools)
    added = _unsupported(task.answer, (*references, *task.contexts, task.question), task.language, tools)
    p = tools.calibrated("correct", min([best.p, *(found for found, _ in added)]))
    remarks = _remarks(task.answer, best, task.language, tools) + _quoted("extra", added, task.language)
    correct = tools.calibrated("correct", best.p) >= threshold
    return GroundedDecision(
        explanation=_explain(remarks, p, task.language), correct=correct, supported=p >= threshold or not added, p=p
    )


def _meant(task: DecideCorrect | GradeAnswer) -> tuple[str, ...]:
    """Return the references, of which one is enough; parts of an answer are one reference."""
    return ("\n".join(task.parts),) if task.parts else task.references


def grade(task: GradeAnswer, tools: Tools) -> Grade:
    """Return 0 if the answer declines and no reference does; else 1 + 4 p, or the calibrated grade.

    Without calibration the figure ranks answers but means little by itself, as the feedback says.
    """
    references = _meant(task)
    best = best_correctness(task.question, task.answer, references, task.language, tools)
    if is_refusal(task.answer, task.language) and best.p < tools.constants.band["threshold"]:
        feedback = said(task.language, "The answer declines to answer.", "回答は答えることを断っている。")
        return Grade(feedback=feedback, grade=0)
    mean = tools.calibrated("grade", best.p) if "grade" in tools.calibrations else 1 + 4 * best.p
    remarks = _remarks(task.answer, best, task.language, tools)
    added = _unsupported(task.answer, (*references, *task.evidence, task.question), task.language, tools)
    remarks += _quoted("extra", added, task.language)
    if "grade" not in tools.calibrations:
        remarks.append(said(task.language, "the grade is not calibrated", "校正していない評点"))
    steps = (1, 2, 3, 4, 5)
    return Grade(feedback=_explain(remarks, best.p, task.language), grade=steps[int(mean + 0.5) - 1], mean=mean)


def best_correctness(
    question: str, answer: str, references: Sequence[str], language: Language, tools: Tools
) -> ReferenceMatch:
    """Return the match with the reference that the answer agrees with most; close to 0 if it declines.

    If all references say that there is no answer, one that does not say so is wrong, whatever words they share.

    Raises:
        CannotJudge: there is no reference.
    """
    given = filter(str.strip, references)
    matches = [correctness(question, answer, reference, language, tools.constants) for reference in given]
    if not matches:
        raise CannotJudge("there is no reference, and the offline judge can only compare the answer with one")
    if is_refusal(answer, language):
        both = any(is_refusal(reference, language) for reference in references)
        return replace(matches[0], p=_BOTH_REFUSED if both else _REFUSED)
    if answer.strip() and _unanswered(references, language):
        return replace(matches[0], p=_REFUSED)
    return max(matches, key=lambda each: each.p)


def _unanswered(references: Sequence[str], language: Language) -> bool:
    """Return whether all references say that the question has no answer."""
    return all(says_unanswered(reference, language) for reference in references if reference.strip())


def _remarks(answer: str, best: ReferenceMatch, language: Language, tools: Tools) -> list[str]:
    if not answer.strip():
        return [said(language, "the answer is empty", "回答が空である")]
    if is_refusal(answer, language):
        return [said(language, "the answer declines to answer", "回答は答えることを断っている")]
    if says_unanswered(best.reference, language):
        english = "the reference says that there is no answer, and this answer gives one"
        return [said(language, english, "正答例は答えがないと述べているが、回答は答えている")]
    remarks = absent(best.missing_numbers, best.missing_names, "answer", language)
    remarks += instead_of(best.replaced, language)
    if best.missing_numbers and best.other_numbers and not best.replaced:
        others = ", ".join(best.other_numbers[:3])
        remarks.append(said(language, f"it has {others} instead", f"回答には代わりに {others} とある"))
    if best.polarity:
        remarks.append(said(language, "yes and no agree", "肯定・否定が一致する"))
    elif best.polarity is not None:
        remarks.append(said(language, "says the opposite of yes or no", "肯定・否定が逆である"))
    percent = round(100 * best.recall)
    english = f"{percent} % of the reference's content words in the answer"
    remarks.append(said(language, english, f"正答例の内容語の {percent} % が回答にある"))
    return remarks + _quoted("missing", _unsupported(best.reference, (answer,), language, tools), language)


def _unsupported(text: str, sources: Sequence[str], language: Language, tools: Tools) -> list[tuple[float, str]]:
    """Return the statements whose support by the sources is below the undecided band, with that support."""
    index = tools.indexes.of(sources, language)
    found = [(support(statement, index, tools.constants), statement) for statement in statements_of(text, language)]
    lower = tools.constants.band["lower"]
    return [(each.p, statement) for each, statement in found if each.comparable and each.p < lower]


def _quoted(kind: Literal["missing", "extra"], parts: Sequence[tuple[float, str]], language: Language) -> list[str]:
    """Return a remark that quotes the parts, or none."""
    if not parts:
        return []
    shown = [statement[:_QUOTED] + ("…" if len(statement) > _QUOTED else "") for _, statement in parts[:3]]
    if language == "ja":
        return [f"{'不足' if kind == 'missing' else '余分'}の疑い：" + "".join(f"「{each}」" for each in shown)]
    return [f"possibly {kind}: " + ", ".join(f"“{each}”" for each in shown)]


def _explain(remarks: Sequence[str], p: float, language: Language) -> str:
    if language == "ja":
        return "語の重なりのみによる判定。" + "；".join(remarks) + f"（p = {p:.2f}）"
    return "Judged by overlap alone: " + "; ".join(remarks) + f" (p = {p:.2f})"


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
    explanation = said(
        task.language,
        f"Judged by overlap alone: the first has p = {first:.2f}, the second p = {second:.2f}",
        f"語の重なりのみによる判定。最初の回答は p = {first:.2f}、二番目の回答は p = {second:.2f}",
    )
    return Preference(explanation=explanation, better=better)
