"""Two runs or more, or the systems of one, held against each other: is the difference real?"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count

from saiten.dialogue.reading import has_dialogues
from saiten.dialogue.running import HIGHER_IS_BETTER
from saiten.errors import BadInput, ConfigurationError
from saiten.journal import RunReader
from saiten.metrics.catalog import make_metric
from saiten.reports.dialogue_comparison import Run, by_group
from saiten.reports.made_differently import made_differently
from saiten.reports.sides import Side, Values, apart, key_of, side_of
from saiten.reports.summary_tables import asked, interval_text
from saiten.reports.tables import Cell, Interval, PValue, Table
from saiten.stats import PairedComparison, compare_paired, holm

_CAPTION = (
    "Difference: second minus first, on the samples that both measured. 95 % interval: bootstrap over questions. "
    "p: sign-flip test over questions, corrected for the number of metrics (Holm), which the intervals are not."
)
_LIKELY = 0.05
_ENDS = ("95 % from", "to")


def compare_runs(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    sides: Sequence[Side] = (),
    remarks: Sequence[str] | None = None,
    glance: bool = False,
) -> list[Table]:
    """`comparison_tables`; for runs of dialogues also the means and differences by group.

    `sides`: what was read of the runs already; `remarks`: what `what_differs` says of them, where it was asked before.
    """
    names = names or [str(reader.folder) for reader in readers]
    tables = (
        side_tables(sides, glance=glance) if sides else comparison_tables(readers, systems, names=names, glance=glance)
    )
    if not any(systems) and all(map(has_dialogues, readers)):
        tables += _dialogues_by_group(readers, names, glance=glance)
    # In each form: a page, or a file that the terminal's output went to, is read without what was said beside it.
    said = "".join(f" But {remark}." for remark in (what_differs(readers) if remarks is None else remarks))
    return [replace(table, caption=table.caption + said) for table in tables]


def comparison_tables(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    glance: bool = False,
) -> list[Table]:
    """A table for each run after the first, with a row a metric that both have.

    Args:
        readers: of the runs; the first is the yardstick.
        systems: by run, which of its systems counts; None or left out: all, by sample.
        names: of the runs; their folders by default.
        glance: for the terminal, with intervals as text.

    Raises:
        BadInput: two of them share no sample or no metric; the text says which there are.
    """
    named = [*systems, *([None] * (len(readers) - len(systems)))]
    sides = [
        side_of(reader, system or name, system)
        for reader, system, name in zip(readers, named, names or [str(one.folder) for one in readers], strict=True)
    ]
    return side_tables(sides, glance=glance)


def side_tables(sides: Sequence[Side], *, glance: bool = False) -> list[Table]:
    """The same, of sides whose values are known."""
    for side in sides[1:]:
        if apart(sides[0], side) is not None:
            which = f"{sides[0].title} and {side.title}: " if len(sides) > 2 else ""
            raise BadInput(which + _why_apart(sides[0], side))
    found = [_compared(sides[0].values, side.values) for side in sides[1:]]
    corrected = iter(holm([pairs.p_value for rows in found for _, pairs, _ in rows]))
    columns = (
        "metric",
        "difference",
        *(("95 % interval",) if glance else _ENDS),
        "p",
        "verdict",
        "n",
        "higher",
        "equal",
        "lower",
        "one side only",
        "remarks",
    )
    drawn = () if glance else (Interval("difference", *_ENDS, 0.0),)
    caption = _CAPTION if len(found) == 1 else _CAPTION.replace("metrics", "metrics and runs")
    return [
        Table(
            f"{sides[0].title} → {side.title}",
            columns,
            tuple(_row(*each, next(corrected), glance=glance) for each in rows),
            caption,
            drawn,
            "several",
        )
        for side, rows in zip(sides[1:], found, strict=True)
    ]


def _why_apart(first: Side, second: Side) -> str:
    why = apart(first, second)
    if why == "sample":
        return "no sample was measured on both sides; samples are matched by id, with --systems by question"
    if why == "question":
        return "no question was measured on both sides; systems are matched by the questions' text"
    if why == "metric":
        had = " and ".join(", ".join(side.values) for side in (first, second))
        return f"there is no metric that both measured: there are {had}"
    nothing = " and ".join(dict.fromkeys(side.title for side in (first, second) if not side.values))
    return f"there is no metric that both measured: nothing was measured of {nothing}"


def _compared(first: Values, second: Values) -> list[tuple[str, PairedComparison, int]]:
    """By metric that both have: the comparison, and how many were measured on one side only."""
    found: list[tuple[str, PairedComparison, int]] = []
    for metric in first:
        a, b = first[metric], second.get(metric, {})
        keys = sorted(set(a) & set(b))
        if keys:
            clusters = [question for question, _ in keys]
            pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], clusters)
            found.append((metric, pairs, len(set(a) ^ set(b))))
    return found


def _row(metric: str, pairs: PairedComparison, unpaired: int, p: float | None, *, glance: bool) -> tuple[Cell, ...]:
    return (
        metric,
        pairs.difference,
        *((interval_text(pairs.low, pairs.high),) if glance else (pairs.low, pairs.high)),
        PValue.of(p),
        verdict(metric, pairs.difference, p),
        pairs.n,
        pairs.wins,
        pairs.ties,
        pairs.losses,
        unpaired,
        asked(pairs.note),
    )


def verdict(metric: str, difference: float | None, p: float | None) -> str:
    """`better` or `worse`, `differs` where neither direction is better, or that the difference may be noise."""
    if difference is None or p is None or p >= _LIKELY:
        return "within the noise"
    higher = higher_is_better(metric)
    if higher is None:
        return "differs"
    return "better" if (difference > 0) == higher else "worse"


def higher_is_better(metric: str) -> bool | None:
    """The metric's direction; None where there is none, or none is known."""
    if metric in HIGHER_IS_BETTER:  # a score of dialogues
        return HIGHER_IS_BETTER[metric]
    try:
        return make_metric(metric).higher_is_better
    except ConfigurationError:  # a metric of one's own
        return None


