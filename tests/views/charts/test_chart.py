"""What holds for charts of every kind: safe, accessible, the same on every machine, made only when requested."""

import functools
import json
import struct
import subprocess
import sys

import altair as alt
import pytest
from chart_gallery import HOSTILE, KINDS, gallery, mean, read, size, texts, tooltips

from saiten.views.charts import drawing
from saiten.views.charts.drawing import draw, lacks_japanese
from saiten.views.charts.means import means
from saiten.views.page.page import as_html
from saiten.views.strip_controls import clean
from saiten.views.table import Table

SHAPES = {"svg", "g", "path", "line", "rect", "circle", "text", "title", "desc"}


@functools.cache
def drawn(kind, language="en", **names):
    """The chart in a page, drawn once."""
    return gallery(language, **names)[kind].svg(clean)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_a_chart_can_act_or_load(kind):
    """Whatever the names, a chart has only shapes and texts: no script, link, style, image or id."""
    svg = drawn(kind, first=HOSTILE, second=HOSTILE * 9, metric=HOSTILE)
    tree = read(svg)
    assert {node.tag.split("}")[-1] for node in tree.iter()} <= SHAPES
    for node in tree.iter():
        assert not [name for name in node.attrib if name.startswith("on") or name in {"id", "style", "href"}]
        assert "url(" not in "".join(node.attrib.values())
    assert any("<script>" in text for text in texts(svg) + tooltips(svg)), "it is shown as text"
    assert "\x1b" not in svg
    svg.encode()


@pytest.mark.parametrize("kind", KINDS)
def test_names_from_outside_are_one_line_and_shortened(kind):
    """Names of any length are shortened; the tooltip has the whole name."""
    long = "第" + "一" * 298 + "版"
    svg = drawn(kind, first=long, second="a\n\nb\tc", metric="faithfulness")
    shown = texts(svg)
    assert max(len(text) for text in shown) < 120
    assert any("…" in text and text.rstrip("0123456789 n=()").endswith("版") for text in shown)
    assert any(long in text for text in tooltips(svg))
    assert not any("\n" in text for text in shown)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_chart_has_a_description_for_screen_readers(kind, language):
    """The chart has an accessible name, and its main figures in words."""
    chart = gallery(language)[kind]
    tree = read(drawn(kind, language))
    assert tree.get("role") == "img"
    assert tree.get("aria-label") == tree[0].text == chart.title
    assert tree[1].tag.endswith("desc")
    assert tree[1].text == chart.said
    assert any(digit in chart.said for digit in "0123456789")


@pytest.mark.parametrize("kind", KINDS)
def test_every_color_is_one_of_the_page(kind):
    """The chart follows the page into dark mode and onto paper; texts use the page's fonts."""
    tree = read(drawn(kind))
    painted = {node.get(name) for node in tree.iter() for name in ("fill", "stroke")} - {None, "none"}
    assert painted
    assert all(color.startswith("var(--") for color in painted), painted
    assert not [node for node in tree.iter() if node.get("font-family")]


@pytest.mark.parametrize("kind", KINDS)
def test_the_specification_is_vega_lite_and_complete_in_itself(kind):
    """It is valid by the schema, contains no address except the schema's, and is JSON."""
    spec = gallery()[kind].spec
    alt.VConcatChart.from_dict(spec, validate=True)
    text = json.dumps({name: value for name, value in spec.items() if name != "$schema"}, allow_nan=False)
    assert "http" not in text
    assert "url" not in text
    assert "expr" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_self_contained(kind):
    """SVG has concrete colors and fonts; a PNG has the requested size."""
    chart = gallery("ja")[kind]
    svg = chart.svg_file()
    tree = read(svg)
    assert "var(" not in svg
    assert "Noto Sans CJK JP" in tree.get("font-family")
    width, height = size(svg)
    png = chart.png(scale=1.5)
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == pytest.approx((width * 1.5, height * 1.5), abs=1)


def test_several_charts_share_one_page():
    """Each has its title above its table, and nothing in one can clash with another."""
    charts = tuple(gallery("ja").values())
    page = as_html([Table("Means", ("a",), (("x",),), charts=charts)], language="ja")
    assert page.count('class="chart"') == len(charts)
    assert page.index(f"<figcaption>{charts[0].title}") < page.index("<table")
    assert page.count("<script>") == 1


def test_hostile_titles_are_text():
    """A metric's name appears in the title."""
    page = as_html([Table("t", ("a",), (("x",),), charts=tuple(gallery(metric=HOSTILE).values()))])
    assert page.count("<script>") == 1
    assert "<script>alert" not in page
    assert "\x1b" not in page
    page.encode()


def test_the_network_is_never_reached():
    """Even a specification that requests it is refused; ours contain no address."""
    spec = {"data": {"url": "http://127.0.0.1:9/x.json"}, "mark": "point", "encoding": {}}
    with pytest.raises(ValueError, match=r"127\.0\.0\.1"):
        draw(spec)


def test_altair_is_loaded_by_the_first_chart_that_is_drawn():
    """Making charts costs nothing: tables for the terminal and for JSON have them, too."""
    code = (
        "import sys, saiten.views.charts.costs as c\n"
        "chart = c.costs([c.CostRow('s', 0.5)])\n"
        "assert not {'altair', 'vl_convert'} & set(sys.modules)\n"
        "assert chart.svg() and {'altair', 'vl_convert'} <= set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_session_of_a_notebook_is_neither_used_nor_changed():
    """A theme and a data transformer chosen by the user stay, and have no effect."""
    before = gallery()["means"].spec
    theme, transformer = alt.theme.active, alt.data_transformers.active
    try:
        alt.theme.enable("dark")
        alt.data_transformers.enable("json")
        assert gallery.__wrapped__()["means"].spec == before
        assert (alt.theme.active, alt.data_transformers.active) == ("dark", "json")
    finally:
        alt.theme.enable(theme)
        alt.data_transformers.enable(transformer)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), 1e300])
def test_what_cannot_be_drawn_is_no_chart(value):
    """It is drawn neither in a page nor in files."""
    chart = means([mean("m", "s", value, n=3)])
    assert (chart.svg(clean), chart.svg_file(), chart.png(), chart.spec) == ("", "", b"", None)
    assert (chart.font_warning(), chart._repr_svg_()) == (None, None)


def test_missing_fonts_are_reported(monkeypatch):
    """A warning appears if a machine lacks a Japanese font; a picture without Japanese needs none."""
    chart = gallery("ja")["means"]
    monkeypatch.setattr(drawing, "_has_japanese", lambda: False)
    assert "fonts-noto-cjk" in chart.font_warning()
    assert lacks_japanese("<svg><text>plain</text></svg>") is None
    monkeypatch.setattr(drawing, "_has_japanese", lambda: True)
    assert chart.font_warning() is None


def test_a_notebook_shows_a_chart():
    """It is the SVG of the file, which needs no style sheet."""
    chart = gallery()["means"]
    assert chart._repr_svg_() == chart.svg_file()


def test_equal_figures_are_equal_charts():
    """Tables with charts can be compared."""
    assert gallery()["means"] == gallery.__wrapped__()["means"]
    assert gallery()["means"] != gallery(first="another")["means"]
