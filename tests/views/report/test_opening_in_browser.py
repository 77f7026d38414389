"""The first screen of a report in a real browser: where the answers begin, what unfolds, how it looks."""

import pytest
from looking import faults, shot
from report_runs import samples, scores

import browsing
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run

browsing.playwright()
pytestmark = [*browsing.MARKS, pytest.mark.parametrize("opened", ["file"], indirect=True)]
browser = browsing.browser

METRICS = (
    "accuracy",
    "accuracy[grounded]",
    "correctness",
    "answer_correctness",
    "faithfulness",
    "token_f1",
    "m1",
    "m2",
)
LOOKS = [
    ("en", "light", (1280, 800)),
    ("ja", "dark", (1280, 800)),
    ("ja", "light", (390, 844)),
    ("en", "dark", (390, 844)),
    ("en", "light", (1920, 1080)),
    ("ja", "dark", (1920, 1080)),
]


@pytest.fixture
def many(run):
    """Twelve systems with eight metrics each, of which one declines a third of the questions."""

    def of(sample, number):
        for at, metric in enumerate(METRICS):
            declined = sample.system == "慎重なシステム 2" and number % 3 == 0
            value = (number * 7 + at) % 11 / 11
            yield Scored(sample.id, metric, Score.declined("it does not know") if declined else Score(value))

    names = [f"{('careful', '慎重なシステム')[n % 2]} {n // 2}" for n in range(12)]
    rows = [Sample(f"{name}{n}", f"質問 {n}", "回答", system=name) for name in names for n in range(12)]
    return [read_run(run("many", rows, of))]


@pytest.fixture
def two(run):
    """Two runs of two systems."""
    rows = [*samples(20, system="careful"), *samples(20, system="hasty", start=20)]
    return [read_run(run(name, rows)) for name in ("before", "after")]


def top(page, selector):
    """Pixels from the top of the page."""
    return page.locator(selector).first.evaluate("each => each.getBoundingClientRect().top + scrollY")


def test_the_answers_begin_within_a_screen_and_a_half(opened, run, many):
    """At 1280 × 800, for one run and for twelve systems with eight metrics, none of which is cut at the side."""
    assert top(opened([read_run(run("one", samples(40)))], size=(1280, 800)), "#items") < 800
    for language in ("en", "ja"):
        page = opened(many, size=(1280, 800), language=language)
        assert top(page, "#items") < 1200, language
        box = page.locator(".picture .box").first
        assert box.evaluate("each => each.scrollWidth <= each.clientWidth && each.scrollHeight <= each.clientHeight")
        assert box.locator("tbody tr").count() == 12
        heads, cells = (row.locator("th, td").all() for row in box.locator("tr").all()[:2])
        assert [one.bounding_box()["x"] for one in heads] == [one.bounding_box()["x"] for one in cells]
        assert box.locator("td svg").first.bounding_box()["width"] > 50


def test_what_is_folded_opens_from_the_contents_and_for_printing(opened, two):
    """A chapter from the line of contents, a table within from the list; a printed page has everything."""
    page = opened(two, size=(1280, 800), language="en")
    table = page.get_by_role("heading", name="before → after", include_hidden=True)
    assert table.is_hidden()
    page.locator("nav .line a", has_text="Is the difference real?").click()
    table.wait_for()
    page.reload()
    table.wait_for()
    page.locator("nav .all summary").click()
    spread = page.get_by_role("heading", name="Distributions", include_hidden=True).last
    assert spread.is_hidden()
    page.locator("nav .all a", has_text="Distributions").last.click()
    spread.wait_for()
    page.wait_for_function("Math.abs(document.querySelector(location.hash).getBoundingClientRect().top) < innerHeight")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.fold:not([open])").count() == 0


def test_without_javascript_folds_open_too(opened, two):
    """They are elements of the page, and the lines and the picture need no script."""
    page = opened(two, size=(1280, 800), language="en", javascript=False)
    assert page.locator(".lines tbody tr").first.is_visible()
    assert page.locator(".overview td svg").first.is_visible()
    fold = page.locator("details.chapter-fold").first
    fold.locator("summary").first.click()
    assert fold.locator("section").first.is_visible()


@pytest.mark.parametrize("look", LOOKS)
def test_looks_in_both_languages_and_schemes(opened, many, two, look):
    """Axe finds nothing, with everything open as well; nothing is wider than the screen, and a wide one is used."""
    language, scheme, size = look
    for name, readers in (("many", many), ("two", two)):
        page = opened(readers, scheme, size, language=language)
        shot(page, f"opening-{name}-{language}-{scheme}-{size[0]}")
        assert faults(page) == []
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.locator("main").bounding_box()["width"] > 0.9 * size[0]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_nothing_in_the_lines_is_cut_or_overlaps(opened, many, size):
    """Each figure lies within its table, and cells of a row do not cover each other."""
    page = opened(many, size=size, language="en")
    for row in page.locator(".lines tbody tr").all():
        if not row.is_visible():
            continue
        boxes = [box for cell in row.locator("th, td").all() if (box := cell.bounding_box())]
        for one in boxes:
            assert one["x"] + one["width"] <= size[0]
            for other in boxes:
                apart = one["x"] + one["width"] <= other["x"] + 1 or other["x"] + other["width"] <= one["x"] + 1
                below = one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1
                assert one is other or apart or below
        for cell in row.locator("td").all():
            assert cell.evaluate("each => each.scrollWidth <= each.clientWidth + 1"), cell.inner_text()


def test_scores_behind_the_first_screen_are_unchanged(opened, run):
    """A run with every status shows what is missing by its reason, also to those who do not see the bar."""
    page = opened([read_run(run("r", samples(40), scores))], size=(1280, 800), language="en")
    assert "36 of 40, 4 unreadable" in page.locator(".lines tbody tr").first.inner_text()
