"""`saiten agreement`: do people agree?"""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import Level
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import SAMPLE_COLUMN, FormatOption, LabelColumnOption, SampleColumnOption, read_columns
from saiten.records import Sample

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def agreement(
    labels: Annotated[Path, typer.Argument(help="JSONL, CSV, …: item, value, annotator, aspect, adjudicated.")],
    aspect: Annotated[list[str] | None, typer.Option("--aspect", "-a", help="Only this aspect. Repeatable.")] = None,
    level: Annotated[
        Level | None,
        typer.Option(help="How to read the values. Default: nominal for two values or words; else ordinal, interval."),
    ] = None,
    samples: Annotated[
        Path | None, typer.Option("--samples", "-s", help="The samples: intervals then draw questions, not items.")
    ] = None,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    form: FormatOption = "table",
) -> None:
    """Say how far people agree: percent, kappa and alpha with intervals, base rates, each two annotators.

    One row a label; cells may be missing, and any number of annotators may have labelled an item. Rows marked
    adjudicated (a third decision) are counted, and are no annotator's. Words as values (neutral, …) are categories.
    Preferences: a column preference (-2 … 2) or choice (1, 2, tie, A>B), with `ID vs ID` as the item. The pairs of one
    ranking count as one question, and how many people prefer the same answer is counted.

    Examples:
      saiten agreement labels.jsonl
      saiten agreement labels.csv --aspect faithful --aspect fluency
      saiten agreement labels.csv --column item=id --column value=grade --column annotator=who
      saiten agreement labels.jsonl --samples answers.jsonl --format md
      saiten agreement labels.jsonl --format html > agreement.html
      saiten agreement votes.csv --column choice=winner
    """
    from saiten.cli.labels import usable
    from saiten.data import read_labels, read_samples
    from saiten.text.language import detect_language
    from saiten.trust.agreement import agreement_report
    from saiten.trust.inputs.pairing import halves
    from saiten.views.render import render
    from saiten.views.tables.agreement import agreement_glance, agreement_tables

    notes = stderr()
    rows = read_labels(labels, columns=read_columns(column or []), categories=True, notify=notifier(notes))
    kept = list(usable(rows, notes))
    questions = None
    if samples is not None:
        asked = read_samples(
            samples,
            columns=read_columns(sample_column or [], SAMPLE_COLUMN),
            detect_language=detect_language,
            option=SAMPLE_COLUMN,
            wished=("question",),
            notify=notifier(notes),
        )
        questions = {sample.id: sample.question for sample in asked if isinstance(sample, Sample)}
        strangers = sum(
            item not in questions and halves(item, questions) is None for item in {label.item for label in kept}
        )
        if strangers:
            notes.print(f"[yellow]note[/] {strangers} labelled items are not among the samples; each stands for itself")
    report = agreement_report(kept, aspects=aspect or (), level=level, questions=questions)
    tables = agreement_glance(report) if form in {"table", "md", "html"} else agreement_tables(report)
    render(tables, form, stdout(), f"Agreement of people: {labels.name}")
