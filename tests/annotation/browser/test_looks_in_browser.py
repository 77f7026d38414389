"""How the annotators' pages look and whether they are accessible: axe, screenshots, sizes, languages, schemes.

Opt-in: runs where Chromium and Playwright are installed and is skipped elsewhere. Screenshots of all pages are
written to the folder in SAITEN_SCREENSHOTS, for a person to look at.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from grading import all_sent, ready, site

import browsing
from saiten.annotation.forms import PreferenceForm
from saiten.metrics.rubrics import read_rubric
from saiten.records import Sample, Turn
from saiten.testsets.items import item_of

browsing.playwright()
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed: pip install axe-playwright-python"
)
pytestmark = browsing.MARKS
browser = browsing.browser

FORMS = ("grade", "correct", "aspects", "gist", "preference", "approve", "picked and graded")
WIDE, TABLET, TELEPHONE = (1440, 900), (820, 1180), (390, 844)
LOOKS = {
    "en": {"scheme": "light", "size": WIDE},
    "ja": {"scheme": "dark", "size": TELEPHONE, "touch": True, "is_mobile": True},
}
"""By language: two browsers as unlike as can be; each shows its page in the other colors and sizes as well."""
TURNS = {
    "en": (("light", WIDE), ("dark", WIDE)),
    "ja": (("dark", TELEPHONE), ("light", TELEPHONE), ("light", TABLET)),
}
SMALL = """() => [...document.querySelectorAll("button, a[href], select, summary, input, label.choice, label.pick, label.check, textarea")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".jump, .text") && !each.closest("label:has(input)") || each.matches("label"))
    .filter((each) => !each.matches(".jump") && each.getClientRects().length && each.getBoundingClientRect().height < 43.9)
    .map((each) => each.outerHTML.slice(0, 120))"""
"""What a finger would miss: everything that can be touched and is not 44 pixels high, links within a text excepted."""
RULES = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}


def sample(number, language):
    """An answer with a reference, two contexts (one of them long) and another correct answer."""
    if language == "ja":
        return Sample(
            f"ja-{number}", "有給休暇を3日以上続けて取るときは、いつまでに、どのように申請すればよいですか。",
            f"連続して3日以上であれば、締め切りは{number}週間前です。ホシナビから申請してください。面談が毎回必要です。",
            reference="3日以上続けて休む場合は、2週間前までにホシナビで申請します。\r\n引き継ぎ先を備考欄に記入してください。",
            contexts=("申請は勤怠システム「ホシナビ」で行います。", "備考欄に引き継ぎ先を書きます。" * 120), language="ja",
        )  # fmt: skip
    return Sample(
        f"en-{number}", "By when do I have to hand in travel expenses, and how?",
        f"Before day {number} of the month, in the portal. You also need a signature of your manager.",
        reference="By the 10th of the following month, in the portal. Photographs of receipts are enough.",
        contexts=("They are handed in by the 10th: https://example.org/rules?id=12.", "The portal takes photographs of receipts. " * 60), language="en",
    )  # fmt: skip


def question(answered):
    """The sample as an item of a test set, with a quote, a kind and a document's long name."""
    item = item_of(answered)
    first, *others = (replace(passage, source="rules/" * 12 + "travel.md") for passage in item.passages)
    first = replace(first, quotes=((0, len(first.text) // 2),))
    history = (Turn("?", "."),) if item.id.endswith("2") else ()
    return replace(item, kind="unanswerable" if history else "single", passages=(first, *others), history=history)


def shot(page, name):
    """Take a screenshot of the whole page if SAITEN_SCREENSHOTS is set."""
    if not (wanted := os.environ.get("SAITEN_SCREENSHOTS")):
        return
    place = Path(wanted)
    place.mkdir(parents=True, exist_ok=True)
    size = page.viewport_size
    # Not Playwright's full page, which ignores that the screen is a touch screen.
    page.set_viewport_size({**size, "height": min(page.evaluate("document.documentElement.scrollHeight"), 4_000)})
    page.screenshot(path=place / f"{name}.png")
    page.set_viewport_size(size)
    assert (place / f"{name}.png").stat().st_size > 5_000


def faults(page) -> list[str]:
    """The serious and critical findings of axe."""
    found = axe.Axe().run(page, options=RULES).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


def begin(page, form, language):
    """Fill in part of the form, so that selections, marks and search hits are checked as well."""
    if form == "gist":
        for side, keys in ((0, "1"), (1, "1")):
            page.locator(".text[role=textbox]").nth(side).focus()
            for key in (".", keys, ".", "2", "."):
                page.keyboard.press(key)
        page.locator(".lacks").first.click()
        page.locator(".text[role=textbox]").nth(0).focus()
        page.keyboard.press("Control+Shift+ArrowRight")
    elif form == "approve":
        page.locator("h1").focus()
        page.keyboard.press("e")
        page.keyboard.press("Control+Home")
        page.keyboard.type("New. " if language == "en" else "新しい。")
        page.locator(".changes ins").first.wait_for()
    elif form == "preference":
        page.locator("h1").focus()
        for key in "1=2":
            page.keyboard.press(key)
    else:
        page.locator("h1").focus()
        page.keyboard.press("1")
    page.get_by_role("searchbox").fill("ホシナビ" if language == "ja" else "HANDED" if form == "approve" else "PORTAL")
    page.locator("mark.hit").first.wait_for()


def turned(page, language, name):
    """The page in each look in turn: `(size, name)`, with a screenshot of each."""
    for scheme, size in TURNS[language]:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        called = f"{name}-{language}-{scheme}-{size[0]}"
        shot(page, called)
        yield size, called


@pytest.mark.parametrize("form", FORMS)
def test_axe_finds_nothing_serious_on_any_form(browser, tmp_path, form):
    """Both languages, both schemes, wide, tablet and phone; the page never scrolls sideways, and on a touch screen
    every touch target is at least 44 pixels high.
    """
    samples = [sample(number, language) for language in LOOKS for number in (1, 2, 3)]
    more = {"options": {"contexts": True}} if form == "preference" else {}
    if form == "picked and graded":
        more["options"] = PreferenceForm(pick=True, rubric=read_rubric()).options
    if form == "approve":
        samples = list(map(question, samples))
    asked = form if form in FORMS[:-1] else "preference"
    with site(browser, tmp_path, asked, samples, people=tuple(LOOKS), **more) as it:
        for language, look in LOOKS.items():
            page = it.visit(language, language=language, **look)
            ready(page)
            begin(page, form, page.locator(".question .text").get_attribute("lang"))
            for size, name in turned(page, language, form):
                assert page.evaluate("document.documentElement.scrollWidth") <= size[0], name
                assert faults(page) == [], name
                assert not look.get("touch") or page.evaluate(SMALL) == [], name
            assert page.locator("html").get_attribute("lang") == language
            page.close()


def test_axe_finds_nothing_serious_elsewhere(browser, tmp_path):
    """The list of keys, the annotator's item list, the end, the welcome, an invalid link, a notice."""
    with site(browser, tmp_path, "grade", [sample(1, "en")], people=tuple(LOOKS)) as it:
        for language, look in LOOKS.items():
            nobody = {"language": language, **look, "join": False}
            look_at(it.visit(f"nobody-{language}", **nobody), language, "welcome")
            look_at(it.visit(f"nobody-{language}", **nobody, path="/join/wrong"), language, "join-failed")
            page = it.visit(language, language=language, **look)
            ready(page)
            page.locator("h1").focus()
            page.keyboard.press("?")
            page.get_by_role("dialog").wait_for()
            look_at(page, language, "keys")
            page.keyboard.press("Escape")
            page.keyboard.press("5")
            page.keyboard.press("Control+Enter")
            page.locator(".finished").wait_for()
            all_sent(page)
            look_at(page, language, "finished")
            look_at(it.visit(language, path="/mine", join=False), language, "mine")
            page.keyboard.press("u")
            page.locator(".notice").wait_for()
            look_at(page, language, "undone")


def look_at(page, language, name):
    """Check every look in this language."""
    page.bring_to_front()
    for _, called in turned(page, language, name):
        assert faults(page) == [], called


def test_texts_are_side_by_side_where_there_is_room(browser, tmp_path):
    """Reference and answer are side by side, with the form next to them; on a phone they are stacked."""
    with site(browser, tmp_path, "grade", [sample(1, "en")], people=("Aiko",)) as it:
        page = it.visit("Aiko", size=WIDE)
        boxes = []
        for width, height in (WIDE, TELEPHONE):
            page.set_viewport_size({"width": width, "height": height})
            ready(page)
            boxes.append([page.locator(each).first.bounding_box() for each in (".answer", ".reference", "form.rail")])
        wide, narrow = boxes
        assert wide[0]["y"] == wide[1]["y"]
        assert wide[1]["x"] >= wide[0]["x"] + wide[0]["width"]
        assert wide[2]["x"] >= wide[1]["x"] + wide[1]["width"]
        assert narrow[0]["y"] < narrow[1]["y"] < narrow[2]["y"]


def test_the_page_says_what_it_needs(browser, tmp_path):
    """Without JavaScript nothing could be saved, so the page says so instead of showing a form that does nothing."""
    with site(browser, tmp_path, "grade", [sample(1, "ja")], people=("Aiko",)) as it:
        page = it.visit("Aiko", language="ja", java_script_enabled=False)
        assert "JavaScript" in page.locator(".notice").inner_text()
