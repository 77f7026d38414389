"""The figures of data sets as tables: their size, lengths of texts, systems, labels, and what to look at."""

from collections.abc import Sequence
from dataclasses import replace

from saiten.records import Language
from saiten.results.data_figures import DataFigures
from saiten.results.label_coverage import AspectCoverage, LabelCoverage
from saiten.stats.lengths import Lengths
from saiten.text.tokenizers import tokenizer_for
from saiten.views.charts.lengths import lengths_chart
from saiten.views.table import Cell, Heading, Name, Table
from saiten.views.tables.data_findings import data_findings
from saiten.views.tables.interval_columns import Cells
from saiten.words import Message, joined

_LANGUAGES: Sequence[Language] = ("ja", "en")
_GLANCED = 20
"""Systems in the terminal, those with the most samples; other forms have all."""
_OF_LENGTHS = ("mean", "median", "p95", "highest")
_NEVER_MISSING = frozenset(("alternative", "context", "evidence", "document"))
"""Fields of which a sample may have any number."""


def describe_tables(
    sets: Sequence[DataFigures],
    labels: LabelCoverage | None = None,
    *,
    part: Message | None = None,
    glance: bool = False,
) -> list[Table]:
    """Return all tables, what to look at last.

    Args:
        sets: The data sets; those with the same documents were given them together.
        labels: The labels of all of them.
        part: Which part of the data was read; None for all of it.
        glance: For the terminal, with the largest systems alone.
    """
    tables = [data_table(sets, part), _duplicates(sets), *lengths_tables(sets), _systems(sets, glance=glance)]
    if labels is not None:
        tables.append(_labels(labels))
    behind = next((each.documents for each in sets if each.documents is not None), None)
    if behind is not None:
        tables.append(Table(Message("title", "not_read"), ("document", "reason"), behind.unread))
        tables.append(Table(Message("title", "remarks"), ("document", "remark"), behind.notes))
    notes = tuple((note,) for note in data_findings(sets, labels))
    tables.append(Table(Message("title", "look_at"), ("note",), notes))
    shown = [table for table in tables if table.rows]
    return [_without_data(table) for table in shown] if glance and len(sets) == 1 else shown


def _without_data(table: Table) -> Table:
    """Leave out the name of the only data set, which the user has just typed."""
    if table.columns[0] != "data":
        return table
    return replace(table, columns=table.columns[1:], rows=tuple(row[1:] for row in table.rows))


def data_table(sets: Sequence[DataFigures], part: Message | None = None) -> Table:
    """Return one row per data set with its size."""
    columns: dict[Heading, list[Cell]] = {
        "data": [Name(each.name) for each in sets],
        "rows": [each.rows for each in sets],
        "unusable_rows": [each.unusable for each in sets],
        "samples": [each.samples for each in sets],
        "questions": [each.questions for each in sets],
        "conversations": [each.conversations or None for each in sets],
        "systems": [sum(of.system is not None for of in each.systems) for each in sets],
        "groups": [each.groups for each in sets],
    }
    for language in _LANGUAGES:
        heading = Message("column", "share_in", language=Message("language", language))
        columns[heading] = [each.languages.get(language, 0) / each.samples for each in sets]
    columns |= {
        "contexts_per_sample": [_contexts_per_sample(each) for each in sets],
        "documents": [None if each.documents is None else each.documents.lengths.given for each in sets],
    }
    optional = {"rows", "conversations", "documents"}
    shown = {name: cells for name, cells in columns.items() if name not in optional or any(cells)}
    rows = tuple(zip(*shown.values(), strict=True))
    return Table(Message("title", "data_sets"), tuple(shown), rows, (part,) if part else ())


def _duplicates(sets: Sequence[DataFigures]) -> Table:
    columns = ("data", "repeated_questions", "repeated_answers", "repeated_samples")
    rows = tuple(
        (Name(each.name), each.repeated_questions, each.repeated_answers, each.repeated_samples) for each in sets
    )
    return Table(Message("title", "duplicates"), columns, rows, (Message("caption", "duplicates"),))


def _contexts_per_sample(data: DataFigures) -> float | None:
    each, together = data.of("context"), data.of("contexts")
    return None if each is None or together is None or not together.given else each.given / together.given


