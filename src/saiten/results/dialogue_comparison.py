"""Systems compared by their dialogues: each score per group, as a table and as the paper's figure, and differences."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.results.sides import Key, PairedSide
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.views.charts import Series, Value, dialogue_lines
from saiten.views.charts.dialogue_lines import MOST_GROUPS
from saiten.views.table import Cell, Interval, Name, PValue, Table
from saiten.views.tables.summary import asked, interval_text

SCORES = ("wscore", "lscore", "mscore")
"""What the paper draws; the leak is compared over all alone."""

ALL = "all"
_MOST_GROUPS = 100
"""With more groups than this, nobody reads the breakdown."""

Verdict = Callable[[str, float | None, float | None, int, int], str]
"""From metric, difference, p, how many were measured and of how many, to a word."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of dialogues, as far as it is compared."""

    name: str
    """Short: the column's head."""
    system: str
    """Who answered."""
    side: PairedSide
    """Its scores, by pair."""

    @property
    def values(self) -> Mapping[str, Mapping[Key, float]]:
        """By score, then by pair."""
        return self.side.values


def by_group(runs: Sequence[Run], groups: Mapping[Key, str | None], verdict: Verdict, *, glance: bool) -> list[Table]:
    """The means with the figure, then the differences to the first run; on the pairs that all runs measured.

    `glance`: for the terminal, with intervals as text.
    """
    shared = sorted(set.intersection(*(set(run.values.get(score, {})) for run in runs for score in SCORES)))
    if not shared:
        return []
    members: dict[str, list[Key]] = {}
    for key in shared:
        if (group := groups.get(key)) is not None:
            members.setdefault(Name(group), []).append(key)
    names = sorted(members)
    remark = ""
    if len(names) > _MOST_GROUPS:
        remark, names = f" There are {len(names)} groups; beyond {_MOST_GROUPS} they are not broken down.", []
    elif len(names) > MOST_GROUPS:
        remark = f" The figure is drawn for up to {MOST_GROUPS} groups."
    parts = {name: members[name] for name in names} if len(names) > 1 else {}
    tables = [_means(runs, shared, parts, remark)]
    if parts:
        asked_in = Counter(groups.get(key) for key in set.intersection(*(run.side.asked(SCORES[0]) for run in runs)))
        tables += [_differences(runs[0], other, parts, asked_in, verdict, glance=glance) for other in runs[1:]]
    return tables


def _means(runs: Sequence[Run], shared: list[Key], parts: Mapping[str, list[Key]], remark: str) -> Table:
    whole = {_whole(parts): shared, **parts}
    mean = {
        (score, part): tuple(fmean(run.values[score][key] for key in keys) for run in runs)
        for score in SCORES
        for part, keys in whole.items()
    }
    rows: list[tuple[Cell, ...]] = [
        (score, part, len(keys), *mean[score, part]) for score in SCORES for part, keys in whole.items()
    ]
    charts = tuple(
        dialogue_lines(
            [
                Series(
                    f"{run.name} · {run.system}",
                    tuple(Value(part, mean[score, part][at], n=len(keys)) for part, keys in parts.items()),
                )
                for at, run in enumerate(runs)
            ],
            score=score,
            better="lower" if score == "lscore" else "higher",
        )
        for score in SCORES
    )
    return Table(
        "Means by group" if parts else "Means",
        ("score", "group", "n", *(Name(run.name) for run in runs)),
        tuple(rows),
        "On the pairs that all runs measured (n). Lower is better for lscore, higher for the others." + remark,
        charts=charts if parts else (),
    )


def _whole(parts: Collection[str]) -> str:
    """The name of the row over all groups: another one where a group is called so."""
    name = ALL
    while name in parts:
        name = f"({name})"
    return name


def _differences(
    first: Run,
    other: Run,
    parts: Mapping[str, list[Key]],
    asked_in: Mapping[str | None, int],
    verdict: Verdict,
    *,
    glance: bool,
) -> Table:
    """`asked_in`: by group, the pairs that every run has, measured or not."""
    found = [(score, part, _compared(first, other, score, keys)) for score in SCORES for part, keys in parts.items()]
    corrected = holm([pairs.p_value for _, _, pairs in found])
    ends = ("95 % from", "to")
    rows: list[tuple[Cell, ...]] = [
        (
            score,
            part,
            pairs.difference,
            *((interval_text(pairs.low, pairs.high),) if glance else (pairs.low, pairs.high)),
            PValue.of(p),
            verdict(score, pairs.difference, p, pairs.n, asked_in[part]),
            pairs.n,
            asked_in[part],
            asked(pairs.note),
        )
        for (score, part, pairs), p in zip(found, corrected, strict=True)
    ]
    intervals = () if glance else (Interval("difference", *ends),)
    columns = (
        "score",
        "group",
        "difference",
        *(("95 % interval",) if glance else ends),
        "p",
        "verdict",
        "n",
        "of",
        "remarks",
    )
    return Table(
        f"By group: {first.name} → {other.name}",
        columns,
        tuple(rows),
        "Difference: second minus first. 95 % interval: bootstrap over questions. p: sign-flip test over questions, "
        f"corrected for the {len(rows)} tests of this table (Holm), which the intervals are not.",
        intervals,
    )


def _compared(first: Run, other: Run, score: str, keys: list[Key]) -> PairedComparison:
    a, b = ([run.values[score][key] for key in keys] for run in (first, other))
    return compare_paired(a, b, [question for question, _ in keys])
