"""A composer without a model, which joins the system's own sentences.

It cannot infer, rephrase, or notice that the system contradicts itself.
"""

from collections.abc import Sequence
from itertools import compress

from saiten.judges.offline.reasons import said
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.dialogue import ComposeAnswer, Composition, ReviseAnswer
from saiten.text.refusals import is_refusal
from saiten.text.words import content_units, has_digit

_BRINGS = 2
"""Number of new reference words for which an unsupported statement is kept; one number is enough."""

_ENDS = tuple(".!?。！？．」）)")


def compose(task: ComposeAnswer) -> Composition:
    """Join the sentences of the system's answers in order, without refusals and repetitions."""
    kept: list[str] = []
    covered: set[str] = set()
    repeated: set[str] = set()
    used: list[int] = []
    for number, answer in enumerate(task.history[1::2], start=1):
        if is_refusal(answer, task.language):
            continue
        stated = [(each, content_units(each)) for each in statements_of(answer, task.language)]
        new = [(each, units) for each, units in stated if (not units <= covered if units else each not in repeated)]
        if new:
            used.append(number)
        for statement, units in new:
            kept.append(statement)
            repeated.add(statement)
            covered |= units
    if not kept:
        explanation = said(task.language, "The system said nothing.", "システムは何も述べていない。")
        return Composition(explanation=explanation, answer=said(task.language, "I do not know.", "分かりません。"))
    numbers = ", ".join(map(str, used))
    english = f"The sentences of {'answer' if len(used) == 1 else 'answers'} {numbers}, joined."
    explanation = said(task.language, english, f"応答{numbers}の文を並べた。")
    return Composition(explanation=explanation, answer=_joined(kept, task.language))


def revise(task: ReviseAnswer, tools: Tools) -> Composition:
    """Remove what the reference does not support, unless it contributes words of the reference."""
    statements = statements_of(task.answer, task.language)
    kept = _worth_keeping(statements, task, tools)
    if not kept or len(kept) == len(statements):
        return Composition(explanation=said(task.language, "Nothing was changed.", "変更なし。"), answer=task.answer)
    left_out = len(statements) - len(kept)
    english = f"Left out what the reference does not have: {left_out} {'sentence' if left_out == 1 else 'sentences'}."
    explanation = said(task.language, english, f"参照回答にない{left_out}文を除いた。")
    return Composition(explanation=explanation, answer=_joined(kept, task.language))


def _worth_keeping(statements: Sequence[str], task: ReviseAnswer, tools: Tools) -> list[str]:
    index = tools.indexes.of((task.reference, task.question), task.language)
    wanted = content_units(task.reference)
    supported = [support(each, index, tools.constants).p >= tools.constants.band["threshold"] for each in statements]
    held = set[str]().union(*map(content_units, compress(statements, supported)))
    kept = []
    for each, stays in zip(statements, supported, strict=True):
        brought = (content_units(each) & wanted) - held
        if stays or len(brought) >= _BRINGS or any(map(has_digit, brought)):
            kept.append(each)
            held |= brought
    return kept


def _joined(statements: Sequence[str], language: Language) -> str:
    """Join the statements; a clause in the middle of a sentence is followed by a semicolon."""
    end, between, space = ("。", "；", "") if language == "ja" else (".", ";", " ")
    following = (*statements[1:], "")
    whole = [
        each if each.endswith(_ENDS) else each + (between if after[:1].islower() else end)
        for each, after in zip(statements, following, strict=True)
    ]
    return space.join(whole)
