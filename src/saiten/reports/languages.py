"""A table in the language of the page it stands on: tables are made in English, japanese.toml has the Japanese.

Only a page asks for it: the terminal, JSON, CSV, Markdown and LaTeX keep the English. What comes from outside (names of
metrics, systems and runs, reasons of a judge) stays as it is in every language.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files

from saiten.records import Language
from saiten.reports.tables import Cell, Name, Table, show_cell

_LONGEST, _MOST_PARTS, _DEEPEST = 2_000, 50, 4
"""Characters of a text that is looked up, its sentences or remarks, and texts within texts; more is not ours."""
_NUMBER, _TEXT = r"[\d.,%e+-]+?", ".+?"
_PLACE = re.compile(r"\\{([a-z]+)(\d*)\\}")
_BETWEEN = re.compile(r"(?<=\.) |; |, ")
_JOINED = {" ": "", "; ": "；", ", ": "、"}


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
    sections = [name if name in _catalogue() else None for name in table.columns]
    for row in table.rows:
        yield tuple(_cell(cell, section) for cell, section in zip(row, sections, strict=True))


def _cell(cell: Cell, section: str | None) -> Cell:
    if isinstance(cell, bool):
        return _head("cell", show_cell(cell))
    return _head(section, cell) if isinstance(cell, str) and section is not None else cell


@lru_cache(maxsize=4_096)
def in_japanese(section: str, text: str, depth: int = 0) -> str | None:
    """What stands for the text in this section of the catalogue; of several sentences or remarks, for each of them.

    None where that is not known of all of it, so that nothing is half in one language and half in the other. `depth`:
    in how many other texts it stands.
    """
    if not text or len(text) > _LONGEST or depth > _DEEPEST:
        return None
    whole = _looked_up(section, text, depth)
    if whole is not None:
        return whole
    between = list(_BETWEEN.finditer(text))
    for each in between if len(between) < _MOST_PARTS else ():
        first = _looked_up(section, text[: each.start()], depth)
        rest = first and in_japanese(section, text[each.end() :], depth)
        if rest:
            return f"{first}{_JOINED[each.group()]}{rest}"
    return None


def _looked_up(section: str, text: str, depth: int) -> str | None:
    found = _catalogue()[section].get(text)
    if found is not None:
        return found
    filled = (shape.fill(text, depth) for shape in _shapes(section))
    return next((each for each in filled if each is not None), None)


@dataclass(frozen=True, slots=True)
class _Shape:
    """An English text with places for others, and its Japanese."""

    english: re.Pattern[str]
    japanese: str

    def fill(self, text: str, depth: int) -> str | None:
        """The Japanese with what stands at the places; None for a text of another shape."""
        found = self.english.fullmatch(text)
        if found is None:
            return None
        values: dict[str, str] = {}
        for place, value in found.groupdict().items():
            section = place.rstrip("0123456789")
            said = in_japanese(section, value, depth + 1) if section in _catalogue() else value
            if said is None:
                return None
            values[place] = said
        return self.japanese.format(**values)


@cache
def _shapes(section: str) -> Sequence[_Shape]:
    def place(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}{found[2]}>{_NUMBER if found[1] == 'n' else _TEXT})"

    return [
        _Shape(re.compile(_PLACE.sub(place, re.escape(english)), re.DOTALL), japanese)
        for english, japanese in _catalogue()[section].items()
        if "{" in english
    ]


@cache
def _catalogue() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files(__package__) / "japanese.toml").read_text("utf-8"))
