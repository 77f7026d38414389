"""`saiten show`: what came out of a run, or one of its samples in full."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.cli.output import FormatOption, outside, stderr, stdout, told
from saiten.errors import BadInput
from saiten.journal import RunReader, read_run
from saiten.reports.sample_page import print_sample, sample_json
from saiten.reports.summary_tables import glance_tables, summary_tables, usage_text
from saiten.reports.tables import Format, Table, render
from saiten.summary import Summary, place_of, summarise

app = typer.Typer(add_completion=False)


@app.command()
def show(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    sample: Annotated[str | None, typer.Option(help="The id of one sample, to see it in full.")] = None,
    worst: Annotated[str | None, typer.Option(help="A metric: list the samples with its lowest scores.")] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many samples --worst lists.")] = 10,
    form: FormatOption = "table",
) -> None:
    """Show the summary of a run: means with intervals, coverage, signatures; or look into it.

    Examples:
      saiten show runs/first
      saiten show runs/first --worst faithfulness
      saiten show runs/first --sample q17/hasty
      saiten show runs/first --format md
    """
    notes = stderr()
    reader = read_run(run, tell=told(notes))
    if sample is not None:
        _show_sample(reader, sample, form)
    elif worst is not None:
        render([worst_table(reader, worst, number)], form, stdout())
    else:
        show_summary(run, form, stdout())


def summary_of(reader: RunReader) -> Summary:
    """The summary of a run on disk."""
    places = {sample.id: place_of(sample) for sample in reader.samples()}
    return summarise(reader.scores(), places, reader.manifest.signatures)


def show_summary(run: Path, form: Format, out: Console) -> None:
    """Print the summary of the run in this folder."""
    reader = read_run(run, tell=told(stderr()))
    summary = summary_of(reader)
    if not summary.figures:
        stderr().print("there are no scores yet")
        return
    tables = glance_tables(summary) if form == "table" else summary_tables(summary)
    render(tables, form, out)
    if form == "table":
        spent = usage_text(summary.usage, str(reader.manifest.settings.get("currency", "USD")))
        out.print(f"{outside(spent)} · one sample in full: saiten show {outside(run)} --sample ID")


def worst_table(reader: RunReader, metric: str, number: int) -> Table:
    """The samples with the lowest values of a metric; those without a value are not among them.

    Raises:
        BadInput: the run has no such metric.
    """
    scored = [one for one in reader.scores() if one.metric == metric]
    if not scored:
        raise BadInput(f"{reader.folder} has no scores of {metric}; it has {', '.join(reader.manifest.signatures)}")
    measured = [(one.score.value, one) for one in scored if one.score.value is not None]
    lowest = sorted(measured, key=lambda pair: (pair[0], pair[1].sample))[:number]
    rows = tuple((one.sample, value, one.score.reason) for value, one in lowest)
    return Table(f"Lowest {metric}", ("sample", "value", "reason"), rows, f"{len(measured)} samples have a value.")


def _show_sample(reader: RunReader, identity: str, form: Format) -> None:
    found = reader.sample(identity)
    if found is None:
        raise BadInput(f"{reader.folder} has no sample {identity!r}; `--worst METRIC` lists some of its ids")
    scores = [one for one in reader.scores() if one.sample == identity]
    if form == "table":
        print_sample(found, scores, stdout())
    else:
        stdout().file.write(sample_json(found, scores) + "\n")
