"""A metric over time as a table: one row per run and system, oldest first."""

from collections.abc import Iterator
from datetime import UTC, datetime

from saiten.results.over_time import Course, RunPoint
from saiten.results.verdict import enough
from saiten.views.table import Cell, Interval, Name, Table
from saiten.words import Message, joined


def over_time_table(course: Course, now: datetime | None = None) -> Table:
    """Return the figures of `saiten show` for each run, and what changed before it; `now`: dates after it are noted."""
    apart = None not in course.lines or len(course.lines) > 1
    columns = ("started", "run", *(("system",) if apart else ()), "judge")
    place = {id(run): number for number, run in enumerate(course.runs)}
    points = [(system, point) for system, line in course.lines.items() for point in line]
    points.sort(key=lambda each: place[id(each[1].run)])
    changes = {id(change.after): change for change in course.changes}
    rows: list[tuple[Cell, ...]] = []
    for system, point in points:
        run, figure = point.run, point.figure
        change = changes.pop(id(run), None)  # only in the first row of a run
        said = [Message("remark", "change", letter=change.letter, what=change.what)] if change else []
        rows.append(
            (
                f"{run.begun:%Y-%m-%d %H:%M}",
                Name(run.name),
                *((Name(system) if system else Message("cell", "all"),) if apart else ()),
                run.made.get(course.metric, {}).get("judge"),
                *(figure.mean, figure.low, figure.high, figure.n, figure.total),
                joined([*said, *_remarks(point, now or datetime.now(UTC)), figure.note]),
            )
        )
    return Table(
        Message("title", "over_time", metric=course.metric),
        (*columns, "mean", "ci_low", "ci_high", "n", "of", "remarks"),
        tuple(rows),
        (Message("caption", "over_time"),),
        (Interval("mean", "ci_low", "ci_high"),),
    )


def _remarks(point: RunPoint, now: datetime) -> Iterator[Message]:
    run, figure = point.run, point.figure
    if run.begun is not None and run.begun > now:
        yield Message("remark", "in_future")
    if run.unfinished:
        yield Message("remark", "unfinished")
    elif not enough(figure.n, figure.total):
        yield Message("remark", "little_measured", n=figure.n, of=figure.total)
