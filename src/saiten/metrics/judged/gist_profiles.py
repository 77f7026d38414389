"""The profiles of a run: how often each of the 16 combinations of missing and extra, gist and supplement, occurs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saiten.metrics.judged.gist_counts import WHICH, profile_of
from saiten.metrics.naming import settings_of, write_name
from saiten.records import Scored

PROFILES: tuple[str, ...] = tuple(
    profile_of({which: number >> at & 1 for at, which in enumerate(WHICH)}) for number in range(2 ** len(WHICH))
)
"""All 16, ordered as binary numbers whose first digit is missing gist."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """The frequency of each profile."""

    metric: str
    """`gist`, with its settings."""
    answers: Mapping[str, int]
    """The number of answers by profile; profiles that did not occur are left out."""
    without: int
    """Answers without a profile: undefined, or an unreadable reply."""
    faulty: int
    unplaced: int
    """Units, over all answers, that were not found in their text."""

    @property
    def total(self) -> int:
        """The number of answers with a profile."""
        return sum(self.answers.values())


def gist_metric(metric: str) -> str | None:
    """Return `gist` with its settings but without the ratio; None for another metric."""
    items = settings_of(metric, "gist")
    if items is None:
        return None
    return write_name("gist", {item.key: item.value for item in items if item.key and item.key != "which"})


def profiles_of(scored: Iterable[Scored]) -> list[Profiles]:
    """Return one entry per setting of the metric, in the order of the scores; empty for a run without gist.

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
    """Return profile, whether there are faults, and the number of unplaced units; None for invalid details."""
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
