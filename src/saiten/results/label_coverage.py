"""How much of a data set people have labeled, and with what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.results.origin import Unpaired

LabelKind = Literal["verdicts", "grades", "categories", "preferences", "spans"]


@dataclass(frozen=True, slots=True)
class AspectCoverage:
    """The labels of one aspect."""

    aspect: str
    kinds: Mapping[LabelKind, int]
    """Labels of each kind, the most frequent kind first."""
    labels: int
    items: int
    """Items of the data with a label; a pair of answers labels both."""
    annotators: int
    """Different names; labels without a name are of one person."""
    twice: int
    """Labeled items, or pairs, with two annotators or more."""
    adjudicated: int
    """Labels that settle others."""
    repeated: int
    """Labels whose annotator labeled the item before."""
    unknown: Unpaired
    """Labeled items that are not in the data."""
    most_frequent: float | str
    """The most frequent value; a category by its word."""
    share: float
    """Its share of the labels."""


@dataclass(frozen=True, slots=True)
class LabelCoverage:
    """The labels of all aspects."""

    name: str
    """The file."""
    aspects: tuple[AspectCoverage, ...]
    samples: int
    """Samples of the data."""
    other_answers: int = 0
    """Labels that were given to another text under the same id."""
    in_several: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Labeled ids that occur in several data sets, so that a label may be of either."""
