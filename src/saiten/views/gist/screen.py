"""Reference and answer side by side for the terminal, every unit in its own brackets and with its sign.

Nothing depends on color: double brackets are gist, single ones supplement; - is missing, + is extra.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from saiten.metrics.judged.gist_counts import WHICH
from saiten.views.gist.view import (
    KINDS,
    GistRun,
    GistView,
    Kind,
    MarkKind,
    Segment,
    Unit,
    harmless,
    profile_name,
    tally_of,
)
from saiten.views.line_breaks import broken
from saiten.views.strip_controls import clean
from saiten.words import Message, section
from saiten.words.terminal import in_terminal_language, screen_words, terminal_language

STYLES: Mapping[MarkKind, str] = {
    "missing_gist": "bold red",
    "missing_supplement": "yellow",
    "extra_gist": "bold bright_blue",
    "extra_supplement": "cyan",
    "gist": "",
    "supplement": "",
    "marked": "bold red",
    "new_words": "yellow",
}
LABELS: Mapping[MarkKind, str] = {
    "missing_gist": "-G",
    "missing_supplement": "-S",
    "extra_gist": "+G",
    "extra_supplement": "+S",
    "gist": "G",
    "supplement": "S",
    "marked": "!",
    "new_words": "?",
}
"""ASCII, since the minus sign and its like are two cells wide in some Japanese terminals."""

_BRACKETS = {"gist": "⟦⟧", "supplement": "⟨⟩", "marked": "⟦⟧", "words": "⟨⟩"}
_PLAIN_BRACKETS = {"gist": "[]", "supplement": "<>", "marked": "[]", "words": "<>"}
"""For an ASCII-only terminal."""
_MARGIN = 4
"""Cells that a panel's border takes."""


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes units with the brackets of this terminal."""

    brackets: Mapping[str, str]

    def text_of(self, pieces: Sequence[Segment], *, whole: bool) -> Text:
        """Return the text with brackets where units begin and end; they may cross.

        `whole`: units should cover the text, so the rest is dimmed.
        """
        text, between = Text(), "dim" if whole and any(piece.units for piece in pieces) else ""
        for at, piece in enumerate(pieces):
            for unit in piece.units[len(piece.units) - piece.begin :]:
                text.append(self.opening(unit.kind), STYLES[unit.kind] or "dim")
            style = STYLES[piece.units[-1].kind] if piece.units else between
            text.append(piece.text.expandtabs(4), style)
            following = pieces[at + 1] if at + 1 < len(pieces) else Segment("")
            going_on = following.units[: len(following.units) - following.begin]
            for unit in reversed(piece.units):
                if unit not in going_on:
                    text.append(self.closing(unit.kind), STYLES[unit.kind] or "dim")
        return text

    def opening(self, kind: MarkKind) -> str:
        """Return the bracket and sign before a unit."""
        return f"{self._brackets(kind)[0]}{LABELS[kind]}\xa0"

    def closing(self, kind: MarkKind) -> str:
        """Return the bracket after a unit."""
        return self._brackets(kind)[1]

    def _brackets(self, kind: MarkKind) -> str:
        return self.brackets[kind.rpartition("_")[2]]


def signed(pieces: Sequence[Segment]) -> str:
    """Return the text with the brackets and signs of its units, for a cell of a table."""
    return Pen(_BRACKETS).text_of(harmless(pieces), whole=False).plain


def print_gist_run(run: GistRun, out: Console) -> None:
    """Print the legend, then each answer with its question, and how many are left out."""
    print_lines([legend_of(pen_for(out))], out)
    out.print()
    for view in run.views():
        where = " · ".join(clean(part) for part in (view.sample.system, view.sample.group) if part)
        print_lines([Text.assemble((clean(view.sample.id), "bold"), "  ", (where, "dim"))], out, indent=0)
        if view.sample.question:
            print_lines([Text(clean(view.sample.question), "bold")], out)
        print_gist(view, out, legend=False)
    if run.shown < run.total:
        out.print(in_terminal_language(Message("gist", "left_out", shown=run.shown, all=run.total)), markup=False)


def print_gist(view: GistView, out: Console, *, legend: bool = True) -> None:
    """Print reference and answer with their units, a legend, and the units that could not be marked.

    On a terminal of fewer than 90 columns they are printed one below the other. Untrusted text cannot style the screen.
    """
    pen = pen_for(out)
    reference = marked_text(pen, view.sample.reference, view.reference, whole=True)
    answer = marked_text(pen, view.sample.answer, view.answer, whole=False)
    print_sides((screen_words("reference"), reference), (screen_words("answer"), answer), out)
    if legend and view.profile is not None:
        print_lines([legend_of(pen)], out)
    print_lines(_below(view, pen), out)
    out.print()


def pen_for(out: Console) -> Pen:
    """Return the pen with brackets that the terminal can show."""
    return Pen(_PLAIN_BRACKETS if out.options.ascii_only else _BRACKETS)


def print_lines(lines: Iterable[Text], out: Console, *, indent: int = 1) -> None:
    """Print lines, broken to the terminal's width and indented."""
    for line in lines:
        out.print(Padding(Text("\n").join(broken(line, out.width - 2)), (0, 0, 0, indent)))


