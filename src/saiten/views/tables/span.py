"""Judges' spans compared with people's, as tables: figures, agreement of people, empty combinations, omissions."""

from collections.abc import Iterable, Iterator

from saiten.results.spans import SpanComparison, SpanFigures, SpanReport
from saiten.stats.estimate import Estimate
from saiten.trust.spans.marks import CLASSES
from saiten.views.table import Cell, Interval, Table
from saiten.views.tables.summary import interval_text

Cells = tuple[Cell, ...]

_CAPTION = (
    "By characters; a unit has one partner at most, and so that overlap is best. R(ecall): mean over the people's "
    "units, 0 without a partner. P(recision): mean over the judge's. F: from the two means. Per unit: every unit of "
    "all answers weighs the same. Per answer: the mean within each answer (times annotator and aspect) first, then "
    "every answer weighs the same; n people and n judge count what is averaged. 95 % interval: {units} resampled. "
    "Empty: neither side marked anything; left out."
)


def span_tables(report: SpanReport, *, glance: bool = False) -> list[Table]:
    """Return all tables except empty ones; `glance`: for the terminal, one table per judge."""
    caption = _CAPTION.format(units="questions" if report.by_question else "items")
    ceiling = (report.ceiling,) if report.ceiling else ()
    if glance:
        figures = [_at_a_glance(one, caption) for one in (*report.judges, *ceiling)]
    else:
        figures = [
            _figures("Spans: judges against people", report.judges, caption),
            _figures("Spans: people against people", ceiling, f"The ceiling. {caption}"),
            _figures("Spans: every two annotators", report.people if len(report.people) > 1 else ()),
        ]
    tables = [
        *figures,
        _empties((*report.judges, *ceiling)),
        _left_out(report.judges),
        Table("Notes", ("note",), tuple((str(note),) for note in report.notes)),
    ]
    return [table for table in tables if table.rows]


def _at_a_glance(one: SpanComparison, caption: str) -> Table:
    """Return a table with each remark once below it: as a column they would squeeze the figures."""
    columns = ("aspect", "average", "P", "P 95 %", "R", "R 95 %", "F", "F 95 %", *_COUNTS)
    rows = [row for each in _ordered(one) for row in _rows(each, glance=True)]
    about: dict[str, list[str]] = {}
    for figures in _ordered(one):
        for remark in _remarks(figures):
            about.setdefault(remark, []).append(_name(figures))
    remarks = [f"{', '.join(names)}: {remark}." for remark, names in about.items()]
    shown = tuple(row[:-1] for row in rows)
    return Table(f"Spans: {one.judge} against {one.human}", columns[:-1], shown, "\n".join((caption, *remarks)))


def _figures(title: str, comparisons: Iterable[SpanComparison], caption: str = "") -> Table:
    figures = tuple(f"{name}{end}" for name in ("P", "R", "F") for end in ("", " from", " to"))
    rows = tuple(
        (one.judge, one.human, *row)
        for one in comparisons
        for each in _ordered(one)
        for row in _rows(each, glance=False)
    )
    drawn = tuple(Interval(name, f"{name} from", f"{name} to") for name in ("P", "R", "F"))
    return Table(title, ("by", "against", "aspect", "average", *figures, *_COUNTS), rows, caption, drawn)


_COUNTS = ("n people", "n judge", "pairs", "empty", "remarks")


def _ordered(one: SpanComparison) -> Iterator[SpanFigures]:
    """Yield the aspects, combined ones after their parts, the reference's own units last."""
    yield from (each for each in one.aspects if each.aspect not in CLASSES)
    if one.overall:
        yield one.overall
    yield from (each for each in one.aspects if each.aspect in CLASSES)


def _rows(one: SpanFigures, *, glance: bool) -> Iterator[Cells]:
    """Yield one row per way of averaging."""
    remarks = "; ".join(_remarks(one))
    for way, found in (("per unit", one.per_unit), ("per answer", one.per_answer)):
        estimates = (found.precision, found.recall, found.f)
        figures = tuple(cell for estimate in estimates for cell in _cells(estimate, glance=glance))
        yield (_name(one), way, *figures, found.recall.n, found.precision.n, one.pairs, one.empty, remarks)


def _name(one: SpanFigures) -> str:
    return one.aspect or "together"


def _cells(estimate: Estimate, *, glance: bool) -> Cells:
    if glance:
        return (estimate.value, interval_text(estimate.low, estimate.high))
    return (estimate.value, estimate.low, estimate.high)


def _remarks(one: SpanFigures) -> Iterator[str]:
    ways = (one.per_unit, one.per_answer)
    yield from dict.fromkeys(str(e.reason) for way in ways for e in (way.precision, way.recall) if e.reason)
    yield from dict.fromkeys(str(e.note) for way in ways for e in (way.precision, way.recall, way.f) if e.note)
    for whose, n in zip(("people's", "judge's"), one.adrift, strict=True):
        if n:
            yield f"without offsets, and so without a partner: {n} of the {whose} units"


def _empties(comparisons: Iterable[SpanComparison]) -> Table:
    rows = tuple(
        (one.judge, one.human, *one.empties, sum(one.empties)) for one in comparisons if one.empties is not None
    )
    return Table(
        "Spans: answers by how many of their four combinations neither side marked",
        ("by", "against", "0", "1", "2", "3", "4", "answers"),
        rows,
        "An answer counts once for each annotator who looked at all four.",
    )


def _left_out(comparisons: Iterable[SpanComparison]) -> Table:
    rows: list[Cells] = []
    for one in comparisons:
        for what, side in (("judged, no label", one.unlabelled), ("labelled, not judged", one.unmatched)):
            if side.n:
                examples = ", ".join(side.examples) + (" …" if side.n > len(side.examples) else "")
                rows.append((one.judge, what, side.n, examples))
    return Table("Left out: items on one side only", ("by", "what", "n", "for example"), tuple(rows))
