"""`saiten experiment`: a grid of models, chains and data sets."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import FormatOption, QuietOption
from saiten.cli.unfold import Omit, unfold
from saiten.errors import ConfigurationError
from saiten.options import Config
from saiten.settings import CALLS, CallSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def experiment(
    file: Annotated[Path | None, typer.Argument(help="The experiment, in YAML.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Its folder. Default: runs/NAME-OF-FILE.")] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print an experiment to begin with, which runs offline.")
    ] = False,
    results: Annotated[bool, typer.Option("--results", help="Show what there is; run nothing.")] = False,
    *,
    calls: Annotated[CallSettings, Omit({"cache", "no_cache"})],
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where there is no answer.", rich_help_panel=CALLS)
    ] = False,
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Let models and chains answer data sets, measure accuracy and latency, and compare.

    Every cell of the grid goes on where it stopped; the same command again asks nothing twice. Answers are shared by
    all metrics, and the judge's replies by all cells. A cell whose model is set up wrongly is left out and told.

    Examples:
      saiten experiment --example > experiment.yaml
      saiten experiment experiment.yaml
      saiten experiment experiment.yaml --format html > experiment.html
      saiten show runs/experiment/scores/demo-en
      saiten meta-evaluate runs/experiment/scores/demo-en labels.jsonl

    Exit status: 0 done, 2 wrong set-up or input, also of a single cell, 3 stopped by the budget, 6 no cell has a
    single value, 130 by Ctrl-C.
    """
    if example:
        typer.echo(files("saiten.experiments").joinpath("example.yaml").read_text(encoding="utf-8"), nl=False)
        return
    if file is None:
        raise ConfigurationError("which experiment? `saiten experiment --example > experiment.yaml` makes one")
    from saiten.cli.experimenting import run_experiment

    folder = out or Path("runs") / file.stem
    run_experiment(
        file, folder, calls.kept_in(folder), form, only_results=results, retry_failed=retry_failed, quiet=quiet
    )
