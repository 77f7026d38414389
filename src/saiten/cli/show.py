"""`saiten show`: the results of a run, or one of its samples in full."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli import NOTHING
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, ThresholdOptions
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def show(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    sample: Annotated[str | None, typer.Option(help="Id of a sample to show in full.")] = None,
    dialogue: Annotated[str | None, typer.Option(help="Id of a dialogue to show with its grades.")] = None,
    worst: Annotated[str | None, typer.Option(help="Metric whose worst-scored samples to list.")] = None,
    gist: Annotated[
        bool,
        typer.Option("--gist", help="Show reference and answer side by side, with missing and extra units marked."),
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(help="File of labels, whose means are shown next to those of the metrics, also per system."),
    ] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="Number of samples that --worst lists.")] = 10,
    *,
    thresholds: ThresholdOptions,
    form: FormatOption = "table",
) -> None:
    """Show the summary of a run (means with intervals, coverage, signatures), or details of it.

    Examples:
      saiten show runs/first
      saiten show runs/first --worst faithfulness
      saiten show runs/first --sample q17/hasty
      saiten show runs/talks --dialogue q17
      saiten show runs/first --labels labels.jsonl
      saiten show runs/first --format md
      saiten show runs/first --format html > first.html
      saiten show runs/first --format xlsx > first.xlsx
      saiten show runs/gist --gist
      saiten show runs/gist --gist --format html > units.html
      saiten show runs/first --fail-under faithfulness=0.8 --fail-under token_f1.low=0.3
      saiten show runs/first --fail-under faithfulness.min=0.5 --junit saiten.xml

    Exit status: 0 success, 2 invalid input, 5 threshold missed; an unfinished run misses every threshold.
    """
    from saiten.cli.gate import Gate
    from saiten.cli.show_one import show_dialogue, show_gist, show_sample, worst_table
    from saiten.cli.show_summary import note_unfinished, show_summary
    from saiten.runs import read_run
    from saiten.views.render import render

    reader = read_run(run, notify=notifier(stderr()))
    gate = Gate.typed(thresholds, list(reader.manifest.signatures))
    if not gist and sample is None and dialogue is None and worst is None:
        status = show_summary(run, form, stdout(), gate, labels)
        raise typer.Exit(0 if status == NOTHING else status)  # it was shown
    if gate is not None or labels is not None:
        what = "--labels applies" if gate is None else "thresholds apply"
        raise ConfigurationError(f"{what} to the summary; remove --sample, --dialogue, --worst and --gist")
    note_unfinished([reader])
    if gist:
        show_gist(reader, form, stdout(), sample=sample, apart=worst is None and dialogue is None)
        return
    one = "sample" if sample is not None else "dialogue"
    if (sample is not None or dialogue is not None) and form in {"html", "xlsx"}:
        raise ConfigurationError(f"a {one} cannot be shown as {form}; use the terminal or --format json")
    if sample is not None:
        show_sample(reader, sample, form)
    elif dialogue is not None:
        show_dialogue(reader, dialogue, form)
    elif worst is not None:
        render([worst_table(reader, worst, number)], form, stdout(), str(run))
