"""The base of the RAGAS metrics: the switch between our edge cases and those of RAGAS 0.4.3.

RAGAS 0.4.3 has two implementations of most metrics, which differ in edge cases. `compat=ragas` follows the documented
one, `ragas.metrics.collections` (and `ragas.metrics.AspectCritic`, which has no successor there). Where RAGAS gives
NaN or raises, the score is `undefined` with a reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from saiten.metrics.base import BaseMetric
from saiten.protocols import Need
from saiten.records import Sample, Score


@dataclass(frozen=True)
class RagasMetric(BaseMetric):
    """A metric whose edge cases follow either saiten or RAGAS."""

    refused_by_ragas: ClassVar[tuple[Need, ...]] = ()
    """Fields for which RAGAS raises if they are empty."""

    lowest_in_ragas: ClassVar[float] = 0.0
    """The lower bound with `compat=ragas`; below 0 for cosines, which RAGAS does not clip."""

    compat: Literal["ours", "ragas"] = field(default="ours", kw_only=True)
    """`ragas`: the same value as RAGAS 0.4.3 for the same replies, edge cases included."""

    def __post_init__(self) -> None:
        """Refuse an unknown `compat`, and widen the bounds to RAGAS's range."""
        super().__post_init__()
        if self.as_ragas:
            self.declare(bounds=(self.lowest_in_ragas, self.bounds[1]))

    @property
    def as_ragas(self) -> bool:
        return self.compat == "ragas"

    def empty(self, sample: Sample, *fields: Need) -> Score | None:
        """Return the undefined score if one of the fields has no text, else None.

        With `compat=ragas` the fields are those that RAGAS refuses, and white space does not count as empty.
        Otherwise contexts only count as missing if there are none; `found_nothing` covers blank ones.
        """
        if self.as_ragas:
            return first_blank(sample, self.refused_by_ragas, exact=True)
        return first_blank(sample, [name for name in fields if name != "contexts" or sample.contexts is None])

    def found_nothing(self, sample: Sample) -> bool:
        """Return whether contexts were retrieved but are blank: a failure of the system, which the score must show.

        Always False with `compat=ragas`, where RAGAS refuses such a sample or asks anyway.
        """
        return not self.as_ragas and sample.contexts is not None and is_blank(sample.contexts)

    def kept(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Drop blank items from a judge's list; RAGAS keeps them."""
        return tuple(text for text in texts if self.as_ragas or text.strip())


def first_blank(sample: Sample, fields: Iterable[Need], *, exact: bool = False) -> Score | None:
    """Return the undefined score for the first field without text (`exact`: without characters), else None."""
    for name in fields:
        value = getattr(sample, name)
        if not value if exact else is_blank(value):
            return Score.undefined("there is no context" if name == "contexts" else f"the {name} is empty")
    return None


NOTHING_CLAIMED = (
    "the answer makes no statement: it says that it does not know, or only greets, offers help or the like"
)
"""The reason for a declined score."""

NOTHING_RETRIEVED = "nothing was retrieved"
"""The reason for a score of 0 if the sample's contexts contain no text."""


def is_blank(value: str | tuple[str, ...] | None) -> bool:
    """Return whether the value contains no text."""
    texts = (value,) if isinstance(value, str) else value or ()
    return not any(text.strip() for text in texts)
