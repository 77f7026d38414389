"""`saiten estimate`: estimate the human mean of the whole set from few labels."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import stderr, stdout
from saiten.cli.shared_options import (
    AspectsOption,
    FormatOption,
    GradeZeroOption,
    LabelColumnOption,
    SampleColumnOption,
    read_columns,
)
from saiten.cli.subject import JudgeFiles
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError

app = typer.Typer(add_completion=False)


@app.command(name="estimate", no_args_is_help=True)
@unfold
def command(
    run: Annotated[Path, typer.Argument(help="Run folder, or a file of samples with --judges.")],
    labels: Annotated[
        Path, typer.Argument(help="Labels of randomly drawn items, with item, value, annotator, aspect.")
    ],
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Use only this metric. Repeatable.")
    ] = None,
    aspect: AspectsOption = None,
    yes_from: Annotated[
        float | None, typer.Option(help="Count labels of at least this value as yes, and estimate the share.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="FIRST,SECOND: estimate their difference as well, first minus second.")
    ] = None,
    stratified: Annotated[
        bool, typer.Option("--stratified", help="The labels were drawn within each system, at different rates.")
    ] = False,
    width: Annotated[
        float | None,
        typer.Option(min=1e-9, help="Print how many labels give an interval with this half-width."),
    ] = None,
    *,
    grade_zero: GradeZeroOption = "auto",
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    others: JudgeFiles,
    form: FormatOption = "table",
) -> None:
    """Estimate the mean that people would give to all items, from a few labels and the judge's scores of all items.

    The labels correct the judge's bias; the judge only narrows the interval. The labeled items must be a random sample
    of all items; a test warns if they do not look like one.

    Examples:
      saiten estimate runs/first labels.jsonl
      saiten estimate runs/first labels.csv -m accuracy --width 0.03
      saiten estimate runs/first labels.csv -m faithfulness --yes-from 3 --systems careful,hasty
    """
    from saiten.cli.reading import read_said
    from saiten.trust.estimate import estimate
    from saiten.views.render import render
    from saiten.views.tables.estimate import estimate_tables

    notes = stderr()
    items, outputs = others.read(run, sample_column, notes)
    found = estimate(
        items,
        outputs,
        read_said(labels, read_columns(column), notes),
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
        raise ConfigurationError(f"--systems expects FIRST,SECOND, not {text!r}")
    return first, second