def lengths_tables(sets: Sequence[DataFigures]) -> list[Table]:
    """Return the lengths in characters, and in tokens if they were counted: one row per data set and field."""
    rows = [(data.name, of) for data in sets for of in data.texts]
    characters = tuple(
        (
            Name(name),
            Message("text_field", of.field),
            of.given,
            None if of.field in _NEVER_MISSING else of.missing,
            of.empty,
            of.empty / of.given if of.given else None,
            *_cells(of.characters),
        )
        for name, of in rows
    )
    columns = ("data", "field", "n", "missing", "empty", "share_empty", *_OF_LENGTHS)
    chart = lengths_chart(sets, "characters")
    made = [
        Table(Message("title", "characters"), columns, characters, (Message("caption", "lengths"),), charts=(chart,))
    ]
    if any(of.tokens is not None for _, of in rows):
        tokens = tuple(
            (Name(name), Message("text_field", of.field), of.given, *_cells(of.tokens)) for name, of in rows if of.given
        )
        caption = Message("caption", "tokens", tokenizers=_tokenizers(sets))
        chart = lengths_chart(sets, "tokens")
        made.append(
            Table(Message("title", "tokens"), ("data", "field", "n", *_OF_LENGTHS), tokens, (caption,), charts=(chart,))
        )
    return made


def _cells(lengths: Lengths | None) -> Cells:
    return tuple(None if lengths is None else _whole(getattr(lengths, name)) for name in _OF_LENGTHS)


def _whole(value: float) -> float:
    """Return a whole number as one, as the lengths are."""
    return int(value) if float(value).is_integer() else value


def _tokenizers(sets: Sequence[DataFigures]) -> Message:
    """Return the tokenizers, with versions, of the languages that may occur."""
    both = any(each.documents is not None for each in sets)
    there = [language for language in _LANGUAGES if both or any(language in each.languages for each in sets)]
    return joined(
        [
            Message("caption", "tokenizer", language=Message("language", language), name=tokenizer_for(language).name)
            for language in there
        ],
        "listed",
    )


def _systems(sets: Sequence[DataFigures], *, glance: bool) -> Table:
    """Return one row per data set and system; none for data without any answer."""
    answered = [data for data in sets if any(of.missing < of.samples for of in data.systems)]
    rows = [(data.name, of) for data in answered for of in data.systems]
    more = len(rows) - _GLANCED
    if glance and more > 0:
        rows = sorted(rows, key=lambda row: -row[1].samples)[:_GLANCED]
    with_tokens = any(of.tokens is not None for _, of in rows)
    cells = tuple(
        (
            Name(name),
            Message("cell", "no_system") if of.system is None else Name(of.system),
            of.samples,
            of.questions,
            of.missing,
            of.empty,
            of.declined,
            of.characters,
            *((of.tokens,) if with_tokens else ()),
        )
        for name, of in rows
    )
    units = ("characters", *(("tokens",) if with_tokens else ()))
    means = [Message("column", f"{unit}_of", figure=Message("column", "mean")) for unit in units]
    columns: tuple[Heading, ...] = (
        "data",
        "system",
        "samples",
        "questions_answered",
        "missing",
        "empty",
        "declined",
        *means,
    )
    caption = (Message("caption", "more_rows", n=more),) if glance and more > 0 else ()
    return Table(
        Message("title", "answers_of_systems"), columns, cells, (Message("caption", "answers_of_systems"), *caption)
    )


def _labels(labels: LabelCoverage) -> Table:
    """Return one row per aspect."""
    columns = (
        "aspect",
        "kind",
        "labels",
        "items",
        "share_labeled",
        "annotators",
        "doubly_labeled",
        "adjudicated",
        "most_frequent",
        "share_most_frequent",
        "items_not_in_data",
        "for_example",
    )
    rows = tuple(_aspect_cells(each, labels.samples) for each in labels.aspects)
    caption = Message("caption", "label_coverage", n=labels.samples)
    return Table(Message("title", "label_coverage", name=Name(labels.name)), columns, rows, (caption,))


def _aspect_cells(of: AspectCoverage, samples: int) -> Cells:
    most = of.most_frequent
    return (
        Name(of.aspect),
        joined([Message("label_kind", kind) for kind in of.kinds], "listed"),
        of.labels,
        of.items,
        of.items / samples if samples else None,
        of.annotators,
        of.twice,
        of.adjudicated,
        Name(most) if isinstance(most, str) else _whole(most),
        of.share,
        of.unknown.n,
        ", ".join(of.unknown.examples),
    )
