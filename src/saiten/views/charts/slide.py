"""A chart as a picture for a slide: its question as a title, large letters, and what one must know to read it below.

16:9; a chart that would be illegible at that height makes the picture higher instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from saiten.choices import Theme
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import DARK, LIGHT, VARIABLES
from saiten.views.charts.drawing import draw
from saiten.views.charts.inline import FONTS, broken, described, drawn_marks, size_of
from saiten.views.charts.plot import Picture, vega_lite

WIDTH, HEIGHT = 1600, 900
_MARGIN = 56
_TITLE, _TEXT, _SMALL = 44, 26, 22
"""Font sizes."""
_LEAST_SCALE = 1.5
"""Magnification of a chart below which its letters are too small: 18 pixels of 900."""
_MOST_SCALE = 2.6
_LINE = 1.35
"""Line height, in font sizes."""


@dataclass(frozen=True, slots=True)
class SlideText:
    """The words around a chart."""

    question: str
    """The title: what the picture answers."""
    content: str = ""
    """What is drawn, of what."""
    facts: str = ""
    """Number of answers, judge, kind of interval, date."""
    caveat: str = ""
    """What a reader must not overlook."""


def slide_svg(chart: VegaChart, text: SlideText, theme: Theme = "light") -> str:
    """Return a self-contained SVG; empty if nothing is drawn."""
    if chart.picture is None:
        return ""
    colors = LIGHT if theme == "light" else DARK
    head = _lines(text.question, _TITLE, "ink", 700) + _lines(text.content, _TEXT, "muted")
    foot = _lines(text.caveat, _TEXT, "reference", 600) + _lines(text.facts, _SMALL, "muted")
    top, below = _MARGIN + _room(head) + 12, _room(foot) + 20
    picture, drawn, scale = _fitted(chart, HEIGHT - top - below - _MARGIN)
    width, height = picture.size
    whole = max(HEIGHT, top + scale * height + below + _MARGIN)
    left = (WIDTH - scale * width) / 2
    middle = top + max(0.0, (whole - top - below - _MARGIN - scale * height) / 2)
    marks = drawn_marks(drawn, lambda color: colors.get(VARIABLES.get(color, ""), color))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size_of((WIDTH, whole))} role="img" fill="none"'
        f' font-family="{FONTS}">{described(f"{text.question} {chart.title}", chart.said)}'
        f'<rect width="100%" height="100%" fill="{colors["card"]}"/>'
        f"{_written(head, _MARGIN, colors)}"
        f'<g transform="translate({left:.2f},{middle:.2f}) scale({scale:.4f})">{marks}</g>'
        f"{_written(foot, whole - _MARGIN - _room(foot), colors)}</svg>\n"
    )


def _fitted(chart: VegaChart, room: float) -> tuple[Picture, str, float]:
    """Return the picture with the larger letters, its SVG and its magnification; of equal ones the wider, as it is."""
    assert chart.picture is not None  # noqa: S101 - said for the type checker
    narrow = chart.compact() if chart.compact is not None else None
    if narrow is not None and _scale(narrow, room) > _scale(chart.picture, room):
        return narrow, draw(vega_lite(narrow)), _scale(narrow, room)
    return chart.picture, chart.drawn, _scale(chart.picture, room)


def _scale(picture: Picture, room: float) -> float:
    """Return how far it can be magnified in this height, or how far it must be to be legible."""
    width, height = picture.size
    most = min((WIDTH - 2 * _MARGIN) / width, _MOST_SCALE)
    return max(min(most, room / height), min(_LEAST_SCALE, most))


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: int
    color: str
    weight: int


def _lines(text: str, size: int, color: str, weight: int = 400) -> list[_Line]:
    """Break a text to the picture's width, by estimate."""
    room = 1.1 * (WIDTH - 2 * _MARGIN) * 13 / size  # `broken` is careful, and there is a margin
    return [_Line(line, size, color, weight) for line in broken(text, room)]


def _room(lines: list[_Line]) -> float:
    return sum(line.size * _LINE for line in lines)


def _written(lines: list[_Line], top: float, colors: Mapping[str, str]) -> str:
    written, y = "", top
    for line in lines:
        y += line.size * _LINE
        written += (
            f'<text x="{_MARGIN}" y="{y - line.size * 0.35:.1f}" font-size="{line.size}" font-weight="{line.weight}"'
            f' fill="{colors[line.color]}">{escape(line.text)}</text>'
        )
    return written
