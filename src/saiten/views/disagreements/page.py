"""Disagreements as a page: the tables, then a card per item with its marks."""

from collections.abc import Mapping, Sequence
from typing import IO

from saiten.metrics.judged.gist_counts import WHICH
from saiten.records import Language
from saiten.views.disagreements.cards import Card, CardList
from saiten.views.gist.marked import CLASSES, marked
from saiten.views.page.chapters import Part
from saiten.views.page.page import write_page
from saiten.views.strip_controls import clean
from saiten.views.table import Table
from saiten.words import Message, in_language, section


def write_card_page(
    tables: Sequence[Table], lists: Sequence[CardList], out: IO[str], *, title: str, language: Language, gist: bool
) -> None:
    """Write the page. `gist`: explain the signs of the units of gist."""
    gist_words = section("gist", language)
    contents = [(f"list-{n}", clean(in_language(each.title, language))) for n, each in enumerate(lists, 1)]
    values = {
        "legend": [(CLASSES[kind], gist_words[kind]) for kind in WHICH] if gist else [],
        "sections": [
            {
                "anchor": anchor,
                "title": heading,
                "captions": [in_language(caption, language) for caption in each.captions],
                "cards": (_shown(card, language) for card in each.cards),
            }
            for (anchor, heading), each in zip(contents, lists, strict=True)
        ],
        "no_text": gist_words["no_text"],
        "empty": gist_words["empty"],
    }
    part = Part("disagreements", values, contents, also=("gist",), scripted=False)
    write_page(tables, out, title=title, language=language, part=part)


def _shown(card: Card, language: Language) -> Mapping[str, object]:
    """Return a card in the template's form."""

    def worded(text: str | Message) -> str:
        return clean(in_language(text, language))

    words = section("gist", language)
    return {
        "item": clean(card.item),
        "where": clean(card.where),
        "headline": worded(card.headline),
        "question": clean(card.question),
        "lang": card.language,
        "rows": [
            [(worded(each.title), each.source, marked(each.pieces, words, whole=False)) for each in row]
            for row in card.texts
        ],
        "lines": [tuple(map(worded, (line.who, line.what, line.why))) for line in card.lines],
        "marks": list(map(worded, card.marks)),
        "contexts": list(map(clean, card.contexts)),
        "contexts_title": worded(Message("disagreement", "contexts", n=len(card.contexts))),
        "listed": [
            (worded(heading), [(CLASSES[unit.kind], clean(unit.text), clean(unit.why)) for unit in units])
            for heading, units in card.listed
        ],
    }
