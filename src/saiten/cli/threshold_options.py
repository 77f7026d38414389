"""The options of thresholds, for `score` and `show`."""

from dataclasses import dataclass
from pathlib import Path

from saiten.choices import COVERAGE, By
from saiten.options import option

THRESHOLDS = "Thresholds (exit status 5 where one is missed)"


@dataclass(frozen=True, slots=True)
class ThresholdOptions:
    """The values a run must reach, and the file where the outcome is written for a CI system."""

    fail_under: tuple[str, ...] = option(
        (),
        "METRIC=NUMBER or METRIC.FIGURE=NUMBER: the mean, or low, high (the 95 % interval's ends), min, max (of "
        "every sample), coverage. Repeatable.",
        panel=THRESHOLDS,
    )
    fail_over: tuple[str, ...] = option((), "The same from above, where lower is better. Repeatable.", panel=THRESHOLDS)
    fail_each: By | None = option(None, "Hold each of them against the thresholds, too.", panel=THRESHOLDS)
    min_coverage: float | None = option(
        None,
        f"The share of the samples that must have a value. Default {COVERAGE}.",
        panel=THRESHOLDS,
        min=0.0,
        max=1.0,
    )
    junit: Path | None = option(None, "Write the thresholds as JUnit XML, too.", panel=THRESHOLDS)
