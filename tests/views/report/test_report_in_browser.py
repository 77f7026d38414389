"""The report in a real browser: charts, filter, sort, search, drill-down, keys, languages, schemes, from a file.

Opt-in: runs where Chromium and Playwright are installed and is skipped elsewhere. Screenshots are written to the
folder in SAITEN_SCREENSHOTS, for a person to look at.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from looking import faults, shot
from matrix_page import cell, counted, focused, opened_heading, questions
from report_runs import HOSTILE, samples

import browsing
from saiten.cli import main
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run
from saiten.views.strip_controls import clean

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

BOT = "def answer(question, id, history): return 'Option 1 keeps the first.' if history else 'There are options.'"
LOOKS = [("en", "light", (1400, 1000)), ("ja", "dark", (1400, 1000)), ("ja", "light", (390, 844)), ("en", "dark", (820, 1180))]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Runs of every kind: two over the same answers, one of gist, one of dialogues."""
    folder = tmp_path_factory.mktemp("whole")
    before = Path.cwd()
    os.chdir(folder)
    try:
        rows = [
            {
                "id": f"q{n}", "question": "いつまでに申請しますか。" if n % 2 else "By when?", "system": "ab"[n % 2],
                "answer": "2週間前までに申請します。面談が必要です。" if n % 2 else f"By the {n}th. You need a signature.",
                "reference": "2週間前までに申請します。備考欄に記入します。" if n % 2 else "By the 10th. Photographs are enough.",
                "contexts": ["申請は2週間前まで。" if n % 2 else "They are handed in by the 10th."],
            }
            for n in range(24)
        ]  # fmt: skip
        Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        pairs = [{"id": f"p{n}", "question": f"What does option {n} do?", "reference": f"Option {n} keeps the first.", "group": "ab"[n % 2]} for n in range(4)]  # fmt: skip
        Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs), encoding="utf-8")
        Path("bot.py").write_text(BOT, encoding="utf-8")
        for words in (
            ["score", "rows.jsonl", "-m", "faithfulness", "-m", "token_f1", "-o", "first"],
            ["score", "rows.jsonl", "-m", "faithfulness", "-m", "token_f1", "-o", "second"],
            ["score", "rows.jsonl", "-m", "gist", "-o", "units"],
            ["converse", "pairs.jsonl", "--system", "bot.py:answer", "-o", "talks"],
        ):
            # Playwright has a running loop in this thread.
            with ThreadPoolExecutor(1) as other, pytest.raises(SystemExit, match=r"^0$"):
                other.submit(main, [*words, "--quiet"]).result()
    finally:
        os.chdir(before)
    return [read_run(folder / name) for name in ("first", "second", "units", "talks")]


@pytest.fixture
def plain(run):
    """A run of 60 answers by two systems."""
    return [read_run(run("first", [*samples(30), *samples(30, system="two", start=30)]))]


def unfold(page):
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details.fold').forEach((fold) => { fold.open = true })")


@pytest.mark.witness
def test_the_charts_and_the_matrix_are_drawn(opened, plain):
    """Charts have an area and a name each; the first questions are there, and the number of all."""
    page = opened(plain)
    unfold(page)
    pictures = page.locator("figure svg")
    assert pictures.count() >= 3
    for picture in pictures.all():
        assert picture.bounding_box()["width"] > 100
        assert picture.get_attribute("role") == "img"
    assert questions(page)[:3] == ["q0", "q1", "q2"]
    assert counted(page) == "60 of 60 questions"


def test_filters_narrow_the_rows_and_are_cleared(opened, plain):
    """Ranges of a metric, system, group, status; if nothing matches, the page says so."""
    page = opened(plain)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Metric", exact=True).select_option(label="token_f1")
    page.get_by_label("from", exact=True).fill("0.5")
    assert questions(page) == [f"q{n}" for n in range(50, 60)]
    page.get_by_label("to", exact=True).fill("0.51")
    assert questions(page) == ["q50", "q51"]
    assert page.get_by_text("Filters (3)", exact=True).is_visible()
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_label("System", exact=True).select_option(label="two")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Group", exact=True).select_option(label="south")
    assert questions(page)[:2] == ["q31", "q33"]
    page.get_by_label("Status", exact=True).select_option(label="unreadable")
    assert questions(page) == ["q39", "q49", "q59"]
    page.get_by_label("from", exact=True).fill("5")
    assert page.get_by_text("No question matches.").is_visible()
    page.get_by_role("button", name="Clear filters").click()
    assert counted(page) == "60 of 60 questions"


