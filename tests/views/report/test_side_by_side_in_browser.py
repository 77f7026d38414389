"""Answers side by side in a real browser: columns of the matrix, differences, orders, keys."""

import pytest
from looking import faults, shot
from matrix_page import cell, cells, counted, focused, heads, opened_heading, questions
from report_runs import HOSTILE, samples, scores

import browsing
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run
from saiten.views.strip_controls import clean

browsing.playwright()
pytestmark = [*browsing.MARKS, pytest.mark.parametrize("opened", ["file"], indirect=True)]
browser = browsing.browser

LOOKS = [("en", "light", (1400, 1000)), ("ja", "dark", (1400, 1000)), ("ja", "light", (400, 844)), ("en", "dark", (400, 844))]  # fmt: skip
JUDGED = [
    ("Statement one stands in the first passage.", True, "The passage says so in its second sentence."),
    ("The fee is 300 yen.", False, "The passage names another fee."),
]


@pytest.fixture
def two(run):
    """Two runs with the same IDs: five questions have different answers with different scores; the rest is the same."""

    def better(sample, number):
        yield Scored(sample.id, "token_f1", Score(number / 100 + (0.05 * number if number < 5 else 0)))
        if number == 7:
            yield Scored(sample.id, "faithfulness", Score(None, "undefined", "no statements"))
        else:
            yield from (one for one in scores(sample, number) if one.metric == "faithfulness")

    changed = [
        Sample(s.id, s.question, f"After: {s.answer}", s.contexts, s.reference, group=s.group, language="en")
        for s in samples(30, system=None)
    ]
    return [read_run(run("before", samples(30, system=None))), read_run(run("after", changed, better))]


@pytest.fixture
def systems(run):
    """One run as an experiment leaves it: three systems with IDs QUESTION-ID@SYSTEM."""
    rows = [
        Sample(
            f"q{n}@{system}", f"窓口は何時までですか（{n}）。", f"{system} の回答：{n + 8} 時までです。" * (3 if system == "並列" else 1),
            ("窓口は 17 時まで。", "土曜は休み。"), "17 時までです。", system=system, language="ja",
        )
        for system in ("直列", "並列", "<b>素</b>")
        for n in range(8)
    ]  # fmt: skip

    def of(sample, number):
        statements, verdicts, reasons = zip(*JUDGED, strict=True)
        judged = [{"number": n + 1, "verdict": v, "reason": r} for n, (v, r) in enumerate(zip(verdicts, reasons, strict=True))]  # fmt: skip
        yield Scored(sample.id, "faithfulness", Score(number % 7 / 6, "ok", "根拠の割合", {"statements": list(statements), "verdicts": judged}))  # fmt: skip
        yield Scored(sample.id, "perplexity", Score(10.0 + number))

    return read_run(run("systems", rows, of))


def columns(page):
    """The heads of the columns side by side."""
    return page.locator(".column > header h3").all_inner_texts()


