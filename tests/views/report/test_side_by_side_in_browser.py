"""Answers side by side in a real browser: columns, differences, orders, keys, and printing."""

import pytest
from looking import faults, shot
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


def ids(page):
    """The IDs of the rows in the page, with the run of each."""
    return [row.locator("th, td").nth(1).inner_text() + " " + row.locator("th").inner_text() for row in page.locator(".list tbody tr[data-at]").all()]  # fmt: skip


def columns(page):
    """The heads of the columns side by side."""
    return page.locator(".column > header h3").all_inner_texts()


def test_an_answer_of_two_runs_opens_side_by_side_with_the_other_one(opened, two):
    """Both answers, scores with the difference from the chosen one, verdicts and reasons; they start on one line."""
    page = opened(two)
    page.locator(".list tbody button").nth(3).click()
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
    page.locator(".list tbody button").nth(3).click()
    page.locator(".column").nth(1).wait_for()
    above, below = (each.bounding_box() for each in page.locator(".column").all())
    assert above["x"] == below["x"]
    assert above["y"] + above["height"] <= below["y"]
    assert below["x"] + below["width"] <= 400


def test_the_largest_differences_are_found(opened, two):
    """By size, then with sign; within one run only; only those that differ."""
    page = opened(two)
    page.get_by_label("Difference in").select_option(label="token_f1")
    page.get_by_label("Order").select_option("largest difference first")
    assert ids(page)[:4] == ["before q4", "after q4", "before q3", "after q3"]
    page.get_by_label("Order").select_option("furthest above the others first")
    assert ids(page)[:2] == ["after q4", "after q3"]
    page.get_by_label("only answers that differ").check()
    assert len(ids(page)) == 8
    page.get_by_label("Run", exact=True).select_option(label="before")
    assert ids(page) == ["before q1", "before q2", "before q3", "before q4"]
    head = page.locator(".list thead").get_by_role("button", name="Difference: token_f1")
    assert head.locator("..").get_attribute("aria-sort") == "descending"
    head.click()
    assert ids(page) == ["before q4", "before q3", "before q2", "before q1"]
    assert page.get_by_label("Order").input_value() == "lowest"
    assert page.locator(".list tbody tr").first.get_by_text("−0.200").is_visible()
    page.get_by_role("button", name="Clear filters").click()
    assert page.locator(".filters output").inner_text() == "60 of 60 answers"
    page.get_by_label("Difference in").select_option(label="faithfulness")
    page.get_by_label("only answers that differ").check()
    assert sorted(ids(page)) == ["after q7", "before q7"], "measured in one run and not in the other"


def test_the_systems_of_a_run_are_compared_with_each_other(opened, systems):
    """All answers to one question are compared with a chosen one; the metric's direction is shown."""
    page = opened([systems], language="en")
    page.locator(".list tbody button").first.click()
    page.locator(".column").nth(2).wait_for()
    assert columns(page) == ["直列", "並列", "<b>素</b>"]
    assert page.locator(".column").nth(1).locator(".apart").all_inner_texts() == ["+0.167 better", "+8.000 worse"]
    page.keyboard.press("Escape")
    page.get_by_label("Compared with").select_option(label="System: 並列")
    page.get_by_label("Difference in").select_option(label="perplexity")
    page.get_by_label("Order").select_option("furthest below the others first")
    assert page.locator(".list tbody tr").first.get_by_text("−8.000").is_visible()
    page.locator(".list tbody button").first.click()
    page.locator(".column").nth(1).wait_for()
    assert columns(page) == ["直列", "並列"]


def test_another_column_is_chosen_with_the_keyboard(opened, two):
    """Its answer comes first, the differences are reversed, and the list follows; Escape returns to its row."""
    page = opened(two)
    page.locator(".list tbody button").nth(4).press("Enter")
    page.locator(".column").nth(1).wait_for()
    page.get_by_role("button", name="Choose this one").press("Enter")
    page.locator(".column header.is-chosen h3", has_text="after").wait_for()
    assert columns(page) == ["after", "before"]
    assert page.locator(".apart").all_inner_texts() == ["±0", "−0.200 worse"]
    assert page.url.endswith("#item-34")
    assert page.evaluate("document.activeElement.id") == "sample-id"
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="q5", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.closest('tr').cells[1].textContent") == "after"


def test_one_that_the_filters_left_out_can_be_chosen_too(opened, two):
    """It is shown; the list stays as it is."""
    page = opened(two)
    page.get_by_label("Run", exact=True).select_option(label="before")
    page.locator(".list tbody button").nth(2).click()
    page.get_by_role("button", name="Choose this one").click()
    page.locator(".column header.is-chosen h3", has_text="after").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.textContent") == "q2"


def test_names_from_outside_do_nothing_there(opened, run):
    """IDs, systems, runs and texts are all shown as text."""
    rows = [Sample(f"{HOSTILE}{n}", "Q?", HOSTILE, (HOSTILE,), f"{HOSTILE}{n}", system=f"{HOSTILE}{n}") for n in range(2)]  # fmt: skip
    page = opened([read_run(run("first", rows))], title="Safe", language="en")
    page.locator(".list tbody button").first.click()
    page.locator(".column").nth(1).wait_for()
    shown = f"{clean(HOSTILE)}1"
    assert page.locator(".column > header h3").nth(1).evaluate("each => each.textContent") == f"{shown} · {shown}"
    assert page.title() == "Safe · saiten"
    assert page.locator("img").count() == 0


def test_many_answers_to_one_question_stay_few_columns(opened, run):
    """Twelve columns are shown, and the number of the others."""
    rows = [Sample(f"q@{n}", "Q?", f"A{n}", system=f"system {n}") for n in range(30)]
    page = opened([read_run(run("first", rows))], language="en")
    page.locator(".list tbody button").first.click()
    page.locator(".column").nth(11).wait_for()
    assert page.locator(".column").count() == 12
    assert page.get_by_text("18 more answers to this question are in the list.").is_visible()


def test_without_pairs_there_is_nothing_to_compare(opened, run):
    """A run without systems has neither the controls nor columns."""
    page = opened([read_run(run("first", samples(4, system=None)))])
    assert page.locator(".pairing").count() == 0
    page.locator(".list tbody button").first.click()
    page.get_by_role("dialog").wait_for()
    assert page.locator(".column").count() == 0


@pytest.mark.parametrize("look", LOOKS)
def test_looks_in_both_languages_and_schemes(opened, two, systems, look):
    """Axe finds nothing serious, nothing is wider than the screen; screenshots are kept on request."""
    language, scheme, size = look
    page = opened([*two, systems], scheme, size, language=language)
    name = f"side-by-side-{language}-{scheme}-{size[0]}"
    page.locator("#items").scroll_into_view_if_needed()
    page.locator(".pairing").scroll_into_view_if_needed()
    shot(page, f"{name}-list")
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
