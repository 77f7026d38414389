"""The page in a real browser: no error, no request, sorting, filtering, both color schemes, both languages.

Opt-in: runs where Chromium and Playwright are installed (see docs/output-formats.md) and is skipped elsewhere.
"""

from dataclasses import replace

import pytest

import browsing
from saiten.views.page.page import as_html
from saiten.views.table import Interval, Table

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

HOSTILE = '"><img src=http://127.0.0.1:9/x onerror="document.title=1"><script>document.title=2</script>'
SCORES = Table(
    "Scores by metric",
    ("metric", "Pearson", "95 % from", "to", "n", "remarks"),
    (
        ("answer_correctness", 0.71, 0.61, 0.79, 192, "3 undefined"),
        ("rouge_l", 0.12, -0.04, 0.26, 192, ""),
        ("faithfulness", None, None, None, 0, "constant values"),
        ("length", -0.051, -0.2, 0.11, 192, HOSTILE),
    ),
    "95 % interval: bootstrap over questions.",
    (Interval("Pearson", "95 % from", "to"),),
)
ANSWERS = Table(
    "回答の一覧",
    ("id", "answer", "score"),
    tuple((f"q{n}", f"この橋は{1990 + n}年に開通しました。" * (1 if n % 5 else 40), n / 40 if n % 7 else None) for n in range(40)),
)  # fmt: skip
MADE = Table("How the figures were made", ("signature",), (("length|version:0.1.0",),))


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(tables, …)`: the page; at teardown there was no error and no other request."""
    with browsing.watched(browser, tmp_path) as open_page:

        def opened(tables, scheme="light", size=(1200, 900), *, javascript=True, **settings):
            (tmp_path / "page.html").write_text(as_html(tables, **settings), encoding="utf-8")
            return open_page(scheme, size, javascript=javascript)

        yield opened


def column(page, number, table=0):
    """The texts of a column's visible cells."""
    rows = page.locator("table").nth(table).locator("tbody tr:not(.below):visible")
    return [row.locator("th, td").nth(number).inner_text() for row in rows.all()]


def test_a_click_on_a_head_sorts(opened):
    """Figures sort descending first, names ascending, then reversed, then the original order; missing values last."""
    page = opened([SCORES, ANSWERS])
    before = column(page, 0)
    button = page.get_by_role("button", name="Pearson")
    button.click()
    assert column(page, 1) == ["0.710", "0.120", "-0.051", "–"]
    assert page.locator("th[aria-sort=descending]").count() == 1
    button.click()
    assert column(page, 1) == ["-0.051", "0.120", "0.710", "–"]
    button.press("Enter")
    assert column(page, 0) == before
    page.get_by_role("button", name="metric").click()
    assert column(page, 0) == sorted(before)
    page.get_by_role("button", name="id").click()
    assert column(page, 0, table=1) == [f"q{n}" for n in range(40)], "q2 comes before q10"


def test_remarks_stay_below_their_rows(opened):
    """However rows are sorted and filtered, remarks are as wide as the table, and visible where it scrolls."""
    wide = Table("t", ("id", "value", *(f"c{n}" for n in range(30)), "remarks"), tuple((f"q{n}", n, *range(30), f"remark{n}" if n % 2 else "") for n in range(20)))  # fmt: skip
    page = opened([wide], size=(600, 900))
    page.get_by_role("button", name="value").click()
    texts = [row.inner_text().split("\t")[0].strip() for row in page.locator("tbody tr").all()]
    assert texts[:5] == ["q19", "remark19", "q18", "q17", "remark17"]
    page.locator(".box").evaluate("box => box.scrollTo(700, 0)")
    box, said = page.locator(".box").bounding_box(), page.get_by_text("remark19").bounding_box()
    assert box["x"] <= said["x"] <= said["x"] + said["width"] <= box["x"] + box["width"]
    page.get_by_label("Filter rows").fill("remark17")
    assert column(page, 0) == ["q17"]
    assert page.locator("tbody tr").count() == 2


def test_a_folded_table_opens_for_whoever_goes_to_it(opened):
    """By a click, from the contents, by its address, and for printing, after which it returns to its former state."""
    page = opened([SCORES, replace(ANSWERS, folded=True)])
    rows = page.locator("#table-2 ~ * , details.fold tbody tr").last
    assert rows.is_hidden()
    page.locator("nav a").nth(1).click()
    rows.wait_for()
    page.locator("details.fold summary").first.click()
    assert rows.is_hidden()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows.is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert rows.is_hidden()
    page.reload()
    rows.wait_for()


def test_a_box_filters_the_rows_of_a_long_table(opened):
    """All words must match, anywhere, full width or half; the count is shown; a short table has no box."""
    page = opened([SCORES, ANSWERS])
    assert page.get_by_label("Filter rows").count() == 1
    page.get_by_label("Filter rows").fill("１９９５ 開通")
    assert column(page, 0, table=1) == ["q5"]
    assert page.get_by_text("1 of 40 rows").is_visible()
    page.get_by_label("Filter rows").fill("")
    assert page.get_by_text("40 of 40 rows").is_visible()


def test_texts_from_outside_do_nothing(opened):
    """No script in them runs, and they are shown unchanged."""
    page = opened([SCORES])
    assert page.title() == "Scores by metric · saiten"
    assert page.get_by_text(HOSTILE).is_visible()
    assert page.locator("img").count() == 0


def test_the_page_is_complete_without_its_script(opened):
    """Every row and picture is there, and a long cell unfolds."""
    page = opened([SCORES, ANSWERS], javascript=False)
    assert len(column(page, 0)) == 4
    assert len(column(page, 0, table=1)) == 40
    assert page.locator("button").count() == 0
    long = page.locator("td.long").first
    folded = long.bounding_box()["height"]
    long.locator("summary").click()
    assert long.bounding_box()["height"] > folded


def test_a_wide_table_scrolls_within_its_box(opened):
    """The page itself never scrolls sideways; head and first column stay in sight."""
    wide = Table("Wide", ("name", *(f"c{n}" for n in range(30))), tuple((f"row {n}", *range(30)) for n in range(60)))
    page = opened([wide, Table("Unbroken", ("a",), (("x" * 900,),))], size=(390, 800))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".box").first.evaluate("box => box.scrollTo(500, 900)")
    box = page.locator(".box").first.bounding_box()
    head, first = page.locator("thead th").nth(12).bounding_box(), page.locator("tbody th").nth(30).bounding_box()
    assert abs(head["y"] - box["y"]) < 3
    assert abs(first["x"] - box["x"]) < 3


def test_ten_thousand_rows_open_sort_and_filter(opened):
    """Rows are laid out while scrolling; sorting and the box reach all of them."""
    rows = tuple((f"q{n}", f"質問 {n}", n * 37 % 10_007 / 7, n % 2 == 0) for n in range(10_000))
    page = opened([Table("Long", ("id", "question", "value", "ok"), rows)])
    page.get_by_role("button", name="value").click()
    values = "[...document.querySelectorAll('tbody tr')].map(row => Number(row.cells[2].dataset.v))"
    highest = sorted((row[2] for row in rows), reverse=True)
    first = page.evaluate(values)
    assert 100 < len(first) < 1_000
    assert first == highest[: len(first)]
    page.locator(".box").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.locator("tbody tr").nth(len(first)).wait_for(state="attached")  # the page forbids itself a polling `eval`
    page.get_by_label("Filter rows").fill("q9999")
    assert column(page, 0) == ["q9999"]
    page.get_by_label("Filter rows").fill("")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(values) == highest, "all are printed"


@pytest.mark.parametrize(("language", "scheme", "size"), [("en", "light", (1200, 1000)), ("ja", "dark", (1400, 1000)), ("ja", "light", (390, 900))])  # fmt: skip
def test_screenshots_are_kept(opened, tmp_path, language, scheme, size):
    """In both languages and schemes, wide and narrow; the scheme is the requested one."""
    title = {"en": "What the metrics are worth", "ja": "指標はどこまで信頼できるか"}[language]
    page = opened([SCORES, ANSWERS, MADE], scheme=scheme, size=size, language=language, title=title)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(ground.split("(")[1].split(",")[0]) < 128) is (scheme == "dark")
    shot = tmp_path / f"page-{language}-{scheme}-{size[0]}.png"
    page.screenshot(path=shot)
    assert shot.stat().st_size > 10_000
