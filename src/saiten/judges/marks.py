"""Replies in prose that end in a marker: `Feedback: … [RESULT] 4`, or an explanation and `[[True]]`.

The last marker wins, since a judge that reasons aloud may mention a grade earlier. An unreadable marker is not skipped
in favor of an earlier one; one that quotes the material is (`quotations`).
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from saiten.judges.quotations import MOST_MARKS, QUOTED, Material, ends_a_sentence, goes_on
from saiten.tasks.correctness import DECISIONS
from saiten.tasks.verdicts import read_yes_no


def own_marks(
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
        repeats = material.repeats(text, start, end)
        if repeats and (
            material.strict
            or material.quotes(text, start, end)
            or not ends_a_sentence(text[:start])
            or goes_on(text[end:])
        ):
            continue
        own.append(mark)
        repeated.append(repeats)
    if repeated and repeated[-1] and not all(repeated):
        raise ValueError(
            "the last of the two verdicts in the reply is a quotation from the material; give only your own"
        )
    return own


_MARKER = re.compile(r"[*_`]{0,3}\\?[\[［]\s{0,9}\\?[\[［]([^\[\]［］\\]{1,20})\\?[\]］]\s{0,9}\\?[\]］]")
_CHOICE = re.compile(r"\s{0,3}(?:or|と|か|または|もしくは|,|、|/|／)\s{0,3}", re.IGNORECASE)


def decision_places(text: str) -> list[tuple[int, int]]:
    """Return the start and end of what each `[[True]]` or `[[False]]` says."""
    return [mark.span(1) for mark in _MARKER.finditer(text) if _decision(mark[1]) is not None]


def read_decision(text: str, material: Material) -> dict[str, Any]:
    """Return `explanation` and `correct`; raises ValueError if there is no `[[True]]` or `[[False]]`."""
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
    is_citation = any(map(str.isdecimal, word))  # [[1]]
    decision = None if is_citation else read_yes_no(word, DECISIONS)
    return decision if isinstance(decision, bool) else None
