"""`saiten estimate`: what would people have said of the whole set?"""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, SampleColumnOption, read_columns
from saiten.cli.subject import GradeZeroOption, JudgeFiles
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError

app = typer.Typer(add_completion=False)


@app.command(name="estimate", no_args_is_help=True)
@unfold
def command(
    run: Annotated[Path, typer.Argument(help="The folder of a run; or a file of samples, with --judges.")],
    labels: Annotated[Path, typer.Argument(help="Of some items, drawn at random: item, value, annotator, aspect.")],
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Only this metric. Repeatable.")] = None,
    aspect: Annotated[list[str] | None, typer.Option("--aspect", "-a", help="Only this aspect. Repeatable.")] = None,
    yes_from: Annotated[
        float | None, typer.Option(help="Labels of at least this are a yes; the mean is a share.")
    ] = None,
    systems: Annotated[str | None, typer.Option(help="FIRST,SECOND: also the difference, first minus second.")] = None,
    stratified: Annotated[
        bool, typer.Option("--stratified", help="Labels were drawn within each system, more of one than of another.")
    ] = False,
    width: Annotated[
        float | None, typer.Option(min=1e-9, help="Half a width: how many labels would make the interval so narrow?")
    ] = None,
    *,
    grade_zero: "GradeZeroOption" = "auto",
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    others: JudgeFiles,
    form: FormatOption = "table",
) -> None:
    """Estimate the mean that people would give over all items, from few labels and the judge's scores of all.

    The judge may be biased: the labels correct it, and it only narrows the interval. The labelled items must be a
    random sample of all; a test says if they do not look like one.

    Examples:
      saiten estimate runs/first labels.jsonl
      saiten estimate runs/first labels.csv -m accuracy --width 0.03
      saiten estimate runs/first labels.csv -m faithfulness --yes-from 3 --systems careful,hasty
    """
    from saiten.cli.labels import read_said
    from saiten.trust.estimate import estimate
    from saiten.views.render import render
    from saiten.views.tables.estimate import estimate_tables

    notes = stderr()
    items, outputs = others.read(run, sample_column, notes)
    found = estimate(
        items,
        outputs,
        read_said(labels, read_columns(column or []), notes),
        metrics=metric or (),
        aspects=aspect or (),
        yes_from=yes_from,
        systems=_two(systems),
        stratified=stratified,
        width=width,
        grade_zero=grade_zero,
    )
    render(estimate_tables(found, glance=form == "table"), form, stdout(), f"What people would say: {run.name}")


def _two(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, _, second = (part.strip() for part in text.partition(","))
    if not first or not second or "," in second:
        raise ConfigurationError(f"--systems expects two names with a comma between them, not {text!r}")
    return first, second
