"""Replies in prose that end in a grade: `Feedback: … [RESULT] 4`."""

import re
from dataclasses import replace
from typing import Any

from saiten.judges.marks import own_marks
from saiten.judges.quotations import QUOTED, Material

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
    """Return `feedback` and `grade`; raises ValueError unless a whole number follows the last marker."""
    results, labels = list(_RESULT.finditer(text)), list(_LABEL.finditer(text))
    strict = replace(material, strict=True)
    in_form = _IN_FORM.search(text) is not None
    own = own_marks(text, results, _end_of_number, material if in_form else strict)
    own = own or own_marks(text, labels, _end_of_number, strict)
    if not own:
        fault = "found no `[RESULT]` with a grade; end with `[RESULT]` and one whole number"
        raise ValueError(QUOTED if results or labels else fault)
    mark = own[-1]
    number = _number_after(text, mark)
    if number is None or _MORE.match(text, number.end()):
        raise ValueError(f"expected one whole number after {mark[0]!r}, got {_glimpse(text[mark.end() :])!r}")
    before, after = text[: mark.start()], text[number.end() :].lstrip(" \t)）]］>＞」】*_`\"'点.。")
    return {"feedback": _FEEDBACK.sub("", before).strip() or after.strip(), "grade": _whole(number)}


def grade_places(text: str) -> list[tuple[int, int]]:
    """Return the start and end of the number after each marker, in order."""
    marks = sorted([*_RESULT.finditer(text), *_LABEL.finditer(text)], key=lambda mark: mark.start())
    numbers = (_number_after(text, mark) for mark in marks)
    return [number.span(2) for number in numbers if number is not None]


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


def _glimpse(text: str) -> str:
    return text.strip()[:30]
