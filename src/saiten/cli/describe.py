"""`saiten describe`: the figures of data sets."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.shared_options import LABEL_COLUMN_HELP, DataSetsArgument, FormatOption, QuietOption
from saiten.cli.unfold import unfold
from saiten.options import Config
from saiten.settings import DATA, DataSettings

app = typer.Typer(add_completion=False)

_LABELS, _DOCUMENTS = "Labels", "Documents"


@app.command(no_args_is_help=True)
@unfold
def describe(
    data: DataSetsArgument,
    *,
    rows: DataSettings,
    tokens: Annotated[
        bool,
        typer.Option(
            "--tokens/--no-tokens",
            help="Count tokens as well as characters. A million characters take a second in Japanese, a twentieth in "
            "English.",
            rich_help_panel=DATA,
        ),
    ] = True,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="File of labels with item, value, annotator, aspect, adjudicated (JSONL, CSV, …): how much of the "
            "data they cover.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    label_column: Annotated[list[str] | None, typer.Option(help=LABEL_COLUMN_HELP, rich_help_panel=_LABELS)] = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            help="File or folder of the documents behind the data, as for `saiten index`. Repeatable.",
            rich_help_panel=_DOCUMENTS,
        ),
    ] = None,
    kb: Annotated[
        str | None,
        typer.Option(
            help="Knowledge base with the documents: a folder made by `saiten index`, or http://HOST:6333/NAME.",
            rich_help_panel=_DOCUMENTS,
        ),
    ] = None,
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Describe data sets: questions, systems, lengths in characters and tokens, languages, duplicates, labels.

    Reads each data set once, whatever its size, calls no model and writes nothing. Ends with what to look at: empty or
    repeated texts, questions that not all systems were asked, texts in another language, labels that measure nothing.
    With --format html, the page has a picture of the lengths.

    Examples:
      saiten describe answers.jsonl
      saiten describe en.jsonl ja.jsonl --format html > data.html
      saiten describe faq.xlsx --documents manuals/
      saiten describe answers.jsonl --kb kb --format latex
      saiten describe answers.jsonl --labels labels.csv --label-column value=grade
      saiten describe 'logs/*.parquet' --sample 10000 --no-tokens

    Exit status: 0 success, 2 invalid setup or input (even of a single document; the others are counted).
    """
    from saiten.cli.describing import describe_all

    describe_all(data, rows, labels, label_column, documents or (), kb, form, tokens=tokens, quiet=quiet)
