"""`saiten show`: what came out of a run, or one of its samples in full."""

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
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    sample: Annotated[str | None, typer.Option(help="The id of one sample, to see it in full.")] = None,
    dialogue: Annotated[str | None, typer.Option(help="The id of one dialogue, to read it with its grades.")] = None,
    worst: Annotated[str | None, typer.Option(help="A metric: list the samples with its worst scores.")] = None,
    gist: Annotated[
        bool, typer.Option("--gist", help="Reference and answer side by side, with what is missing and extra marked.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(help="What people said of the answers: their means beside the metrics', by system too."),
    ] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many samples --worst lists.")] = 10,
    *,
    thresholds: ThresholdOptions,
    form: FormatOption = "table",
) -> None:
    """Show the summary of a run: means with intervals, coverage, signatures; or look into it.

    Examples:
      saiten show runs/first
      saiten show runs/first --worst faithfulness
      saiten show runs/first --sample q17/hasty
      saiten show runs/talks --dialogue q17
      saiten show runs/first --labels labels.jsonl
      saiten show runs/first --format md
      saiten show runs/first --format html > first.html
      saiten show runs/gist --gist
      saiten show runs/gist --gist --format html > units.html
      saiten show runs/first --fail-under faithfulness=0.8 --fail-under token_f1.low=0.3
      saiten show runs/first --fail-under faithfulness.min=0.5 --junit saiten.xml

    Exit status: 0 done, 2 wrong input, 5 a threshold was missed; a run that is not finished misses all.
    """
    from saiten.cli.gate import Gate
    from saiten.cli.show_gist import show_gist
    from saiten.cli.show_one import show_dialogue, show_sample, worst_table
    from saiten.cli.show_summary import show_summary
    from saiten.cli.unfinished import note_unfinished
    from saiten.runs import read_run
    from saiten.views.render import render

    notes = stderr()
    reader = read_run(run, notify=notifier(notes))
    gate = Gate.typed(thresholds, list(reader.manifest.signatures))
    if gate is not None and (gist or any(one is not None for one in (sample, dialogue, worst))):
        raise ConfigurationError("thresholds are held against the summary; leave out --sample, --worst and the like")
    if labels is not None and (gist or any(one is not None for one in (sample, dialogue, worst))):
        raise ConfigurationError(
            "--labels adds people's means to the summary; leave out --sample, --worst and the like"
        )
    if gist or any(one is not None for one in (sample, dialogue, worst)):
        note_unfinished([reader], notes)
    if gist:
        show_gist(reader, form, stdout(), sample=sample, apart=worst is None and dialogue is None)
        return
    one = "sample" if sample is not None else "dialogue"
    if (sample is not None or dialogue is not None) and form == "html":
        raise ConfigurationError(f"one {one} is shown in the terminal or as --format json; a page holds tables only")
    if sample is not None:
        show_sample(reader, sample, form)
    elif dialogue is not None:
        show_dialogue(reader, dialogue, form)
    elif worst is not None:
        render([worst_table(reader, worst, number)], form, stdout(), str(run))
    else:
        status = show_summary(run, form, stdout(), gate, labels)
        raise typer.Exit(0 if status == NOTHING else status)  # it was shown