def _dialogues_by_group(readers: Sequence[RunReader], names: Sequence[str], *, glance: bool) -> list[Table]:
    groups = {key_of(pair): pair.group for reader in reversed(readers) for pair in reader.samples()}  # the first counts
    runs = [
        Run(name, str((reader.manifest.settings.get("system") or {}).get("name", "")), side_of(reader, name).values)
        for name, reader in zip(_told_apart(names), readers, strict=True)
    ]
    return by_group(runs, groups, verdict, glance=glance)


def what_differs(readers: Sequence[RunReader]) -> list[str]:
    """What makes figures hard to compare, the system apart: how they were made; of dialogues, how they were held."""
    if not all(map(has_dialogues, readers)):
        return made_differently(readers)
    found = []
    for name in ("max_turns", "judge", "votes", "evidence_from"):
        values = [reader.manifest.settings.get(name) for reader in readers]
        if any(value != values[0] for value in values):
            found.append(f"the runs differ in {name}: {', '.join(map(str, values))}; the difference may come from that")
    first = {key_of(pair): pair for pair in readers[0].samples()}
    others = [pair for reader in readers[1:] for pair in reader.samples()]
    shared = [(first[key], pair) for pair in others if (key := key_of(pair)) in first]
    if changed := len({one.id for one, other in shared if one.references != other.references}):
        found.append(f"{changed} pairs have another reference than in the first run; the difference may come from that")
    if changed := len({one.id for one, other in shared if one.group != other.group}):
        found.append(f"{changed} pairs are of another group than in the first run, whose groups count")
    return found


def _told_apart(names: Sequence[str]) -> list[str]:
    """The same folder named twice has two names, and none is called as another column is."""
    taken = {"score", "group", "n"}
    apart = []
    for name in names:
        numbered = (f"{name} ({at})" for at in count(2))
        free = next(each for each in chain([name], numbered) if each not in taken)
        taken.add(free)
        apart.append(free)
    return apart
