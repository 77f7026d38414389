"""What a judge of one's own is worth: its grades beside people's, on questions that it did not learn from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from saiten.stats.estimate import Estimate

_ESTIMATES = ("pearson", "mae", "bias", "mae_of_mean")


@dataclass(frozen=True, slots=True)
class HeldOutAspect:
    """One aspect. The figures are over the answers that the judge graded; the others are counted beside them."""

    aspect: str
    n: int
    """Answers that people and judge graded."""
    questions: int
    """That these answers are to; what the intervals are resampled by."""
    unreadable: int
    """Answers whose grade could not be read out of the judge's reply."""
    failed: int
    """Answers that the judge could not be asked about, or could not judge."""
    pearson: Estimate
    """With people's mean grade."""
    mae: Estimate
    """The mean of |judge - people|, in grades."""
    bias: Estimate
    """The mean of judge - people, in grades: above 0 the judge is too kind."""
    mae_of_mean: Estimate
    """The mean of |m - people| on the same answers, m the mean grade of what was learned from: what a judge that
    always says the same reaches."""
    declined: int = 0
    """Answers that people or judge call declined (grade 0 of graded correctness); no figure holds them."""


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """One way to an overall grade, over the answers that have all the grades that any of the ways needs."""

    name: str
    """`direct`, `mate`, or `mate` with other weights."""
    target: str
    """The aspect that it stands for."""
    n: int
    """Answers."""
    questions: int
    """That these answers are to."""
    pearson: Estimate
    """With people's mean grade of the target."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """All aspects of one judge."""

    judge: str
    """Its name."""
    aspects: tuple[HeldOutAspect, ...]
    """Sorted by name."""
    scores: tuple[HeldOutScore, ...] = ()
    """The overall grade at once and put together from aspects, where the aspects are those of MATE."""

    @property
    def n(self) -> int:
        """Grades that were compared."""
        return sum(one.n for one in self.aspects)

    @property
    def without(self) -> int:
        """Grades that could not be had."""
        return sum(one.unreadable + one.failed for one in self.aspects)

    def to_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "HeldOut":
        """As it was; raises ValueError, TypeError or KeyError where the object is none."""
        rows: Sequence[Mapping[str, Any]] = value["aspects"]
        scores = (HeldOutScore(**{**row, "pearson": Estimate(**row["pearson"])}) for row in value.get("scores", ()))
        return cls(str(value["judge"]), tuple(_aspect(row) for row in rows), tuple(scores))


def _aspect(row: Mapping[str, Any]) -> HeldOutAspect:
    return HeldOutAspect(**{**row, **{name: Estimate(**row[name]) for name in _ESTIMATES}})
