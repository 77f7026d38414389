"""A chart on a slide: the words around it, 16:9, letters that can be read."""

import pytest
from chart_gallery import HOSTILE, KINDS, gallery, means_of, named, read, texts

from saiten.views.charts.slide import HEIGHT, WIDTH, SlideText, slide_svg

TEXT = SlideText("Which is better?", "Means", "48 answers", "Careful.")


def sizes(svg):
    """The font sizes of all texts, in pixels of the picture."""
    found = []
    for node in named(read(svg), "text"):
        scale = 1.0
        for above in node.iterancestors():
            if "scale(" in (above.get("transform") or ""):
                scale *= float(above.get("transform").split("scale(")[1].rstrip(")"))
        found.append(scale * float(node.get("font-size") or 12))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_letters_can_be_read_at_the_back_of_a_room(kind, language):
    """At least 15 of 900 pixels for the smallest, whatever the chart; 16:9 unless that would make them smaller."""
    svg = slide_svg(gallery(language)[kind], TEXT)
    tree = read(svg)
    width, height = float(tree.get("width")), float(tree.get("height"))
    assert width == WIDTH
    assert height >= HEIGHT
    assert min(sizes(svg)) >= 15


def test_a_chart_that_is_too_high_makes_the_picture_higher():
    """Shrunk letters would be lost; forty rows are not for a slide, but can be read."""
    chart = means_of(*(f"system {n}" for n in range(40)))
    svg = slide_svg(chart, TEXT)
    assert float(read(svg).get("height")) > HEIGHT
    assert min(sizes(svg)) >= 15


def test_a_small_chart_is_not_blown_up():
    """Its letters stay smaller than the title."""
    svg = slide_svg(means_of("a", "b"), TEXT)
    assert texts(svg)[0] == "Which is better?"
    assert max(sizes(svg)[1:-2]) < sizes(svg)[0]


def test_what_cannot_be_drawn_is_no_slide():
    """There is no frame without a picture."""
    assert slide_svg(means_of("a", value=None), TEXT) == ""


def test_hostile_names_are_text():
    """The title of a picture may hold the name of a run or a system."""
    chart = gallery(first=HOSTILE, second=HOSTILE, metric=HOSTILE)["grid"]
    svg = slide_svg(chart, SlideText(HOSTILE.replace("\ud800", "").replace("\x1b", ""), HOSTILE[:20]))
    tree = read(svg)
    assert {node.tag.split("}")[-1] for node in tree.iter()} <= {"svg", "g", "path", "line", "rect", "circle", "text", "title", "desc"}  # fmt: skip
