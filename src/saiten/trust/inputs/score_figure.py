"""The figure of a score that is compared with people: its value, or its expected value."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from saiten.choices import ScoreBy
from saiten.errors import BadInput
from saiten.metrics.catalog import known_metric
from saiten.records import Scored


@dataclass(slots=True)
class ScoreFigure:
    """Takes one figure of each score, and counts the scores that lack it."""

    by: ScoreBy
    given: Counter[str] = field(default_factory=Counter)
    """Metric → scores with an expected value."""
    lacking: Counter[str] = field(default_factory=Counter)
    """Metric → scores with a value only."""

    def of(self, one: Scored) -> float | None:
        """Return the figure; by `expected`, the value of a score that has no expected value."""
        score = one.score
        if self.by == "value" or score.value is None:
            return score.value
        (self.lacking if score.expected is None else self.given)[one.metric] += 1
        return score.value if score.expected is None else score.expected

    def has(self, metric: str) -> bool:
        """Return whether the figures of this metric are expected values."""
        return self.given[metric] > 0

    def check(self, run: str, notify: Callable[[str], None]) -> None:
        """Report judged metrics whose values had to be used.

        Raises:
            BadInput: expected values are asked for, and no score of the run has one.
        """
        if self.by == "value":
            return
        judged = {metric: n for metric, n in self.lacking.items() if is_judged(metric)}
        if not self.given:
            counts = ", ".join(f"{metric} ({n} scores)" for metric, n in (judged or self.lacking).items())
            raise BadInput(
                f"no score in {run} has an expected value: {counts or 'there are no values at all'}. The offline judge "
                "gives one, --votes does, and --logprobs if the server returns probabilities; score again with one of "
                "them, or use --by value"
            )
        for metric, n in judged.items():
            whole = n + self.given[metric]
            notify(f"{run}: {n} of {whole} scores of {metric} have no expected value; their values are used")


def is_judged(metric: str) -> bool:
    """Return whether the metric asks a judge; a metric that saiten does not know may."""
    known = known_metric(metric)
    return known is None or bool(known.tasks)
