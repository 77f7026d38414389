"""`saiten export`: the answers of a run with their scores, for Excel and other tools."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import ExportName, FrameLayout
from saiten.cli.shared_options import QuietOption
from saiten.records import Language

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def export(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="File to write, - for standard output; an earlier export is replaced."),
    ] = "-",
    name: Annotated[
        ExportName | None,
        typer.Option("--as", help="Format. Default: by the suffix of the file; jsonl for standard output."),
    ] = None,
    layout: Annotated[FrameLayout, typer.Option(help="One row per answer (wide), or one per score (long).")] = "wide",
    order: Annotated[
        str,
        typer.Option(
            help="worst: worst answers first, by mean rank over all metrics; data: order of the data; "
            "or a metric, whose worst values come first. Answers without a value rank as the worst.",
        ),
    ] = "worst",
    bom: Annotated[
        bool,
        typer.Option(
            "--bom",
            help="For CSV and TSV that Excel opens: write a byte order mark, and an apostrophe before formulas.",
        ),
    ] = False,
    language: Annotated[
        Language | None, typer.Option(help="Language of a workbook's headings. Default: that of most samples.")
    ] = None,
    *,
    quiet: QuietOption = False,
) -> None:
    """Export the answers of a run with their scores, the worst first, for Excel, pandas and other tools.

    An Excel workbook (xlsx) also has the means with intervals, and how the figures were made. `saiten score` reads the
    files back. Unfinished runs and runs in shards can be exported, too; of dialogues (`saiten converse`), the export
    has questions and scores, but no transcripts. Scores of traces go back to the tool that recorded these with --as
    otlp, langfuse, phoenix or mlflow.

    Examples:
      saiten export runs/first -o scores.xlsx
      saiten export runs/first -o scores.csv --bom
      saiten export runs/first -o faithfulness.xlsx --order faithfulness
      saiten export runs/first -o scores.parquet --layout long --order data
      saiten export runs/first --as jsonl | head -n 20
      saiten export runs/traces --as otlp -o scores.jsonl
    """
    from saiten.cli.exporting import export_run
    from saiten.exports.export import ExportSettings

    settings = ExportSettings(layout, order, bom, language)
    export_run(run, None if out == "-" else Path(out), name, settings, quiet=quiet)
