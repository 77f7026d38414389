"""`saiten experiment`: a grid of models, chains and data sets."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.shared_options import DryRunOption, FormatOption, RunOptions
from saiten.cli.unfold import Omit, unfold
from saiten.errors import ConfigurationError
from saiten.options import Config
from saiten.settings import CallSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def experiment(
    file: Annotated[Path | None, typer.Argument(help="YAML file that describes the experiment.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Experiment folder. Default: runs/NAME-OF-FILE.")
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Print an example file, which runs offline.")] = False,
    results: Annotated[bool, typer.Option("--results", help="Show the results so far without running.")] = False,
    dry_run: DryRunOption = False,
    *,
    calls: Annotated[CallSettings, Omit({"cache", "no_cache"})],
    config: Config,
    how: RunOptions,
    form: FormatOption = "table",
) -> None:
    """Run a grid of models, chains and data sets, and compare accuracy and latency.

    Each answer is collected once for all metrics, and each reply of the judge is shared by all cells. A misconfigured
    cell is skipped and reported. Re-run the command to resume; finished calls are not repeated.

    Examples:
      saiten experiment --example > experiment.yaml
      saiten experiment experiment.yaml --dry-run
      saiten experiment experiment.yaml
      saiten experiment experiment.yaml --format html > experiment.html
      saiten show runs/experiment/scores/demo-en
      saiten meta-evaluate runs/experiment/scores/demo-en labels.jsonl

    Exit status: 0 success, 2 invalid setup or input (even of a single cell or document), 3 stopped by the budget, 6 no
    cell has a value, 130 interrupted by Ctrl-C.
    """
    if example:
        typer.echo(files("saiten.experiments").joinpath("example.yaml").read_text(encoding="utf-8"), nl=False)
        return
    if file is None:
        raise ConfigurationError(
            "name the file of the experiment; `saiten experiment --example > experiment.yaml` writes one"
        )
    if dry_run:
        from saiten.cli.experiment_rehearsal import rehearse_experiment

        rehearse_experiment(file, calls, form)
        return
    from saiten.cli.experimenting import run_experiment

    folder = out or Path("runs") / file.stem
    run_experiment(file, folder, calls.kept_in(folder), form, how, only_results=results)
