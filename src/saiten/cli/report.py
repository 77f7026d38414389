"""`saiten report`: one page about runs, for people."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.meta_evaluate import read_said
from saiten.cli.output import outside, stderr, stdout, told
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.cells import scores_folder
from saiten.experiments.kept_plan import PLAN_NAME, kept_plan
from saiten.experiments.results import ExperimentResult, read_results
from saiten.experiments.tables import experiment_tables
from saiten.journal import RunReader, read_run
from saiten.records import Label, Language
from saiten.reports.charts import VegaChart
from saiten.reports.page import Chapter
from saiten.reports.report.report import LIMIT, Report, check_place, make_report, write_report
from saiten.reports.report.words import WORDS

app = typer.Typer(add_completion=False)

_MOST = 100_000
"""Samples that a page can hold and a browser still opens."""
_UNFIT = re.compile(r"[^\w.=-]+")
_LONGEST = 60
"""Characters of a chart's title that its file name keeps."""


@app.command(no_args_is_help=True)
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Folders of runs, or of experiments; the first is the yardstick.", metavar="RUN…"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page. An earlier report there is replaced.")],
    labels: Annotated[
        Path | None, typer.Option(help="What people said: item, value, annotator, aspect, adjudicated.")
    ] = None,
    title: Annotated[str, typer.Option(help="Of the page. Default: the names of the runs.")] = "",
    language: Annotated[
        Language | None, typer.Option(help="Of the page's own words. Default: that of most samples.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=_MOST, help="Answers that can be looked at one by one; figures are over all.")
    ] = LIMIT,
    charts: Annotated[Path | None, typer.Option(help="A folder: each chart as SVG and PNG, for papers.")] = None,
) -> None:
    """Write one page about runs, with every answer behind its figures; it opens in any browser and loads nothing.

    Figures with intervals, distributions, paired tests between runs and systems, cost; for experiments accuracy against
    latency; with --labels how far the metrics can be trusted. Then each answer, to search, filter, sort, and open: its
    statements and verdicts, its units, its transcript.

    Examples:
      saiten report runs/first -o first.html
      saiten report runs/first runs/second -o difference.html --title "Before and after"
      saiten report runs/first --labels labels.jsonl -o trust.html
      saiten report runs/experiment -o experiment.html --language ja --charts figures
    """
    notes = stderr()
    check_place(out)
    said = () if labels is None else tuple(read_said(labels, {}, notes))
    if labels is not None and not said:
        raise BadInput(f"there are no labels in {labels}")
    with notes.status("reading"):
        made = report_of(runs, labels=said, title=title, language=language, limit=limit)
    for note in made.notes:
        notes.print(note, markup=False)
    with notes.status("writing"):
        write_report(made, out)
        if charts is not None:
            write_charts(made.charts, charts)
    stdout().print(outside(out), soft_wrap=True)


def report_of(
    folders: Sequence[Path],
    *,
    labels: Sequence[Label] = (),
    title: str = "",
    language: Language | None = None,
    limit: int = LIMIT,
) -> Report:
    """The report of runs and experiments, in the order in which they are named; each run once.

    Raises:
        BadInput, ConfigurationError: there is no run, or it cannot be read; the text says which.
    """
    notes = told(stderr())
    readers: dict[Path, RunReader] = {}
    experiments: list[ExperimentResult] = []
    for folder in folders:
        if (folder / PLAN_NAME).is_file():
            experiments.append(read_results(kept_plan(folder), folder, notes))
            for data in experiments[-1].plan.data:
                run = scores_folder(folder, data)
                if run.is_dir():
                    readers.setdefault(run.resolve(), read_run(run, tell=notes))
        elif (folder / "answers").is_dir() and (folder / "scores").is_dir():
            raise BadInput(
                f"{folder} is an experiment of an earlier saiten, without {PLAN_NAME}; `saiten experiment FILE` with "
                "its file writes it and asks nothing twice"
            )
        else:
            readers.setdefault(folder.resolve(), read_run(folder, tell=notes))
    if not readers:
        raise BadInput(f"{folders[0]} has no scores yet; `saiten experiment FILE` goes on with it")

    def chapters(spoken: Language) -> list[Chapter]:
        word = WORDS[spoken]["experiment"]
        return [Chapter(word.format(one.plan.title or "–"), experiment_tables(one)) for one in experiments]

    return make_report(
        list(readers.values()), labels=labels, more=chapters, title=title, language=language, limit=limit
    )


def write_charts(charts: Iterable[VegaChart], folder: Path) -> None:
    """Each chart as SVG and PNG, numbered in the order of the page; raises ConfigurationError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = (chart for chart in charts if chart.spec is not None)
        for number, chart in enumerate(drawn, 1):
            name = f"{number:02}-{_UNFIT.sub('-', chart.title).strip('-.')[:_LONGEST]}"
            (folder / f"{name}.svg").write_text(chart.svg_file(), encoding="utf-8")
            (folder / f"{name}.png").write_bytes(chart.png())
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written: {error.strerror}; name another folder") from error
