"""`saiten agreement`: measure how well annotators agree."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import Level
from saiten.cli.output import stderr, stdout
from saiten.cli.shared_options import (
    AspectsOption,
    FormatOption,
    LabelColumnOption,
    LabelsArgument,
    SampleColumnOption,
)
from saiten.records import Sample

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def agreement(
    labels: LabelsArgument,
    aspect: AspectsOption = None,
    level: Annotated[
        Level | None,
        typer.Option(help="Scale of the values. Default: nominal for two values or words; else ordinal or interval."),
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option("--samples", "-s", help="File of samples, so that intervals resample questions, not items."),
    ] = None,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    form: FormatOption = "table",
) -> None:
    """Measure how well annotators agree: percent agreement, kappa and alpha with intervals, and base rates.

    The file has one row per label; an item may have any number of annotators. Each two annotators are compared as well.
    Adjudicated rows (a third decision) are counted but belong to no annotator. Values that are words (neutral, …) are
    categories.

    For preferences, the item is `ID vs ID`, with a column preference (-2 to 2) or choice (1, 2, tie, A>B). The pairs of
    one ranking count as one question; the report includes how many annotators prefer the same answer.

    Examples:
      saiten agreement labels.jsonl
      saiten agreement labels.csv --aspect faithful --aspect fluency
      saiten agreement labels.csv --column item=id --column value=grade --column annotator=who
      saiten agreement labels.jsonl --samples answers.jsonl --format md
      saiten agreement labels.jsonl --format html > agreement.html
      saiten agreement votes.csv --column choice=winner
    """
    from saiten.cli.reading import read_said, sample_rows
    from saiten.results.place import place_of
    from saiten.trust.agreement import agreement_report
    from saiten.trust.inputs.pairing import halves
    from saiten.views.render import render
    from saiten.views.tables.agreement import agreement_glance, agreement_tables

    kept = list(read_said(labels, column, categories=True))
    questions = None
    if samples is not None:
        found = sample_rows(samples, sample_column)
        questions = {sample.id: place_of(sample).question for sample in found if isinstance(sample, Sample)}
        strangers = sum(
            item not in questions and halves(item, questions) is None for item in {label.item for label in kept}
        )
        if strangers:
            stderr().print(
                f"[yellow]note[/] {strangers} labeled items are not among the samples; each counts as its own question"
            )
    report = agreement_report(kept, aspects=aspect or (), level=level, questions=questions)
    tables = agreement_glance(report) if form in {"table", "md", "html"} else agreement_tables(report)
    render(tables, form, stdout(), f"Agreement of people: {labels.name}")
