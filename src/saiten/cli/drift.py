"""`saiten drift`: has a judge changed since it was last compared with people?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli import ALARM
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, read_columns
from saiten.records import Label

app = typer.Typer(add_completion=False)


@app.command()
def drift(
    before: Annotated[Path, typer.Argument(help="The run that was trusted.")],
    now: Annotated[Path, typer.Argument(help="The run over the same samples: another model, prompt or version.")],
    labels: Annotated[
        Path | None, typer.Argument(help="What people said: JSONL or CSV with item, value, annotator, aspect.")
    ] = None,
    aspect: Annotated[str | None, typer.Option("--aspect", "-a", help="Which labels, of several aspects.")] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="A drop of the agreement with people up to this is no alarm.")
    ] = 0.02,
    most: Annotated[int, typer.Option(min=0, help="How many moved items a metric to tell.")] = 5,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap rounds.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap.")] = 0,
    column: LabelColumnOption = None,
    form: FormatOption = "table",
) -> None:
    """Hold two runs over the same frozen samples against each other, and both against people.

    Tells how the means moved, how far the runs agree, what differs in how they were made, and which items moved most.
    With labels there is an alarm: the agreement with people dropped by more than the tolerance, and its interval lies
    below 0. Without labels nothing says which of the runs is right, so there is none.

    Examples:
      saiten drift runs/march runs/april
      saiten drift runs/march runs/april labels.jsonl --aspect correct
      saiten drift runs/march runs/april labels.csv --tolerance 0.05 --format json

    Exit status: 0 no alarm, 2 wrong set-up or input, 4 alarm.
    """
    from saiten.data import BadRow, read_labels
    from saiten.runs import read_run
    from saiten.trust import drift as judging
    from saiten.views.render import render
    from saiten.views.tables.probe import drift_tables

    notes = stderr()
    notify = notifier(notes)

    def read() -> Iterator[Label]:
        for row in read_labels(labels, columns=read_columns(column or []), notify=notify) if labels is not None else ():
            if isinstance(row, BadRow):
                notes.print(f"[yellow]left out[/] {escape_untrusted(row.where)}: {escape_untrusted(row.reason)}")
            else:
                yield row

    report = judging.drift(
        read_run(before, notify=notify),
        read_run(now, notify=notify),
        read(),
        aspect=aspect,
        tolerance=tolerance,
        most=most,
        resamples=resamples,
        seed=seed,
    )
    title = f"Drift: {before.name} → {now.name}"
    render(drift_tables(report, glance=form == "table"), form, stdout(), title)
    if not report.made:
        notes.print("note: the figures of both runs were made in the same way (same signatures)", style="dim")
    if report.alarms:
        raise typer.Exit(ALARM)
