"""Approving a test set in real browsers: by keyboard, with drafts, by two people and an admin, up to the approved file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from grading import all_sent, ready, site
from served import ServedProject

import browsing
from saiten.records import Turn
from saiten.testsets.items import SetItem, SetPassage, item_to_json

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

PASSAGE = "🚗 Receipts can be photographed. Travel expenses are handed in by the 10th. 😀"
QUOTE = "Travel expenses are handed in by the 10th."
WORDS = {
    "en": {
        "kind": "The documents do not answer it", "near": "Passages that come near to an answer", "reason": "Give a reason.",
        "choose": "Choose approve, edit or reject.", "same": "Neither the question nor the reference is changed",
        "empty": "Reference: the text is empty", "optional": "Reason (optional)", "required": "Reason",
    },
    "ja": {
        "kind": "文書には答えのない質問です", "near": "答えに近いパッセージ", "reason": "理由を書いてください。",
        "choose": "採用・修正・却下のいずれかを選んでください。", "same": "質問も参照回答も変更されていません",
        "empty": "参照回答が空です", "optional": "理由（任意）", "required": "理由",
    },
}  # fmt: skip


def item(number, **more):
    """A question about travel expenses, with a quote behind a character of two code units."""
    start = PASSAGE.index(QUOTE)
    passages = (SetPassage(PASSAGE, "rules/travel.md", quotes=((start, start + len(QUOTE)),)), SetPassage("Other."))
    return SetItem(
        f"q{number}", f"By when, case {number}?", f"By the {number}th.\r\nNot later.", passages=passages, **more
    )


def press(page, *keys):
    """Press keys outside the fields."""
    page.locator("h1").focus()
    for key in keys:
        page.keyboard.press(key)


def save(page):
    """Save and wait for another item or the end."""
    number = page.locator("main").get_attribute("data-number")
    page.keyboard.press("Control+Enter")
    page.locator(f"main:not([data-number='{number}']) form.rail, .finished").first.wait_for()


def decision(page):
    """The chosen decision's place, from 1; None if nothing is chosen."""
    checked = page.locator(".approve input[type=radio]").evaluate_all("all => all.findIndex((each) => each.checked)")
    return checked + 1 or None


