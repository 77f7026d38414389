"""`saiten compare`: is the difference between two runs real?"""

from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from saiten.cli.output import FormatOption, stderr, stdout, told
from saiten.errors import BadInput, ConfigurationError
from saiten.journal import RunReader, read_run
from saiten.metrics.catalog import make_metric
from saiten.records import Sample
from saiten.reports.summary_tables import asked, interval_text
from saiten.reports.tables import Cell, Interval, Table, render
from saiten.stats import PairedComparison, compare_paired, holm
from saiten.summary import place_of

app = typer.Typer(add_completion=False)

_CAPTION = (
    "Difference: second minus first, on the samples that both measured. 95 % interval: bootstrap over questions. "
    "p: sign-flip test over questions, corrected for the number of metrics (Holm)."
)
_LIKELY = 0.05
_ENDS = ("95 % from", "to")


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="The folder of the run that is the yardstick.")],
    second: Annotated[Path, typer.Argument(help="The folder of the other run; or the same, with --systems.")],
    systems: Annotated[
        str | None,
        typer.Option(help="FIRST,SECOND: compare two systems by question instead of two runs by sample."),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Compare two runs on the samples they share, or two systems on the questions they share.

    A difference is called only if it is outside the noise; scores that either side could not measure are left out and
    counted.

    Examples:
      saiten compare runs/before runs/after
      saiten compare runs/all runs/all --systems careful,hasty
      saiten compare runs/before runs/after --format html > difference.html
    """
    notes = told(stderr())
    readers = (read_run(first, tell=notes), read_run(second, tell=notes))
    names = _systems(systems)
    table = comparison_table(readers, names, glance=form == "table")
    render([table], form, stdout())


def comparison_table(
    readers: tuple[RunReader, RunReader],
    systems: tuple[str, str] | tuple[None, None] = (None, None),
    *,
    glance: bool = False,
) -> Table:
    """One row a metric that both have; `glance`: for the terminal, with the interval as text.

    Raises:
        BadInput: they share no sample or no metric; the text says which there are.
    """
    sides = [_values(reader, system) for reader, system in zip(readers, systems, strict=True)]
    shared = [metric for metric in sides[0] if metric in sides[1]]
    if not shared:
        had = " and ".join(", ".join(side) or "nothing" for side in sides)
        raise BadInput(f"there is no metric that both measured: there are {had}")
    found: list[tuple[str, PairedComparison, int]] = []
    for metric in shared:
        a, b = sides[0][metric], sides[1][metric]
        keys = sorted(set(a) & set(b))
        if keys:
            clusters = [question for question, _ in keys]
            pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], clusters)
            found.append((metric, pairs, len(set(a) ^ set(b))))
    if not found:
        raise BadInput("no sample was measured on both sides; samples are matched by id, with --systems by question")
    corrected = holm([pairs.p_value for _, pairs, _ in found])
    rows = tuple(_row(*each, p, glance=glance) for each, p in zip(found, corrected, strict=True))
    title = f"{systems[0] or readers[0].folder} → {systems[1] or readers[1].folder}"
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
        *(() if glance else ("remarks",)),
    )
    drawn = () if glance else (Interval("difference", *_ENDS, 0.0),)
    return Table(title, columns, rows, _CAPTION, drawn, "several")


def _row(metric: str, pairs: PairedComparison, unpaired: int, p: float | None, *, glance: bool) -> tuple[Cell, ...]:
    return (
        metric,
        pairs.difference,
        *((interval_text(pairs.low, pairs.high, pairs.note),) if glance else (pairs.low, pairs.high)),
        p,
        verdict(metric, pairs.difference, p),
        pairs.n,
        pairs.wins,
        pairs.ties,
        pairs.losses,
        unpaired,
        *(() if glance else (asked(pairs.note),)),
    )


def verdict(metric: str, difference: float | None, p: float | None) -> str:
    """`better` or `worse`, `differs` where neither direction is better, or that the difference may be noise."""
    if difference is None or p is None or p >= _LIKELY:
        return "within the noise"
    try:
        higher = make_metric(metric).higher_is_better
    except ConfigurationError:  # a metric of one's own
        higher = None
    if higher is None:
        return "differs"
    return "better" if (difference > 0) == higher else "worse"


def _systems(text: str | None) -> tuple[str, str] | tuple[None, None]:
    if text is None:
        return (None, None)
    first, comma, second = text.partition(",")
    if not comma or not first or not second:
        raise BadInput(f"--systems expects two names with a comma between them, not {text!r}")
    return (first.strip(), second.strip())


Values = dict[str, dict[tuple[str, str], float]]
"""Metric → (question, sample) → value; the sample is left empty where systems are compared, and a system's several
answers to one question count with their mean."""


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
            key = (place_of(sample).question, sample.id if system is None else "")
            found.setdefault(one.metric, {}).setdefault(key, []).append(one.score.value)
    return {metric: {key: fmean(each) for key, each in values.items()} for metric, values in found.items()}
