"""The colours, shapes and dashes of charts: those of the page's style sheet, by the names of its variables.

A chart is drawn in the light colours, which are what a file for a paper shows; in a page each becomes the variable of
the same name (`templates/page.css`), so that it follows the page into the dark and onto paper. What colour tells is
told by shape, dashes or a name beside it as well.
"""

LIGHT = {
    "card": "#ffffff",
    "ink": "#1b1e23",
    "muted": "#575f6b",
    "grid": "#e3e7ec",
    "reference": "#8a4b00",
    "line-1": "#14609f",
    "line-2": "#b3420c",
    "line-3": "#0a7355",
    "line-4": "#8a3ea0",
    "line-5": "#7a5c00",
    "line-6": "#4a4f57",
}
"""By variable; each colour stands once, since it is by the colour that the variable is found again."""

VARIABLES = {colour: name for name, colour in LIGHT.items()}

CARD, INK, MUTED, GRID, REFERENCE = (LIGHT[name] for name in ("card", "ink", "muted", "grid", "reference"))
LINES = tuple(LIGHT[f"line-{number}"] for number in range(1, 7))
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = ((1, 4), (), (7, 4), (7, 3, 1, 3), (12, 4), (3, 3))
"""Dotted, solid, dashed, …: the first two as in the paper on multi-turn evaluation (spec 02)."""


def colour(place: int) -> str:
    """Return the color of the system, chain or line at this place; the seventh repeats the first."""
    return LINES[place % len(LINES)]


def shape(place: int) -> str:
    """Return the shape at this place: a circle, a square, a triangle and so on."""
    return SHAPES[place % len(SHAPES)]


def filling(place: int) -> str:
    """Return full for the first six, hollow for the next six, and so on: 36 differ by shape and color."""
    return colour(place) if place // len(SHAPES) % 2 == 0 else CARD


def dashes(place: int) -> tuple[int, ...]:
    """Return the lengths of stroke and gap; empty for a solid line."""
    return DASHES[place % len(DASHES)]
