"""`saiten testset export`: a test set for RAGAS, DeepEval, Excel."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import SetExportName
from saiten.records import Language


def export(
    testset: Annotated[
        Path,
        typer.Argument(
            help="Test set: the folder that `saiten questions` wrote, or a file with questions and references."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="File to write, - for standard output; an earlier export for a tool is replaced."
        ),
    ] = "-",
    name: Annotated[
        SetExportName | None,
        typer.Option(
            "--as",
            help="Format. Default: by the suffix of the file (csv, xlsx, jsonl); jsonl for standard output. deepeval "
            "is a JSON list, in a file that ends in .jsonl one golden per line.",
        ),
    ] = None,
    follow_ups: Annotated[
        bool,
        typer.Option(
            "--follow-ups",
            help="For ragas and deepeval, whose files have either single questions or conversations: export the "
            "follow-up questions, as conversations.",
        ),
    ] = False,
    bom: Annotated[
        bool,
        typer.Option(
            "--bom", help="For CSV that Excel opens: write a byte order mark, and an apostrophe before formulas."
        ),
    ] = False,
    language: Annotated[
        Language | None, typer.Option(help="Language of a workbook's headings. Default: that of most questions.")
    ] = None,
) -> None:
    """Export a test set to RAGAS, DeepEval or a table for Excel.

    csv and xlsx have one row per question, and can be edited and read back like the test set itself. jsonl is the form
    that `saiten questions` writes. Notes list what a format cannot hold.

    Examples:
      saiten testset export testset --as ragas -o ragas.jsonl
      saiten testset export testset --as deepeval -o goldens.json
      saiten testset export testset --as deepeval --follow-ups -o conversations.json
      saiten testset export testset -o questions.xlsx
      saiten testset export questions.xlsx -o edited.jsonl
    """
    from saiten.cli.exporting import export_set
    from saiten.exports.test_sets import SetSettings

    path = None if out == "-" else Path(out)
    as_lines = path is not None and path.suffix.lower() in {".jsonl", ".ndjson"}
    export_set(testset, path, name, SetSettings(follow_ups, bom, language, as_lines))