def test_an_answer_of_two_runs_opens_side_by_side_with_the_other_one(opened, two):
    """Both answers, scores with the difference from the chosen one, verdicts and reasons; they start on one line."""
    page = opened(two)
    cell(page, 3).click()
    page.locator(".column").nth(1).wait_for()
    assert columns(page) == ["before", "after"]
    one, other = page.locator(".column").all()
    assert one.get_by_text("Bridge 3 is 3 years old.", exact=True).is_visible()
    assert other.get_by_text("After: Bridge 3 is 3 years old.", exact=True).is_visible()
    assert [each.inner_text() for each in other.locator(".apart").all()] == ["±0", "+0.150 better"]
    assert one.locator(".apart").count() == 0
    assert [each.locator("li.no").count() for each in (one, other)] == [1, 1]
    assert other.get_by_text("Contexts (2): same as for the chosen answer").is_visible()
    boxes = [each.bounding_box() for each in (one, other)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    for part in ("header", ".score >> nth=0", ".score >> nth=1"):
        assert one.locator(part).first.bounding_box()["y"] == other.locator(part).first.bounding_box()["y"], part


def test_on_a_narrow_screen_they_are_stacked(opened, two):
    """One is below the other, as wide as the screen."""
    page = opened(two, size=(400, 800))
    cell(page, 3).click()
    page.locator(".column").nth(1).wait_for()
    above, below = (each.bounding_box() for each in page.locator(".column").all())
    assert above["x"] == below["x"]
    assert above["y"] + above["height"] <= below["y"]
    assert below["x"] + below["width"] <= 400


def test_the_largest_differences_are_found(opened, two):
    """By size, then with the sign against a baseline; only those that differ, by how much, where a run is better."""
    page = opened(two)
    page.get_by_text("Differences", exact=True).click()
    page.get_by_label("Difference in").select_option(label="token_f1")
    page.get_by_label("Order", exact=True).select_option("largest difference first")
    assert questions(page)[:4] == ["q4", "q3", "q2", "q1"]
    page.get_by_role("button", name="Differ 4").click()
    assert counted(page) == "4 of 30 questions"
    page.get_by_text("Differences (1)", exact=True).click()
    page.get_by_label("at least").fill("0.12")
    page.locator("output", has_text="2 of 30").wait_for()
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_label("Compared with").select_option(label="before")
    page.get_by_text("Differences", exact=True).click()
    page.get_by_label("Difference in").select_option(label="token_f1")
    page.get_by_label("Order", exact=True).select_option("furthest above the baseline first")
    assert questions(page)[:2] == ["q4", "q3"]
    page.locator(".popover[open] select").nth(2).select_option(label="where it is better")
    assert sorted(questions(page)) == ["q1", "q2", "q3", "q4"]
    page.locator(".popover[open] select").nth(2).select_option(label="where it is worse")
    assert questions(page) == []
    page.get_by_role("button", name="Clear filters").click()
    assert counted(page) == "30 of 30 questions"
    page.get_by_text("Differences", exact=True).click()
    page.get_by_label("Difference in").select_option(label="faithfulness")
    page.get_by_role("button", name="Differ 1").click()
    assert questions(page) == ["q7"], "measured in one run and not in the other"


def test_cells_have_the_difference_from_the_baseline(opened, two):
    """With its direction as a word for the eye and a sign; the baseline has none; the other value stays as it is."""
    page = opened(two)
    assert page.locator(".matrix .apart").count() == 0
    page.get_by_label("Compared with").select_option(label="before")
    first, second = cell(page, 3), cell(page, 3, 2)
    assert first.locator(".apart").count() == 0
    assert second.locator(".apart").all_inner_texts() == ["±0", "+0.150"]
    assert second.locator(".apart.better").count() == 1
    assert page.locator(".heads .head").first.get_by_text("baseline").is_visible()


def test_the_systems_of_a_run_are_compared_with_each_other(opened, systems):
    """All answers to one question are compared with a chosen one; the metric's direction is shown."""
    page = opened([systems], language="en")
    assert heads(page) == ["直列", "並列", "<b>素</b>"]
    cell(page, 0).click()
    page.locator(".column").nth(2).wait_for()
    assert columns(page) == ["直列", "並列", "<b>素</b>"]
    assert page.locator(".column").nth(1).locator(".apart").all_inner_texts() == ["+0.167 better", "+8.000 worse"]
    page.keyboard.press("Escape")
    page.get_by_label("Compared with").select_option(label="並列")
    assert cell(page, 0, 3).locator(".apart.worse").first.is_visible()


def test_columns_are_chosen_and_moved(opened, systems):
    """The chosen ones are shown in the chosen order, in the matrix and in an opened answer; the address keeps them."""
    page = opened([systems], language="en")
    page.get_by_text("Columns (3/3)").click()
    page.get_by_role("button", name="Move 並列 forward").click()
    assert heads(page) == ["並列", "直列", "<b>素</b>"]
    page.get_by_label("<b>素</b>", exact=True).uncheck()
    assert heads(page) == ["並列", "直列"]
    page.reload()
    page.locator("#browser[data-ready]").wait_for(state="attached")
    assert heads(page) == ["並列", "直列"]
    cell(page, 0).click()
    page.locator(".column").nth(1).wait_for()
    assert columns(page) == ["並列", "直列"]


def test_a_mean_is_over_the_questions_shown(opened, two):
    """It is that of the run's figures for all, and says how many are measured; filtered it says so."""
    page = opened(two)
    head = page.locator(".heads .head").nth(1)
    values = [float(number / 100 + (0.05 * number if number < 5 else 0)) for number in range(30)]
    assert head.get_by_role("button", name="token_f1").locator(".figure").inner_text() == f"{sum(values) / 30:.3f}"
    assert head.get_by_role("button", name="faithfulness").locator(".n").inner_text() == "n 26 of 30"
    assert page.get_by_text("means over all 30 questions").is_visible()
    page.get_by_label("Search").fill("bridge 2?")
    page.get_by_text("filtered: means over 4 of 30 questions").wait_for()
    shown = [values[int(name[1:])] for name in questions(page)]
    assert (
        head.get_by_role("button", name="token_f1").locator(".figure").inner_text() == f"{sum(shown) / len(shown):.3f}"
    )


def test_a_system_without_an_answer_has_a_dash(opened, run):
    """The row is there for the others."""
    rows = [Sample(f"q{n}", f"Q{n}?", "A", system=system) for n, system in ((0, "a"), (1, "a"))]
    page = opened([read_run(run("first", [*rows, Sample("q0b", "Q0?", "B", system="b")]))], language="en")
    assert heads(page) == ["a", "b"]
    assert cells(page, 1)[1] == "–"
    page.locator('.matrix .row[data-at="1"] [data-place="2"]').click()
    opened_heading(page, "q1").wait_for()


def test_another_column_is_chosen_with_the_keyboard(opened, two):
    """Its answer comes first, the differences are reversed, and the matrix follows; Escape returns to its cell."""
    page = opened(two)
    cell(page, 4).press("Enter")
    page.locator(".column").nth(1).wait_for()
    page.get_by_role("button", name="Choose this one").press("Enter")
    page.locator(".column header.is-chosen h3", has_text="after").wait_for()
    assert columns(page) == ["after", "before"]
    assert page.locator(".column .apart").all_inner_texts() == ["±0", "−0.200 worse"]
    assert page.url.endswith("#item-34")
    assert page.evaluate("document.activeElement.id") == "sample-id"
    page.keyboard.press("ArrowRight")
    opened_heading(page, "q5").wait_for()
    page.keyboard.press("Shift+ArrowLeft")
    page.locator(".column header.is-chosen h3", has_text="before").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert focused(page) == [5, 1]


def test_one_that_the_filters_left_out_can_be_opened_too(opened, two):
    """A link to it shows it; the matrix stays as it is."""
    page = opened(two)
    page.get_by_label("Run", exact=True).select_option(label="before")
    assert heads(page) == ["before"]
    page.evaluate("location.hash = location.hash.replace('#answers', '#item-32')")
    opened_heading(page, "q2").wait_for()
    page.locator(".column header.is-chosen h3", has_text="after").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert heads(page) == ["before"]


def test_names_from_outside_do_nothing_there(opened, run):
    """IDs, systems, runs and texts are all shown as text."""
    rows = [Sample(f"{HOSTILE}{n}", "Q?", HOSTILE, (HOSTILE,), f"{HOSTILE}{n}", system=f"{HOSTILE}{n}") for n in range(2)]  # fmt: skip
    page = opened([read_run(run("first", rows))], title="Safe", language="en")
    cell(page, 0).click()
    page.locator(".column").nth(1).wait_for()
    shown = f"{clean(HOSTILE)}1"
    assert page.locator(".column > header h3").nth(1).evaluate("each => each.textContent") in {
        shown,
        f"{shown} · {shown}",
    }
    assert page.title() == "Safe · saiten"
    assert page.locator("img").count() == 0


def test_many_answers_to_one_question_stay_few_columns(opened, run):
    """Twelve columns are shown, and the number of the others."""
    rows = [Sample(f"q@{n}", "Q?", f"A{n}", system=f"system {n}") for n in range(30)]
    page = opened([read_run(run("first", rows))], language="en")
    cell(page, 0).click()
    page.locator(".column").nth(11).wait_for()
    assert page.locator(".column").count() == 12
    assert page.get_by_text("18 more answers to this question are in other columns.").is_visible()


def test_without_pairs_there_is_nothing_to_compare(opened, run):
    """A run without systems has neither the controls nor columns, and one wide column in the matrix."""
    page = opened([read_run(run("first", samples(4, system=None)))])
    assert page.get_by_text("Differences", exact=True).is_hidden()
    assert page.get_by_label("Compared with").is_hidden()
    assert heads(page) == ["Answer"]
    page.get_by_label("reference", exact=True).check()
    assert cells(page, 1)[0] == "It is 1 years old."
    cell(page, 0, 2).click()
    page.get_by_role("dialog").wait_for()
    assert page.locator(".column").count() == 0


@pytest.mark.parametrize("look", LOOKS)
def test_looks_in_both_languages_and_schemes(opened, two, systems, look):
    """Axe finds nothing serious, nothing is wider than the screen; screenshots are kept on request."""
    language, scheme, size = look
    page = opened([*two, systems], scheme, size, language=language)
    name = f"side-by-side-{language}-{scheme}-{size[0]}"
    page.locator(".matrix").scroll_into_view_if_needed()
    shot(page, f"{name}-matrix")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert faults(page) == []
    for number in (3, 61):
        page.evaluate("number => { location.hash = `#item-${number}` }", number)
        page.reload()
        page.locator(".column").nth(1).wait_for()
        shot(page, f"{name}-{number}")
        assert faults(page) == []
        wide = page.locator("dialog.sample").evaluate("drawer => drawer.scrollWidth - drawer.clientWidth")
        assert wide <= 0