def test_a_click_on_a_mean_sorts(opened, plain):
    """Figures sort descending, then ascending, then in the original order; missing values are always last."""
    page = opened(plain)
    head = page.locator(".matrix .heads .head").first
    head.get_by_role("button", name="token_f1").click()
    assert questions(page)[:2] == ["q29", "q28"]
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button", name="token_f1").click()
    assert questions(page)[:2] == ["q0", "q1"]
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button", name="token_f1").click()
    assert head.get_attribute("aria-sort") is None
    head.get_by_role("button", name="faithfulness").click()
    page.locator(".matrix").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.locator('.matrix .row[data-at="59"]').wait_for()
    assert set(questions(page)[-33:-30]) == {"q9", "q19", "q29"} or "q9" not in questions(page)


def test_the_search_finds_texts_of_an_answer(opened, plain):
    """It covers question, answer, contexts, statements and reasons; all words must match, in any width or case."""
    page = opened(plain)
    box = page.get_by_label("Search")
    box.fill("ＢＲＩＤＧＥ 41 years")
    page.locator("output", has_text="1 of 60 questions").wait_for()
    assert questions(page) == ["q41"]
    assert page.locator(".matrix .cell mark.found").all_inner_texts() == ["Bridge", "41", "41", "years"]
    box.fill("statement 7. q7")
    page.locator(".matrix .row", has_text="q7").wait_for()
    assert counted(page) == "1 of 60 questions"
    box.fill("nowhere")
    page.locator("output", has_text="0 of 60 questions").wait_for()


def test_a_cell_opens_to_everything_that_is_known(opened, plain):
    """It shows everything from question to raw reply; then come the next one and the way back to the cell."""
    page = opened(plain)
    cell(page, 8).click()
    drawer = page.get_by_role("dialog")
    opened_heading(page, "q8").wait_for()
    assert drawer.get_attribute("aria-labelledby") == "sample-id"
    for text in ("How old is bridge 4?", "Bridge 8 is 8 years old.", "It is 8 years old.", "Statement 8.", "it says so", "2 calls, 300 (200 cached by the server) + 40 tokens, cost 0.0010"):  # fmt: skip
        assert drawer.get_by_text(text, exact=True).or_(drawer.get_by_text(text)).first.is_visible(), text
    assert drawer.locator("li.no .sign").inner_text() == "✗"
    drawer.get_by_role("button", name="Next").click()
    opened_heading(page, "q9").wait_for()
    assert drawer.get_by_text("no JSON").is_visible()
    drawer.get_by_text("Verbatim reply").click()
    assert drawer.get_by_text("I think 9").is_visible()
    page.keyboard.press("Escape")
    drawer.wait_for(state="hidden")
    assert focused(page) == [9, 1]


def test_every_kind_of_run_opens_to_what_it_has(opened, whole):
    """Units in color, transcripts; a chosen run has only that run's metrics."""
    page = opened(whole, language="en")
    runs = page.get_by_label("Run", exact=True)
    runs.select_option(label="units")
    means = page.locator(".matrix .means .name").all_inner_texts()
    assert any(name.startswith("gist") for name in means)
    assert "token_f1" not in means
    cell(page, 1).click()
    drawer = page.get_by_role("dialog")
    drawer.locator("article.gist mark").first.wait_for()
    assert (
        drawer.locator("article.gist .side").first.evaluate("side => side.textContent")
        == "2週間前までに申請します。備考欄に記入します。"
    )
    page.keyboard.press("Escape")
    runs.select_option(label="talks")
    assert "There are options." in cell(page, 0).inner_text() or "keeps the first" in cell(page, 0).inner_text()
    cell(page, 0).click()
    drawer.get_by_text("There are options.").first.wait_for()
    assert drawer.locator(".talk .question").count() >= 1
    assert page.get_by_role("heading", name="first → second", include_hidden=True).count() == 1


