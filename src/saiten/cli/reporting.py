"""The report of runs and experiments, out of their folders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from saiten.choices import REPORT_LIMIT, ScoreBy
from saiten.cli.finding_runs import find_runs
from saiten.cli.output import notifier, stderr
from saiten.cli.reading import read_some_labels
from saiten.errors import BadInput
from saiten.experiments.cells import scores_folder
from saiten.experiments.plan import PLAN_NAME, kept_plan
from saiten.experiments.results import ExperimentResult, read_results
from saiten.experiments.tables import experiment_tables, recommendations
from saiten.records import Label, Language
from saiten.results.over_time import start_of
from saiten.runs import RunReader, read_run
from saiten.views.page.chapters import Chapter
from saiten.views.report.document import Report, make_report
from saiten.words import Message

MOST_IN_FULL = 12
"""Maximum runs that a report shows in full, with their answers, unless they are named."""
_NEWEST = 2


@dataclass(frozen=True, slots=True)
class _ToReport:
    """The runs and experiments of a report, each run once."""

    runs: Mapping[Path, RunReader]
    """By resolved folder, in the given order; also those of experiments."""
    own: Mapping[Path, RunReader]
    """Those that are not part of an experiment."""
    experiments: Sequence[ExperimentResult]


def report_of(
    named: Sequence[Path],
    *,
    labels: Sequence[Label] = (),
    title: str = "",
    language: Language | None = None,
    limit: int = REPORT_LIMIT,
    by: ScoreBy = "value",
    over_time: bool = False,
    answers_of: Sequence[Path] = (),
) -> Report:
    """Return the report of runs and experiments, in the given order; each run once.

    Args:
        named: Runs, experiments, and folders of these.
        labels: See `make_report`, also for the next ones.
        title: The page's title.
        language: The page's language.
        limit: Maximum number of samples shown one by one.
        by: The figure of the scores to compare with people.
        over_time: Draw metrics over time also for two runs, and for runs of different questions.
        answers_of: The runs to show in full; by default all, or the newest two of more than 12.

    Raises:
        BadInput, ConfigurationError: there is no run, or it cannot be read; the text says which.
    """
    notes = notifier(stderr())
    opened = _opened(find_runs(named, notes), notes)
    if not opened.runs:
        raise BadInput(f"{named[0]} has no scores yet; resume it with `saiten experiment FILE`")
    if over_time and len(opened.own) < 2:
        raise BadInput("--over-time needs at least two runs")
    chapters = [
        Chapter(
            Message("report", "experiment", title=one.plan.title or "–"),
            experiment_tables(one, pictured=True),
            points=recommendations(one),
            about=Message("report", "about_experiment"),
        )
        for one in opened.experiments
    ]
    return make_report(
        _in_full(opened, answers_of),
        history=list(opened.own.values()),
        over_time=over_time,
        labels=labels,
        more=chapters,
        title=title,
        language=language,
        limit=limit,
        by=by,
    )


def _opened(folders: Sequence[Path], notes: Callable[[str], None]) -> _ToReport:
    runs: dict[Path, RunReader] = {}
    own: dict[Path, RunReader] = {}
    experiments: list[ExperimentResult] = []
    for folder in folders:
        if (folder / PLAN_NAME).is_file():
            experiments.append(read_results(kept_plan(folder), folder, notes))
            for data in experiments[-1].plan.data:
                run = scores_folder(folder, data)
                if run.is_dir():
                    runs.setdefault(run.resolve(), read_run(run, notify=notes))
        elif (folder / "answers").is_dir() and (folder / "scores").is_dir():
            raise BadInput(
                f"{folder} is an experiment of an earlier version of saiten, without {PLAN_NAME}; re-run `saiten "
                "experiment FILE` to write it; finished calls are not repeated"
            )
        else:
            where = folder.resolve()
            own[where] = runs.setdefault(where, read_run(folder, notify=notes))
    return _ToReport(runs, own, experiments)


def _in_full(opened: _ToReport, named: Sequence[Path]) -> list[RunReader]:
    """Return the runs to show in full, those of experiments last if some of the others are left out."""
    if not named and len(opened.own) <= MOST_IN_FULL:
        return list(opened.runs.values())
    for path in named:
        if path.resolve() not in opened.runs:
            raise BadInput(f"--answers-of {path} is not one of the runs of this report; name it as RUN as well")
    if named:
        return [opened.runs[where] for where in dict.fromkeys(path.resolve() for path in named)]
    dated = [(begun, where) for where, one in opened.own.items() if (begun := start_of(one.manifest.created))]
    newest = [where for _, where in sorted(dated, key=lambda each: each[0])][-_NEWEST:] or list(opened.own)[:_NEWEST]
    return [opened.runs[where] for where in (*newest, *(where for where in opened.runs if where not in opened.own))]


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
