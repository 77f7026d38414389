"""The 16 profiles of a run: which of missing and extra, gist and supplement, there are in an answer, and how often."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saiten.errors import ConfigurationError
from saiten.metrics.judged.gist_counts import NOTHING, WHICH
from saiten.metrics.naming import read_name, write_name
from saiten.records import Scored

PROFILES: tuple[str, ...] = tuple(
    ", ".join(which.replace("_", " ") for at, which in enumerate(WHICH) if number >> at & 1) or NOTHING
    for number in range(2 ** len(WHICH))
)
"""All 16, in the order of a binary number whose first digit is missing gist."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """How often each profile came up."""

    metric: str
    """`gist`, with its settings."""
    answers: Mapping[str, int]
    """By profile; those that did not come up are not there."""
    without: int
    """Answers that have none: nothing to measure, or a reply that could not be read."""
    faulty: int
    """Answers with faults left in the judge's replies."""
    unplaced: int
    """Units, of all answers, that were not found in their text."""

    @property
    def total(self) -> int:
        """Answers with a profile."""
        return sum(self.answers.values())


def gist_metric(metric: str) -> str | None:
    """`gist` with its settings, whichever of the four ratios the name is of; None for another metric."""
    try:
        title, items = read_name(metric)
    except ConfigurationError:
        return None
    kept = {item.key: item.value for item in items if item.key not in {None, "which"}}
    return write_name(title, {str(key): value for key, value in kept.items()}) if title == "gist" else None


def profiles_of(scored: Iterable[Scored]) -> list[Profiles]:
    """One entry for each setting of the metric, in the order of the scores; empty for a run without gist.

    An answer counts once, whichever of the four ratios were scored.
    """
    found: dict[str, dict[str, tuple[str, bool, int] | None]] = {}
    for one in scored:
        name = gist_metric(one.metric)
        if name is None:
            continue
        samples = found.setdefault(name, {})
        samples[one.sample] = _read(one) or samples.get(one.sample)
    return [_counted(name, list(samples.values())) for name, samples in found.items()]


def _read(one: Scored) -> tuple[str, bool, int] | None:
    """Profile, whether there are faults, units without a place; details that were tampered with have none."""
    profile, unplaced = one.score.details.get("profile"), one.score.details.get("unplaced")
    if profile not in PROFILES:
        return None
    return str(profile), bool(one.score.details.get("faults")), unplaced if isinstance(unplaced, int) else 0


def _counted(metric: str, samples: list[tuple[str, bool, int] | None]) -> Profiles:
    known = [sample for sample in samples if sample is not None]
    counts = Counter(profile for profile, _, _ in known)
    return Profiles(
        metric,
        {profile: counts[profile] for profile in PROFILES if counts[profile]},
        len(samples) - len(known),
        sum(faulty for _, faulty, _ in known),
        sum(unplaced for _, _, unplaced in known),
    )
