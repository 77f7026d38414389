"""Two runs or more, or the systems of one, held against each other: is the difference real?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from statistics import fmean

from saiten.dialogue.reading import has_dialogues
from saiten.dialogue.running import HIGHER_IS_BETTER
from saiten.errors import BadInput, ConfigurationError
from saiten.journal import RunReader
from saiten.metrics.catalog import make_metric
from saiten.records import Sample
from saiten.reports.dialogue_comparison import Run, by_group
from saiten.reports.summary_tables import asked, interval_text
from saiten.reports.tables import Cell, Interval, Table
from saiten.stats import PairedComparison, compare_paired, holm
from saiten.summary import Place, place_of

_CAPTION = (
    "Difference: second minus first, on the samples that both measured. 95 % interval: bootstrap over questions. "
    "p: sign-flip test over questions, corrected for the number of metrics (Holm)."
)
_LIKELY = 0.05
_ENDS = ("95 % from", "to")


Values = dict[str, dict[tuple[str, str], float]]
"""Metric → (question, sample) → value; the sample is left empty where systems are compared, and a system's several
answers to one question count with their mean."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is held against others: a run, or a system of one."""

    title: str
    values: Values


def compare_runs(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    glance: bool = False,
) -> list[Table]:
    """`comparison_tables`; for runs of dialogues also the means and differences by group."""
    names = names or [str(reader.folder) for reader in readers]
    tables = comparison_tables(readers, systems, names=names, glance=glance)
    if not any(systems) and all(map(has_dialogues, readers)):
        tables += _dialogues_by_group(readers, names, glance=glance)
        # In each form: a page, or a file that the terminal's output went to, is read without what was said beside it.
        said = "".join(f" But {remark}." for remark in what_differs(readers))
        tables = [replace(table, caption=table.caption + said) for table in tables]
    return tables


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
        Side(system or name, _values(reader, system))
        for reader, system, name in zip(readers, named, names or [str(one.folder) for one in readers], strict=True)
    ]
    return side_tables(sides, glance=glance)


def side_tables(sides: Sequence[Side], *, glance: bool = False) -> list[Table]:
    """The same, of sides whose values are known."""
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


def _compared(first: Values, second: Values) -> list[tuple[str, PairedComparison, int]]:
    """By metric that both have: the comparison, and how many were measured on one side only."""
    shared = [metric for metric in first if metric in second]
    if not shared:
        had = " and ".join(", ".join(side) or "nothing" for side in (first, second))
        raise BadInput(f"there is no metric that both measured: there are {had}")
    found: list[tuple[str, PairedComparison, int]] = []
    for metric in shared:
        a, b = first[metric], second[metric]
        keys = sorted(set(a) & set(b))
        if keys:
            clusters = [question for question, _ in keys]
            pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], clusters)
            found.append((metric, pairs, len(set(a) ^ set(b))))
    if not found:
        raise BadInput("no sample was measured on both sides; samples are matched by id, with --systems by question")
    return found


def _row(metric: str, pairs: PairedComparison, unpaired: int, p: float | None, *, glance: bool) -> tuple[Cell, ...]:
    return (
        metric,
        pairs.difference,
        *((interval_text(pairs.low, pairs.high),) if glance else (pairs.low, pairs.high)),
        p,
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
    groups = {_key(pair): pair.group for reader in reversed(readers) for pair in reader.samples()}  # the first counts
    runs = [
        Run(name, str((reader.manifest.settings.get("system") or {}).get("name", "")), _values(reader, None))
        for name, reader in zip(_told_apart(names), readers, strict=True)
    ]
    return by_group(runs, groups, verdict, glance=glance)


def what_differs(readers: Sequence[RunReader]) -> list[str]:
    """What makes figures of dialogues hard to compare, the system apart: how they were held, and about what."""
    found = []
    for name in ("max_turns", "judge", "votes", "evidence_from"):
        values = [reader.manifest.settings.get(name) for reader in readers]
        if any(value != values[0] for value in values):
            found.append(f"the runs differ in {name}: {', '.join(map(str, values))}; the difference may come from that")
    first = {_key(pair): pair for pair in readers[0].samples()}
    shared = [(first[key], pair) for reader in readers[1:] for pair in reader.samples() if (key := _key(pair)) in first]
    if others := len({one.id for one, other in shared if one.references != other.references}):
        found.append(f"{others} pairs have another reference than in the first run; the difference may come from that")
    if others := len({one.id for one, other in shared if one.group != other.group}):
        found.append(f"{others} pairs are of another group than in the first run, whose groups count")
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


def systems_of(reader: RunReader) -> list[Side]:
    """The systems of a run, by question, in the order in which they come; empty where there are fewer than two."""
    places = {sample.id: (sample.system, place_of(sample).question) for sample in reader.samples() if sample.system}
    names = dict.fromkeys(str(system) for system, _ in places.values())
    if len(names) < 2:
        return []
    found: dict[str, dict[str, dict[tuple[str, str], list[float]]]] = {name: {} for name in names}
    for one in reader.scores():
        system, question = places.get(one.sample, (None, ""))
        if system is not None and one.score.value is not None:
            found[system].setdefault(one.metric, {}).setdefault((question, ""), []).append(one.score.value)
    return [Side(name, _means(of)) for name, of in found.items()]


def _values(reader: RunReader, system: str | None) -> Values:
    samples: dict[str, Sample] = {
        sample.id: sample for sample in reader.samples() if system is None or sample.system == system
    }
    if not samples and system is not None:
        raise BadInput(f"{reader.folder} has no samples of the system {system!r}")
    found: dict[str, dict[tuple[str, str], list[float]]] = {}
    for one in reader.scores():
        sample = samples.get(one.sample)
        if sample is not None and one.score.value is not None:
            key = _key(sample) if system is None else (place_of(sample).question, "")
            found.setdefault(one.metric, {}).setdefault(key, []).append(one.score.value)
    return _means(found)


def _means(found: Mapping[str, Mapping[tuple[str, str], Sequence[float]]]) -> Values:
    return {metric: {key: fmean(each) for key, each in values.items()} for metric, values in found.items()}


def _key(sample: Sample) -> tuple[str, str]:
    return pair_key(place_of(sample), sample.id)


def pair_key(place: Place, identity: str) -> tuple[str, str]:
    """By what samples of several runs are matched: one id under one question."""
    return (place.question, identity)
