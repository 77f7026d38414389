"""Exports as a workbook for Excel: the answers with their scores, the summary, how they were made, unusable rows."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from saiten.data.frames import Column
from saiten.exports.about_run import about_table, bad_rows_table, means_table
from saiten.exports.answer_columns import FIELDS, OF_SOME, as_one_reference, column_chunks, column_names
from saiten.exports.export import Export, ExportSettings
from saiten.views.sheets import add_table
from saiten.views.table import Value
from saiten.views.workbook import AUTHOR, BUTTON, LONGEST, ExcelBook, SheetColumn, check_size, opened_book, width_of
from saiten.words import section

_CHUNK = 200
_WIDTHS: Mapping[str, float] = {
    "id": 14, "sample": 14, "system": 14, "group": 14, "question": 38, "answer": 56, "reference": 38,
    "alternatives": 38, "contexts": 56, "evidence": 56, "language": 10, "metric": 20, "details": 50,
}  # fmt: skip
_OF_A_TRACE = 16
_ENDS: Mapping[str, float] = {"value": 11, "status": 13, "reason": 46, "expected": 11}
"""The columns of a score; `METRIC` itself has the value."""
_WIDEST = 24
"""Maximum width of a column of values, whose heading may be long."""
_FILLS = {"declined": "#FFF4CE", "undefined": "#EDEDED", "unreadable": "#FCE4D6", "failed": "#F8D7DA"}
"""Pale colors, since the word says it too."""
_LAST = (*OF_SOME, "alternatives", "contexts", "evidence", "language", "details")
"""Columns behind the scores, so that these are seen next to the answer."""
_ALWAYS = ("id", "question", "answer", "reference")
_CREATED = re.compile(rb"<dcterms:(?:created|modified)[^>]*>([^<]*)<")
_CREATOR = f"<dc:creator>{AUTHOR.split(' ', maxsplit=1)[0]} ".encode()


@dataclass(frozen=True, slots=True)
class _Place:
    """A column of the answers' sheet."""

    name: str
    sheet: SheetColumn
    statuses: Mapping[str, str] = field(default_factory=dict)
    """The words for statuses, if it has some."""
    whole: bool = False
    """Whether all its numbers are whole, as those of grades are."""


def write_answer_workbook(export: Export, stream: IO[bytes], settings: ExportSettings) -> Sequence[str]:
    """Write the workbook; return a note if texts had to be cut.

    Raises:
        BadInput: There are more rows or columns than a sheet of Excel has.
    """
    answers, language = export.answers, export.language_of(settings)
    words, statuses = section("export", language), section("status", language)
    names = [name for name in column_names(export, settings) if _is_shown(export, name)]
    places = [_place(export, name, words, statuses) for name in sorted(names, key=_LAST.__contains__)]
    pairs = len(answers) * len(answers.metrics) - answers.missing
    rows = pairs if settings.layout == "long" else len(answers)
    check_size(rows, len(places))
    summary = export.summary()
    with opened_book(stream, export.name, japanese=answers.japanese > 0 or language == "ja") as book:
        sheet = book.sheet(words["scores"], [place.sheet for place in places], rows)
        for columns in column_chunks(export, settings, _CHUNK):
            cells = [_cells(columns[place.name], place) for place in places]
            for row in zip(*cells, strict=True):
                sheet.add(row)
        sheet.end()
        for key, table in (
            ("summary", means_table(summary)),
            ("about", about_table(export, settings, summary)),
            ("bad_rows", bad_rows_table(export)),
        ):
            if table.rows:
                add_table(book, table.in_language(language), words[key])
    cut = counted_cuts(book)
    return (f"{cut}; csv, jsonl and parquet have all of them",) if cut else ()


def counted_cuts(book: ExcelBook) -> str:
    """Return how many texts had to be cut; empty if none."""
    if not book.cut:
        return ""
    return f"{book.cut} texts are longer than a cell of Excel ({LONGEST:,} characters) and were cut, which is marked"


def is_workbook_export(path: Path) -> bool:
    """Return whether saiten wrote the workbook, and no other program has saved it since."""
    try:
        with ZipFile(path) as file:
            properties = file.read("docProps/core.xml")
    except (BadZipFile, KeyError):
        return False
    return _CREATOR in properties and len(set(_CREATED.findall(properties))) == 1


def _cells(column: Column, place: _Place) -> Iterator[Value]:
    for cell in column.plain():
        if cell is None or (cell == [] and place.name == "alternatives"):
            yield None
        elif column.kind == "status":
            yield place.statuses[cell]
        elif isinstance(cell, list):
            yield listed_cell(cell)
        elif place.name == "reference":
            yield as_one_reference(cell)
        else:
            yield int(cell) if place.whole and cell == int(cell) else cell


def listed_cell(texts: Sequence[Any]) -> str:
    """Return texts or objects as JSON, one per line, for people and for `saiten score`."""
    lines = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    return f"[{lines}]"


def _is_shown(export: Export, name: str) -> bool:
    """Return whether a column has anything to show; the languages, only if they differ."""
    if name == "language":
        return 0 < export.answers.japanese < len(export.answers)
    return name not in FIELDS or name in _ALWAYS or name in export.answers.fields


def _place(export: Export, name: str, words: Mapping[str, str], statuses: Mapping[str, str]) -> _Place:
    """Return the column with its heading, its width and its colors."""
    metric, _, end = name.rpartition(":")
    kind = name if name in _ENDS else end if metric and end in _ENDS else ""
    if kind:
        heading = words[kind] if kind == name else f"{metric}:{words[kind]}"
        fills = {statuses[status]: color for status, color in _FILLS.items()} if kind == "status" else {}
        return _Place(name, SheetColumn(heading, _ENDS[kind], fills), statuses)
    if name in OF_SOME:
        return _Place(name, SheetColumn(name, _OF_A_TRACE, low=True))
    if name in _WIDTHS:
        return _Place(name, SheetColumn(words[name], _WIDTHS[name], low=name in _LAST))
    width = min(max(_ENDS["value"], width_of(name) + BUTTON), _WIDEST)
    return _Place(name, SheetColumn(name, width), whole=_is_whole(export.answers.values.get(name)))


def _is_whole(values: Any) -> bool:
    """Return whether a metric has values, all of them whole."""
    if values is None:
        return False
    there = values[~np.isnan(values)]
    return bool(there.size) and bool((there == np.floor(there)).all())
