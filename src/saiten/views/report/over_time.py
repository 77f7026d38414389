"""The chapter "Over time" of a report: each metric over the runs by the date of their start."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from saiten.results.over_time import DatedRun, OverTime, dated_run, over_time
from saiten.runs import RunReader
from saiten.views.charts.over_time import MOST_LINES, over_time_chart
from saiten.views.page.chapters import Chapter
from saiten.views.report.tally import Tally
from saiten.views.tables.over_time import over_time_table
from saiten.views.tables.run import summary_of
from saiten.words import Message, joined

_LEAST = 2
"""Runs that a line needs."""
_NAMED = 8
"""Maximum runs or metrics that a sentence names."""


def dated_runs(
    tallies: Sequence[Tally], others: Mapping[str, RunReader], wanted: Sequence[RunReader]
) -> list[DatedRun]:
    """Return the wanted runs: those of the report, whose summaries are known, and others by name, read one by one."""
    known = {one.reader.folder: one for one in tallies}
    names = {reader.folder: name for name, reader in others.items()}
    found: list[DatedRun] = []
    for reader in wanted:
        one = known.get(reader.folder)
        if one is not None:
            found.append(dated_run(one.reader, one.name, one.summary))
        else:
            summary = summary_of(reader)
            silent = replace(reader, notify=lambda _: None)  # damage has been reported by now
            found.append(dated_run(silent, names[reader.folder], summary))
    return found


def over_time_chapter(runs: Sequence[DatedRun], *, asked: bool) -> Chapter | None:
    """Return one chart and table per metric; None if there is nothing to say.

    `asked`: whether it is wanted even if fewer than three runs share questions; several runs may as well be
    measurements of different things.
    """
    found = over_time(runs, MOST_LINES)
    if len(runs) < _LEAST or not (asked or found.repeats):
        return None
    tables = [replace(over_time_table(course), charts=(over_time_chart(course),)) for course in found.courses]
    return Chapter(Message("report", "over_time"), tables, joined(_said(runs, found), "sentences"))


def in_full(shown: Sequence[str], others: Sequence[RunReader]) -> Message | None:
    """Return that the page has the others only over time; None if there are none."""
    if not others:
        return None
    return Message("report", "over_time_in_full", n=len(shown) + len(others), names=joined(shown, "and"))


def _said(runs: Sequence[DatedRun], found: OverTime) -> Iterator[Message]:
    """Yield what the charts cannot show."""
    drawn = {id(run) for course in found.courses for run in course.runs}
    dated = [run for run in runs if run.begun is not None]
    groups = {
        "undated": [run.name for run in found.undated],
        "without_scores": [run.name for run in dated if not run.metrics],
        "other_metrics": [run.name for run in dated if run.metrics and id(run) not in drawn],
        "measured_once": found.single,
        "little_measured": [*_little_measured(found)],
    }
    for key, names in groups.items():
        if names:
            more = len(names) - _NAMED
            listed = ", ".join(names[:_NAMED])
            named = Message("difference", "metrics", named=listed, n=more) if more > 0 else listed
            yield Message("report", f"over_time_{key}", names=named)


def _little_measured(found: OverTime) -> Iterator[str]:
    """Yield `nightly-003 (faithfulness 794/1000, correctness 811/1000)` per run."""
    by_run: dict[str, list[str]] = {}
    for course in found.courses:
        for system, line in course.lines.items():
            for point in line:
                if not point.whole and not point.run.unfinished:
                    of = f"{course.metric} · {system}" if system else course.metric
                    by_run.setdefault(point.run.name, []).append(f"{of} {point.figure.n}/{point.figure.total}")
    yield from (f"{name} ({', '.join(parts)})" for name, parts in by_run.items())
