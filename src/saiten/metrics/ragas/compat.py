"""What the RAGAS metrics share: the switch between our values at the edges and those of RAGAS 0.4.3.

RAGAS 0.4.3 has two implementations of most metrics, which differ at the edges. `compat=ragas` follows the documented
one, `ragas.metrics.collections` (and `ragas.metrics.AspectCritic`, which has no successor there). Where RAGAS gives
NaN or raises, the score is `undefined` with the reason: a NaN is never produced.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.protocols import Need
from saiten.records import Sample, Score

Compat = Literal["ours", "ragas"]


@dataclass(frozen=True)
class RagasMetric(BaseMetric):
    """A metric whose edge cases can be counted our way or RAGAS's."""

    refused_by_ragas: ClassVar[tuple[Need, ...]] = ()
    """Fields on which RAGAS raises when they are empty."""

    compat: Compat = field(default="ours", kw_only=True)
    """`ragas`: the same value as RAGAS 0.4.3 for the same replies, edge cases included."""

    def __post_init__(self) -> None:
        """Refuse an unknown `compat`, and widen the bounds to what RAGAS can give."""
        if self.compat not in get_args(Compat):
            raise ConfigurationError(f"compat is ours or ragas, not {self.compat!r}")
        if self.as_ragas:
            # A setting decides about the bounds: the instance's own hide the class's.
            object.__setattr__(self, "bounds", (self.lowest_in_ragas, self.bounds[1]))

    @property
    def lowest_in_ragas(self) -> float:
        """The lower bound in compat; below 0 where a cosine that is not clipped goes in."""
        return 0.0

    @property
    def as_ragas(self) -> bool:
        """Whether to count as RAGAS does."""
        return self.compat == "ragas"

    def empty(self, sample: Sample, *fields: Need) -> Score | None:
        """The undefined score where one of the fields has no text, else None.

        In compat the fields are those that RAGAS refuses, and only what is of length 0 is empty, not white space.
        Else contexts that were given are never missing: where they hold no text, `found_nothing` says so.
        """
        if self.as_ragas:
            return first_blank(sample, self.refused_by_ragas, exact=True)
        return first_blank(sample, [name for name in fields if name != "contexts" or sample.contexts is None])

    def found_nothing(self, sample: Sample) -> bool:
        """Whether contexts were retrieved and hold no text: a failure of the system, which the score has to show.

        Never in compat, where RAGAS refuses such a sample or asks about it all the same.
        """
        return not self.as_ragas and sample.contexts is not None and is_blank(sample.contexts)

    def kept(self, texts: Iterable[str]) -> tuple[str, ...]:
        """What a judge listed, without blank items; RAGAS keeps them."""
        return tuple(text for text in texts if self.as_ragas or text.strip())


def first_blank(sample: Sample, fields: Iterable[Need], *, exact: bool = False) -> Score | None:
    """The undefined score for the first of the fields that has no text (`exact`: no characters), else None."""
    for name in fields:
        value = getattr(sample, name)
        if not value if exact else is_blank(value):
            return Score.undefined("there is no context" if name == "contexts" else f"the {name} is empty")
    return None


NOTHING_RETRIEVED = "nothing was retrieved"
"""The reason of a score of 0 for a sample whose contexts hold no text."""


def is_blank(value: str | tuple[str, ...] | None) -> bool:
    """Whether there is no text in it."""
    texts = (value,) if isinstance(value, str) else value or ()
    return not any(text.strip() for text in texts)
