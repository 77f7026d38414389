"""The tables and figures of the article on gist and supplement, from the marks of people and judges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from saiten.errors import BadInput
from saiten.records import Sample
from saiten.results.place import place_of
from saiten.results.spans import SpanComparison, SpanFigures
from saiten.trust.spans.comparison import SETTLED, compare_spans, voices
from saiten.trust.spans.differing import differing_marks
from saiten.trust.spans.marks import CLASSES, COMBINATIONS, Empties, Marks, PeopleMarks, count_empties
from saiten.views.disagreements.cards import AnswerTexts
from saiten.views.gist.marked import MarkedText
from saiten.views.gist.view import Finding, gist_view
from saiten.views.table import Cell, Heading, Name, Table
from saiten.views.tables.disagreements import mark_tables
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.span import span_remarks
from saiten.words import Composed, Message, joined

_EXAMPLES = 10
"""Maximum answers listed per judge and setting."""
_FORM = IntervalColumns(numbers=True)
_FIGURES = ("span_precision", "span_recall", "span_f")
_FIGURE_COLUMNS: tuple[Heading, ...] = (
    "units_by", "judge", "aspect", *_FORM.columns(*_FIGURES), "n_people", "n_judge", "pairs", "empty", "remarks"
)  # fmt: skip
_MARKED = {"figure_2": ("extra_gist", "extra_supplement"), "figure_3": ("missing_gist", "missing_supplement")}


@dataclass(frozen=True, slots=True)
class SideMarks:
    """What one judge marked under one setting."""

    judge: str
    given: bool
    """Whether people gave the units of the references; otherwise the judge found them."""
    marks: Marks | None
    """None if there are none."""
    reason: Message | str = ""
    """Why there are none."""

    @property
    def units_by(self) -> Message:
        """Return who split the references."""
        return Message("cell", "people_units" if self.given else "judge_units")


def empties_table(people: PeopleMarks | None, sides: Sequence[SideMarks]) -> Table:
    """Return table 1: answers by their number of empty combinations, for people, each judge, and both together."""
    rows: list[Cells] = []
    if people is not None:
        rows.append((_names(people), Message("cell", "people_units"), *_counts(_empties(voices(people)))))
    for side in sides:
        alone = None if side.marks is None else _empties({side.judge: side.marks})
        rows.append((Name(side.judge), side.units_by, *_counts(alone, side.reason)))
    if people is not None:
        for side in sides:
            compared, reason = _compared(people, side, {})
            both = Message("paper_gist", "people_and", judge=side.judge)
            rows.append((both, side.units_by, *_counts(compared.empties if compared else None, reason)))
    numbers = (Message("column", "empty_of_four", k=k) for k in range(5))
    return Table(
        Message("paper_gist", "table_1"),
        ("unmarked_by", "units_by", *numbers, "answers", "remarks"),
        tuple(rows),
        (Message("paper_gist", "about_table_1"),),
    )


def _counts(empties: Empties | None, reason: Message | str = "") -> Cells:
    if empties is None:
        return (*(None,) * 5, 0, reason or Message("paper_gist", "not_all_four"))
    return (*empties, sum(empties), "")


def _empties(by: Mapping[str, Marks]) -> Empties | None:
    return count_empties(
        ((item, voice), aspect, not spans) for voice, marks in by.items() for (item, aspect), spans in marks.items()
    )


def _names(people: PeopleMarks) -> Message:
    names = [name for name in people.by if name]
    return Message("paper_gist", "people_named", names=", ".join(names)) if names else Message("paper_gist", "people")


def figures_tables(people: PeopleMarks, sides: Sequence[SideMarks], samples: Mapping[str, Sample]) -> Iterator[Table]:
    """Yield table 2 averaged over units, then over answers: precision, recall and F of each combination."""
    found = [(side, *_compared(people, side, samples)) for side in sides]
    for way in ("per_unit", "per_answer"):
        yield Table(
            Message("paper_gist", f"table_2_{way}"),
            _FIGURE_COLUMNS,
            tuple(row for side, one, reason in found for row in _rows(side, one, reason, way)),
            (Message("paper_gist", f"about_table_2_{way}", people=_names(people)),),
            _FORM.intervals(*_FIGURES),
        )


def _compared(
    people: PeopleMarks, side: SideMarks, samples: Mapping[str, Sample]
) -> tuple[SpanComparison | None, Message | str]:
    """Return the comparison of one judge with people, or the reason why there is none."""
    if side.marks is None:
        return None, side.reason
    questions = {name: place_of(sample).question for name, sample in samples.items()} or None
    try:
        report = compare_spans(people, {side.judge: side.marks}, questions=questions)
    except BadInput as error:
        return None, Composed(str(error))
    return report.judges[0], ""


def _rows(side: SideMarks, one: SpanComparison | None, reason: Message | str, way: str) -> Iterator[Cells]:
    known = {each.aspect: each for each in one.aspects} if one else {}
    if one and one.overall:
        known[""] = one.overall
    for aspect in (*COMBINATIONS, ""):
        name = aspect or Message("cell", "together")
        figures = known.get(aspect)
        if figures is None:
            why = reason or Message("paper_gist", "not_labeled")
            yield (side.units_by, Name(side.judge), name, *(None,) * 9, 0, 0, 0, 0, why)
        else:
            yield (side.units_by, Name(side.judge), name, *_cells(figures, way))


def _cells(one: SpanFigures, way: str) -> Cells:
    averages = one.per_unit if way == "per_unit" else one.per_answer
    counts = (averages.recall.n, averages.precision.n, one.pairs, one.empty)
    return (
        *_FORM.cells(averages.precision, averages.recall, averages.f), *counts, joined(span_remarks(one, averages))
    )  # fmt: skip


def figure_tables(
    people: PeopleMarks | None, sides: Sequence[SideMarks], samples: Mapping[str, Sample], chosen: str
) -> Iterator[Table]:
    """Yield figures 2 and 3: reference and answer with the units that people and judges marked in one answer."""
    every: list[tuple[Cell, Cell, Marks]] = [
        (_person(name), Message("cell", "people_units"), marks)
        for name, marks in ({} if people is None else voices(people)).items()
    ]
    every += [(Name(side.judge), side.units_by, side.marks) for side in sides if side.marks is not None]
    if not samples or not every:
        return
    for figure, aspects in _MARKED.items():
        sample = samples.get(chosen) or max(
            samples.values(),
            key=lambda one: sum(any(marks.get((one.id, aspect)) for aspect in aspects) for *_, marks in every),
        )
        rows = tuple(
            (who, units_by, *_texts(sample, marks))
            for who, units_by, marks in every
            if any((sample.id, aspect) in marks for aspect in (*CLASSES, *COMBINATIONS))
        )
        yield Table(
            Message("paper_gist", figure, sample=sample.id),
            ("marked_by", "units_by", "reference", "answer"),
            rows,
            (Message("paper_gist", "about_figures", question=sample.question),),
        )


def example_tables(people: PeopleMarks, sides: Sequence[SideMarks], samples: Mapping[str, Sample]) -> Iterator[Table]:
    """Yield the answers in which each judge's marks differ most from people's."""
    texts = {name: AnswerTexts(sample, {}) for name, sample in samples.items()}
    for side in sides:
        found = differing_marks(people, {side.judge: side.marks or {}}, most=_EXAMPLES)
        for table in mark_tables(found, texts)[1:]:
            title = Message("paper_gist", "examples", judge=side.judge, units_by=side.units_by)
            yield replace(table, title=title, key="")


def _person(name: str) -> Message:
    named = name and name != SETTLED
    return Message("paper_gist", "people_named", names=name) if named else Message("paper_gist", "people")


def _texts(sample: Sample, marks: Marks) -> tuple[Cell, Cell]:
    """Return reference and answer with the marks of one side as signs."""

    def units(aspects: Sequence[str]) -> dict[str, list[dict[str, object]]]:
        return {aspect: [asdict(one) for one in marks.get((sample.id, aspect), ())] for aspect in aspects}

    view = gist_view(sample, Finding("gist", {"reference": units(CLASSES), "spans": units(COMBINATIONS)}, ""))
    return MarkedText(view.reference), MarkedText(view.answer)
