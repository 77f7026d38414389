"""Records of means estimated from few labels."""

from dataclasses import dataclass

from saiten.results.rows import AsRows, Row, columns_of, figure_row
from saiten.stats.prediction_powered_records import Powered
from saiten.words import Message, joined

SUSPICIOUS = 0.01
"""P-value below which the labeled items do not look like a random sample."""


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """One estimate."""

    aspect: str
    metric: str
    what: str
    """`all`, a system, or `FIRST - SECOND`."""
    powered: Powered
    unscored: int = 0
    """Number of items without a value of the metric."""
    outside: int = 0
    """Number of labeled items outside the set; they are excluded."""
    uneven: float | None = None
    """Overall, without strata: p-value of the test that each system has its share of the labels."""
    declined: int = 0
    """Number of labels that call the answer declined; the mean is over the answers that people graded."""

    @property
    def remarks(self) -> tuple[Message, ...]:
        """Caveats about the estimate."""
        found = [] if self.powered.note is None else [self.powered.note]
        if self.declined:
            found.append(Message("remark", "labels_decline", n=self.declined, of=self.powered.n))
        means = {"labels_alone": self.powered.alone, "with_judge": self.powered.powered}
        if cut := [Message("column", key) for key, mean in means.items() if mean.cut]:
            low, high = self.powered.limits
            found.append(Message("remark", "interval_cut", low=low, high=high, means=joined(cut, "and")))
        if self.unscored:
            key = "unscored_as_mean" if self.declined else "unscored_as_declined"
            found.append(Message("remark", key, n=self.unscored))
        if self.outside:
            found.append(Message("remark", "labels_outside", n=self.outside))
        p = self.powered.imbalance
        if p is not None and p < SUSPICIOUS:
            found.append(Message("remark", "no_random_sample", p=p))
        if self.uneven is not None and self.uneven < SUSPICIOUS:
            found.append(Message("remark", "uneven_systems", p=self.uneven))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Estimates(AsRows):
    """All estimates, and the half width for which the number of labels was forecast."""

    means: tuple[MeanEstimate, ...]
    width: float | None = None

    def rows(self) -> list[Row]:
        """Return one row per estimate; the interval without a prefix belongs to the estimate from labels and judge."""
        return [
            {
                **columns_of(one, "aspect", "metric"),
                "of": one.what,
                "judge_mean": one.powered.judge,
                **figure_row(one.powered.alone, "labels_mean"),
                "estimate": one.powered.powered.value,
                **columns_of(one.powered.powered, "low", "high"),
                "labels": one.powered.n,
                "items": one.powered.total,
                "labels_saved": one.powered.saved,
            }
            for one in self.means
        ]
