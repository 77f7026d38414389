"""Disagreements of judges with people as tables: how often they differ, and the items on which they differ most."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from saiten.records import Scored
from saiten.results.disagreements import Disagreement, DisagreementReport, JudgeDisagreements
from saiten.results.spans import ComparedUnit, MarkDisagreement, MarkDisagreements
from saiten.trust.inputs.pairing import halves
from saiten.trust.unsupported import unsupported_part
from saiten.views.disagreements.cards import (
    Texts,
    joined_value,
    kind_words,
    meaning_of,
)
from saiten.views.reasons import reason_of
from saiten.views.table import Cell, Heading, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message, joined


def disagreement_tables(report: DisagreementReport, texts: Texts, *, glance: bool = False) -> list[Table]:
    """Return the counts, a list per metric and aspect that was asked for, and notes.

    Args:
        report: from `trust.disagreements`.
        texts: the answers that are listed; an item without texts has only its values.
        glance: for the terminal, where intervals are text.
    """
    return [count_table(report, glance=glance), *list_tables(report, texts), *note_tables(report.notes)]


def note_tables(notes: Iterable[Message]) -> list[Table]:
    """Return a table of the notes, if there are any."""
    rows = tuple((note,) for note in notes)
    return [Table(Message("title", "notes"), ("note",), rows)] if rows else []


_COUNTS: Mapping[str, Callable[[JudgeDisagreements], int | None]] = {
    "judge_yes_people_no": lambda one: None if one.verdicts is None else one.verdicts[0],
    "judge_no_people_yes": lambda one: None if one.verdicts is None else one.verdicts[1],
    "judge_higher": lambda one: None if one.grades is None else one.grades[0],
    "judge_lower": lambda one: None if one.grades is None else one.grades[1],
}


def count_table(report: DisagreementReport, *, glance: bool = False) -> Table:
    """Return how often each metric differs from people, and the share of agreement."""
    form = IntervalColumns(numbers=not glance)
    counts = {key: [of(one) for one in report.compared] for key, of in _COUNTS.items()}
    shown = [key for key, column in counts.items() if any(n is not None for n in column)]
    columns: tuple[Heading, ...] = ("metric", "aspect", "n", *shown, *form.columns("agreement"), "remarks")
    rows = tuple(
        (one.metric, _aspect_of(one.aspect), one.n, *of, *form.cells(one.agreement), joined(one.remarks))
        for one, *of in zip(report.compared, *(counts[key] for key in shown), strict=True)
    )
    return Table(
        Message("title", "disagreements"),
        columns,
        rows,
        (Message("caption", "disagreements"),),
        form.intervals("agreement"),
    )


def _aspect_of(name: str) -> str | Message:
    return name or Message("cell", "labels")


def list_title(one: JudgeDisagreements) -> Message:
    """Return the title of a list."""
    return Message("title", "disagreements_of", metric=one.metric, aspect=_aspect_of(one.aspect))


def list_captions(one: JudgeDisagreements, report: DisagreementReport) -> tuple[Message, ...]:
    """Return how many of how many are listed, and how they are ordered."""
    kind = kind_words(report.only, one.measure) if report.only else Message("disagreement", "all_kinds")
    listed = Message("caption", "disagreements_listed", n=len(one.listed or ()), of=one.found, kind=kind)
    return listed, Message("caption", f"apart_by_{one.measure}"), Message("caption", "apart_equally")


def list_tables(report: DisagreementReport, texts: Texts) -> Iterator[Table]:
    """Yield a table per list, with one row per item."""
    for one in report.lists:
        columns = (
            *("item", "system", "kind", "judge", "people", "difference", "people_differ", "people_said"),
            *("question", "answer", "reference", "reason", "unsupported", "unsupported_by"),
        )
        rows = tuple(_row(one, each, texts) for each in one.listed or ())
        yield Table(list_title(one), columns, rows, list_captions(one, report), key="disagreements_of")


def _row(one: JudgeDisagreements, each: Disagreement, texts: Texts) -> Cells:
    said = [
        joined([joined_value(voice), f"“{voice.reason}”" if voice.reason else None], "listed") for voice in each.voices
    ]
    values: Cells = (
        *(each.item, each.system, kind_words(each.kind, one.measure), each.judge, each.people, each.difference),
        *(each.people_differ, joined(said)),
    )
    known, two = texts.get(each.item), halves(each.item, texts)
    if two is not None:
        first, second = (texts[half].sample for half in two)
        both = Message("disagreement", "two_answers", first=first.answer or "", second=second.answer or "")
        return (*values, first.question, both, first.reference, None, None, None)
    if known is None:
        return (*values, *[None] * 6)
    sample, score = known.sample, known.scores.get(one.metric)
    part = unsupported_part(sample, known.scores, one.metric)
    return (
        *values,
        *(sample.question or None, sample.answer, "\n".join(sample.references) or None),
        None if score is None else reason_of(Scored(each.item, one.made.metric, score)) or None,
        " | ".join(span.text for span in part.passages) or None,
        joined(meaning_of(part), "sentences"),
    )


def mark_tables(found: Sequence[MarkDisagreements], texts: Texts, *, glance: bool = False) -> list[Table]:
    """Return who marked anything, per judge and aspect, and a list of answers per judge."""
    return [mark_count_table(found, glance=glance), *(_mark_list(one, texts) for one in found if one.listed)]


def mark_count_table(found: Sequence[MarkDisagreements], *, glance: bool = False) -> Table:
    """Return how often both, one or neither of the sides marked anything."""
    form = IntervalColumns(numbers=not glance)
    columns: tuple[Heading, ...] = (
        *("judge", "aspect", "n", "marked_by_both", "marked_by_judge", "marked_by_people", "marked_by_neither"),
        *form.columns("agreement"),
    )
    rows = tuple(
        (
            *(one.judge, _aspect_of(each.aspect), each.agreement.n),
            *(each.both, each.judge_only, each.people_only, each.neither),
            *form.cells(each.agreement),
        )
        for one in found
        for each in one.counts
    )
    captions = (Message("caption", "mark_disagreements"),)
    return Table(Message("title", "mark_disagreements"), columns, rows, captions, form.intervals("agreement"))


def mark_list_title(one: MarkDisagreements) -> Message:
    """Return the title of a judge's list."""
    return Message("title", "mark_disagreements_of", judge=one.judge)


