"""`saiten report`: one HTML page about runs."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import REPORT_LIMIT, ScoreBy
from saiten.cli.output import escape_untrusted, print_path, stderr
from saiten.cli.shared_options import SCORE_BY, AspectsOption, LabelColumnOption
from saiten.errors import ConfigurationError
from saiten.records import Language

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Folders of runs or experiments; the first is the baseline.", metavar="RUN…"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write; an earlier report is replaced.")],
    labels: Annotated[
        Path | None, typer.Option(help="File of labels with item, value, annotator, aspect, adjudicated.")
    ] = None,
    aspect: AspectsOption = None,
    column: LabelColumnOption = None,
    by: Annotated[ScoreBy, typer.Option(help=SCORE_BY)] = "value",
    title: Annotated[str, typer.Option(help="Title of the page. Default: the names of the runs.")] = "",
    language: Annotated[
        Language | None, typer.Option(help="Language of the page. Default: that of most samples.")
    ] = None,
    limit: Annotated[  # a browser opens no page with more
        int,
        typer.Option(min=1, max=100_000, help="Maximum number of answers to include; the figures cover all of them."),
    ] = REPORT_LIMIT,
    charts: Annotated[Path | None, typer.Option(help="Folder to write each chart to as SVG and PNG.")] = None,
) -> None:
    """Write a self-contained HTML report about runs, with every answer behind the figures.

    The report has figures with intervals, distributions, paired tests between runs and systems, and cost; for
    experiments, accuracy against latency; with --labels, the agreement of the metrics with people. Every answer can be
    searched, filtered, sorted and opened, with its statements and verdicts, its units, or its transcript.

    Examples:
      saiten report runs/first -o first.html
      saiten report runs/first runs/second -o difference.html --title "Before and after"
      saiten report runs/first --labels labels.jsonl -o trust.html
      saiten report runs/first --labels grades.csv --column value=grade --aspect faithful -o trust.html
      saiten report runs/experiment -o experiment.html --language ja --charts figures
    """
    from saiten.cli.reporting import labels_of, report_of
    from saiten.views.report.chart_files import write_charts
    from saiten.views.report.document import check_report_place, write_report
    from saiten.words import Message

    notes = stderr()
    check_report_place(out)
    said = () if labels is None else labels_of(labels, aspect or (), column or ())
    if labels is None and (aspect or column or by != "value"):
        raise ConfigurationError("--aspect, --column and --by require --labels")
    with notes.status(escape_untrusted(Message("progress", "reading"))):
        made = report_of(runs, labels=said, title=title, language=language, limit=limit, by=by)
    for note in made.notes:
        notes.print(escape_untrusted(note))
    with notes.status(escape_untrusted(Message("progress", "writing"))):
        write_report(made, out)
        if charts is not None:
            for kept in write_charts(made.figures, charts):
                notes.print(f"{escape_untrusted(kept)} is from an earlier report or from elsewhere, and is kept")
    print_path(out)
