"""The report of runs and experiments, out of their folders."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from saiten.choices import REPORT_LIMIT, ScoreBy
from saiten.cli.output import notifier, stderr
from saiten.cli.reading import read_some_labels
from saiten.errors import BadInput
from saiten.experiments.cells import scores_folder
from saiten.experiments.plan import PLAN_NAME, kept_plan
from saiten.experiments.results import ExperimentResult, read_results
from saiten.experiments.tables import experiment_tables, recommendations
from saiten.records import Label, Language
from saiten.runs import RunReader, read_run
from saiten.runs.manifest import MANIFEST_NAME
from saiten.views.page.chapters import Chapter
from saiten.views.report.document import Report, make_report
from saiten.words import Message

_NAMED = 8
"""Maximum runs within a folder that an error lists."""


def report_of(
    folders: Sequence[Path],
    *,
    labels: Sequence[Label] = (),
    title: str = "",
    language: Language | None = None,
    limit: int = REPORT_LIMIT,
    by: ScoreBy = "value",
) -> Report:
    """Return the report of runs and experiments, in the given order; each run once.

    Raises:
        BadInput, ConfigurationError: there is no run, or it cannot be read; the text says which.
    """
    notes = notifier(stderr())
    readers: dict[Path, RunReader] = {}
    experiments: list[ExperimentResult] = []
    for folder in folders:
        if (folder / PLAN_NAME).is_file():
            experiments.append(read_results(kept_plan(folder), folder, notes))
            for data in experiments[-1].plan.data:
                run = scores_folder(folder, data)
                if run.is_dir():
                    readers.setdefault(run.resolve(), read_run(run, notify=notes))
        elif (folder / "answers").is_dir() and (folder / "scores").is_dir():
            raise BadInput(
                f"{folder} is an experiment of an earlier version of saiten, without {PLAN_NAME}; re-run `saiten "
                "experiment FILE` to write it; finished calls are not repeated"
            )
        elif runs := runs_within(folder):
            raise BadInput(f"{folder} is not a run, but contains some; name the runs to report: {runs}")
        else:
            readers.setdefault(folder.resolve(), read_run(folder, notify=notes))
    if not readers:
        raise BadInput(f"{folders[0]} has no scores yet; resume it with `saiten experiment FILE`")

    chapters = [
        Chapter(
            Message("report", "experiment", title=one.plan.title or "–"),
            experiment_tables(one, pictured=True),
            points=recommendations(one),
            about=Message("report", "about_experiment"),
        )
        for one in experiments
    ]
    return make_report(
        list(readers.values()), labels=labels, more=chapters, title=title, language=language, limit=limit, by=by
    )


def labels_of(path: Path, aspects: Sequence[str], columns: Sequence[str]) -> tuple[Label, ...]:
    """Return the labels of these aspects; of all if none is named."""
    said = read_some_labels(path, columns)
    there = dict.fromkeys(label.aspect for label in said)
    for aspect in aspects:
        if aspect not in there:
            raise BadInput(
                f"there are no labels of the aspect {aspect!r}; the labels have {', '.join(map(repr, there))}"
            )
    return tuple(label for label in said if not aspects or label.aspect in aspects)


def runs_within(folder: Path) -> str:
    """Return the first runs and experiments one or two levels below a folder; empty if the folder is a run itself."""
    if (folder / MANIFEST_NAME).is_file() or not folder.is_dir():
        return ""
    marks = (
        mark for depth in ("*", "*/*") for name in (MANIFEST_NAME, PLAN_NAME) for mark in folder.glob(f"{depth}/{name}")
    )
    found = sorted({str(mark.parent) for mark in islice(marks, 1_000)})
    return ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
