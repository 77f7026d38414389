"""Gaps and additions in a run's answers as a table: the count of each of the 16 profiles."""

from collections.abc import Iterable, Sequence

from saiten.metrics.judged.gist_counts import NOTHING, WHICH
from saiten.metrics.judged.gist_profiles import Profiles, gist_metric, profiles_of
from saiten.records import Scored
from saiten.views.table import Cell, Table
from saiten.words import Message, joined


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
    rows: list[tuple[Cell, ...]] = []
    for profile, n in common:
        parts = [] if profile == NOTHING else [part.replace(" ", "_") for part in profile.split(", ")]
        name = joined([Message("profile", part) for part in parts or ["nothing"]], "listed")
        rows.append((name, *("●" if which in parts else "·" for which in WHICH), n, round(n / profiles.total, 3)))
    counted = {"without": profiles.without, "faulty": profiles.faulty, "unplaced": profiles.unplaced}
    remarks = (Message("caption", f"gist_{key}", n=n) for key, n in counted.items() if n)
    return Table(
        Message("title", "gist_profiles") if alone else Message("title", "gist_profiles_of", metric=profiles.metric),
        ("profile", *WHICH, "answers", "share"),
        tuple(rows),
        (Message("caption", "gist_profiles"), *remarks),
        key="gist_profiles",
    )
