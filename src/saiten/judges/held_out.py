"""A tuned judge's agreement with people on held-out questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saiten.stats.estimate import Estimate
from saiten.words import Message

_ESTIMATES = ("pearson", "mae", "bias", "mae_of_mean")


@dataclass(frozen=True, slots=True)
class HeldOutAspect:
    """One aspect. The figures cover the answers that the judge graded; the others are only counted."""

    aspect: str
    n: int
    """Number of answers graded by both people and judge."""
    questions: int
    """Number of questions of these answers; the intervals resample questions."""
    unreadable: int
    """Number of answers with an unreadable reply."""
    failed: int
    """Number of answers whose call failed, or that the judge could not judge."""
    pearson: Estimate
    """Correlation with people's mean grade."""
    mae: Estimate
    """The mean of |judge − people|, in grades."""
    bias: Estimate
    """The mean of judge − people, in grades: above 0 the judge is too lenient."""
    mae_of_mean: Estimate
    """The mean of |m − people| on the same answers, with m the mean grade of the training data: the error of a judge
    that always answers m."""
    declined: int = 0
    """Number of answers that people or the judge call declined (grade 0 of graded correctness); in no figure."""


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """One kind of overall grade, over the answers that have every grade any kind needs."""

    name: str
    """`direct`, `mate`, or `mate` with other weights."""
    target: str
    """The aspect that it predicts."""
    n: int
    """Number of answers."""
    questions: int
    """Number of questions of these answers."""
    pearson: Estimate
    """Correlation with people's mean grade of the target."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The figures of one judge."""

    judge: str
    """The judge's name."""
    aspects: tuple[HeldOutAspect, ...]
    """Sorted by name."""
    scores: tuple[HeldOutScore, ...] = ()
    """The overall grade, asked for directly and composed from aspects, if the aspects are those of MATE."""

    @property
    def n(self) -> int:
        """The number of grades compared."""
        return sum(one.n for one in self.aspects)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "HeldOut":
        """Restore what `asdict` returned; raises ValueError, TypeError or KeyError for anything else."""
        aspects = (
            HeldOutAspect(**{**row, **{name: _estimate(row[name]) for name in _ESTIMATES}}) for row in value["aspects"]
        )
        scores = (HeldOutScore(**{**row, "pearson": _estimate(row["pearson"])}) for row in value.get("scores", ()))
        return cls(str(value["judge"]), tuple(aspects), tuple(scores))


def _estimate(row: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**row, **{name: _remark(row.get(name)) for name in ("reason", "note")}})


def _remark(saved: Any) -> Message | None:
    """Restore a remark; earlier versions saved its English text."""
    if saved is None or isinstance(saved, str):
        return Message("remark", "said", text=saved) if saved else None
    return Message(saved["section"], saved["key"], **dict(saved["values"]))
