"""Results that display themselves: as HTML in a notebook, as tables in a terminal, as Markdown in a text.

The HTML is a fragment without script, style sheet or color: it inherits those of the page around it, light or dark.
Text from outside is escaped, and its control characters become signs.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

from markupsafe import escape
from rich.console import Console, ConsoleOptions
from rich.text import Text

from saiten.errors import BadInput
from saiten.records import Language
from saiten.results.compare import compare_sides
from saiten.results.comparison import Comparison
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.sides import Side
from saiten.results.summary import Summary
from saiten.text.templates import templates
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.differences import differences
from saiten.views.charts.means import means
from saiten.views.render import as_markdown
from saiten.views.strip_controls import clean
from saiten.views.table import Table, is_number, show_cell
from saiten.views.tables.comparison import comparison_table
from saiten.views.tables.summary import corpus_side_by_side, summary_tables
from saiten.views.terminal import print_tables

_HEIGHT = 640
"""Pixels of a page in a notebook."""


def as_fragment(tables: Sequence[Table], notes: Sequence[str] = ()) -> str:
    """Return the tables as HTML for embedding in another page, with the notes below them."""
    worded = [table.in_language("en") for table in tables]
    sides = [
        ["right" if any(is_number(row[at]) for row in table.rows) else "left" for at in range(len(table.columns))]
        for table in worded
    ]
    template = templates("saiten.views").get_template("fragment.html")
    return template.render(tables=list(zip(worded, sides, strict=True)), notes=notes, clean=clean, shown=show_cell)


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
class ShownPage:
    """A page that a notebook displays in a frame: its style and script cannot reach the notebook, nor the reverse."""

    title: str
    html: str
    """The whole page."""

    def _repr_html_(self) -> str:
        """Return the frame, which is as high as most screens and scrolls."""
        return (
            f'<iframe title="{escape(self.title)}" sandbox="allow-scripts" srcdoc="{escape(self.html)}" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<ShownPage {self.title!r}, {len(self.html):,} characters>"


def chosen(metric: str | Sequence[str] | None, there: Sequence[str]) -> Sequence[str]:
    """Return the metrics to draw; all by default.

    Raises:
        BadInput: There is no such metric.
    """
    if metric is None:
        return there
    wanted = [metric] if isinstance(metric, str) else [*metric]
    if missing := [each for each in wanted if each not in there]:
        raise BadInput(f"there is no metric {missing[0]!r} to plot; there are {', '.join(there) or 'none'}")
    return wanted


@dataclass(frozen=True, slots=True, repr=False)
class ShownSummary(Shown, Summary):
    """A summary that displays itself."""

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """Wrap a summary."""
        return cls(**{field.name: getattr(summary, field.name) for field in fields(Summary)})

    def tables(self) -> list[Table]:
        return summary_tables(self)

    def plot(self, metric: str | Sequence[str] | None = None, *, language: Language = "en") -> VegaChart:
        """Return a chart of the means with their 95 % intervals, one row per system if there are any.

        A notebook shows the chart; it also has `svg_file()`, `png()` and the Vega-Lite specification `spec`.

        Args:
            metric: A metric, or several; all by default.
            language: The language of the fixed words.

        Raises:
            BadInput: There is no such metric.
        """
        wanted = chosen(metric, list(dict.fromkeys(figure.metric for figure in self.figures)))
        figures = [figure for figure in self.figures if figure.metric in wanted]
        of_systems = [(figure.system, figure) for figure in figures if figure.system is not None]
        return means(of_systems or [("", figure) for figure in figures if figure.overall], language)

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

    def plot(self, metric: str | Sequence[str] | None = None, *, language: Language = "en") -> VegaChart:
        """Return a chart of the differences with their 95 % intervals, which a notebook shows; raises as `chosen`."""
        wanted = chosen(metric, [each.metric for each in self.metrics])
        return differences(
            replace(self, metrics=tuple(each for each in self.metrics if each.metric in wanted)), language
        )

    def notes(self) -> Sequence[str]:
        offline = any(only_words(one.signatures.values()) for one in self.summaries)
        return (str(ONLY_WORDS),) if offline else ()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.metrics)} metrics>\n{self}"