def mark_list_captions(one: MarkDisagreements) -> tuple[Message, ...]:
    """Return how many of how many answers are listed, and how they are ordered."""
    return Message("caption", "marks_listed", n=len(one.listed), of=one.found), Message("caption", "apart_by_marks")


def _mark_list(one: MarkDisagreements, texts: Texts) -> Table:
    columns = (
        *("item", "system", "span_f", "people_differ", "only_people", "only_judge", "marked_by_both"),
        *("question", "answer", "reference"),
    )
    rows = tuple(_mark_row(each, texts) for each in one.listed)
    return Table(mark_list_title(one), columns, rows, mark_list_captions(one), key="mark_disagreements_of")


def _mark_row(each: MarkDisagreement, texts: Texts) -> Cells:
    known = texts.get(each.item)
    about: Cells = (None, None, None)
    if known is not None:
        sample = known.sample
        about = (sample.question or None, sample.answer, "\n".join(sample.references) or None)
    units = (
        [unit for unit in each.people if not unit.met],
        [unit for unit in each.judge if not unit.met],
        [unit for unit in each.people if unit.met],
    )
    system = None if known is None else known.sample.system
    return (each.item, system, each.f, each.people_differ, *map(_units, units), *about)


def _units(units: Sequence[ComparedUnit]) -> Cell:
    """Return units with their aspects: `extra_gist: “…” | missing_gist: “…”`."""
    return " | ".join(f"{unit.aspect or '–'}: “{unit.span.text}”" for unit in units) or None
