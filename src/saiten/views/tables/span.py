"""Judges' spans compared with people's, as tables: figures, agreement of people, empty combinations, omissions."""

from collections.abc import Iterable, Iterator

from saiten.results.spans import Averages, SpanComparison, SpanFigures, SpanReport
from saiten.trust.spans.marks import CLASSES
from saiten.views.table import Heading, Name, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import left_out_table
from saiten.words import Message, joined

_FIGURES = ("span_precision", "span_recall", "span_f")
_COUNTS = ("n_people", "n_judge", "pairs", "empty")


def span_tables(report: SpanReport, *, glance: bool = False) -> list[Table]:
    """Return all tables except empty ones; `glance`: for the terminal, one table per judge."""
    units = Message("remark", "unit_questions" if report.by_question else "unit_items")
    captions = (Message("caption", "spans", units=units),)
    ceiling = (report.ceiling,) if report.ceiling else ()
    if glance:
        figures = [_at_a_glance(one, captions) for one in (*report.judges, *ceiling)]
    else:
        figures = [
            _figures("spans_of_judges", report.judges, captions),
            _figures("spans_of_people", ceiling, (Message("caption", "span_ceiling"), *captions)),
            _figures("spans_of_annotators", report.people if len(report.people) > 1 else ()),
        ]
    tables = [
        *figures,
        _empties((*report.judges, *ceiling)),
        _left_out(report.judges),
        Table(Message("title", "notes"), ("note",), tuple((note,) for note in report.notes)),
    ]
    return [table for table in tables if table.rows]


def _at_a_glance(one: SpanComparison, captions: tuple[Message, ...]) -> Table:
    """Return a table with each remark once below it: as a column they would squeeze the figures."""
    form = IntervalColumns(numbers=False)
    about: dict[Message, list[str | Message]] = {}
    for figures in _ordered(one):
        for remark in _remarks(figures):
            about.setdefault(remark, []).append(_name(figures))
    remarks = [
        Message("caption", "about", names=joined(names, "listed"), remark=remark) for remark, names in about.items()
    ]
    return Table(
        Message("title", "spans_against", judge=one.judge, people=one.human),
        ("aspect", "average", *form.columns(*_FIGURES), *_COUNTS),
        tuple(row for each in _ordered(one) for row in _rows(each, form)),
        (joined([joined(captions, "sentences"), *remarks], "lines"),),
    )


def _figures(title: str, comparisons: Iterable[SpanComparison], captions: tuple[Message, ...] = ()) -> Table:
    form = IntervalColumns(numbers=True)
    columns: tuple[Heading, ...] = ("marked_by", "against", "aspect", "average", *form.columns(*_FIGURES))
    rows = tuple(
        (one.judge, one.human, *row, joined(_remarks(each)))
        for one in comparisons
        for each in _ordered(one)
        for row in _rows(each, form)
    )
    return Table(Message("title", title), (*columns, *_COUNTS, "remarks"), rows, captions, form.intervals(*_FIGURES))


def _ordered(one: SpanComparison) -> Iterator[SpanFigures]:
    """Yield the aspects, combined ones after their parts, the reference's own units last."""
    yield from (each for each in one.aspects if each.aspect not in CLASSES)
    if one.overall:
        yield one.overall
    yield from (each for each in one.aspects if each.aspect in CLASSES)


def _rows(one: SpanFigures, form: IntervalColumns) -> Iterator[Cells]:
    """Yield one row per way of averaging."""
    for way, found in (("per_unit", one.per_unit), ("per_answer", one.per_answer)):
        figures = form.cells(found.precision, found.recall, found.f)
        counts = (found.recall.n, found.precision.n, one.pairs, one.empty)
        yield (_name(one), Message("cell", way), *figures, *counts)


def _name(one: SpanFigures) -> str | Message:
    return one.aspect or Message("cell", "together")


def _remarks(one: SpanFigures) -> Iterator[Message]:
    return span_remarks(one, one.per_unit, one.per_answer)


def span_remarks(one: SpanFigures, *ways: Averages) -> Iterator[Message]:
    """Yield why averages or their intervals are missing, and how many units have no place in the text."""
    yield from dict.fromkeys(e.reason for way in ways for e in (way.precision, way.recall) if e.reason)
    yield from dict.fromkeys(e.note for way in ways for e in (way.precision, way.recall, way.f) if e.note)
    for key, n in zip(("adrift_people", "adrift_judge"), one.adrift, strict=True):
        if n:
            yield Message("remark", key, n=n)


def _empties(comparisons: Iterable[SpanComparison]) -> Table:
    rows = tuple(
        (one.judge, one.human, *one.empties, sum(one.empties)) for one in comparisons if one.empties is not None
    )
    numbers = (Name(n) for n in range(5))
    captions = (Message("caption", "spans_empty"),)
    return Table(Message("title", "spans_empty"), ("marked_by", "against", *numbers, "answers"), rows, captions)


def _left_out(comparisons: Iterable[SpanComparison]) -> Table:
    sides = (
        (one.judge, what, side)
        for one in comparisons
        for what, side in (("judged_no_label", one.unlabeled), ("labeled_not_judged", one.unmatched))
    )
    return left_out_table("marked_by", sides)
