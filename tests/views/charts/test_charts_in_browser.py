"""Charts in a real browser: nothing clipped, whatever the letters, in both languages and schemes, wide and narrow.

Opt-in: runs where Chromium and Playwright are installed (see docs/output-formats.md) and is skipped elsewhere.
"""

import pytest
from chart_gallery import HOSTILE, gallery

import browsing
from saiten.views.page.page import as_html
from saiten.views.table import Table

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

NAMES = {
    "plain": {},
    "hostile": {"first": HOSTILE, "second": "שלום عربي 👩‍🔬" * 20, "metric": "M" * 300},
    "wide": {"first": "検索拡張生成" * 30, "second": "WWWW@@@@" * 30, "metric": "回答の正しさ" * 30},
}
CLIPPED = """() => [...document.querySelectorAll('svg.chart')].flatMap(chart => {
  const room = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1;
  }).map(text => text.firstChild.textContent);
})"""


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(charts, …)`: the page; at teardown there was no error and no other request."""
    with browsing.watched(browser, tmp_path) as open_page:

        def opened(charts, language, scheme, size):
            page = as_html([Table("t", ("a",), (("x",),), charts=tuple(charts))], language=language)
            (tmp_path / "page.html").write_text(page, encoding="utf-8")
            return open_page(scheme, size, javascript=True)

        yield opened


@pytest.mark.parametrize(("language", "scheme", "width"), [("ja", "light", 1440), ("en", "dark", 390)])
def test_no_label_is_clipped(opened, tmp_path, language, scheme, width):
    """This holds although widths were computed without a font; the page itself never scrolls sideways."""
    charts = [chart for names in NAMES.values() for chart in gallery(language, **names).values()]
    page = opened(charts, language, scheme, (width, 900))
    assert page.locator("svg.chart").count() == len(charts)
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shot = tmp_path / f"charts-{language}-{scheme}-{width}.png"
    page.screenshot(path=shot, full_page=True)
    assert shot.stat().st_size > 10_000


def test_a_chart_is_whole_on_a_narrow_screen_and_large_once_touched(opened):
    """At first it is visible in full, figures at the right included; touched, it is readable and scrolls in its box."""
    page = opened(gallery().values(), "en", "light", (390, 900))
    for box in page.locator("figure .box").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        box.focus()
        scale = "box => box.firstChild.getBoundingClientRect().width / box.firstChild.viewBox.baseVal.width"
        assert box.evaluate(scale) >= 0.65


def test_colors_follow_the_scheme(opened):
    """Texts are light on dark."""
    shade = "getComputedStyle(document.querySelector('svg.chart text')).fill"
    light = opened(gallery().values(), "en", "light", (900, 900)).evaluate(shade)
    dark = opened(gallery().values(), "en", "dark", (900, 900)).evaluate(shade)
    assert light != dark
    assert int(dark.split("(")[1].split(",")[0]) > 128
