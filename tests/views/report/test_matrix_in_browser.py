"""The matrix of questions and systems in a real browser: keys, addresses, patterns, thousands of rows, narrow screens."""

import pytest
from looking import faults, shot
from matrix_page import cell, cells, counted, focused, heads, questions
from report_runs import HOSTILE

import browsing
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run

browsing.playwright()
pytestmark = [*browsing.MARKS, pytest.mark.parametrize("opened", ["file"], indirect=True)]
browser = browsing.browser

LOOKS = [("en", "light", (1920, 1080)), ("ja", "dark", (1280, 900)), ("ja", "light", (390, 844)), ("en", "dark", (390, 844))]  # fmt: skip


def rows(n, systems=("careful", "hasty", "refine")):
    """Samples of `n` questions by each system, the systems one after the other."""
    for system in systems:
        for number in range(n):
            answer = f"{system} says {number}. " + "窓口は 17 時まで。" * (number % 5)
            yield Sample(f"q{number}@{system}", f"Question {number}: by when?", answer, ("Until 17.",), "17.", system=system, group=f"g{number % 3}", language="en")  # fmt: skip


def scored(sample, number):
    """Two metrics; some declined."""
    if number % 11 == 3:
        yield Scored(sample.id, "faithfulness", Score(None, "declined", "it only says that it does not know"))
    else:
        reason = f"{number % 4} of 4 statements are supported"
        yield Scored(sample.id, "faithfulness", Score(number % 5 / 4, "ok", reason))
    yield Scored(sample.id, "token_f1", Score(number % 101 / 100))


@pytest.fixture
def three(run):
    """40 questions by three systems."""
    return [read_run(run("first", rows(40), scored))]


def settled(page, count):
    """Wait for the number of questions found."""
    page.locator("output", has_text=f"{count} of ").wait_for()


def test_a_cell_has_the_beginning_the_scores_and_why_one_is_low(opened, three):
    """Figures are those of the run; a missing value is its status; a disc or a ring says good or bad without color."""
    page = opened(three, size=(1920, 1080))
    assert heads(page) == ["careful", "hasty", "refine"]
    first, third = cell(page, 0), cell(page, 3)
    assert "careful says 0." in first.inner_text()
    assert first.locator(".mark").all_text_contents() == ["faithfulness 0.000", "token f1 0.000"]
    assert first.locator(".reason").text_content() == "faithfulness0 of 4 statements are supported"
    assert third.locator(".mark").first.text_content() == "faithfulness declined"
    assert third.locator(".reason").text_content() == "faithfulnessit only says that it does not know"
    sign = "mark => getComputedStyle(mark.querySelector('.figure'), '::before').content"
    assert "○" in first.locator(".mark").first.evaluate(sign)
    assert "●" in cell(page, 4).locator(".mark").first.evaluate(sign)
    assert cell(page, 4).locator(".reason").count() == 0
    page.get_by_text("Scores (2/2)").click()
    page.get_by_label("faithfulness", exact=True).uncheck()
    assert first.locator(".mark").all_text_contents() == ["token f1 0.000"]


