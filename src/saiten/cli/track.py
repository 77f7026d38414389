"""`saiten track`: runs into MLflow."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.errors import BadInput

if TYPE_CHECKING:
    from saiten.tracking import Tracked

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def track(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one run or more.", metavar="RUN…")],
    to: Annotated[
        str | None,
        typer.Option(help="sqlite:///FILE or http://HOST:5000. Default: MLFLOW_TRACKING_URI, else mlflow.db here."),
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="MLflow's experiment; made if need be. Default: MLFLOW_EXPERIMENT_NAME, saiten.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the run in MLflow. Default: the folder's name.")] = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="Also questions, answers, contexts, and the details of every score.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="A file to keep with the run: that of `saiten report`.")] = None,
) -> None:
    """Track runs in MLflow: figures with intervals, how they were made, and every score.

    A run is tracked once: the same command brings it up to date. Nothing but the store that you name is called, and
    MLflow's telemetry is off meanwhile.

    Examples:
      saiten track runs/first
      saiten track runs/first --to sqlite:///mlflow.db --experiment answers
      saiten track runs/first --to http://mlflow:5000 --report first.html
      saiten track runs/* --texts
    """
    from saiten.runs import read_run
    from saiten.tracking import log_to_mlflow, run_on_disk

    if len(runs) > 1 and (name or report):
        raise BadInput("--name and --report are for one run; track the runs one after another")
    notes = stderr()
    # Read all first, so that a wrong folder is reported before anything is sent to MLflow.
    for folder, tracking in [(folder, run_on_disk(read_run(folder, notify=notifier(notes)))) for folder in runs]:
        with notes.status(f"{escape_untrusted(folder)} → MLflow"):
            tracked = log_to_mlflow(tracking, to=to, experiment=experiment, name=name, texts=texts, report=report)
        _print_outcome(folder, tracked)


def _print_outcome(folder: Path, tracked: "Tracked") -> None:
    notes = stderr()
    if tracked.unfinished:
        notes.print(
            f"[yellow]not finished:[/] {escape_untrusted(folder)}: {escape_untrusted(tracked.unfinished)}; "
            "it is marked so there"
        )
    for note in tracked.notes:
        notes.print(f"[yellow]note[/] {escape_untrusted(note)}")
    done = "is in MLflow now" if tracked.made else "was there and is up to date"
    stdout().print(
        f"{escape_untrusted(folder)} {done}: run {tracked.run_id}, {tracked.figures} figures, experiment "
        f"{escape_untrusted(tracked.experiment)}, {escape_untrusted(tracked.address or tracked.store)}",
        soft_wrap=True,
    )
