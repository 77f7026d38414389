"""Results that display themselves: as HTML in a notebook, as tables in a terminal, as Markdown in a text.

The HTML is a fragment without script, style sheet or color: it inherits those of the page around it, light or dark.
Text from outside is escaped, and its control characters become signs.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Self

from markupsafe import Markup
from rich.console import Console, ConsoleOptions
from rich.text import Text

from saiten.results.comparison import Comparison, compare_sides
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.sides import Side
from saiten.results.summary import Summary
from saiten.views.page.page import clean
from saiten.views.render import as_markdown
from saiten.views.table import Table, Value, WordedTable, show_cell
from saiten.views.tables.comparison import comparison_table
from saiten.views.tables.summary import corpus_side_by_side, summary_tables
from saiten.views.terminal import print_tables

_TABLE = Markup(
    '<table style="border-collapse:collapse;margin:.5em 0"><caption style="caption-side:top;text-align:left;'
    'font-weight:bold;color:inherit;padding:0">{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
)
_HEAD = Markup('<th scope="col" style="text-align:{};padding:.2em .7em .2em 0">{}</th>')
_CELL = Markup(
    '<td style="text-align:{};padding:.2em .7em .2em 0;vertical-align:top;max-width:40em;white-space:pre-wrap;'
    'overflow-wrap:anywhere">{}</td>'
)
_NOTE = Markup('<p style="opacity:.75;max-width:60em;white-space:pre-wrap;margin:.3em 0 1em">{}</p>')


def as_fragment(tables: Sequence[Table], notes: Sequence[str] = ()) -> str:
    """Return the tables as HTML for embedding in another page, with the notes below them."""
    parts = []
    for table in (each.in_language("en") for each in tables):
        parts.append(_table(table))
        if table.caption:
            parts.append(_NOTE.format(clean(table.caption)))
    below = [_NOTE.format(clean(note)) for note in notes]
    return str(Markup('<div class="saiten">{}</div>').format(Markup().join([*parts, *below])))


def _table(table: WordedTable) -> Markup:
    sides = ["right" if any(map(_is_number, column)) else "left" for column in _columns(table)]
    heads = Markup().join(_HEAD.format(side, clean(name)) for side, name in zip(sides, table.columns, strict=True))
    rows = Markup().join(
        Markup("<tr>{}</tr>").format(
            Markup().join(_CELL.format(side, clean(show_cell(cell))) for side, cell in zip(sides, row, strict=True))
        )
        for row in table.rows
    )
    return _TABLE.format(clean(table.title), heads, rows)


def _columns(table: WordedTable) -> Iterator[list[Value]]:
    return ([row[place] for row in table.rows] for place in range(len(table.columns)))


def _is_number(cell: Value) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


class Shown:
    """An object displayed through its tables."""

    __slots__ = ()

    def tables(self) -> list[Table]:
        """Return the tables to show."""
        raise NotImplementedError

    def notes(self) -> Sequence[str]:
        """Return the notes to show below the tables."""
        return ()

    def __str__(self) -> str:
        """Return Markdown tables."""
        notes = "".join(f"\n{note}\n" for note in self.notes())
        return as_markdown(self.tables()) + notes

    def _repr_html_(self) -> str:
        """Return HTML for a notebook."""
        return as_fragment(self.tables(), self.notes())

    def _repr_markdown_(self) -> str:
        """Return Markdown for a notebook that shows no HTML."""
        return str(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the tables for rich, as in the terminal, at the available width."""
        out = io.StringIO()
        inner = Console(file=out, width=options.max_width, force_terminal=True, highlight=False, emoji=False)
        print_tables(self.tables(), inner)
        yield Text.from_ansi(out.getvalue().rstrip("\n"))
        for note in self.notes():
            yield Text(clean(note))


@dataclass(frozen=True, slots=True, repr=False)
class ShownSummary(Shown, Summary):
    """A summary that displays itself."""

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """Wrap a summary."""
        return cls(**{field.name: getattr(summary, field.name) for field in fields(Summary)})

    def tables(self) -> list[Table]:
        return summary_tables(self)

    def __repr__(self) -> str:
        return f"<Summary of {len(self.figures)} figures>\n{self}"


@dataclass(frozen=True, slots=True, repr=False)
class ShownComparison(Shown, Comparison):
    """A comparison that displays itself."""

    summaries: tuple[Summary, ...] = ()
    """Summaries of both sides."""

    @classmethod
    def between(cls, first: Side, second: Side, summaries: Sequence[Summary] = ()) -> Self:
        """Compare the second with the first, the baseline; `summaries` are those of both.

        Raises:
            BadInput: They share no metric, or no sample.
        """
        (found,) = compare_sides([first, second])
        return cls(**{field.name: getattr(found, field.name) for field in fields(Comparison)}, summaries=(*summaries,))

    def tables(self) -> list[Table]:
        named = list(zip((self.first, self.second), self.summaries, strict=False))
        corpus = corpus_side_by_side(named)
        return [comparison_table(self), *([corpus] if corpus.rows else [])]

    def notes(self) -> Sequence[str]:
        offline = any(only_words(one.signatures.values()) for one in self.summaries)
        return (str(ONLY_WORDS),) if offline else ()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.metrics)} metrics>\n{self}"
