"""Replies in prose that end in a marker: `Feedback: … [RESULT] 4`, or an explanation and `[[True]]`.

The last marker wins, since a judge that reasons aloud may mention a grade earlier. An unreadable marker is not skipped
in favor of an earlier one; one that quotes the material is (`quotations`).
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from saiten.judges.quotations import MOST_MARKS, QUOTED, Material, ends_a_sentence
from saiten.tasks.verdicts import read_yes_no

_RESULT = re.compile(
    r"[*_`]{0,3}\\?[\[［【]\s{0,9}(?:results?|結果|評価結果|評点)\s{0,9}(?:\\?[\]］】]|(?=[:：]?\s{0,3}\d))",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:\b(?:score|grade|rating)|評点|点数|スコア)[*_` 　]{0,4}[:：=＝](?=[\s*_`\"'(（\[［<＜「]{0,9}\d[\d./／．]{0,6}"
    r"(?: out of \d)?(?:点|\s{0,3}(?:[.,、。)）\]］>＞」*_`\"'(（]|$)))",  # "Score: 3 mistakes" is no grade
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = re.compile(r"[\s:：=＝*_`\"'(（\[［<＜「【\\]{0,12}")
_NUMBER = re.compile(r"([+\-−±~〜]?)\s?(\d+(?:[.．,]\d+)?)(?:\s{0,3}(?:/|／|out of|of)\s{0,3}(\d+))?", re.IGNORECASE)
_MORE = re.compile(r"\s{0,3}(?:[-–—~〜～/／]|to\b|or\b|か|または|から|ないし)\s{0,3}\d", re.IGNORECASE)
_FEEDBACK = re.compile(r"^[\s*#_`>]*(?:feedback|フィードバック|講評)[\s*_`]*[:：][\s*_`]*", re.IGNORECASE)
_IN_FORM = re.compile(r"^[ \t*#_`]{0,9}(?:feedback|フィードバック|講評)[*_`]{0,3}[:：]", re.IGNORECASE | re.MULTILINE)


def read_grade(text: str, material: Material) -> dict[str, Any]:
    """Return `feedback` and `grade` of a reply in the Prometheus format.

    Raises:
        ValueError: there is no marker, or the last one is not followed by a whole number.
    """
    results, labels = list(_RESULT.finditer(text)), list(_LABEL.finditer(text))
    strict = replace(material, strict=True)
    in_form = _IN_FORM.search(text) is not None
    own = _own(text, results, _end_of_number, material if in_form else strict)
    own = own or _own(text, labels, _end_of_number, strict)
    if not own:
        fault = "found no `[RESULT]` with a grade; end with `[RESULT]` and one whole number"
        raise ValueError(QUOTED if results or labels else fault)
    mark = own[-1]
    number = _number_after(text, mark)
    if number is None or _MORE.match(text, number.end()):
        raise ValueError(f"after {mark[0]!r} expected one whole number, got {_glimpse(text[mark.end() :])!r}")
    before, after = text[: mark.start()], text[number.end() :].lstrip(" \t)）]］>＞」】*_`\"'点.。")
    return {"feedback": _FEEDBACK.sub("", before).strip() or after.strip(), "grade": _whole(number)}


def _number_after(text: str, mark: re.Match[str]) -> re.Match[str] | None:
    start = _AFTER.match(text, mark.end())
    return _NUMBER.match(text, start.end() if start else mark.end())


def _end_of_number(text: str, mark: re.Match[str]) -> int:
    number = _number_after(text, mark)
    return number.end() if number else mark.end()


def _whole(number: re.Match[str]) -> int:
    sign, digits, scale = number.groups()
    value = float(digits.replace("．", ".").replace(",", "."))
    if sign or not value.is_integer() or (scale is not None and int(scale) != 5):
        raise ValueError(f"expected a whole number from 0 to 5, got {_glimpse(number[0])!r}")
    return int(value)


_MARKER = re.compile(r"[*_`]{0,3}\\?[\[［]\s{0,9}\\?[\[［]([^\[\]［］\\]{1,20})\\?[\]］]\s{0,9}\\?[\]］]")
_CHOICE = re.compile(r"\s{0,3}(?:or|と|か|または|もしくは|,|、|/|／)\s{0,3}", re.IGNORECASE)
_DECISIONS = {"correct": True, "正解": True, "incorrect": False, "不正解": False}


def read_decision(text: str, material: Material) -> dict[str, Any]:
    """Return `explanation` and `correct` of a reply that ends in `[[True]]` or `[[False]]`.

    Raises:
        ValueError: it contains neither.
    """
    marks = [mark for mark in _MARKER.finditer(text) if _decision(mark[1]) is not None]
    own = _own(text, marks, lambda _, mark: mark.end(), material)
    while len(own) > 1 and _CHOICE.fullmatch(text[own[-2].end() : own[-1].start()]):
        del own[-2:]  # "[[True]] or [[False]]" names the options without choosing one
    if not own:
        fault = "found neither `[[True]]` nor `[[False]]`; end with one of them"
        raise ValueError(QUOTED if marks and material.repeats(text, *marks[-1].span()) else fault)
    mark = own[-1]
    explanation = text[: mark.start()].strip() or text[mark.end() :].strip()
    return {"explanation": explanation, "correct": _decision(mark[1])}


def _decision(word: str) -> bool | None:
    plain = unicodedata.normalize("NFKC", word).strip(" \u3000*_`\"'.。").casefold()
    if plain in _DECISIONS:
        return _DECISIONS[plain]
    decision = None if plain.isdecimal() else read_yes_no(plain)  # [[1]] is a citation
    return decision if isinstance(decision, bool) else None


def _own(
    text: str,
    marks: Sequence[re.Match[str]],
    end_of: Callable[[str, re.Match[str]], int],
    material: Material,
) -> list[re.Match[str]]:
    """Return the markers the judge did not quote, among the last `MOST_MARKS`.

    Raises:
        ValueError: the last one is in the material, and an earlier one that is not disagrees with it.
    """
    own: list[re.Match[str]] = []
    repeated: list[bool] = []
    for mark in marks[-MOST_MARKS:]:
        start, end = mark.start(), end_of(text, mark)
        if material.repeats(text, start, end):
            if material.strict or material.quotes(text, start, end) or not ends_a_sentence(text[:start]):
                continue
            repeated.append(True)
        else:
            repeated.append(False)
        own.append(mark)
    if repeated and repeated[-1] and not all(repeated):
        raise ValueError("the reply holds two verdicts, and the last one is in the material; give one, your own")
    return own


def _glimpse(text: str) -> str:
    return text.strip()[:30]
