"""Replies in prose that end in `[[True]]` or `[[False]]`."""

import re
import unicodedata
from typing import Any

from saiten.judges.marks import own_marks
from saiten.judges.quotations import QUOTED, Material
from saiten.tasks.verdicts import read_yes_no

_MARKER = re.compile(r"[*_`]{0,3}\\?[\[［]\s{0,9}\\?[\[［]([^\[\]［］\\]{1,20})\\?[\]］]\s{0,9}\\?[\]］]")
_CHOICE = re.compile(r"\s{0,3}(?:or|と|か|または|もしくは|,|、|/|／)\s{0,3}", re.IGNORECASE)
_DECISIONS = {"correct": True, "正解": True, "incorrect": False, "不正解": False}


def read_decision(text: str, material: Material) -> dict[str, Any]:
    """Return `explanation` and `correct` of a reply that ends in `[[True]]` or `[[False]]`.

    Raises:
        ValueError: it contains neither.
    """
    marks = [mark for mark in _MARKER.finditer(text) if _decision(mark[1]) is not None]
    own = own_marks(text, marks, lambda _, mark: mark.end(), material)
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