def test_the_grid_is_moved_through_with_the_keyboard_alone(opened, three):
    """One Tab stop; arrows in both directions, pages, ends; Enter opens, Escape returns; heads sort."""
    page = opened(three)
    cell(page, 0, 0).focus()
    for key, place in (
        ("ArrowRight", [0, 1]), ("ArrowDown", [1, 1]), ("End", [1, 3]), ("ArrowRight", [1, 3]), ("Home", [1, 0]),
        ("Control+End", [39, 3]), ("ArrowDown", [39, 3]), ("ArrowUp", [38, 3]), ("Control+Home", [0, 0]), ("ArrowLeft", [0, 0]),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert focused(page) == place, key
        assert page.locator(".matrix [tabindex='0']").count() == 1
    page.keyboard.press("PageDown")
    row, place = focused(page)
    assert row > 2
    assert place == 0
    page.keyboard.press("PageUp")
    assert focused(page) == [0, 0]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert focused(page) == [-1, 1]
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator(".heads .head").first.get_attribute("aria-sort") == "descending"
    cell(page, 2, 2).focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").locator(".column").nth(2).wait_for()
    assert page.get_by_role("dialog").locator("header.is-chosen h3").inner_text() == "hasty"
    page.keyboard.press("Shift+ArrowRight")
    page.locator("header.is-chosen h3", has_text="refine").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator("dialog .place", has_text="4 of 40").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert focused(page) == [3, 3]


def test_a_screen_reader_knows_where_it_is(opened, three):
    """Numbers of rows and columns, of all that there are; a row keeps its number wherever it is drawn."""
    page = opened(three)
    grid = page.get_by_role("grid")
    assert grid.get_attribute("aria-rowcount") == "41"
    assert grid.get_attribute("aria-colcount") == "4"
    assert grid.get_by_role("columnheader").count() == 4
    page.locator(".matrix").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.locator('.matrix .row[data-at="39"]').wait_for()
    last = page.locator('.matrix .row[data-at="39"]')
    assert last.get_attribute("aria-rowindex") == "41"
    assert [each.get_attribute("aria-colindex") for each in last.locator("[role]").all()] == ["1", "2", "3", "4"]
    assert last.get_by_role("rowheader").count() == 1


def test_keys_lead_to_the_search_and_to_the_list_of_keys(opened, three):
    """But not while a person types."""
    page = opened(three)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("says 1?/")
    assert page.get_by_label("Search").input_value() == "says 1?/"
    page.get_by_role("button", name="Keys (?)").focus()
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    assert page.get_by_text("previous or next system").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Keys").wait_for(state="hidden")


def test_an_address_keeps_the_view_and_back_undoes_it(opened, three):
    """Filters, order and columns are in it; letters typed in one field are one step; an opened answer is on top."""
    page = opened(three)
    start = page.url
    page.get_by_role("button", name="Declined").click()
    declined = questions(page)
    assert declined
    page.get_by_label("Order", exact=True).select_option("token_f1 of hasty: highest first")
    ordered = questions(page)
    assert sorted(ordered) == sorted(declined) != ordered
    page.get_by_label("Search").type("question 3")
    page.wait_for_url("**q=question+3*")
    found = questions(page)
    shared = page.url
    page.go_back()
    page.wait_for_function("() => !location.hash.includes('q=')")
    page.locator("output", has_text=f"{len(ordered)} of 40").wait_for()
    assert questions(page) == ordered
    page.go_back()
    page.go_back()
    page.locator("output", has_text="40 of 40").wait_for()
    assert page.url == start
    page.goto("about:blank")
    page.goto(shared)
    page.locator("#browser[data-ready]").wait_for(state="attached")
    assert questions(page) == found
    assert page.get_by_label("Search").input_value() == "question 3"
    cell(page, 0).click()
    page.get_by_role("dialog").wait_for()
    assert "#item-" in page.url
    assert "q=question+3" in page.url
    page.reload()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert questions(page) == found


def test_links_to_other_parts_of_the_page_leave_the_view_alone(opened, three):
    """The table of contents moves the page; Back to such a link closes an opened answer."""
    page = opened(three)
    page.get_by_role("button", name="Declined").click()
    found = questions(page)
    page.evaluate("location.hash = '#items'")
    page.evaluate("location.hash = '#contents'")
    cell(page, 0).click()
    page.get_by_role("dialog").wait_for()
    page.go_back()
    page.get_by_role("dialog").wait_for(state="hidden")
    assert page.url.endswith("#contents")
    assert questions(page) == found


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"^careful says \d\.", 10),
        (r"QUESTION [12]: |hasty says 1[0-9]\.", 12),
        (r"窓口.{1,4}(１７|18) 時", 32),
        (r"(a+)+$", 0),
        (r"(.*)*(.*)*x{3}", 0),
    ],
)
def test_patterns_are_searched_for(opened, three, pattern, found):
    """In any case and width, by lines; patterns that would take other engines forever do not stop the page."""
    page = opened(three)
    page.get_by_label("regular expression").check()
    page.get_by_label("Search").fill(pattern)
    settled(page, found)
    assert len(questions(page)) <= found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("(", "Unterminated group"), ("[a", "Unterminated"), (r"(a)\1", "backreferences"), ("(?=a)b", "lookaround"), ("(a{99}){99}", "too large")],
)  # fmt: skip
def test_a_wrong_pattern_is_reported_next_to_its_field(opened, three, pattern, why):
    """The rows stay; a right one clears the report."""
    page = opened(three)
    page.get_by_label("regular expression").check()
    page.get_by_label("Search").fill(pattern)
    page.get_by_role("alert").get_by_text(why).wait_for()
    assert page.get_by_label("Search").get_attribute("aria-invalid") == "true"
    assert counted(page) == "40 of 40 questions"
    page.get_by_label("Search").fill("question 39")
    settled(page, 1)
    assert page.get_by_role("alert").inner_text() == "", "nothing is wrong any more"


