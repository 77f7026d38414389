"""The colors, shapes and dashes of charts, named like the variables of the page's style sheet.

A chart is drawn in light colors, for files in papers; in a page each becomes the variable of the same name
(`templates/page.css`), so that it follows dark mode and print. Color is never the only cue: shape, dashes or a nearby
name says the same.
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
"""By variable; colors are unique, since the variable is looked up by its color."""

DARK = {
    "card": "#191d22",
    "ink": "#e7eaee",
    "muted": "#a7b0bc",
    "grid": "#2b323b",
    "reference": "#f0b56a",
    "line-1": "#86bdf5",
    "line-2": "#ff9d6e",
    "line-3": "#5fd3ad",
    "line-4": "#d9a3ea",
    "line-5": "#e6c65c",
    "line-6": "#c8cdd4",
}
"""The same variables on a dark background, for slides."""

VARIABLES = {color: name for name, color in LIGHT.items()}

CARD, INK, MUTED, GRID, REFERENCE = (LIGHT[name] for name in ("card", "ink", "muted", "grid", "reference"))
LINES = tuple(LIGHT[f"line-{number}"] for number in range(1, 7))
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = ((1, 4), (), (7, 4), (7, 3, 1, 3), (12, 4), (3, 3))
"""Dotted, solid, dashed, …: the first two as in the paper on multi-turn evaluation (spec 02)."""


def color(place: int) -> str:
    """Return the color of the system, chain or line at this place; the seventh repeats the first."""
    return LINES[place % len(LINES)]
