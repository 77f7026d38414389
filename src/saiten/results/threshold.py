"""A limit on one figure of one metric, and the outcome of checking it."""

from dataclasses import dataclass
from typing import Literal

from saiten.records import Scored
from saiten.words import Message

Side = Literal["under", "over"]

EXTREMES = ("min", "max")
"""Figures of single samples: their thresholds apply to every sample."""

FIGURES = ("mean", "low", "high", *EXTREMES, "coverage")
"""Figures that a threshold can bound; `low` and `high` are the ends of the 95 % interval."""

SLACK = 1e-9
"""0.1 + 0.2 is at least 0.3: the last bits of a sum are ignored."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit on one figure of one metric."""

    metric: str
    """As spelled in the run."""
    limit: float
    side: Side = "under"
    """The side of the limit on which the figure misses."""
    figure: str = "mean"
    """One of `FIGURES`."""

    def __str__(self) -> str:
        name = self.metric if self.figure == "mean" else f"{self.metric}.{self.figure}"
        return f"{name} {'>=' if self.side == 'under' else '<='} {self.limit:g}"

    def beyond(self, value: float) -> bool:
        """Return whether the value misses; a value equal up to the last bits does not."""
        slack = SLACK * max(1.0, abs(self.limit))
        return value < self.limit - slack if self.side == "under" else value > self.limit + slack


Verdict = Literal["met", "missed", "unmeasured"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One threshold checked against the run, or against one of its systems or groups."""

    threshold: Threshold
    verdict: Verdict
    """`unmeasured` also misses: there is no value, or for too few samples."""
    why: Message | None
    """None if it is met."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Number of samples with a value."""
    samples: int
    """Number of all samples; for the whole run including rows that could not be converted to a sample."""
    place: str | None = None
    """The system or group; None for the whole run."""
    worst: tuple[Scored, ...] = ()
    """For a missed threshold: the worst samples beyond the limit, or all of them if each sample is checked; bounded."""
    beyond: int = 0
    """If each sample is checked: the number beyond the limit, including unnamed ones."""

    @property
    def missed(self) -> bool:
        """Whether the run misses this threshold."""
        return self.verdict != "met"
