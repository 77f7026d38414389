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
from saiten.views.gist.view import KINDS, GistRun, GistView, Kind, Segment, Unit, harmless
from saiten.views.line_breaks import broken
from saiten.views.strip_controls import clean
from saiten.words.terminal import in_terminal_language, screen_words

STYLES: Mapping[Kind, str] = {
    "missing_gist": "bold red",
    "missing_supplement": "yellow",
    "extra_gist": "bold bright_blue",
    "extra_supplement": "cyan",
    "gist": "",
    "supplement": "",
}
LABELS: Mapping[Kind, str] = {
    "missing_gist": "-G",
    "missing_supplement": "-S",
    "extra_gist": "+G",
    "extra_supplement": "+S",
    "gist": "G",
    "supplement": "S",
}
"""ASCII, since the minus sign and its like are two cells wide in some Japanese terminals."""

_BRACKETS = {"gist": "⟦⟧", "supplement": "⟨⟩"}
_PLAIN_BRACKETS = {"gist": "[]", "supplement": "<>"}
"""For an ASCII-only terminal."""
_MARGIN = 4
"""Cells that a panel's border takes."""


@dataclass(frozen=True, slots=True)
class _Pen:
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

    def opening(self, kind: Kind) -> str:
        return f"{self._brackets(kind)[0]}{LABELS[kind]}\xa0"

    def closing(self, kind: Kind) -> str:
        return self._brackets(kind)[1]

    def _brackets(self, kind: Kind) -> str:
        return self.brackets[kind.rpartition("_")[2]]


def signed(pieces: Sequence[Segment]) -> str:
    """Return the text with the brackets and signs of its units, for a cell of a table."""
    return _Pen(_BRACKETS).text_of(harmless(pieces), whole=False).plain


def print_gist_run(run: GistRun, out: Console) -> None:
    """Print the legend, then each answer with its question, and how many are left out."""
    _print_lines([_legend(_pen(out))], out)
    out.print()
    for view in run.views():
        where = " · ".join(clean(part) for part in (view.sample.system, view.sample.group) if part)
        _print_lines([Text.assemble((clean(view.sample.id), "bold"), "  ", (where, "dim"))], out, indent=0)
        if view.sample.question:
            _print_lines([Text(clean(view.sample.question), "bold")], out)
        print_gist(view, out, legend=False)
    if run.shown < run.total:
        out.print(f"{run.shown} of {run.total} answers are shown. Any other: saiten show RUN --sample ID")


def print_gist(view: GistView, out: Console, *, legend: bool = True) -> None:
    """Print reference and answer with their units, a legend, and the units that could not be marked.

    On a terminal of fewer than 90 columns they are printed one below the other. Untrusted text cannot style the screen.
    """
    pen = _pen(out)
    sides = (
        _side(pen, view.sample.reference, view.reference, whole=True),
        _side(pen, view.sample.answer, view.answer, whole=False),
    )
    if out.width >= 90:
        _print_side_by_side(sides, out)
    else:
        for title, text in zip(("reference", "answer"), sides, strict=True):
            out.print(_panel(screen_words(title), broken(text, out.width - _MARGIN)))
    if legend and view.profile is not None:
        _print_lines([_legend(pen)], out)
    _print_lines(_below(view, pen), out)
    out.print()


def _pen(out: Console) -> _Pen:
    return _Pen(_PLAIN_BRACKETS if out.options.ascii_only else _BRACKETS)


def _print_lines(lines: Iterable[Text], out: Console, *, indent: int = 1) -> None:
    for line in lines:
        out.print(Padding(Text("\n").join(broken(line, out.width - 2)), (0, 0, 0, indent)))


def _side(pen: _Pen, source: str | None, pieces: Sequence[Segment], *, whole: bool) -> Text:
    if not source:
        return Text(screen_words("not_given" if source is None else "empty"), "dim italic")
    return pen.text_of(harmless(pieces), whole=whole)


def _print_side_by_side(sides: tuple[Text, Text], out: Console) -> None:
    width = (out.width - 1) // 2
    left, right = (broken(text, width - _MARGIN) for text in sides)
    height = max(len(left), len(right))
    grid = Grid.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(width=width)
    grid.add_column(width=width)
    panels = [
        _panel(screen_words(title), [*lines, *[Text()] * (height - len(lines))])
        for title, lines in (("reference", left), ("answer", right))
    ]
    grid.add_row(*panels)
    out.print(grid)


def _panel(title: str, lines: Sequence[Text]) -> Panel:
    return Panel(Text("\n").join(lines), title=title, title_align="left", border_style="dim")


def _below(view: GistView, pen: _Pen) -> Iterator[Text]:
    if view.profile is None:
        yield Text.assemble(
            (f"{view.metric}  ", "bold"),
            (f"{screen_words('no_units')}  ", "yellow"),
            clean(in_terminal_language(view.reason)),
        )
        return
    tally = "   ".join(f"{LABELS[which]}\xa0{_tally(which, view)}" for which in WHICH)
    yield Text.assemble((clean(view.metric), "bold"), "  ", view.profile, ("   " + tally, "dim"))
    if view.unplaced:
        yield Text(screen_words("unplaced"), "dim")
    for unit in view.unplaced:
        yield _listed(pen, unit)
    for unit in _explained(view):
        yield Text.assemble(_listed(pen, unit), (f"  {clean(unit.why)}", "italic"))
    for fault in view.faults:
        yield Text(f"{screen_words('fault')}  {clean(fault)}", "dim")


def _tally(which: Kind, view: GistView) -> str:
    """Return a count; missing units are a share of the reference's, extra ones are only counted."""
    n, of = view.counts[which]
    return f"{n}\xa0of\xa0{of}" if which.startswith("missing") else str(n)


def _legend(pen: _Pen) -> Text:
    legend = Text()
    for kind in KINDS:
        words = kind.replace("_", "\xa0") if kind in WHICH else f"{kind}\xa0in\xa0both"
        legend.append(f"{pen.opening(kind)}{words}{pen.closing(kind)}", STYLES[kind] or "dim")
        legend.append("  ")
    return legend


def _listed(pen: _Pen, unit: Unit) -> Text:
    return Text(f"  {pen.opening(unit.kind)}{clean(unit.text)}{pen.closing(unit.kind)}", STYLES[unit.kind] or "dim")


def _explained(view: GistView) -> Iterator[Unit]:
    """Yield each unit with an explanation once."""
    for piece in (*view.reference, *view.answer):
        yield from (unit for unit in piece.units[len(piece.units) - piece.begin :] if unit.why)
