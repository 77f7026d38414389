"""A questioner without a model, which asks by topic words.

It takes the reference's least covered statement and asks about those of its words that came up before or are everyday
words, without numbers, so as not to give it away; then more generally about the words of the first question.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest

from saiten.judges.offline.names import latin_names
from saiten.judges.offline.reasons import said
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.dialogue import AskIfNeeded, AskNext, DecideNext, FollowUp, Need, NextQuestion
from saiten.tasks.same_question import same_question
from saiten.text.common_words import is_common
from saiten.text.words import has_digit, in_order, normalize, units_of

_TOPIC_WORDS = 3
"""Maximum number of topic words named in a question."""

_RUN = re.compile(
    r"(?=[a-z0-9.%]*[\u3005-\u3007\u30a1-\u30fa\u3400-\u9fff])[a-z0-9.%\u3005-\u3007\u30a1-\u30fa\u30fc\u3400-\u9fff]{2,}"
)
"""Two characters or more, one of them kanji or katakana: skips 週間前, and finds 2週間前, which its digit excludes."""

_GENERAL: dict[Language, tuple[str, ...]] = {
    "en": (
        "What else can you tell me about {}?",
        "Can you explain {} in more detail?",
        "Which conditions and exceptions apply to {}?",
    ),
    "ja": (
        "{}について、ほかに分かることを教えてください。",
        "{}について、詳しく教えてください。",
        "{}の条件や例外を教えてください。",
    ),
}


def ask_if_needed(task: AskIfNeeded, tools: Tools) -> FollowUp:
    """Decide, and ask if needed, as the two steps would."""
    need = decide_next(task, tools)
    question = ask_next(task, tools).question if need.needed else ""
    return FollowUp(explanation=need.explanation, needed=need.needed, question=question)


def decide_next(task: DecideNext | AskIfNeeded, tools: Tools) -> Need:
    """Ask on while a statement of the reference is missing, and a question about it has not been asked."""
    missing = _missing(task.reference, task.history, task.language, tools)
    needed = bool(missing and _new_questions(missing, task.history, (), task.language))
    if needed:
        english = f"{len(missing)} of the reference's statements {'is' if len(missing) == 1 else 'are'} not said yet."
        japanese = f"まだ述べられていない内容が{len(missing)}件ある。"
    elif missing:
        english = "What is missing has been asked for in every way known here."
        japanese = "まだ述べられていない内容について、尋ねられることはすべて尋ねた。"
    else:
        english, japanese = "The system has said it all.", "参照回答の内容はすべて述べられている。"
    return Need(explanation=said(task.language, english, japanese), needed=needed)


def ask_next(task: AskNext | AskIfNeeded, tools: Tools) -> NextQuestion:
    """Ask about the topic words of a missing statement, with the first question neither asked nor refused before."""
    missing = _missing(task.reference, task.history, task.language, tools) or [task.reference]
    new = _new_questions(missing, task.history, task.refused[::2], task.language)
    japanese = "参照回答のうち、まだ述べられていない部分の話題を尋ねる。"
    explanation = said(task.language, "The topic of what is missing.", japanese)
    return NextQuestion(explanation=explanation, question=(new or [task.question])[0])


def _missing(reference: str, history: Sequence[str], language: Language, tools: Tools) -> list[str]:
    index = tools.indexes.of(tuple(history[1::2]), language)
    found = [(support(each, index, tools.constants).p, each) for each in statements_of(reference, language)]
    return [each for p, each in sorted(found, key=lambda pair: pair[0]) if p < tools.constants.band["threshold"]]


def _new_questions(
    missing: Sequence[str], history: Sequence[str], refused: Sequence[str], language: Language
) -> list[str]:
    """Return new questions: the first about each missing statement, then the second, …, then general ones."""
    about = [_questions_about(statement, history, language) for statement in missing]
    rounds = (question for questions in zip_longest(*about) for question in questions if question is not None)
    subject = " ".join(_as_written(word, history[0]) for word in _topics(history[0])[:_TOPIC_WORDS])
    general = (form.format(subject) for form in _GENERAL[language] if subject)
    taken = (*history[::2], *refused)
    return [each for each in (*rounds, *general) if not any(same_question(each, other) for other in taken)]


def _questions_about(statement: str, history: Sequence[str], language: Language) -> list[str]:
    """Return questions by the first topic words that give nothing away, then by the next ones."""
    heard = normalize(" ".join(history)).lower()
    units = units_of(heard)
    named = [word for word in _topics(statement) if is_common(word) or word in heard or units_of(word) <= units]
    words = [_as_written(word, statement) for word in named]
    parts = [words[at : at + _TOPIC_WORDS] for at in range(0, len(words), _TOPIC_WORDS)]
    if language == "ja":
        return [f"{'、'.join(part)}について教えてください。" for part in parts]
    return [f"What can you tell me about {' '.join(part)}?" for part in parts]


def _topics(statement: str) -> list[str]:
    """Return content words without numbers; for Japanese whole runs of kanji, katakana and letters."""
    plain = normalize(statement).lower()
    runs = [run for run in _RUN.findall(plain) if not has_digit(run)]
    return list(dict.fromkeys(runs)) if runs else [word for word in in_order(plain) if not has_digit(word)]


def _as_written(word: str, statement: str) -> str:
    """Return the word with its capitals, except that of a sentence's first word."""
    found = re.search(re.escape(word), normalize(statement), re.IGNORECASE)
    opens = found is not None and found.start() == 0 and word not in map(str.lower, latin_names(normalize(statement)))
    return word if found is None or opens else found.group()
