"""The check of wording: whether a question can be understood, and answered, by somebody who sees only the question.

It goes by patterns, in English and Japanese, and is meant for questions that a model wrote from a passage: these like
to speak of *the passage above*, which nobody who uses the system has seen.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saiten.records import Language
from saiten.testsets.items import Checked, SetItem
from saiten.testsets.rules.asking import is_asking, questions_in
from saiten.testsets.rules.unseen import unresolved, unseen
from saiten.text.language import detect_language

LONGEST: dict[Language, int] = {"en": 400, "ja": 200}
"""Maximum characters of a question."""

_SEVERAL = 2
"""Maximum number of questions in one item."""

_CODE = re.compile(r"`[^`\n]+`")
_LEFTOVER = re.compile(
    r"\{\{?\s*[A-Za-z_][\w ]{0,40}\}?\}|\[(?:insert|your|name of|question|answer|topic|placeholder)\b[^\]\n]{0,60}\]"
    r"|</?(?:question|answer|context|passage|reference|think|document|text)\b[^>\n]{0,60}>"
    r"|^\W*(?:(?:follow-up )?question|q|質問|問|問い|設問)\s?\d{0,3}\s?[:：]|\blorem ipsum\b|\bTODO\b|"
    r"^\s*[\[{]\s*\"|```"
    r"|\bas an ai\b|^\W*(?:sure|certainly|of course)\b[,!]|^\W*(?:here (?:is|are)|here's)\b[^?]{0,60}\bquestions?\b"
    r"|^\W*(?:はい|承知しました|かしこまりました)[、。!！]|(?:以下|次)(?:は|が)、?(?:作成した)?質問です",
    re.IGNORECASE | re.MULTILINE,
)
"""Parts of a form or of a model's manners. Code in `backticks` is not searched."""


class Fault(NamedTuple):
    """Something wrong with a question."""

    name: str
    reason: str
    """A sentence for people."""


def check_wording(item: SetItem) -> Checked:
    """Return whether the question makes sense by itself; `details` has the name of the fault.

    A follow-up question may refer to what was said before it, but not to a text that the asker does not see.
    """
    fault = next(_faults(item), None)
    if fault is None:
        return Checked("wording", passed=True)
    return Checked("wording", passed=False, reason=fault.reason, details={"fault": fault.name})


def _faults(item: SetItem) -> Iterator[Fault]:
    question, language = item.question.strip(), item.language
    prose = _CODE.sub("`x`", question)
    limit = LONGEST[language]
    if left := _LEFTOVER.search(prose):
        found = left.group().strip()
        yield Fault("leftover", f"part of a form or of a reply is left in the question: “{found}”")
    if (length := len(question)) > limit:
        yield Fault("long", f"the question has {length} characters; expected at most {limit}")
    if detect_language(question) != language:
        yield Fault("language", _OTHER_LANGUAGE[language])
    if found := unseen(prose):
        yield Fault("unseen_text", f"it refers to a text that the asker does not see: “{found}”")
    if not item.history and (found := unresolved(prose)):
        yield Fault("pronoun", f"“{found}” refers to something that the question does not name")
    if not is_asking(prose):
        yield Fault("no_question", "it asks nothing: expected a question or a request")
    if (count := questions_in(prose)) > _SEVERAL:
        yield Fault("several", f"{count} questions are asked at once; expected at most {_SEVERAL}")


_OTHER_LANGUAGE: dict[Language, str] = {
    "en": "the question is in Japanese; expected English",
    "ja": "the question is in English; expected Japanese",
}
