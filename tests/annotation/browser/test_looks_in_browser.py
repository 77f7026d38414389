"""How the annotators' pages look and whom they shut out: axe, screenshots, sizes, both languages, both schemes.

Opt-in: runs where Chromium and Playwright are installed, else it is skipped. Screenshots of every page and form are
written to the folder that SAITEN_SCREENSHOTS names, for a person to look at.
"""

import os
from pathlib import Path

import pytest
from grading import all_sent, ready, site

import browsing
from saiten.records import Sample

browsing.playwright()
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed: pip install axe-playwright-python"
)
pytestmark = browsing.MARKS
browser = browsing.browser

FORMS = ("grade", "correct", "aspects", "gist", "preference")
LOOKS = [
    ("en", "light", (1440, 900), False),
    ("ja", "dark", (1440, 900), False),
    ("ja", "light", (820, 1180), True),
    ("en", "dark", (390, 844), True),
]
RULES = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}


def sample(number, language):
    """An answer with a reference, two contexts, one of them long, and another correct answer."""
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
        contexts=("They are handed in by the 10th.", "The portal takes photographs of receipts. " * 60), language="en",
    )  # fmt: skip


def shot(page, name):
    """A picture of the whole page, where a person asked for pictures."""
    if not (wanted := os.environ.get("SAITEN_SCREENSHOTS")):
        return
    place = Path(wanted)
    place.mkdir(parents=True, exist_ok=True)
    size = page.viewport_size
    # Not Playwright's full page, which forgets that the screen is one for fingers.
    page.set_viewport_size({**size, "height": min(page.evaluate("document.documentElement.scrollHeight"), 4_000)})
    page.screenshot(path=place / f"{name}.png")
    page.set_viewport_size(size)
    assert (place / f"{name}.png").stat().st_size > 5_000


def faults(page) -> list[str]:
    """What axe finds that is serious or critical."""
    found = axe.Axe().run(page, options=RULES).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


def begin(page, form, language):
    """Something is said on the form, so that what is chosen, marked and found is looked at as well."""
    if form == "gist":
        for side, keys in ((0, "1"), (1, "1")):
            page.locator(".text[role=textbox]").nth(side).focus()
            for key in (".", keys, ".", "2", "."):
                page.keyboard.press(key)
        page.locator(".lacks").first.click()
        page.locator(".text[role=textbox]").nth(0).focus()
        page.keyboard.press("Control+Shift+ArrowRight")
    elif form == "preference":
        page.locator("h1").focus()
        for key in "1=2":
            page.keyboard.press(key)
    else:
        page.locator("h1").focus()
        page.keyboard.press("1")
    page.get_by_role("searchbox").fill("ホシナビ" if language == "ja" else "PORTAL")
    page.locator("mark.hit").first.wait_for()


@pytest.mark.parametrize("form", FORMS)
def test_axe_finds_nothing_serious_on_any_form(browser, tmp_path, form):
    """Both languages, both schemes, wide, tablet and telephone; the page never scrolls sideways."""
    samples = [sample(number, language) for language in ("ja", "en") for number in (1, 2, 3)]
    people = tuple(f"{language}-{scheme}" for language, scheme, *_ in LOOKS)
    with site(browser, tmp_path, form, samples, people=people, per_item=4) as it:
        for language, scheme, size, touch in LOOKS:
            page = it.visit(
                f"{language}-{scheme}", language=language, scheme=scheme, size=size, touch=touch, is_mobile=touch
            )
            ready(page)
            begin(page, form, page.locator(".question .text").get_attribute("lang"))
            name = f"{form}-{language}-{scheme}-{size[0]}"
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], name
            shot(page, name)
            assert faults(page) == [], name
            assert page.locator("html").get_attribute("lang") == language
            page.close()


def test_axe_finds_nothing_serious_elsewhere(browser, tmp_path):
    """The list of keys, the list of one's own items, the end, the welcome, a link that does not let in, a notice."""
    for language, scheme, size, touch in LOOKS:
        folder = tmp_path / f"{language}-{scheme}-{size[0]}"
        folder.mkdir()
        with site(browser, folder, "grade", [sample(1, language)], people=("Aiko",)) as it:
            look = {"language": language, "scheme": scheme, "size": size, "touch": touch, "is_mobile": touch}
            page = it.visit("nobody", **look, join=False)
            places = {"welcome": page}
            places["join-failed"] = it.visit("nobody", **look, join=False, path="/join/wrong")
            page = it.visit("Aiko", **look)
            ready(page)
            page.locator("h1").focus()
            page.keyboard.press("?")
            page.get_by_role("dialog").wait_for()
            shot(page, f"keys-{folder.name}")
            assert faults(page) == []
            page.keyboard.press("Escape")
            page.keyboard.press("5")
            page.keyboard.press("Control+Enter")
            page.locator(".finished").wait_for()
            all_sent(page)
            places["finished"] = page
            places["mine"] = it.visit("Aiko", path="/mine", join=False)
            undone = it.visit("Aiko", join=False)
            undone.locator(".finished").wait_for()
            undone.keyboard.press("u")
            undone.locator(".notice").wait_for()
            places["undone"] = undone
            for name, place in places.items():
                shot(place, f"{name}-{folder.name}")
                assert faults(place) == [], name


def test_fingers_have_room(browser, tmp_path):
    """On a touch screen everything that can be touched is at least 44 pixels high, on every form."""
    for form in FORMS:
        folder = tmp_path / form
        folder.mkdir()
        with site(browser, folder, form, [sample(1, "en"), sample(2, "en")], people=("Aiko",)) as it:
            page = it.visit("Aiko", size=(390, 844), touch=True, is_mobile=True)
            ready(page)
            begin(page, form, "en")
            small = page.evaluate(
                """() => [...document.querySelectorAll("button, a[href], select, summary, input, label.choice, label.pick, label.check, textarea")]
                    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".jump") && !each.closest("label:has(input)") || each.matches("label"))
                    .filter((each) => !each.matches(".jump") && each.getClientRects().length && each.getBoundingClientRect().height < 43.9)
                    .map((each) => each.outerHTML.slice(0, 120))"""
            )
            assert small == [], form


def test_texts_stand_beside_each_other_where_there_is_room(browser, tmp_path):
    """Reference beside answer, the form beside both; stacked on a telephone."""
    with site(browser, tmp_path, "grade", [sample(1, "en")], people=("Aiko", "Ben")) as it:
        boxes = {}
        for name, size in (("Aiko", (1440, 900)), ("Ben", (390, 844))):
            page = it.visit(name, size=size)
            ready(page)
            boxes[name] = [page.locator(each).first.bounding_box() for each in (".answer", ".reference", "form.rail")]
        wide, narrow = boxes["Aiko"], boxes["Ben"]
        assert wide[0]["y"] == wide[1]["y"]
        assert wide[1]["x"] >= wide[0]["x"] + wide[0]["width"]
        assert wide[2]["x"] >= wide[1]["x"] + wide[1]["width"]
        assert narrow[0]["y"] < narrow[1]["y"] < narrow[2]["y"]


def test_the_page_says_what_it_needs(browser, tmp_path):
    """Without JavaScript nothing could be kept: the page says so instead of showing a form that does nothing."""
    with site(browser, tmp_path, "grade", [sample(1, "ja")], people=("Aiko",)) as it:
        page = it.visit("Aiko", language="ja", java_script_enabled=False)
        assert "JavaScript" in page.locator(".notice").inner_text()
