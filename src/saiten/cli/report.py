"""`saiten report`: one page about runs, for people."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.choices import REPORT_LIMIT
from saiten.cli.data_options import read_columns
from saiten.cli.meta_evaluate import read_said
from saiten.cli.output import escape_untrusted, stderr, stdout, told
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.cells import scores_folder
from saiten.experiments.plan import PLAN_NAME, kept_plan
from saiten.experiments.results import ExperimentResult, read_results
from saiten.experiments.tables import experiment_tables
from saiten.records import Label, Language
from saiten.runs import RunReader, read_run
from saiten.runs.manifest import MANIFEST_NAME
from saiten.views.page.page import Chapter
from saiten.views.report.chart_files import write_charts
from saiten.views.report.document import Report, check_place, make_report, write_report
from saiten.views.report.words import WORDS

app = typer.Typer(add_completion=False)

_MOST = 100_000
"""Samples that a page can hold and a browser still opens."""
_NAMED = 8
"""Runs within a folder that an error names."""


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
    aspect: Annotated[
        list[str] | None, typer.Option("--aspect", "-a", help="Of the labels, only this aspect. Repeatable.")
    ] = None,
    column: Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the labels. Repeatable.")] = None,
    title: Annotated[str, typer.Option(help="Of the page. Default: the names of the runs.")] = "",
    language: Annotated[
        Language | None, typer.Option(help="Of the page's own words. Default: that of most samples.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=_MOST, help="Answers that can be looked at one by one; figures are over all.")
    ] = REPORT_LIMIT,
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
      saiten report runs/first --labels grades.csv --column value=grade --aspect faithful -o trust.html
      saiten report runs/experiment -o experiment.html --language ja --charts figures
    """
    notes = stderr()
    check_place(out)
    said = () if labels is None else _labels(labels, aspect or (), column or (), notes)
    if labels is None and (aspect or column):
        raise ConfigurationError("--aspect and --column are about labels; name their file with --labels")
    with notes.status("reading"):
        made = report_of(runs, labels=said, title=title, language=language, limit=limit)
    for note in made.notes:
        notes.print(escape_untrusted(note))
    with notes.status("writing"):
        write_report(made, out)
        if charts is not None:
            for kept in write_charts(made.figures, charts):
                notes.print(f"{escape_untrusted(kept)} is of an earlier report, or somebody's own; it is left as it is")
    stdout().print(escape_untrusted(out), soft_wrap=True)


def report_of(
    folders: Sequence[Path],
    *,
    labels: Sequence[Label] = (),
    title: str = "",
    note: str = "",
    language: Language | None = None,
    limit: int = REPORT_LIMIT,
) -> Report:
    """The report of runs and experiments, in the order in which they are named; each run once.

    `note`: what a reader must know before everything else.

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
        elif runs := _runs_within(folder):
            raise BadInput(f"{folder} is no run, but holds some; name those to be reported: {runs}")
        else:
            readers.setdefault(folder.resolve(), read_run(folder, tell=notes))
    if not readers:
        raise BadInput(f"{folders[0]} has no scores yet; `saiten experiment FILE` goes on with it")

    def chapters(spoken: Language) -> list[Chapter]:
        word = WORDS[spoken]["experiment"]
        return [Chapter(word.format(one.plan.title or "–"), experiment_tables(one)) for one in experiments]

    return make_report(
        list(readers.values()), labels=labels, more=chapters, title=title, note=note, language=language, limit=limit
    )


def _labels(path: Path, aspects: Sequence[str], columns: Sequence[str], notes: Console) -> tuple[Label, ...]:
    """What people said of these aspects; of all where none is named."""
    said = tuple(read_said(path, read_columns(columns), notes))
    if not said:
        raise BadInput(f"there are no labels in {path}")
    there = dict.fromkeys(label.aspect for label in said)
    for aspect in aspects:
        if aspect not in there:
            raise BadInput(
                f"there are no labels of the aspect {aspect!r}; the labels have {', '.join(map(repr, there))}"
            )
    return tuple(label for label in said if not aspects or label.aspect in aspects)


def _runs_within(folder: Path) -> str:
    """The first runs and experiments within a folder that is neither, one level down or two; empty where it is one."""
    if (folder / MANIFEST_NAME).is_file() or not folder.is_dir():
        return ""
    marks = (
        mark for depth in ("*", "*/*") for name in (MANIFEST_NAME, PLAN_NAME) for mark in folder.glob(f"{depth}/{name}")
    )
    found = sorted({str(mark.parent) for mark in islice(marks, 1_000)})
    return ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
