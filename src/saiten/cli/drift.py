"""`saiten drift`: check whether a judge has changed since it was last compared with people."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import ScoreBy
from saiten.cli import ALARM
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import SCORE_BY, FormatOption, LabelColumnOption, ResamplesOption

app = typer.Typer(add_completion=False)


@app.command()
def drift(
    before: Annotated[Path, typer.Argument(help="Run folder of the trusted judge.")],
    now: Annotated[
        Path, typer.Argument(help="Run folder over the same samples with another model, prompt or version.")
    ],
    labels: Annotated[
        Path | None, typer.Argument(help="File of labels with item, value, annotator, aspect (JSONL, CSV, …).")
    ] = None,
    aspect: Annotated[str | None, typer.Option("--aspect", "-a", help="Aspect of the labels to use.")] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Largest drop in agreement with people that raises no alarm.")
    ] = 0.02,
    most: Annotated[int, typer.Option(min=0, help="Number of most changed items to list per metric.")] = 5,
    resamples: ResamplesOption = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    by: Annotated[ScoreBy, typer.Option(help=SCORE_BY)] = "value",
    column: LabelColumnOption = None,
    form: FormatOption = "table",
) -> None:
    """Compare two runs over the same frozen samples with each other, and both with people.

    Prints how the means changed, how well the runs agree, which settings differ, and which items changed most.
    With labels, an alarm is raised if the agreement with people dropped by more than the tolerance and the interval of
    the difference is below 0. Without labels there is no alarm, since it is unknown which run is right.

    Examples:
      saiten drift runs/march runs/april
      saiten drift runs/march runs/april labels.jsonl --aspect correct
      saiten drift runs/march runs/april labels.csv --tolerance 0.05 --format json

    Exit status: 0 no alarm, 2 invalid setup or input, 4 alarm.
    """
    from saiten.cli.reading import read_said
    from saiten.runs import read_run
    from saiten.trust import drift as judging
    from saiten.views.render import render
    from saiten.views.tables.probe import drift_tables

    notes = stderr()
    report = judging.drift(
        read_run(before, notify=notifier(notes)),
        read_run(now, notify=notifier(notes)),
        () if labels is None else read_said(labels, column),
        aspect=aspect,
        tolerance=tolerance,
        most=most,
        resamples=resamples,
        seed=seed,
        by=by,
    )
    title = f"Drift: {before.name} → {now.name}"
    render(drift_tables(report, glance=form == "table"), form, stdout(), title)
    if not report.made:
        notes.print("note: both runs were made in the same way (same signatures)", style="dim")
    if report.alarms:
        raise typer.Exit(ALARM)
