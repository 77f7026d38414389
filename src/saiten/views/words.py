"""A table in the language of the page it stands on: tables are made in English, japanese.toml has the Japanese.

Only a page asks for it: the terminal, JSON, CSV, Markdown and LaTeX keep the English. What comes from outside (names of
metrics, systems and runs, reasons of a judge) stays as it is in every language.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files

from saiten.records import Language
from saiten.text.phrases import Catalogue
from saiten.views.table import Cell, Name, Table, show_cell


def in_language(table: Table, language: Language) -> Table:
    """The table with its own words in this language; what there is no word for stays as it is."""
    if language == "en":
        return table
    columns = {name: _head("column", name) for name in table.columns}
    return replace(
        table,
        title=_head("title", table.title),
        columns=tuple(columns[name] for name in table.columns),
        rows=tuple(_rows(table)),
        caption=in_japanese("caption", table.caption) or table.caption,
        intervals=tuple(
            replace(each, figure=columns[each.figure], low=columns[each.low], high=columns[each.high])
            for each in table.intervals
        ),
        charts=tuple(chart.in_language(language) for chart in table.charts),
    )


def _head(section: str, text: str) -> str:
    return text if isinstance(text, Name) else in_japanese(section, text) or text


def _rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    sections = [name if name in _catalogue().sections else None for name in table.columns]
    for row in table.rows:
        yield tuple(_cell(cell, section) for cell, section in zip(row, sections, strict=True))


def _cell(cell: Cell, section: str | None) -> Cell:
    if isinstance(cell, bool):
        return _head("cell", show_cell(cell))
    return _head(section, cell) if isinstance(cell, str) and section is not None else cell


def in_japanese(section: str, text: str) -> str | None:
    """The Japanese of the text by this section of the catalogue; None where it is not known of all of it."""
    return _catalogue().look_up(section, text)


@cache
def _catalogue() -> Catalogue:
    return Catalogue.read(files(__package__) / "japanese.toml")