def test_what_was_found_is_marked_as_it_was_written(opened, run):
    """Full width and combined signs, too; texts from outside stay texts."""
    texts = [f"料金は１２００円です。{HOSTILE}", "ﾊﾞｽは無料。", "ordinary"]
    page = opened([read_run(run("first", [Sample(f"q{n}", f"Q{n}?", text) for n, text in enumerate(texts)]))], language="en")  # fmt: skip
    search = page.get_by_label("Search")
    for wanted, marked in (("1200", "１２００"), ("バス", "ﾊﾞｽ"), ("<img", "<img")):
        search.fill(wanted)
        settled(page, 1)
        assert page.locator(".matrix .cell mark.found").all_inner_texts() == [marked]
    assert page.locator("img").count() == 0


def test_of_thousands_of_rows_few_are_in_the_page(opened, run):
    """Wherever it is scrolled to, the right questions are there, with the right answers beside them."""
    page = opened([read_run(run("big", rows(5000, ("a", "b", "c", "d"))))], limit=20_000)
    assert counted(page) == "5000 of 5000 questions"
    box = page.locator(".matrix")
    height = box.evaluate("box => box.querySelector('.row').offsetHeight")
    for at in (0, 17, 1234, 2500, 4990, 4999, 333):
        box.evaluate("(box, top) => box.scrollTo(0, top)", at * height)
        page.locator(f'.matrix .row[data-at="{at}"]:not(.pending)').wait_for()
        assert f"b says {at}." in cells(page, at)[1]
        assert page.locator(f'.matrix .row[data-at="{at}"] .asked .begins').inner_text() == f"Question {at}: by when?"
        assert page.locator(".matrix .row").count() < 40
    page.get_by_label("Rows", exact=True).select_option("compact")
    assert page.locator(".matrix .row").first.evaluate("row => row.offsetHeight") < height
    page.get_by_label("Search").fill("d says 4321.")
    settled(page, 1)
    assert questions(page) == ["q4321"]


def test_heights_widths_and_languages_fit(opened, three):
    """At 1920 px all columns are in sight, at 1280 px three; rows have one height in every step."""
    page = opened(three, size=(1920, 1080))
    for size in (1920, 1280):
        page.set_viewport_size({"width": size, "height": 1000})
        box = page.locator(".matrix").bounding_box()
        third = cell(page, 0, 3).bounding_box()
        assert third["x"] + third["width"] <= box["x"] + box["width"] + 1
        assert third["width"] > 150
    heights = []
    for step in ("compact", "normal", "tall"):
        page.get_by_label("Rows", exact=True).select_option(step)
        found = set(page.locator(".matrix .row").evaluate_all("rows => rows.map(row => row.offsetHeight)"))
        assert len(found) == 1
        heights += found
    assert heights == sorted(heights)
    assert len(set(heights)) == 3


def test_a_narrow_screen_shows_one_system_at_a_time(opened, three):
    """The question is above the answer; a menu and a button lead to the next system."""
    page = opened(three, size=(390, 844))
    assert heads(page) == ["careful"]
    question, answer = cell(page, 0, 0).bounding_box(), cell(page, 0).bounding_box()
    assert question["y"] + question["height"] <= answer["y"] + 1
    page.get_by_role("button", name="Next system").click()
    assert heads(page) == ["hasty"]
    assert "hasty says 0." in cell(page, 0).inner_text()
    page.get_by_label("Shown", exact=True).select_option(label=page.locator(".single option").nth(2).inner_text())
    assert heads(page) == ["refine"]
    cell(page, 1).click()
    page.get_by_role("dialog").locator("header.is-chosen h3", has_text="refine").wait_for()


@pytest.mark.parametrize("look", LOOKS)
def test_looks_at_all_widths(opened, three, look):
    """Axe finds nothing serious, nothing is wider than the screen; screenshots are kept on request."""
    language, scheme, size = look
    page = opened(three, scheme, size, language=language)
    name = f"matrix-{language}-{scheme}-{size[0]}"
    page.locator(".matrix").scroll_into_view_if_needed()
    shot(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert faults(page) == []
    page.locator(".shaping").evaluate("details => { details.open = true }")
    for panel in page.locator(".popover:visible > summary").all():
        panel.click()
        assert faults(page) == []
        page.keyboard.press("Escape")
    page.locator(".shaping button").last.click()
    assert faults(page) == []
