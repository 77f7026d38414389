"""Cloze texts: a sentence with a gap, for what no rule can ask about in a natural way."""

import re
from collections.abc import Iterator

from saiten.judges.offline.names import latin_names
from saiten.records import Language
from saiten.testsets.offline import english_quantities, japanese_quantities
from saiten.testsets.offline.english_clauses import depends
from saiten.testsets.offline.japanese_clauses import is_unclear
from saiten.testsets.offline.posed import Posed
from saiten.testsets.offline.statements import Statement
from saiten.text.common_words import is_common
from saiten.text.words import has_digit, in_order, normalize

GAP = "____"

_FORMS: dict[Language, str] = {
    "en": "Complete the statement{about}: “{text}”",
    "ja": "{about}次の文の空欄（____）に当てはまる語句は何ですか：「{text}」",
}
_ABOUT: dict[Language, str] = {"en": " about {}", "ja": "「{}」についての"}
_FROM: dict[Language, str] = {"en": " from {}", "ja": "「{}」にある"}
_LONGEST: dict[Language, int] = {"en": 220, "ja": 110}


_FEWEST_WORDS = 3
"""Content words that must be left, not counting everyday ones, for a reader to know what is asked."""
_MOST_NUMBERS = 3
"""Of a sentence with more, nobody remembers one."""
_LEADING = re.compile(r"\b(?:in|with|by|at|from|to|on|through|for|via|into|called|named) $")
_ENDING = re.compile(
    r"[.,;]|$| (?:and|or|for|in|to|with|at|by|on|from|is|are|if|when|before|after|only|as|per|a|of|each|without|"
    r"within|during|of)\b"
)
_LEADING_JA = re.compile("(?:[はがをにでのとも、]|から|最大|最長|最低|約|以内の)$")
_NO_ANSWER_JA = re.compile("[ともはでか中]|ほど|など|ずつ|程度|[)）]")


def clozes_of(statement: Statement, source: str, language: Language) -> Iterator[Posed]:
    """Yield the sentence with one number or name left out, and the heading or the document that it is from.

    Nothing for a sentence that refers to others or says little, or if there is neither heading nor document.
    """
    text, heading = statement.text, statement.heading
    where = _ABOUT[language].format(f"“{heading}”" if language == "en" else heading) if heading else ""
    if not where and source:
        where = _FROM[language].format(source)
    unclear = depends(text) if language == "en" else (is_unclear(text) or "は" not in text)
    if not where or unclear or len(text) > _LONGEST[language] or re.search("[:：]", text):
        return
    if len(re.findall(r"\d[\d.,]*", text)) > _MOST_NUMBERS:
        return
    for start, end in sorted(_gaps(text, language)):
        rest = text[:start] + text[end:]
        if text[start:end] not in rest and _says_enough(rest):  # else it can be read off the rest, or anything fits
            yield Posed(_FORMS[language].format(about=where, text=f"{text[:start]}{GAP}{text[end:]}"), "cloze")


def _says_enough(rest: str) -> bool:
    words = [word for word in in_order(normalize(rest).lower()) if not has_digit(word) and not is_common(word)]
    return len(words) >= _FEWEST_WORDS


def _gaps(text: str, language: Language) -> Iterator[tuple[int, int]]:
    if language == "ja":
        for blank in japanese_quantities.gaps(text):
            if _LEADING_JA.search(text, 0, blank.start) and not _NO_ANSWER_JA.match(text, blank.end):
                yield blank.start, blank.end
        return
    for gap in english_quantities.gaps(text):
        if gap.amount_start > 0 and _ENDING.match(text, gap.amount_end):
            yield gap.amount_start, gap.amount_end
    for name in latin_names(text):
        found = re.search(rf"(?<![\w`“\"-]){re.escape(name)}(?![\w`”\"-])", text)
        if found and _LEADING.search(text, 0, found.start()) and _ENDING.match(text, found.end()):
            yield found.span()
