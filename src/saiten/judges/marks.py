"""Replies in prose that end in a marker: `Feedback: … [RESULT] 4`, or an explanation and `[[True]]`.

The last marker wins, since a judge that reasons aloud may mention a grade earlier. An unreadable marker is not skipped
in favor of an earlier one; one that quotes the material is (`quotations`).
"""

import re
from collections.abc import Callable, Sequence

from saiten.judges.quotations import MOST_MARKS, Material, ends_a_sentence


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
