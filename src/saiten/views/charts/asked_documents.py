"""What the questions of a test set are about: documents from beginning to end, and what no question touches.

A row is a document, whatever its length, cut where its chunks are cut; the more questions are about a chunk, the darker
it is. Of many documents, a field has one square each, and rows show those with the most text that nobody asks about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil

from saiten.records import Language
from saiten.testsets.asked_about import AskedBase, AskedChunk, AskedDocument
from saiten.views.charts.axes import Axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import GRID, INK, LINES, MUTED
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot
from saiten.views.charts.texts import in_words, plain, shorten, text_width
from saiten.words import section

MOST_ROWS = 40
"""Documents with a row; a field of squares shows all of them if there are more."""
_WIDTH = 820
_ROW, _BAR = 22, 14
_NAMES = 260
"""Maximum pixels of the names."""
_GAP = 10
_LEAST_FIELD = 240
_MOST_PARTS = 120
"""Parts of a row; a document with more chunks has several in one."""
_SQUARE = 16
"""Pixels from one square of the field to the next."""
_MOST_SQUARES = 1_000
_LEVELS = ((1, 0.4), (2, 0.7), (4, 1.0))
"""Number of questions from which a part has this opacity."""
_SHARES = ((0.0, 0.4), (0.25, 0.7), (0.5, 1.0))
"""Share of chunks with a question above which a square has this opacity."""


def asked_documents_charts(base: AskedBase) -> tuple[VegaChart, ...]:
    """Return the field of all documents if they are many, then the rows."""
    rows = document_rows(base)
    return (document_field(base), rows) if len(base.documents) > MOST_ROWS else (rows,)


def document_rows(base: AskedBase, language: Language = "en") -> VegaChart:
    """Draw one row per document, the one with the most chunks without a question first."""
    words = section("chart", language)
    shown = sorted(base.documents, key=lambda each: (each.asked - len(each.chunks), each.source))[:MOST_ROWS]
    if len(shown) == len(base.documents):
        shown = list(base.documents)
    said = in_words(((plain(each.source), _counts(each, words)) for each in shown), words)
    title = words["asked_rows" if len(shown) == len(base.documents) else "asked_rows_least"].format(n=len(shown))
    make = partial(_rows_picture, tuple(shown), words)
    return VegaChart(title, said, make, language, partial(document_rows, base))


def document_field(base: AskedBase, language: Language = "en") -> VegaChart:
    """Draw one square per document, or per some documents of neighboring names if there are very many."""
    words = section("chart", language)
    size = ceil(len(base.documents) / _MOST_SQUARES)
    parts = [base.documents[at : at + size] for at in range(0, len(base.documents), size)]
    title = words["asked_field" if size == 1 else "asked_field_parts"].format(n=size)
    said = words["asked_share"].format(n=base.asked_documents, of=len(base.documents))
    return VegaChart(title, said, partial(_field_picture, parts, words), language, partial(document_field, base))


def _counts(document: AskedDocument, words: Mapping[str, str]) -> str:
    return words["asked_chunks"].format(n=document.asked, of=len(document.chunks), questions=document.questions)


@dataclass(frozen=True, slots=True)
class _RowPart:
    """A chunk of a row, or several neighboring ones."""

    first: int
    chunks: Sequence[AskedChunk]

    @property
    def questions(self) -> int:
        return len({item for chunk in self.chunks for item in chunk.items})

    @property
    def numbers(self) -> str:
        last = self.first + len(self.chunks) - 1
        return str(self.first) if last == self.first else f"{self.first}–{last}"


def _parts(document: AskedDocument) -> Iterator[_RowPart]:
    size = max(ceil(len(document.chunks) / _MOST_PARTS), 1)
    for at in range(0, len(document.chunks), size):
        yield _RowPart(at + 1, document.chunks[at : at + size])


def _rows_picture(documents: Sequence[AskedDocument], words: Mapping[str, str]) -> Picture | None:
    if not documents:
        return None
    notes = {each.source: _counts(each, words) for each in documents}
    names = min(max(text_width(plain(each.source)) for each in documents), _NAMES)
    left, right = names + _GAP + 8, max(map(text_width, notes.values())) + _GAP + 12
    field = max(_WIDTH - left - right, _LEAST_FIELD)
    marks = [Marks("bar", rows, style=style) for rows, style in _bars(documents, field, words)]
    middle = [number + 0.5 for number in range(len(documents))]
    labels: list[Datum] = [
        {"y": y, "text": shorten(plain(each.source), names), "tooltip": plain(each.source)}
        for y, each in zip(middle, documents, strict=True)
    ]
    counts: list[Datum] = [{"y": y, "text": notes[each.source]} for y, each in zip(middle, documents, strict=True)]
    marks.append(Marks("text", labels, at=-_GAP, style={"align": "right", "fill": INK}))
    marks.append(Marks("text", counts, at=field + _GAP, style={"align": "left", "fill": MUTED}))
    down = Axis(float(len(documents)), 0.0, ())
    rows = Plot(field, _ROW * len(documents), Axis(0.0, float(field), ()), down, marks, x_numbers=False, x_lines=False)
    ends = [("left", 0.0, words["asked_beginning"]), ("right", float(field), words["asked_end"])]
    for align, x, text in ends:
        end: Datum = {"x": x, "y": down.low, "text": text, "color": MUTED}
        marks.append(Marks("text", [end], style={"align": align, "dy": 10, "fontSize": 11}))
    texts = [words["asked_none"], words["asked_one"], words["asked_few"], words["asked_many"]]
    legend = _legend(texts, field, 8 - left)
    return Picture([rows, legend], Padding(left, 6, right, 8), 26)


def _bars(
    documents: Sequence[AskedDocument], field: float, words: Mapping[str, str]
) -> Iterator[tuple[list[Datum], dict[str, object]]]:
    """Yield the rectangles of each level with their look: those without a question first."""
    by_level: dict[float, list[Datum]] = {0.0: [], **{opacity: [] for _, opacity in _LEVELS}}
    margin = (_ROW - _BAR) / _ROW / 2
    for row, document in enumerate(documents):
        scale = field / max(document.length, 1)
        for part in _parts(document):
            level = max((opacity for least, opacity in _LEVELS if part.questions >= least), default=0.0)
            start, end = part.chunks[0].start * scale, part.chunks[-1].end * scale
            key = "asked_part" if part.questions else "asked_part_none"
            at = words[key].format(numbers=part.numbers, of=len(document.chunks), n=part.questions)
            by_level[level].append(
                {
                    "x": start,
                    "x2": max(end - (1.0 if end - start > 4 else 0.0), start + 0.5),
                    "y": row + margin,
                    "y2": row + 1 - margin,
                    "color": LINES[0] if level else GRID,
                    "tooltip": f"{plain(document.source)}: {at}",
                }
            )
    for level, rows in by_level.items():
        yield rows, _look(level)


def _look(level: float) -> dict[str, object]:
    return {"stroke": None, "fillOpacity": level or 1.0}


def _legend(texts: Sequence[str], width: float, left: float = 0.0) -> Plot:
    """Return the squares of no question and of each level with their meaning, in one line or several.

    `left`: where a line begins, in pixels from the plot.
    """
    marks: list[Marks] = []
    x, line = left, 0
    for text, level in zip(texts, (0.0, *(opacity for _, opacity in _LEVELS)), strict=True):
        room = _BAR + 6 + text_width(text) + 18
        if x > left and x + room > width:
            x, line = left, line + 1
        square: Datum = {
            "x": x,
            "x2": x + _BAR,
            "y": line + 0.15,
            "y2": line + 0.85,
            "color": LINES[0] if level else GRID,
        }
        label: Datum = {"x": x + _BAR + 6, "y": line + 0.5, "text": text, "color": MUTED}
        marks += [Marks("bar", [square], style=_look(level)), Marks("text", [label], style={"align": "left"})]
        x += room
    down = Axis(float(line + 1), 0.0, ())
    return Plot(width, 20 * (line + 1), Axis(0.0, float(width), ()), down, marks, x_numbers=False, x_lines=False)


def _field_picture(parts: Sequence[Sequence[AskedDocument]], words: Mapping[str, str]) -> Picture | None:
    abreast = _WIDTH // _SQUARE
    lines = ceil(len(parts) / abreast)
    by_level: dict[float, list[Datum]] = {0.0: [], **{opacity: [] for _, opacity in _SHARES}}
    for place, part in enumerate(parts):
        asked, chunks = sum(each.asked for each in part), sum(len(each.chunks) for each in part)
        share = asked / chunks if chunks else 0.0
        level = max((opacity for above, opacity in _SHARES if share > above), default=0.0)
        names = plain(part[0].source) if len(part) == 1 else f"{plain(part[0].source)} – {plain(part[-1].source)}"
        x, y = float(place % abreast * _SQUARE), float(place // abreast * _SQUARE)
        tooltip = f"{names}: {words['asked_of_chunks'].format(n=asked, of=chunks)}"
        color = LINES[0] if level else GRID
        by_level[level].append(
            {"x": x, "x2": x + _SQUARE - 2, "y": y, "y2": y + _SQUARE - 2, "color": color, "tooltip": tooltip}
        )
    marks = [Marks("bar", rows, style=_look(level)) for level, rows in by_level.items()]
    across, down = Axis(0.0, float(_WIDTH), ()), Axis(float(lines * _SQUARE), 0.0, ())
    field = Plot(_WIDTH, lines * _SQUARE, across, down, marks, x_numbers=False, x_lines=False)
    texts = [words["asked_none"], *(words[f"asked_share_{at}"] for at in (1, 2, 3))]
    return Picture([field, _legend(texts, _WIDTH)], Padding(8, 6, 8, 8), 12)