def test_texts_from_outside_do_nothing(opened, run):
    """No script in them runs; they are shown, with signs for control characters."""

    def of(sample, number):
        verdicts = [{"number": 1, "verdict": True, "reason": HOSTILE}]
        yield Scored(
            sample.id, "faithfulness", Score(0.5, "ok", HOSTILE, {"statements": [HOSTILE], "verdicts": verdicts})
        )
        yield Scored(sample.id, "token_f1", Score(None, "unreadable", HOSTILE, {"raw": HOSTILE}))

    sample = Sample(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), HOSTILE, (HOSTILE,), (HOSTILE,), HOSTILE, HOSTILE)
    page = opened([read_run(run("first", [sample, Sample("plain", "Q?", "A", system="other")], of))], title="Safe")
    cell(page, 0).click()
    drawer = page.get_by_role("dialog")
    drawer.wait_for()
    for detail in drawer.locator("details").all():
        detail.evaluate("each => { each.open = true }")
    assert page.title() == "Safe · saiten"
    assert page.locator("img").count() == 0
    assert drawer.locator(".said").first.evaluate("each => each.textContent") == clean(HOSTILE)
    assert drawer.locator("pre.raw").evaluate("each => each.textContent") == clean(HOSTILE)
    page.keyboard.press("Escape")
    page.get_by_label("Search").fill("<script>document")
    page.locator("output", has_text="2 of 2 questions").wait_for()
    page.get_by_label("Search").fill("<script>nothing")
    page.get_by_text("No question matches.").wait_for()


def test_a_link_to_a_sample_opens_it(opened, plain):
    """The link works as long as the page is the same."""
    page = opened(plain)
    cell(page, 4).click()
    opened_heading(page, "q4").wait_for()
    assert page.url.endswith("#item-4")
    page.reload()
    page.get_by_role("dialog").get_by_role("heading", name="q4", exact=True).wait_for()


def test_back_closes_an_answer_and_an_address_opens_one(opened, plain):
    """It works as expected of a page: a pasted link opens, and Back returns without leaving the report."""
    page = opened(plain)
    drawer = page.get_by_role("dialog")
    start = page.url
    cell(page, 2).click()
    drawer.get_by_role("heading", name="q2", exact=True).wait_for()
    page.keyboard.press("ArrowRight")
    drawer.get_by_role("heading", name="q3", exact=True).wait_for()
    page.go_back()
    drawer.wait_for(state="hidden")
    assert page.url == start
    page.evaluate("location.hash = '#item-7'")
    drawer.get_by_role("heading", name="q7", exact=True).wait_for()
    page.evaluate("location.hash = '#item-8'")
    drawer.get_by_role("heading", name="q8", exact=True).wait_for()
    page.keyboard.press("Escape")
    drawer.wait_for(state="hidden")
    page.wait_for_url("**#answers")  # set after the drawer is gone
    page.evaluate("location.hash = '#item-99999999'")
    assert drawer.is_hidden()


@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_a_chart_is_whole_in_sight_on_a_narrow_screen(opened, plain):
    """Once touched, it is large."""
    page = opened(plain, "light", (360, 800))
    unfold(page)
    chart = page.locator("figure .box").first
    assert chart.locator("svg").bounding_box()["width"] <= 360
    chart.focus()
    assert chart.locator("svg").bounding_box()["width"] > 500


def test_without_javascript_tables_and_charts_are_there(opened, plain):
    """The page says what needs JavaScript."""
    page = opened(plain, javascript=False)
    assert page.locator("table").count() >= 4
    assert page.locator("figure svg").count() >= 3
    assert page.get_by_text("The list of individual answers needs JavaScript").is_visible()


def test_printed_it_is_the_summary_alone(opened, plain):
    """The list and the drawer are not printed."""
    page = opened(plain)
    page.emulate_media(media="print")
    assert page.locator(".matrix").is_hidden()
    assert page.get_by_role("heading", name="Distributions").is_visible()


@pytest.mark.parametrize(("language", "scheme", "size"), LOOKS)
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_looks_in_both_languages_and_schemes(opened, whole, language, scheme, size):
    """Axe finds nothing serious, nothing is wider than the screen; screenshots are kept on request."""
    page = opened(whole, scheme, size, language=language)
    name = f"report-{language}-{scheme}-{size[0]}"
    shot(page, name)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(ground.split("(")[1].split(",")[0]) < 128) is (scheme == "dark")
    for run, number in (("first", 1), ("units", 1), ("talks", 0)):
        page.locator(".shaping").evaluate("details => { details.open = true }")
        page.locator(".shaping select").first.select_option(label=run)
        cell(page, number).click()
        page.get_by_role("dialog").wait_for()
        shot(page, f"{name}-{run}")
        assert faults(page) == [], run
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
