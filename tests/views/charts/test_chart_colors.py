"""The colors of charts in both schemes of the page."""

import re
from importlib.resources import files
from itertools import combinations

import pytest

from saiten.views.charts.colors import DARK, DASHES, LIGHT, LINES, SHAPES
from saiten.views.charts.colors import color as color_at
from saiten.views.charts.plot import mark, stroke

CSS = files("saiten.views").joinpath("templates/page.css").read_text(encoding="utf-8")
LINE_NAMES = [name for name in LIGHT if name.startswith("line-")]


def variables(block):
    """The variables of a `:root` in the style sheet, by name."""
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def scheme(name):
    """The page's variables, light or dark."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]
    return variables(light) | (variables(dark) if name == "dark" else {})


def luminance(color):
    """Relative luminance by WCAG 2."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, second):
    """Contrast ratio by WCAG 2, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_texts_and_lines_can_be_read(name):
    """At least 4.5 for texts (AA) and 3 for graphics."""
    page = scheme(name)
    for text in ("ink", "muted", "reference"):
        assert contrast(page[text], page["card"]) >= 4.5, text
    for line in [*LINE_NAMES, "reference"]:
        assert contrast(page[line], page["card"]) >= 3, line


def test_files_have_the_colors_of_the_page():
    """The palettes are defined in two places; each light color has the name of one variable."""
    for colors, name in ((LIGHT, "light"), (DARK, "dark")):
        page = scheme(name)
        assert {name: page[name] for name in colors} == colors
    assert list(DARK) == list(LIGHT)
    assert len(set(LIGHT.values())) == len(LIGHT)


def test_lines_are_distinguishable_without_color():
    """The first six differ by shape and dashes, the next six by fill as well; color is redundant."""
    marks = [mark(place) for place in range(12)]
    looks = [(one["shape"], str(stroke(place)), one["fill"] == color_at(place)) for place, one in enumerate(marks)]
    assert all(first != second for first, second in combinations(looks, 2))
    assert len(set(SHAPES)) == len(set(DASHES)) == len(set(LINES)) == 6


def test_paper_is_light_whatever_the_screen_is():
    """This holds when a dark page is printed, too."""
    printed = variables(CSS[CSS.index("@media print") :])
    for line in LINE_NAMES:
        assert contrast(printed[line], "#ffffff") >= 3, line