def marked_text(pen: Pen, source: str | None, pieces: Sequence[Segment], *, whole: bool) -> Text:
    """Return the text with its units, or a word for a text that is empty or was not given; see `Pen.text_of`."""
    if not source:
        return Text(screen_words("not_given" if source is None else "empty"), "dim italic")
    return pen.text_of(harmless(pieces), whole=whole)


def print_sides(left: tuple[str, Text], right: tuple[str, Text], out: Console) -> None:
    """Print two titled texts side by side, on a terminal of fewer than 90 columns one below the other."""
    if out.width < 90:
        for title, text in (left, right):
            print_panel(title, text, out)
        return
    width = (out.width - 1) // 2
    lines = [broken(text, width - _MARGIN) for _, text in (left, right)]
    height = max(map(len, lines))
    grid = Grid.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(width=width)
    grid.add_column(width=width)
    panels = [
        _panel(title, [*of, *[Text()] * (height - len(of))])
        for (title, _), of in zip((left, right), lines, strict=True)
    ]
    grid.add_row(*panels)
    out.print(grid)


def print_panel(title: str, text: Text, out: Console) -> None:
    """Print a titled text across the terminal."""
    out.print(_panel(title, broken(text, out.width - _MARGIN)))


def _panel(title: str, lines: Sequence[Text]) -> Panel:
    return Panel(Text("\n").join(lines), title=title, title_align="left", border_style="dim")


def _below(view: GistView, pen: Pen) -> Iterator[Text]:
    if view.profile is None:
        yield Text.assemble(
            (f"{view.metric}  ", "bold"),
            (f"{screen_words('no_units')}  ", "yellow"),
            clean(in_terminal_language(view.reason)),
        )
        return
    words = section("gist", terminal_language())
    counts = (f"{LABELS[which]} {tally_of(which, view, words)}".replace(" ", "\xa0") for which in WHICH)
    yield Text.assemble(
        (clean(view.metric), "bold"), "  ", profile_name(view.profile, words), ("   " + "   ".join(counts), "dim")
    )
    if view.unplaced:
        yield Text(screen_words("unplaced"), "dim")
    for unit in view.unplaced:
        yield listed_unit(pen, unit)
    for unit in _explained(view):
        yield Text.assemble(listed_unit(pen, unit), (f"  {clean(unit.why)}", "italic"))
    for fault in view.faults:
        yield Text(f"{screen_words('fault')}  {clean(fault)}", "dim")


def legend_of(pen: Pen, kinds: Sequence[Kind] = KINDS) -> Text:
    """Return the signs of the units with their names."""
    legend, words = Text(), section("gist", terminal_language())
    for kind in kinds:
        name = words[kind].replace(" ", "\xa0")  # never broken
        legend.append(f"{pen.opening(kind)}{name}{pen.closing(kind)}", STYLES[kind] or "dim")
        legend.append("  ")
    return legend


def listed_unit(pen: Pen, unit: Unit) -> Text:
    """Return a unit by itself, for lists."""
    return Text(f"  {pen.opening(unit.kind)}{clean(unit.text)}{pen.closing(unit.kind)}", STYLES[unit.kind] or "dim")


def _explained(view: GistView) -> Iterator[Unit]:
    """Yield each unit with an explanation once."""
    for piece in (*view.reference, *view.answer):
        yield from (unit for unit in piece.units[len(piece.units) - piece.begin :] if unit.why)
