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
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN…")],
    to: Annotated[
        str | None,
        typer.Option(help="sqlite:///FILE or http://HOST:5000. Default: MLFLOW_TRACKING_URI, else mlflow.db here."),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(help="MLflow experiment, created if missing. Default: MLFLOW_EXPERIMENT_NAME, else saiten."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the MLflow run. Default: the folder's name.")] = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="Include questions, answers, contexts, and the details of every score.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Report from `saiten report` to attach to the run.")] = None,
) -> None:
    """Track runs in MLflow: figures with intervals, how they were made, and every score.

    Each run is tracked once; re-run the command to update it. Only the named store is contacted; MLflow's telemetry is
    turned off.

    Examples:
      saiten track runs/first
      saiten track runs/first --to sqlite:///mlflow.db --experiment answers
      saiten track runs/first --to http://mlflow:5000 --report first.html
      saiten track runs/* --texts
    """
    from saiten.runs import read_run
    from saiten.tracking import log_to_mlflow, run_on_disk

    if len(runs) > 1 and (name or report):
        raise BadInput("--name and --report apply to a single run; track the runs one by one")
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
            "MLflow shows it as unfinished"
        )
    for note in tracked.notes:
        notes.print(f"[yellow]note[/] {escape_untrusted(note)}")
    done = "is in MLflow now" if tracked.made else "was there and is up to date"
    stdout().print(
        f"{escape_untrusted(folder)} {done}: run {tracked.run_id}, {tracked.figures} figures, experiment "
        f"{escape_untrusted(tracked.experiment)}, {escape_untrusted(tracked.address or tracked.store)}",
        soft_wrap=True,
    )
