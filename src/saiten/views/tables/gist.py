"""Gaps and additions in a run's answers as a table: the count of each of the 16 profiles."""

from collections.abc import Iterable, Sequence

from saiten.metrics.judged.gist_counts import NOTHING, WHICH
from saiten.metrics.judged.gist_profiles import Profiles, gist_metric, profiles_of
from saiten.records import Scored
from saiten.views.table import Cell, Table

_CAPTION = "Which of the four are above 0; the other profiles did not come up."


def has_gist(metrics: Iterable[str]) -> bool:
    """Return whether one of the metrics is in the gist family."""
    return any(gist_metric(metric) is not None for metric in metrics)


def gist_tables(scored: Iterable[Scored]) -> list[Table]:
    """Return one table per setting of `gist`; empty for a run without it."""
    return profile_tables(profiles_of(scored))


def profile_tables(every: Sequence[Profiles]) -> list[Table]:
    """Return the tables of profiles that were already counted."""
    return [_table(profiles, alone=len(every) == 1) for profiles in every if profiles.total]


def _table(profiles: Profiles, *, alone: bool) -> Table:
    common = sorted(profiles.answers.items(), key=lambda pair: -pair[1])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (profile, *_signs(profile), n, round(n / profiles.total, 3)) for profile, n in common
    )
    columns = ("profile", *(which.replace("_", " ") for which in WHICH), "answers", "share")
    title = "What answers lack and add" if alone else f"What answers lack and add: {profiles.metric}"
    return Table(title, columns, rows, " ".join((_CAPTION, *_remarks(profiles))))


def _signs(profile: str) -> Sequence[str]:
    there = () if profile == NOTHING else profile.split(", ")
    return ["●" if which.replace("_", " ") in there else "·" for which in WHICH]


def _remarks(profiles: Profiles) -> list[str]:
    remarks = {
        "Answers without a profile, whose scores say why: {}.": profiles.without,
        "Answers with faults left in the judge's replies, see `faults` in the details: {}.": profiles.faulty,
        "Units that were not found in their text, and count all the same: {}.": profiles.unplaced,
    }
    return [text.format(n) for text, n in remarks.items() if n]
