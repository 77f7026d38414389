"""Records of means estimated from few labels."""

from dataclasses import dataclass

from saiten.results.rows import AsRows, Row
from saiten.stats.prediction_powered_records import Powered

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
    def remarks(self) -> tuple[str, ...]:
        """Caveats about the estimate."""
        found = [] if self.powered.note is None else [str(self.powered.note)]
        if self.declined:
            found.append(
                f"{self.declined} of {self.powered.n} labels decline (grade 0): the mean is over the answers that "
                "people grade"
            )
        means = {"labels alone": self.powered.alone, "with the judge": self.powered.powered}
        if cut := [name for name, mean in means.items() if mean.cut]:
            low, high = self.powered.limits
            found.append(f"the interval is cut to {low:g} … {high:g}, all that is possible: {' and '.join(cut)}")
        if self.unscored:
            as_what = "the mean score" if self.declined else "declined (0) or as the mean score"
            found.append(f"{self.unscored} items without a score count as {as_what}")
        if self.outside:
            found.append(f"{self.outside} labelled items are not in the set and are left out")
        p = self.powered.imbalance
        if p is not None and p < SUSPICIOUS:
            found.append(f"the labelled items look like no random sample (p = {p:.1g}), then no interval is valid")
        if self.uneven is not None and self.uneven < SUSPICIOUS:
            found.append(f"some systems have more than their share of the labels (p = {self.uneven:.1g}): --stratified")
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
                "aspect": one.aspect,
                "metric": one.metric,
                "of": one.what,
                "judge_mean": one.powered.judge,
                "labels_mean": one.powered.alone.value,
                "labels_mean_ci_low": one.powered.alone.low,
                "labels_mean_ci_high": one.powered.alone.high,
                "estimate": one.powered.powered.value,
                "ci_low": one.powered.powered.low,
                "ci_high": one.powered.powered.high,
                "labels": one.powered.n,
                "items": one.powered.total,
                "labels_saved": one.powered.saved,
            }
            for one in self.means
        ]
