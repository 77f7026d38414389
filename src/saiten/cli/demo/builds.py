"""May this build pass: two runs compared, and thresholds, as a CI system would do it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from saiten.cli import MISSED
from saiten.cli.demo.answers import score
from saiten.cli.demo.telling import commands, heading, say, table
from saiten.demo import DemoSample
from saiten.records import Sample
from saiten.results.comparison import compare_runs
from saiten.results.summary import place_of
from saiten.results.threshold_reading import read_threshold
from saiten.results.thresholds import Outcome, hold
from saiten.runs import read_run
from saiten.views.tables.run import summary_of

METRICS = ("accuracy", "accuracy[grounded]", "faithfulness")
BUILDS = {"before": "careful", "after": "chatty"}
"""By build, the system whose answers it gives: one that keeps to the sources, and one that adds to them."""
THRESHOLDS = ("accuracy=0.5", "accuracy[grounded]=0.4")


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """The paired test, and what a build would be told."""
    heading("13 · May this build pass? Thresholds, and the run before", console)
    before, after = (
        score(answers_of(samples, system), out / "builds" / build, METRICS, notes) for build, system in BUILDS.items()
    )
    say(
        "Before: the careful system. After: the chatty one, which answers more, and invents.",
        console,
    )
    compared = compare_runs([read_run(before), read_run(after)], glance=True)[0]
    kept = [compared.columns.index(name) for name in ("metric", "difference", "95 % interval", "p", "verdict", "n")]
    table([f"{compared.columns[at]}" for at in kept], [[row[at] for at in kept] for row in compared.rows], console)
    rows = [
        (f"--fail-under {asked}", one.value, one.verdict, MISSED if one.missed else 0)
        for asked, one in zip(THRESHOLDS, outcomes(after), strict=True)
    ]
    table(("after, asked with", "mean", "verdict", "exit status"), rows, console)
    under = [word for asked in THRESHOLDS for word in ("--fail-under", asked)]
    commands(console, ["show", after, *under], ["compare", before, after, "--fail-if-worse", METRICS[1]])


def answers_of(samples: Sequence[DemoSample], system: str) -> list[Sample]:
    """The system's answers, each under its question's id, as two builds of one product would give them."""
    return [
        replace(one.sample, id=one.sample.id.rpartition("-")[0], system=None)
        for one in samples
        if one.sample.system == system
    ]


def outcomes(run: Path) -> tuple[Outcome, ...]:
    """Of all thresholds."""
    reader = read_run(run)
    places = {sample.id: place_of(sample) for sample in reader.samples()}
    asked = [read_threshold(text, "under", METRICS) for text in THRESHOLDS]
    return hold(asked, summary_of(reader), places, reader.scores)
