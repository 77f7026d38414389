"""One figure of a summary, and how many scores have no value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saiten.records import Status
from saiten.stats.estimate import Estimate
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of a summary."""

    metric: str
    group: str | None
    """None for all groups."""
    system: str | None
    """None for all systems."""
    mean: float | None
    """Mean over the scores with status `ok`; None without any."""
    low: float | None
    """Lower end of the 95 % interval; None for too few questions."""
    high: float | None
    n: int
    """Number of scores with status `ok`."""
    questions: int
    """Number of distinct questions among them, which the interval resamples."""
    coverage: Mapping[Status, int]
    """Number of scores per status."""
    distribution: Mapping[float, int] = field(default_factory=dict)
    """Count per grade, for metrics that give grades; otherwise empty."""
    note: Message | None = None
    """Reason for a missing mean or interval."""
    missing: Mapping[tuple[Status, str], int] = field(default_factory=dict)
    """Count per status and reason of unmeasured scores, except refusals to answer; most frequent first."""
    corpus: Estimate | None = None
    """For `bleu4` also corpus BLEU, whose counts are summed before division."""
    corpus_signature: str = ""
    """Signature of corpus BLEU in sacrebleu's form."""
    without_evidence: int = 0
    """Number of grades that lack the evidence that the mode requests, because the samples have none."""

    @property
    def total(self) -> int:
        """Number of all scores, whatever their status."""
        return sum(self.coverage.values())

    @property
    def overall(self) -> bool:
        """Whether it covers everything, not one system or group."""
        return self.system is None and self.group is None


def is_correctness(metric: str) -> bool:
    """Return whether the metric is graded correctness, with any settings."""
    return metric.partition("[")[0] == "correctness"


def unmeasured(metric: str, coverage: Mapping[Status, int]) -> Message:
    """Return the number of scores without a value, by status; empty if every score has one."""
    declined = "declined grade" if is_correctness(metric) else "declined"
    return counted({declined if of == "declined" else of: n for of, n in coverage.items() if of != "ok"})


def counted(statuses: Mapping[str, int]) -> Message:
    """Return how often each status or other reason for a missing value occurs."""
    each = {Message("status", status.replace(" ", "_")): n for status, n in statuses.items()}
    return joined([Message("remark", "counted", n=n, status=status) for status, n in each.items()], "listed")
