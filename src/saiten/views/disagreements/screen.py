"""Disagreements for the terminal, one card below the other."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from saiten.views.disagreements.cards import Card, Opinion, TitledText
from saiten.views.gist.screen import Pen, listed_unit, marked_text, pen_for, print_lines, print_panel, print_sides
from saiten.views.strip_controls import clean
from saiten.words import Message, in_language
from saiten.words.terminal import terminal_language


def print_cards(cards: Iterable[Card], out: Console) -> None:
    """Print the cards with their numbers. Texts from outside are printed verbatim and cannot style the screen."""
    pen = pen_for(out)
    for place, card in enumerate(cards, 1):
        headline = _worded(card.headline)
        print_lines(
            [Text.assemble(f"{place}  ", (clean(card.item), "bold"), "  ", (clean(card.where), "dim"))], out, indent=0
        )
        print_lines([Text(headline, "bold yellow")], out)
        if card.question:
            print_lines([Text(clean(card.question), "bold")], out)
        for row in card.texts:
            titled = [(_worded(each.title), _text(pen, each)) for each in row]
            if len(titled) > 1:
                print_sides(titled[0], titled[1], out)
            else:
                print_panel(*titled[0], out)
        print_lines(_below(card, pen), out)
        out.print()


def _text(pen: Pen, each: TitledText) -> Text:
    return marked_text(pen, each.source, each.pieces, whole=False)


def _below(card: Card, pen: Pen) -> Iterator[Text]:
    for line in card.lines:
        yield _said(line)
    for mark in card.marks:
        yield Text(_worded(mark), "dim")
    for heading, units in card.listed:
        yield Text(_worded(heading), "dim")
        for unit in units:
            yield Text.assemble(listed_unit(pen, unit), (f"  {clean(unit.why)}" if unit.why else "", "dim"))


def _said(line: Opinion) -> Text:
    who, what, why = map(_worded, (line.who, line.what, line.why))
    return Text.assemble((who, "bold"), "  ", what, f"  {why}" if why else "")


def _worded(text: str | Message) -> str:
    """Return the words in the terminal's language; a text from outside stays as it is, but for control characters."""
    return clean(in_language(text, terminal_language()))
