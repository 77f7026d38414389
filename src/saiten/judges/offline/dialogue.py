"""A dialogue without a model: an extractive composer, and a questioner that asks by topic words.

The composer joins the system's own sentences. The questioner takes the reference's least covered statement and asks
about its first content words, without numbers and never more than half of them, so as not to give it away. Neither can
infer, rephrase, or notice that the system contradicts itself.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest

from saiten.judges.offline.index import Tools
from saiten.judges.offline.statements import statements_of
from saiten.judges.offline.support import said, support
from saiten.records import Language
from saiten.tasks.dialogue import (
    AskNext,
    ComposeAnswer,
    Composition,
    DecideNext,
    Need,
    NextQuestion,
    ReviseAnswer,
    same_question,
)
from saiten.text.refusals import is_refusal
from saiten.text.words import in_order, normalise, units_of

_TOPIC_WORDS = 3
"""Maximum number of missing words named in a question."""

_BRINGS = 2
"""Number of new reference words for which an unsupported statement is kept; one number is enough."""

_RUN = re.compile(
    r"(?=[a-z0-9.%]*[\u3005-\u3007\u30a1-\u30fa\u3400-\u9fff])[a-z0-9.%\u3005-\u3007\u30a1-\u30fa\u30fc\u3400-\u9fff]{2,}"
)
"""Two characters or more, one of them kanji or katakana: skips 週間前, and finds 2週間前, which its digit excludes."""

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
        new = [(statement, units) for statement in statements_of(answer, task.language)
               if (not units <= covered if (units := _units(statement)) else statement not in repeated)]  # fmt: skip
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
    english = f"The sentences of answer {numbers}, strung together."
    explanation = said(task.language, english, f"応答{numbers}の文を並べた。")
    return Composition(explanation=explanation, answer=_strung(kept, task.language))


def decide_next(task: DecideNext, tools: Tools) -> Need:
    """Ask on while a statement of the reference is missing, and a question about it has not been asked."""
    missing = _missing(task.reference, task.history, task.language, tools)
    if missing and not _new_questions(missing, task.history[::2], task.language):
        english = "What is missing has been asked for in every way known here."
        japanese = "まだ述べられていない内容について、尋ねられることはすべて尋ねた。"
        return Need(explanation=said(task.language, english, japanese), needed=False)
    if not missing:
        english = "The system has said it all."
        return Need(explanation=said(task.language, english, "参照回答の内容はすべて述べられている。"), needed=False)
    english = f"{len(missing)} of the reference's statements {'is' if len(missing) == 1 else 'are'} not said yet."
    japanese = f"まだ述べられていない内容が{len(missing)}件ある。"
    return Need(explanation=said(task.language, english, japanese), needed=True)


def ask_next(task: AskNext, tools: Tools) -> NextQuestion:
    """Ask about the topic words of a missing statement, with the first question not asked before."""
    missing = _missing(task.reference, task.history, task.language, tools) or [task.reference]
    new = _new_questions(missing, (*task.earlier, *task.refused), task.language)
    japanese = "参照回答のうち、まだ述べられていない部分の話題を尋ねる。"
    explanation = said(task.language, "The topic of what is missing.", japanese)
    return NextQuestion(explanation=explanation, question=(new or [task.question])[0])


def revise(task: ReviseAnswer, tools: Tools) -> Composition:
    """Remove what the reference does not support, unless it contributes words of the reference."""
    statements = statements_of(task.answer, task.language)
    kept = _worth_keeping(statements, task, tools)
    if not kept or len(kept) == len(statements):
        return Composition(explanation=said(task.language, "Nothing was changed.", "変更なし。"), answer=task.answer)
    left_out = len(statements) - len(kept)
    english = f"Left out what the reference does not have: {left_out}."
    explanation = said(task.language, english, f"参照回答にない{left_out}文を除いた。")
    return Composition(explanation=explanation, answer=_strung(kept, task.language))


def _worth_keeping(statements: Sequence[str], task: ReviseAnswer, tools: Tools) -> list[str]:
    index = tools.indexes.of((task.reference, task.question), task.language)
    wanted = _units(task.reference)
    supported = [support(each, index, tools.constants).p >= tools.constants.band["threshold"] for each in statements]
    held: set[str] = set()
    for each, stays in zip(statements, supported, strict=True):
        held |= _units(each) if stays else set()
    kept = []
    for each, stays in zip(statements, supported, strict=True):
        brought = (_units(each) & wanted) - held
        if stays or len(brought) >= _BRINGS or any(map(_has_digit, brought)):
            kept.append(each)
            held |= brought
    return kept


def _missing(reference: str, history: Sequence[str], language: Language, tools: Tools) -> list[str]:
    index = tools.indexes.of(tuple(history[1::2]), language)
    found = [(support(each, index, tools.constants).p, each) for each in statements_of(reference, language)]
    return [each for p, each in sorted(found, key=lambda pair: pair[0]) if p < tools.constants.band["threshold"]]


def _new_questions(missing: Sequence[str], taken: Sequence[str], language: Language) -> list[str]:
    """Return new questions about missing statements: the first about each, then the second, …."""
    about = [_questions_about(statement, language) for statement in missing]
    rounds = (question for questions in zip_longest(*about) for question in questions if question is not None)
    return [question for question in rounds if not any(same_question(question, each) for each in taken)]


def _questions_about(statement: str, language: Language) -> list[str]:
    """Return questions by the first topic words, then the next ones, covering at most half of the words."""
    words = _topics(statement)
    words = [_as_written(word, statement) for word in words[: max(1, len(words) // 2)]]
    parts = [words[at : at + _TOPIC_WORDS] for at in range(0, len(words), _TOPIC_WORDS)]
    if language == "ja":
        return [f"{'、'.join(part)}について教えてください。" for part in parts]
    return [f"What can you tell me about {' '.join(part)}?" for part in parts]


def _topics(statement: str) -> list[str]:
    """Return content words without numbers; for Japanese whole runs of kanji, katakana and letters."""
    plain = normalise(statement).lower()
    runs = [run for run in _RUN.findall(plain) if not _has_digit(run)]
    return list(dict.fromkeys(runs)) if runs else [word for word in in_order(plain) if not _has_digit(word)]


def _as_written(word: str, statement: str) -> str:
    found = re.search(re.escape(word), normalise(statement), re.IGNORECASE)
    return found.group() if found else word


def _strung(statements: Sequence[str], language: Language) -> str:
    """Join the statements; a clause in the middle of a sentence is followed by a semicolon."""
    end, between, space = ("。", "；", "") if language == "ja" else (".", ";", " ")
    following = (*statements[1:], "")
    whole = [
        each if each.endswith(_ENDS) else each + (between if after[:1].islower() else end)
        for each, after in zip(statements, following, strict=True)
    ]
    return space.join(whole)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _units(text: str) -> set[str]:
    return units_of(normalise(text).lower())
