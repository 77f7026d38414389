"""What a report answers first, in a few sentences: which system is better, and can that be believed?

Nothing is computed here: the sentences are read off the summaries and off the tables of the chapters further below.
"""

from collections.abc import Iterator, Mapping, Sequence

from saiten.records import Language
from saiten.reports.comparison import higher_is_better
from saiten.reports.page import Chapter
from saiten.reports.report.tally import Tally
from saiten.reports.report.words import WORDS
from saiten.reports.tables import Cell, PValue, Table, show_cell
from saiten.summary import Figure

MOST_SYSTEMS = 6
"""Systems of a run, or runs, that are named one by one."""
_METRICS = 3
_ASPECTS = 2
_RANKED = ("rank", "letters", "metric")
"""How the columns of a ranking begin."""
_PEOPLE = "people, one against the others"
_OUTSIDE_NOISE = ("better", "worse", "differs")


def answered(tallies: Sequence[Tally], tests: Chapter, people: Chapter | None, language: Language) -> tuple[str, ...]:
    """Two to six sentences.

    Args:
        tallies: of all runs.
        tests: the chapter that compares runs and systems.
        people: the chapter that holds metrics against labels; None where there are no labels.
        language: of the sentences.
    """
    words = WORDS[language]
    metrics, better = _better(tallies, tests, words)
    believed = list(_believed(people, metrics, words)) if people is not None else []
    if not believed:
        believed = [words["no_labels" if people is None else "no_ranking"]]
    measured, expected, lost = (sum(getattr(one, name) for one in tallies) for name in ("measured", "expected", "lost"))
    return (*better, *believed, words["coverage"].format(f"{measured:,}", f"{expected + lost:,}"))


def systems_apart(one: Tally) -> bool:
    """Whether a run's mean over all its systems is nobody's, and the systems are few enough to stand one by one."""
    return 1 < len(one.told.systems) <= MOST_SYSTEMS


def _better(tallies: Sequence[Tally], tests: Chapter, words: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The metrics that are spoken of, and a sentence each: of the runs beside the first, else of a run's systems."""
    by_title = {table.title: table for table in tests.tables}
    first = tallies[0]
    beside = [(one, by_title[title]) for one in tallies[1:] if (title := f"{first.name} → {one.name}") in by_title]
    if beside:
        named = [first, *(one for one, _ in beside[: MOST_SYSTEMS - 1])]
        tables = [table for _, table in beside[: MOST_SYSTEMS - 1]]
        shared = [metric for metric in first.metrics if any(_row(table, metric) for table in tables)]
        metrics = _first(shared)
        return metrics, [
            _sentence(metric, [(one.name, f) for one in named if (f := _figure(one, metric, None))], tables, words)
            for metric in metrics
        ]
    for one in tallies:
        systems = one.told.systems[:MOST_SYSTEMS]
        prefix = f"{one.name}: " if len(tallies) > 1 else ""
        tables = [
            table for other in systems[1:] if (table := by_title.get(f"{prefix}{systems[0]} → {other}")) is not None
        ]
        metrics = _first([metric for metric in one.metrics if any(_row(table, metric) for table in tables)])
        if metrics:
            found = []
            for metric in metrics:
                figures = [(system, f) for system in systems if (f := _figure(one, metric, system))]
                said = words["in_run"].format(one.name, metric) if len(tallies) > 1 else metric
                found.append(_sentence(metric, figures, tables, words, said))
            return metrics, found
    return [], []


def _first(metrics: Sequence[str]) -> list[str]:
    """The first metrics of which one knows whether higher is better."""
    return [metric for metric in metrics if higher_is_better(metric) is not None][:_METRICS]


def _figure(one: Tally, metric: str, system: str | None) -> Figure | None:
    return next((f for f in one.summary.figures if f.metric == metric and f.system == system and f.group is None), None)


def _sentence(
    metric: str,
    figures: Sequence[tuple[str, Figure]],
    tables: Sequence[Table],
    words: Mapping[str, str],
    said: str = "",
) -> str:
    """`accuracy: careful 0.652 [0.583, 0.721], hasty 0.549 [0.475, 0.623]: hasty is worse than careful (…)`."""
    sign = 1 if higher_is_better(metric) is False else -1
    known = sorted(figures, key=lambda each: (each[1].mean is None, sign * (each[1].mean or 0.0)))
    means = words["listed"].join(f"{name} {_value(f.mean, f.low, f.high)}" for name, f in known)
    found = [words[f"is_{row['verdict']}"].format(**names, **_told(row)) for names, row in _tested(metric, tables)]
    verdict = words["and"].join(found) if found else words["no_difference"].format(_yardstick(tables))
    return words["answer_said"].format(said or metric, means, verdict)


def _yardstick(tables: Sequence[Table]) -> str:
    return _sides(tables[0])["first"]


def _tested(metric: str, tables: Sequence[Table]) -> Iterator[tuple[dict[str, str], dict[str, Cell]]]:
    """The differences that are outside the noise, each with the names of both sides."""
    for table in tables:
        row = _row(table, metric)
        if row is not None and row["verdict"] in _OUTSIDE_NOISE:
            yield _sides(table), row


def _sides(table: Table) -> dict[str, str]:
    first, _, second = table.title.partition(" → ")
    return {"first": first.rpartition(": ")[2], "second": second}


def _row(table: Table, metric: str) -> dict[str, Cell] | None:
    return next(
        (dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == metric and len(row) > 1), None
    )


def _told(row: Mapping[str, Cell]) -> dict[str, str]:
    difference, p = row["difference"], row["p"]
    shown = show_cell(PValue(p)) if isinstance(p, float) else "–"
    return {
        "difference": f"{difference:+.3f}" if isinstance(difference, float) else "–",
        "p": shown if shown.startswith("<") else f"= {shown}",
    }


def _believed(people: Chapter, metrics: Sequence[str], words: Mapping[str, str]) -> Iterator[str]:
    """A sentence a ranking: of the metrics spoken of above that are in it, else of the first in it."""
    rankings = [table for table in people.tables if table.columns[:3] == _RANKED and table.rows]
    for table in rankings[:_ASPECTS]:
        measure, low = table.columns[3], table.columns[4]
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        ranked = [row for row in rows if row["metric"] != _PEOPLE]
        told = [row for row in ranked if row["metric"] in metrics] or ranked[:1]
        if not told:
            continue
        end = table.columns[5]
        said = [
            words["worth"].format(measure, row["metric"], _value(row[measure], row[low], row[end]))
            for row in told[:_METRICS]
        ]
        said += [
            words["ceiling"].format(_value(row[measure], row[low], row[end]))
            for row in rows
            if row["metric"] == _PEOPLE
        ]
        yield words["believed"].format(table.title.rpartition(": ")[0], words["listed"].join(said))


def _value(value: Cell, low: Cell, high: Cell) -> str:
    interval = f" [{show_cell(low)}, {show_cell(high)}]" if low is not None and high is not None else ""
    return show_cell(value) + interval