def test_passages_show_their_documents_and_what_the_reference_rests_on(browser, tmp_path):
    """Quotes are marked where they are, counted in characters; the history of a follow-up question is shown."""
    follow_up = item(1, kind="follow_up", history=(Turn("What about travel?", "It is paid."),))
    with site(browser, tmp_path, "approve", [follow_up], people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        assert page.locator(".passages .text mark.quote").all_inner_texts() == [QUOTE]
        assert page.locator(".passages summary .source").all_inner_texts() == ["rules/travel.md"]
        assert "What about travel?" in page.locator(".history .text").inner_text()
        assert page.locator(".question .text").inner_text() == "By when, case 1?"
        assert page.locator("#edited-reference").input_value() == "By the 1th.\nNot later."
        assert page.get_by_text("follow-up", exact=True).is_visible()
        page.get_by_role("searchbox").fill("PHOTOGRAPHED")
        page.locator(".passages mark.hit").wait_for()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_decision_is_made_by_keys_alone(browser, tmp_path, language):
    """1, 2 and 3 decide, q and e go to the texts, r to the reason; what is missing is said, and the focus goes there."""
    words = WORDS[language]
    with site(browser, tmp_path, "approve", [item(1, kind="unanswerable")], people=("Aiko",)) as it:
        page = it.visit("Aiko", language=language)
        ready(page)
        assert words["kind"] in page.locator(".asked-kind").inner_text()
        assert page.get_by_role("heading", name=words["near"]).is_visible()
        alert = page.get_by_role("alert")
        press(page, "Control+Enter")
        assert alert.inner_text() == words["choose"]
        press(page, "2")
        assert page.evaluate("document.activeElement.id") == "edited-question"
        page.keyboard.press("Control+Enter")
        assert words["same"] in alert.inner_text()
        press(page, "e", "Control+a", "Delete", "Control+Enter")
        assert words["empty"] in alert.inner_text()
        assert page.locator("#edited-reference").get_attribute("aria-invalid") == "true"
        assert page.locator("label[for=reason]").inner_text() == words["optional"]
        press(page, "3")
        assert page.locator("label[for=reason]").inner_text() == words["required"]
        assert page.locator("#reason").get_attribute("aria-required") == "true"
        page.keyboard.press("Control+Enter")
        assert alert.inner_text() == words["reason"]
        assert page.evaluate("document.activeElement.id") == "reason"
        page.keyboard.type("1 2 3 q e 不自然")
        save(page)
        all_sent(page)
        shown = {"question": "By when, case 1?", "reference": "By the 1th.\r\nNot later."}
        assert it.said() == {"q1": {"Aiko": {"decision": "reject", "reason": "1 2 3 q e 不自然", **shown}}}


def test_typing_makes_an_edit_and_undoing_it_does_not(browser, tmp_path):
    """A changed text turns an approval into an edit and shows the change; restored texts turn it back."""
    with site(browser, tmp_path, "approve", [item(1)], people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        press(page, "1", "e", "Control+Home")
        assert decision(page) == 1
        page.keyboard.type("At the latest: ")
        assert decision(page) == 2
        assert page.locator(".edits:visible ins").all_inner_texts() == ["At the latest: "]
        page.keyboard.press("Escape")
        press(page, "1")
        assert decision(page) == 2
        page.get_by_role("button", name="Restore the text: Reference").click()
        assert page.locator(".edits:visible").count() == 0
        press(page, "1", "q", "End", "Backspace", "!")
        assert (page.locator(".edits:visible del").inner_text(), decision(page)) == ("?", 2)
        page.keyboard.press("Backspace")
        page.keyboard.type("?")
        assert decision(page) == 1
        save(page)
        all_sent(page)
        assert it.said()["q1"]["Aiko"]["decision"] == "approve"


def test_a_half_made_edit_survives_a_reload_and_a_lost_connection(browser, tmp_path):
    """Texts being edited are drafts; a save without a connection is sent later, and undo brings it back."""
    with site(browser, tmp_path, "approve", [item(1), item(2)], people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        press(page, "q", "End")
        page.keyboard.type(" Please.\ud83d\ude97")
        page.wait_for_timeout(400)
        page.reload()
        ready(page, 1)
        assert page.locator("#edited-question").input_value().endswith("? Please.🚗")
        assert decision(page) == 2
        it.stop()
        save(page)
        it.start()
        press(page, "f", "3", "r")
        page.keyboard.type("twice")
        save(page)
        all_sent(page)
        said = [each["Aiko"] for each in it.said().values()]
        assert sorted(each["decision"] for each in said) == ["edit", "reject"]
        page.get_by_role("button", name="Undo last").click()
        ready(page)
        assert (decision(page), page.locator("#reason").input_value()) == (3, "twice")


def command(folder, *arguments):
    """Run saiten in a folder and return its standard error."""
    run = [sys.executable, "-c", "from saiten.cli import main; main()", *map(str, arguments)]
    return subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stderr


def visit(browser, served, name, language="en-GB"):
    """The page of a person of the served project."""
    page = browser.new_context(locale=language, viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://127.0.0.1:{served.port}/join/{served.tokens[name]}")
    return page


def decide_all(page, said):
    """Decide on every item that comes: `said` maps the case's number to what is done."""
    while not page.locator(".finished").count():
        ready(page)
        case = int("".join(filter(str.isdigit, page.locator(".question .text").inner_text())))
        said(page, case)
        save(page)
    all_sent(page)


def as_aiko(page, case):
    """Approves all but the second, which she edits."""
    press(page, "1") if case != 2 else edit(page, "By the 12th.")


def as_ben(page, case):
    """Approves the first, edits the second otherwise, and rejects the third."""
    if case == 2:
        edit(page, "By the 13th.")
    else:
        press(page, "1" if case == 1 else "3", "r")
        page.keyboard.type("unnatural" if case == 3 else "")


def edit(page, text):
    """Replace the reference."""
    press(page, "e", "Control+a")
    page.keyboard.insert_text(text)


def settle(admin, served):
    """The admin sees both texts with their changes, and decides on the second item in words of their own."""
    admin.goto(f"http://127.0.0.1:{served.port}/admin/differences")
    assert admin.locator("tbody .tag").all_inner_texts() == ["reference", "approval"]
    admin.locator("tbody a").first.click()
    cards = admin.locator(".side-by-side .card")
    cards.nth(1).locator("ins").first.wait_for()
    assert ["12th" in cards.nth(0).inner_text(), "13th" in cards.nth(1).inner_text()] == [True, True]
    assert "2th" in cards.nth(0).locator("del").first.inner_text()
    admin.locator("[data-take='0']").click()
    assert (decision(admin), admin.locator("#edited-reference").input_value()) == (2, "By the 12th.")
    admin.locator("#edited-reference").fill("By the 14th.")
    admin.locator("textarea[name=note]").fill("both were wrong")
    with admin.expect_navigation():
        admin.locator("#decision button.main").click()
    admin.locator(".decision ins", has_text="14th").wait_for()


@pytest.mark.parametrize("language", ["en-GB", "ja-JP"])
def test_two_people_and_an_admin_approve_a_test_set(browser, tmp_path, language):
    """They agree on one item, edit another differently, which the admin settles, and disagree on the third, which stays
    open and is annotated again; the approved file has who decided.
    """
    people = ("--form", "approve", "--annotator", "Aiko", "--annotator", "Ben")
    rows = [item_to_json(item(number)) | {"made": {"by": "offline"}} for number in (1, 2, 3)]
    served = ServedProject(tmp_path, "first.db", rows, *people)
    try:
        decide_all(visit(browser, served, "Aiko", language), as_aiko)
        decide_all(visit(browser, served, "Ben", language), as_ben)
        settle(visit(browser, served, "admin"), served)
    finally:
        served.stop()
    command(tmp_path, "annotate", "--db", "first.db", "--export", "first.jsonl")
    accept = ("testset", "accept", "answers.jsonl", "first.jsonl", "-o", "approved.jsonl", "--open", "open.jsonl")
    assert "2 of 3 items accepted" in command(tmp_path, *accept)
    one, two = lines_of(tmp_path / "approved.jsonl")
    assert (one["id"], two["id"], two["reference"]) == ("q1", "q2", "By the 14th.")
    assert two["original"]["reference"] == "By the 2th.\r\nNot later."
    assert [(each["by"], each["verdict"], each["reason"]) for each in two["decisions"]] == [
        ("Aiko", "edited", ""),
        ("Ben", "edited", ""),
        ("admin", "edited", "both were wrong"),
    ]
    (still,) = lines_of(tmp_path / "open.jsonl")
    assert still["open"] == "decisions differ: approved: Aiko; rejected: Ben"
    again = ServedProject(tmp_path, "second.db", [still], *people)
    try:
        for name in ("Aiko", "Ben"):
            decide_all(visit(browser, again, name, language), lambda page, _: press(page, "1"))
    finally:
        again.stop()
    command(tmp_path, "annotate", "--db", "second.db", "--export", "second.jsonl")
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert "3 of 3 items accepted" in command(tmp_path, *accept[:4], "second.jsonl", *accept[4:])
    assert lines_of(tmp_path / "open.jsonl") == []
    assert "approval" in subprocess.run(
        [sys.executable, "-c", "from saiten.cli import main; main()", "agreement", "first.jsonl"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip


def lines_of(path):
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
