"""`saiten report`: one HTML page about runs."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import REPORT_LIMIT, ScoreBy, Theme
from saiten.cli.output import escape_untrusted, print_path, stderr
from saiten.cli.shared_options import SCORE_BY, AspectsOption, LabelColumnOption
from saiten.errors import ConfigurationError
from saiten.records import Language

app = typer.Typer(add_completion=False)

AnswersOfOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="RUN",
        help="Run to show in full, the first as the baseline; the others only over time. Repeatable. Default: all, or "
        "the newest two of more than 12.",
    ),
]
OverTimeOption = Annotated[
    bool,
    typer.Option("--over-time", help="Draw metrics over time even for two runs, or runs of different questions."),
]
PngOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the main picture (systems × metrics) for a slide: .png or .svg."),
]
ChartsOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder to write each chart to, for slides, as SVG and PNG.")
]
ThemeOption = Annotated[Theme, typer.Option(help="Background of --png and --charts.")]


@app.command(no_args_is_help=True)
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Runs, experiments, or folders of runs; the first is the baseline.", metavar="RUN…"),
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
    answers_of: AnswersOfOption = None,
    over_time: OverTimeOption = False,
    png: PngOption = None,
    charts: ChartsOption = None,
    theme: ThemeOption = "light",
) -> None:
    """Write a self-contained HTML report about runs, with every answer behind the figures.

    The report has figures with intervals, distributions, paired tests between runs and systems, and cost; for
    experiments, accuracy against latency; with --labels, the agreement of the metrics with people. Three or more runs
    of the same questions are also drawn over time, with marks where the judge, the prompts or the data changed. Every
    answer can be searched, filtered, sorted and opened, with its statements and verdicts, its units, or its transcript.

    A folder of runs means the runs in it, oldest first.

    Examples:
      saiten report runs/first -o first.html
      saiten report runs/first runs/second -o difference.html --title "Before and after"
      saiten report runs -o history.html
      saiten report runs/* --answers-of runs/n01 --answers-of runs/n30 -o history.html
      saiten report runs/first --labels labels.jsonl -o trust.html
      saiten report runs/first --labels grades.csv --column value=grade --aspect faithful -o trust.html
      saiten report runs/before runs/after -o both.html --png both.png --charts figures --theme dark
      saiten report runs/experiment -o experiment.html --language ja --charts figures
    """
    from saiten.cli.reporting import labels_of, report_of
    from saiten.views.report.chart_files import check_picture_place, write_charts, write_picture
    from saiten.views.report.document import check_report_place, write_report
    from saiten.words import Message

    notes = stderr()
    check_report_place(out)
    if png is not None:
        check_picture_place(png)
    people = () if labels is None else labels_of(labels, aspect or (), column or ())
    if labels is None and (aspect or column or by != "value"):
        raise ConfigurationError("--aspect, --column and --by require --labels")
    with notes.status(escape_untrusted(Message("progress", "reading"))):
        made = report_of(
            runs,
            labels=people,
            title=title,
            language=language,
            limit=limit,
            by=by,
            over_time=over_time,
            answers_of=answers_of or (),
        )
    for note in made.notes:
        notes.print(escape_untrusted(note))
    with notes.status(escape_untrusted(Message("progress", "writing"))):
        write_report(made, out)
        for said in write_charts(made.figures, charts, theme) if charts is not None else ():
            notes.print(escape_untrusted(said))
        if png is not None:
            write_picture(made.main_picture, png, theme)
    print_path(out)
