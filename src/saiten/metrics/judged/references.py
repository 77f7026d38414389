"""References as a judge is shown them: distinct, as alternatives or as the parts of one correct answer."""

from typing import Literal, NamedTuple

from saiten.records import Sample

Reading = Literal["alternatives", "parts"]
"""Each reference is correct by itself, or all of them together are one correct answer."""


class ShownReferences(NamedTuple):
    """The references in the role in which they are shown; one of the two is empty."""

    alternatives: tuple[str, ...]
    parts: tuple[str, ...]


def as_read(sample: Sample, reading: Reading) -> ShownReferences:
    """Return the sample's references without repetitions, which differ at most in white space.

    A single reference is an alternative, whatever the reading.
    """
    distinct = tuple({" ".join(each.split()): each for each in reversed(sample.references)}.values())[::-1]
    if reading == "parts" and len(distinct) > 1:
        return ShownReferences((), distinct)
    return ShownReferences(distinct, ())
