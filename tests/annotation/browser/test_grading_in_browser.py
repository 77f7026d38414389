"""People grade in a real browser: each form, drafts, the outbox, lost connections, other tabs, hostile texts.

Opt-in: runs where Chromium and Playwright are installed and is skipped elsewhere.
"""

import json

import pytest
from grading import all_sent, fetched, ready, site

import browsing
from saiten.annotation.forms import PreferenceForm
from saiten.annotation.store.annotations import assigned_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.items import add_prelabels
from saiten.annotation.store.saving import save_annotation
from saiten.metrics.rubrics import read_rubric
from saiten.records import Sample

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser


def samples(count, **more):
    """Answers with references, in Japanese, with characters that are hard to count."""
    return [
        Sample(
            f"q{number}", f"質問その{number}は何ですか。", f"回答{number}です。\r\n👩\u200d🏫先生に𠮷野家で聞きました。面談が要ります。",
            reference=f"正解{number}です。\r\n理由は二つあります。𠮷の字に注意します。", contexts=("資料の一つ目。", "資料の二つ目。"),
            language="ja", **more,
        )
        for number in range(1, count + 1)
    ]  # fmt: skip


def press(page, *keys):
    """Press keys outside any field."""
    for key in keys:
        page.keyboard.press(key)


def number_of(page) -> int:
    """The number of the item shown."""
    return int(page.locator("main").get_attribute("data-number"))


def waiting(page) -> int:
    """How many saves are kept in the browser."""
    return page.evaluate("Object.keys(localStorage).filter((key) => key.includes(':out:')).length")


def none_waiting(page):
    """Wait until no save of anybody is kept in the browser."""
    while waiting(page):
        page.wait_for_timeout(50)


@pytest.mark.witness
def test_a_grade_is_given_by_keys_alone(browser, tmp_path):
    """A digit grades, f flags as unclear, r jumps to the reason, Ctrl+Enter goes on; the reason takes any letter."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko",)) as it:
        page = it.visit("Aiko", language="ja")
        ready(page, 1)
        press(page, "4", "f", "r")
        page.keyboard.type("s u f 1 ? 漏れがある")
        press(page, "Control+Enter")
        ready(page, 2)
        assert page.get_by_text("2 件中 1 件").is_visible()
        press(page, "0", "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        said = it.said()
        assert sorted(each["Aiko"]["grade"] for each in said.values()) == [0, 4]
        assert "s u f 1 ? 漏れがある" in [each["Aiko"]["reason"] for each in said.values()]
        assert [row.annotation.unclear for row in assigned_items(it.project, 1 + 1)].count(True) == 1


def test_what_is_missing_is_said_and_nothing_is_sent(browser, tmp_path):
    """Without a grade or a required reason, the page says what is missing and moves the focus there."""
    with site(browser, tmp_path, "grade", samples(1), people=("Aiko",), options={"reason_required": True}) as it:
        page = it.visit("Aiko")
        ready(page)
        press(page, "Control+Enter")
        assert page.get_by_role("alert").inner_text() == "Choose a grade."
        assert page.evaluate("document.activeElement.type") == "radio"
        press(page, "3", "Control+Enter")
        assert page.get_by_role("alert").inner_text() == "Give a reason."
        assert page.evaluate("document.activeElement.id") == "reason"
        page.keyboard.type("Because.")
        press(page, "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        assert it.said() == {"q1": {"Aiko": {"grade": 3, "reason": "Because."}}}


def test_true_or_false_and_aspects(browser, tmp_path):
    """1 and 0 decide; digits step through the aspects, with grades below 0 by position; arrows work in groups."""
    with site(browser, tmp_path, "correct", samples(1), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        press(page, "0", "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        assert it.said() == {"q1": {"Aiko": {"correct": False, "reason": ""}}}
    (tmp_path / "aspects").mkdir()
    with site(browser, tmp_path / "aspects", "aspects", samples(1), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        press(page, "1", "3", "3", "Control+Enter")
        assert "acceptability" in page.locator("#problem").inner_text()
        page.get_by_role("radio", name="acceptable: it stands").check()
        press(page, "ArrowUp", "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        grades = it.said()["q1"]["Aiko"]["grades"]
        assert grades == {"formality": -1, "factuality": 3, "amount_info": 1, "acceptability": 2}


def test_answers_are_put_into_order_by_keys_by_places_and_by_dragging(browser, tmp_path):
    """= ties answers; the places shown are the places sent; system names appear nowhere on the page."""
    answers = [
        Sample(f"sys{n}/q{q}", f"どれが良いですか{q}。", f"回答 {n} 号", system=f"sys{n}", language="ja")
        for q in (1, 2, 3)
        for n in (1, 2, 3)
    ]
    with site(browser, tmp_path, "preference", answers, people=("Aiko",)) as it:
        page = it.visit("Aiko")
        orders = {}

        def shown():
            texts = page.locator(".answers .text").all_inner_texts()
            return [f"a{text.split()[1]}" for text in texts]

        ready(page, 1)
        first = shown()
        press(page, "2", "1", "=", "3")
        page.get_by_label("None is good").check()
        orders[1] = [[first[1]], sorted([first[0], first[2]])]
        assert "sys" not in page.content().replace("system-ui", "")
        press(page, "Control+Enter")
        ready(page, 2)
        second = shown()
        for name, place in (("A", "3"), ("B", "3"), ("C", "1")):
            page.get_by_role("radiogroup", name=f"Rank of answer {name}").get_by_role("radio", name=place).check(
                force=True
            )
        orders[2] = [[second[2]], sorted([second[0], second[1]])]
        press(page, "Control+Enter")
        ready(page, 3)
        third = shown()
        for name, place in (("C", 1), ("A", 2), ("B", 3)):
            page.locator(".podium").scroll_into_view_if_needed()
            chip, to = (
                page.locator(".chip", has_text=name).bounding_box(),
                page.locator(f".place[data-place='{place}']").bounding_box(),
            )
            page.mouse.move(chip["x"] + 10, chip["y"] + 10)
            page.mouse.down()
            page.mouse.move(to["x"] + 60, to["y"] + 10, steps=4)
            page.mouse.up()
        orders[3] = [[third[2]], [third[0]], [third[1]]]
        press(page, "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        numbered = {each.item.key: each.number for each in assigned_items(it.project, 2)}
        said = {numbered[key]: each["Aiko"] for key, each in it.said().items()}
        texts = {
            each.number: {answer["key"]: f"a{answer['text'].split()[1]}" for answer in each.item.content["answers"]}
            for each in assigned_items(it.project, 2)
        }
        ordered = {
            number: [sorted(texts[number][key] for key in group) for group in each["order"]]
            for number, each in said.items()
        }
        assert ordered == orders
        assert {number: each["none_good"] for number, each in said.items()} == {1: True, 2: False, 3: False}


def test_the_best_answer_is_picked_and_each_is_graded_on_the_axes(browser, tmp_path):
    """One page has the contexts of all systems, selects for each answer and a plain pick; missing input is named."""
    form = PreferenceForm(pick=True, rubric=read_rubric())
    answers = [
        Sample(
            f"q/{n}", "どれが良いですか。", f"回答 {n} 号", (f"資料{n}", "共通の資料"), system=f"s{n}", language="ja"
        )
        for n in (1, 2)
    ]
    with site(browser, tmp_path, "preference", answers, people=("Aiko",), options=form.options) as it:
        page = it.visit("Aiko", language="ja")
        ready(page)
        assert sorted(page.locator(".contexts .text").all_inner_texts()) == ["共通の資料", "資料1", "資料2"]
        press(page, "Control+Enter")
        assert page.locator("#problem").inner_text() == "! 回答 A の「改まり方」の評点を選んでください。".removeprefix(
            "! "
        )
        assert page.evaluate("document.activeElement.tagName") == "SELECT"
        for at, name in enumerate("AB"):
            group = page.get_by_role("group", name=f"回答 {name}")
            for axis, value in (
                ("改まり方", "0"),
                ("事実性", str(3 - at)),
                ("情報量", "-1"),
                ("受容性", "2"),
            ):
                group.get_by_label(axis).select_option(value)
        press(page, "Control+Enter")
        assert page.locator("#problem").inner_text() == "最も良い回答を選んでください。"
        page.locator("h1").focus()
        press(page, "2")
        assert page.get_by_role("radio", name="回答 B").is_checked()
        page.reload()
        ready(page)
        assert page.get_by_role("radio", name="回答 B").is_checked()
        page.get_by_label("どれも良くないが").check()
        press(page, "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        (said,) = it.said().values()
        shown = [each["key"] for each in assigned_items(it.project, 2)[0].item.content["answers"]]
        (picked,) = said["Aiko"]["order"]
        grades = said["Aiko"]["grades"]
        assert sorted(grades) == sorted(shown)
        assert (grades[picked[0]]["factuality"], said["Aiko"]["none_good"]) == (2, True)
        assert {each["amount_info"] for each in grades.values()} == {-1}


def test_units_are_marked_by_keys_alone(browser, tmp_path):
    """Sentences, characters and words; digits set the class; the list reclassifies and removes; Ctrl+Z undoes. The
    stored offsets are Python's, even after emoji, CRLF and characters of two units.
    """
    with site(browser, tmp_path, "gist", samples(1), people=("Aiko",)) as it:
        page = it.visit("Aiko", language="ja")
        ready(page)
        reference, answer = samples(1)[0].reference, samples(1)[0].answer
        page.get_by_role("textbox", name="参照回答", exact=True).focus()
        press(page, "Control+Home", ".", "1", ".", "2", ".", "1")
        page.get_by_role("textbox", name="回答", exact=True).focus()
        press(
            page,
            "Control+Home",
            "ArrowDown",
            "Home",
            "Shift+ArrowRight",
            "1",
            "Control+End",
            "Control+Shift+ArrowUp",
            "2",
        )
        assert page.locator(".marks li").count() == 5
        page.locator(".marks li").nth(1).get_by_role("button").first.focus()
        press(page, "m", "1", "1")  # missing as a supplement, then as a gist
        page.locator(".marks li").nth(2).get_by_role("button").first.focus()
        press(page, "Delete")
        press(page, "Control+z")
        press(page, "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        spans = it.said()["q1"]["Aiko"]["spans"]
        words = {name: [(answer if "extra" in name else reference)[s:e] for s, e in of] for name, of in spans.items()}
        assert words == {
            "gist": ["正解1です。", "理由は二つあります。", "𠮷の字に注意します。"],
            "supplement": [],
            "missing_gist": [],
            "missing_supplement": ["理由は二つあります。"],
            "extra_gist": ["👩\u200d🏫"],
            "extra_supplement": ["面談が要ります。"],
        }


def test_units_are_marked_with_the_pointer_and_with_a_finger(browser, tmp_path):
    """A dragged selection gets its class from the buttons next to it; tapping a mark lets you remove it."""
    with site(browser, tmp_path, "gist", samples(1), people=("Aiko", "Ben"), per_item=2) as it:
        for name, touch in (("Aiko", False), ("Ben", True)):
            page = it.visit(name, size=(1000, 900), touch=touch, is_mobile=touch)
            ready(page)
            text = page.locator(".reference .text")
            box = text.bounding_box()
            if touch:
                # The handles belong to the operating system; what they leave behind is a selection.
                page.evaluate(
                    """() => { const node = document.querySelector(".reference .text").firstChild;
                              getSelection().setBaseAndExtent(node, 0, node, 6); }"""
                )
                page.get_by_role("toolbar").get_by_role("button", name="gist", exact=False).first.tap()
            else:
                page.mouse.move(box["x"] + 17, box["y"] + 20)
                page.mouse.down()
                page.mouse.move(box["x"] + 17 + 6 * 15, box["y"] + 20, steps=5)
                page.mouse.up()
                page.locator(".reference .palette .kind").first.click()
            mark = page.locator(".reference mark.bg")
            mark.wait_for()
            marked = "".join(mark.all_inner_texts())
            assert marked
            assert samples(1)[0].reference.startswith(marked)
            (mark.first.tap if touch else mark.first.click)()
            palette = page.locator(".reference .palette")
            palette.wait_for()
            (
                palette.get_by_role("button", name="Remove").tap
                if touch
                else palette.get_by_role("button", name="Remove").click
            )()
            assert page.locator(".marks li").count() == 0
            page.get_by_role("textbox", name="Reference").focus()
            press(page, "Control+a", "1", "Control+Enter")
            page.locator(".finished").wait_for()
            all_sent(page)
        for each in it.said()["q1"].values():
            assert each["spans"]["gist"] == [[0, len(samples(1)[0].reference)]]


def test_units_of_a_reference_that_comes_again_are_carried_over(browser, tmp_path):
    """The annotator's own units return, even unsent ones, labeled as such; they can be dropped; saving counts them."""
    again = [
        Sample(f"q{n}", "質問です。", f"回答{n}です。", reference="正解です。理由です。", language="ja")
        for n in (1, 2, 3)
    ]
    with site(browser, tmp_path, "gist", again, people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        page.locator(".text[role=textbox]").nth(1).focus()
        press(page, ".", "1", ".", "2")
        press(page, "Control+Enter")
        ready(page, 2)
        page.get_by_text("from item 1").wait_for()
        assert page.locator("mark.bg").inner_text() == "正解です。"
        page.get_by_role("button", name="“正解です。” is missing from the answer").click()
        press(page, "Control+Enter")
        ready(page, 3)
        page.get_by_text("from item 2").wait_for()
        assert page.locator("mark.mg").count() == 0
        all_sent(page)
        page.evaluate("localStorage.clear()")
        page.reload()
        page.get_by_text("from item 2").wait_for()
        page.get_by_role("button", name="Start without them").click()
        assert page.locator("mark").count() == 0
        page.reload()
        ready(page, 3)
        assert page.locator(".carried").is_hidden()
        said = {
            each.number: each.annotation.payload["spans"] for each in assigned_items(it.project, 2) if each.annotation
        }
        units = {"gist": [[0, 5]], "supplement": [[5, 10]]}
        assert {name: spans for name, spans in said[1].items() if spans} == units
        assert {name: spans for name, spans in said[2].items() if spans} == units | {"missing_gist": [[0, 5]]}


def test_a_draft_survives_a_reload_and_a_closed_tab(browser, tmp_path):
    """Each item has its own draft; nothing is stored on the server until it is saved."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        press(page, "4", "r")
        page.keyboard.type("half a thou")
        page.reload()
        ready(page, 1)
        assert page.get_by_label("Reason").input_value() == "half a thou"
        page.get_by_label("Reason").press("End")
        page.keyboard.type("ght")
        page.close()
        assert it.said() == {}
        page = it.visit("Aiko")
        ready(page, 1)
        assert page.get_by_label("Reason").input_value() == "half a thought"
        assert page.get_by_role("radio", name="4 right in the main").is_checked()
        press(page, "Control+Enter")
        ready(page, 2)
        all_sent(page)
        assert page.get_by_label("Reason").input_value() == ""
        assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes(':draft:'))") == []


def test_without_a_connection_the_work_goes_on_and_is_sent_later(browser, tmp_path):
    """Items fetched ahead can be graded; saves wait and survive a reload; the server may stop and return in between;
    each save is stored once.
    """
    with site(browser, tmp_path, "grade", samples(6), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        fetched(page, 4)
        it.contexts["Aiko"].set_offline(True)
        for number in (1, 2, 3):
            ready(page, number)
            press(page, str(number), "Control+Enter")
        ready(page, 4)
        page.get_by_text("No connection, 3 waiting to be sent").wait_for()
        it.contexts["Aiko"].set_offline(False)
        all_sent(page)
        assert sum(bool(each) for each in it.said().values()) == 3
        it.stop()
        press(page, "4", "Control+Enter")
        page.get_by_text("1 waiting to be sent").wait_for()
        page.close()
        it.start()
        page = it.visit("Aiko", join=False)
        ready(page, 5)
        all_sent(page)
        assert waiting(page) == 0
        press(page, "5", "Control+Enter")
        ready(page, 6)
        press(page, "0", "Control+Enter")
        page.locator(".finished").wait_for()
        all_sent(page)
        numbered = {each.item.key: each for each in assigned_items(it.project, 2)}
        said = {numbered[key].number: each["Aiko"]["grade"] for key, each in it.said().items()}
        assert said == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 0}
        assert {each.annotation.revision for each in numbered.values()} == {1}


def test_a_save_whose_answer_was_lost_is_stored_once(browser, tmp_path):
    """The request arrives but the reply is lost: the save is sent again under the same ID."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        lost = []

        def lose(route):
            if lost:
                route.continue_()
                return
            lost.append(route.fetch().status)
            route.abort()

        page.route("**/api/items/1", lose)
        press(page, "2", "Control+Enter")
        ready(page, 2)
        all_sent(page)
        assert lost == [200]
        (first,) = [each for each in assigned_items(it.project, 2) if each.number == 1]
        assert first.annotation.revision == 1


def test_a_session_that_is_over_loses_nothing(browser, tmp_path):
    """Saves wait until the person opens the link again in another tab; the first tab then sends them itself."""
    with site(browser, tmp_path, "grade", samples(4), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        fetched(page, 4)
        it.contexts["Aiko"].clear_cookies()
        press(page, "3", "Control+Enter")
        page.get_by_text("Your session is over.").wait_for()
        ready(page, 2)
        assert waiting(page) == 1
        other = it.visit("Aiko")
        ready(other)
        all_sent(other)
        page.bring_to_front()
        all_sent(page)
        assert [each["Aiko"]["grade"] for each in it.said().values() if each] == [3]
        assert page.get_by_text("Your session is over.").count() == 0


def test_nobody_sends_what_somebody_else_said(browser, tmp_path):
    """Two people share a computer: what Aiko left unsent waits for Aiko, and Ben sees none of it."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko", "Ben")) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        page.route(
            "**/api/items/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_()
        )
        press(page, "5", "r")
        page.keyboard.type("Aiko's own")
        press(page, "Control+Enter")
        ready(page, 2)
        assert waiting(page) == 1
        it.contexts["Ben"] = it.contexts["Aiko"]
        bens = it.visit("Ben")
        ready(bens, 1)
        assert bens.get_by_label("Reason").input_value() == ""
        page.unroute_all()
        page.bring_to_front()
        page.get_by_text("Someone else is now logged in").wait_for()
        press(bens, "1", "Control+Enter")
        ready(bens, 2)
        all_sent(bens)
        assert [each for each in it.said().values() if each] == [{"Ben": {"grade": 1, "reason": ""}}]
        page.close()
        page = it.visit("Aiko")
        none_waiting(page)
        assert sorted(each["Aiko"]["reason"] for each in it.said().values() if "Aiko" in each) == ["Aiko's own"]
        del it.contexts["Ben"]


def test_two_tabs_do_not_fight(browser, tmp_path):
    """Both tabs have the same item and both may save: each save is one revision, and the second tab moves on."""
    with site(browser, tmp_path, "grade", samples(3), people=("Aiko",)) as it:
        one, two = it.visit("Aiko"), it.visit("Aiko", join=False)
        ready(one, 1)
        ready(two, 1)
        one.bring_to_front()
        press(one, "4", "Control+Enter")
        ready(one, 2)
        all_sent(one)
        two.bring_to_front()
        press(two, "2", "Control+Enter")
        two.locator("main:not([data-number='1'])").wait_for()
        all_sent(two)
        assigned = {each.number: each for each in assigned_items(it.project, 2)}
        assert assigned[1].annotation.payload["grade"] in {2, 4}
        assert assigned[1].annotation.revision == 2


def test_skip_undo_and_changing_an_earlier_answer(browser, tmp_path):
    """S skips, u takes back the last item with its entries, and the annotator's list leads to any earlier item."""
    with site(browser, tmp_path, "grade", samples(4), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        press(page, "s")
        ready(page, 2)
        press(page, "3", "r")
        page.keyboard.type("kept")
        press(page, "Control+Enter")
        ready(page, 3)
        all_sent(page)
        assert sum(bool(each) for each in it.said().values()) == 1
        press(page, "u")
        ready(page, 2)
        page.get_by_text("Item 2 was undone").wait_for()
        assert page.get_by_label("Reason").input_value() == "kept"
        all_sent(page)
        assert sum(bool(each) for each in it.said().values()) == 0
        press(page, "4", "Control+Enter")
        ready(page)
        all_sent(page)
        page.get_by_role("link", name="My answers").click()
        page.get_by_role("link", name="質問その").first.wait_for()
        row = page.locator("tr[data-number='2']")
        assert "done" in row.inner_text()
        assert "skipped" in page.locator("tr[data-number='1']").inner_text()
        row.get_by_role("link").click()
        ready(page, 2)
        assert page.get_by_role("radio", name="4 right in the main").is_checked()
        press(page, "1", "Control+Enter")
        all_sent(page)
        assert [each["Aiko"] for each in it.said().values() if each] == [{"grade": 1, "reason": "kept"}]


def test_what_the_server_refuses_comes_back_as_a_draft(browser, tmp_path):
    """Nothing is lost and the other saves are sent; the page shows the server's message."""
    with site(browser, tmp_path, "grade", samples(3), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        page.route(
            "**/api/items/1",
            lambda route: route.fulfill(status=422, content_type="application/json", body='{"message": "<b>no</b>", "field": "payload"}')
            if route.request.method == "PUT" else route.continue_(),
        )  # fmt: skip
        press(page, "5", "r")
        page.keyboard.type("mine")
        press(page, "Control+Enter")
        page.get_by_text("Item 1 was not accepted: <b>no</b>").wait_for()
        ready(page, 1)
        assert page.locator("#problem").inner_text() == "Message from the server: <b>no</b>"
        assert page.get_by_label("Reason").input_value() == "mine"
        page.unroute_all()
        press(page, "Escape", "4", "Control+Enter")
        ready(page, 2)
        all_sent(page)
        assert [each["Aiko"] for each in it.said().values() if each] == [{"grade": 4, "reason": "mine"}]


@pytest.mark.parametrize("how", ["full", "forbidden"])
def test_a_browser_that_keeps_nothing_says_so_and_sends_all_the_same(browser, tmp_path, how):
    """With storage full or forbidden, the work is sent from memory, and leaving too early triggers a warning."""
    before = {
        "full": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
        "forbidden": "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });",
    }
    with site(browser, tmp_path, "grade", samples(3), people=("Aiko",)) as it:
        page = it.visit("Aiko", before=before[how])
        ready(page, 1)
        fetched(page, 3)
        it.contexts["Aiko"].set_offline(True)
        press(page, "4", "Control+Enter")
        page.get_by_text("cannot save your work (1 unsent)").wait_for()
        assert page.locator("#state").get_attribute("data-kind") == "unkept"
        it.contexts["Aiko"].set_offline(False)
        all_sent(page)
        assert [each["Aiko"]["grade"] for each in it.said().values()] == [4]
        assert page.get_by_text("cannot save your work").count() == 0
        it.contexts["Aiko"].set_offline(True)
        press(page, "3", "Control+Enter")
        page.get_by_text("cannot save your work (1 unsent)").wait_for()
        another = it.contexts["Aiko"].new_page()
        page.close(run_before_unload=True)
        while not it.dialogs:
            another.wait_for_timeout(50)
        assert [kind for kind, _ in it.dialogs] == ["beforeunload"]


def test_no_key_acts_while_japanese_is_composed(browser, tmp_path):
    """An input method sends its own keys: neither digits nor Ctrl+Enter act during composition."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page, 1)
        compose = """(keys) => keys.forEach((key) => (document.activeElement ?? document.body).dispatchEvent(
            new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true, ctrlKey: key === "Enter" })))"""
        page.evaluate(compose, ["4", "s", "f", "?", "Enter"])
        assert page.get_by_role("radio", checked=True).count() == 0
        press(page, "4", "r")
        page.evaluate(compose, ["Enter"])
        ready(page, 1)
        press(page, "Escape")
        page.keyboard.press("?")
        page.get_by_role("dialog").wait_for()
        press(page, "s", "u")
        assert number_of(page) == 1
        page.get_by_label("Single-key shortcuts").uncheck()
        press(page, "Escape", "2", "s")
        assert number_of(page) == 1
        assert page.get_by_role("radio", name="4 right in the main").is_checked()


HOSTILE = [
    "<script>document.title='hit'</script>", "<img src=x onerror=\"document.title='hit'\">", '"><svg onload=alert(1)>',
    "javascript:alert(1)", "</script><script>alert(1)</script>", "\u202eevil\u202c\u2066x", "{{7*7}} ${7*7} &lt;b&gt;", "\x1b[31m\0\x07",
    "' onmouseover='alert(1)", "<!--", "</textarea><b>x"
]  # fmt: skip


@pytest.mark.parametrize("form", ["grade", "gist", "preference"])
def test_texts_from_outside_do_nothing(browser, tmp_path, form):
    """Scripts, HTML, event handlers and bidi controls, in every field and in the reason, are shown as text."""
    text = " ".join(HOSTILE)
    hostile = [
        Sample(f"<script>{n}", f"{text} 1", f"{text} {n}", reference=f"{text} r", contexts=(f"{text} c",) * 2, alternatives=(text,), language="en")
        for n in (1, 2)
    ]  # fmt: skip
    name = "<img src=x onerror=alert(1)>"
    with site(browser, tmp_path, form, hostile, people=(name,)) as it:
        page = it.visit(name)
        ready(page, 1)
        title = page.title()
        page.get_by_role("searchbox").fill("<script>")
        page.locator("mark.hit").first.wait_for()
        for each in page.locator("summary").all():
            each.click()
        shown = page.locator(".text").first.evaluate("(text) => text.textContent")
        assert "<script>document.title='hit'</script>" in shown
        assert "\u202e" not in shown
        assert "\x1b" not in shown
        page.locator("h1").focus()
        if form == "gist":
            page.locator(".reference .text").focus()
            press(page, "Control+a", "1")
        else:
            press(page, "1", "2")
        page.get_by_label("Reason").fill(text.replace("\0", ""))
        page.reload()
        ready(page, 1)
        press(page, "Control+Enter")
        all_sent(page)
        page.goto(f"{it.url}/mine")
        page.locator("tr[data-number='1']").wait_for()
        page.locator("tr[data-number='1'] a").click()
        ready(page, 1)
        assert "<script>" in page.get_by_label("Reason").input_value()
        assert page.title() == title
        assert page.locator("img, main script, main svg, main b, iframe").count() == 0
        assert it.dialogs == []


def test_languages_can_be_changed_without_losing_a_draft(browser, tmp_path):
    """The browser's preference applies first, then the user's choice, which is kept."""
    with site(browser, tmp_path, "grade", samples(1), people=("Aiko",)) as it:
        page = it.visit("Aiko", language="ja")
        ready(page)
        press(page, "2", "r")
        page.keyboard.type("途中")
        page.get_by_role("button", name="English").click()
        page.get_by_role("button", name="Save and continue").wait_for()
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.get_by_label("Reason").input_value() == "途中"
        page.reload()
        page.get_by_role("button", name="Save and continue").wait_for()


def test_leaving_takes_nothing_along(browser, tmp_path):
    """The button logs out; the link logs in again, and the drafts are still there."""
    with site(browser, tmp_path, "grade", samples(2), people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        press(page, "2")
        page.get_by_role("button", name="Log out").click()
        page.get_by_text("Please open the personal link").wait_for()
        page.goto(it.link("Aiko"))
        ready(page)
        assert page.get_by_role("radio", name="2 mostly wrong").is_checked()


def test_what_a_judge_said_is_shown_only_where_the_project_says_so(browser, tmp_path):
    """If hidden, it is neither on the page nor sent to it. If shown, it is next to the form and a button accepts it."""
    for shown in ("hidden", "shown"):
        folder = tmp_path / shown
        folder.mkdir()
        with site(browser, folder, "grade", samples(1), people=("Aiko",), prelabels=shown) as it:
            add_prelabels(it.project, [("q1", "judge", {"grade": 3, "reason": ""})])
            page = it.visit("Aiko")
            ready(page)
            assert page.get_by_text("Pre-label from a judge").count() == (shown == "shown")
            assert json.loads(page.evaluate("fetch('/api/items/1').then((reply) => reply.text())"))["prelabel"] == (
                {"grade": 3, "reason": ""} if shown == "shown" else None
            )
            if shown == "shown":
                page.get_by_role("button", name="Use this").click()
                assert page.get_by_role("radio", name="3 half right").is_checked()


def test_marks_of_a_judge_are_seen_in_color_before_they_are_taken_over(browser, tmp_path):
    """The texts with the judge's marks appear next to the form; a button copies the marks to the annotator's texts."""
    sample = Sample("q1", "Q?", "One. Two.", reference="First. Second.")
    with site(browser, tmp_path, "gist", [sample], people=("Aiko",), prelabels="shown") as it:
        add_prelabels(
            it.project, [("q1", "judge", {"spans": {"gist": [[0, 6]], "extra_supplement": [[5, 9]]}, "reason": ""})]
        )
        page = it.visit("Aiko")
        ready(page)
        seen = [(mark.get_attribute("class"), mark.inner_text()) for mark in page.locator(".beforehand mark").all()]
        assert seen == [("bg", "First."), ("es", "Two.")]
        assert page.locator(".texts mark").count() == 0
        page.locator(".beforehand").get_by_role("button", name="Use this").click()
        assert page.locator(".texts mark").count() == 2


def test_addresses_in_contexts_are_links(browser, tmp_path):
    """Links open in another tab and pass it nothing; the answer, which is to be graded, contains no links."""
    text = "出典：https://example.jp/a。<a href='https://evil.example'>x</a> javascript:alert(1)"
    sample = Sample("q1", "Q?", text, reference=text, contexts=(text, "long " * 400 + "http://example.org/b"))
    with site(browser, tmp_path, "grade", [sample], people=("Aiko",)) as it:
        page = it.visit("Aiko")
        ready(page)
        page.get_by_role("button", name="Open all").click()
        page.locator(".text a").nth(2).wait_for(state="attached")  # painted after the click, by the event `toggle`
        script = "[...document.querySelectorAll('.text a')].map((a) => [a.closest('.text').dataset.text, a.href, a.target, a.rel])"
        away = ["_blank", "noopener noreferrer"]
        assert page.evaluate(script) == [
            ["contexts", "https://example.jp/a", *away],
            ["contexts", "https://evil.example/", *away],
            ["contexts", "http://example.org/b", *away],
        ]


def test_long_texts_and_many_marks_stay_usable(browser, tmp_path):
    """A context of 200,000 characters with thousands of hits, a reference of 200,000 with 100 marks: nothing takes so
    long that a person would think the page dead. (The exact time does not matter here: 10 s is far above it.)
    """
    long = "".join(f"これは{n}番目の文です、ガイドを見ます。" + ("\r\n" if n % 7 == 0 else "") for n in range(10_000))[
        :200_000
    ]
    sample = Sample("long", "質問です。", "回答です。", reference=long, contexts=(long,), language="ja")
    spans = {"gist": [[n * 1_500, n * 1_500 + 300] for n in range(100)]}
    with site(browser, tmp_path, "gist", [sample], people=("Aiko",)) as it:
        next_item(it.project, 2)
        save_annotation(
            it.project,
            2,
            1,
            it.form.check({"reference": long, "answer": "回答です。"}, {"spans": spans}),
            save_id="0" * 8 + "-0000-4000-8000-" + "0" * 12,
        )
        page = it.visit("Aiko", path="/#1")
        ready(page)
        assert page.locator(".marks li").count() == 100

        def took(what):
            begun = page.evaluate("performance.now()")
            what()
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            return page.evaluate("performance.now()") - begun

        page.get_by_role("textbox", name="Reference").focus()
        times = {
            "move": took(lambda: press(page, "ArrowDown", "ArrowDown", "ArrowRight", "Shift+ArrowRight")),
            "mark": took(lambda: press(page, "Control+Shift+ArrowDown", "2")),
            "open": took(lambda: page.locator(".contexts summary").click()),
            "search": took(
                lambda: (
                    page.get_by_role("searchbox").fill("ｶﾞｲﾄﾞ"),
                    page.locator(".contexts mark.hit").first.wait_for(state="attached"),
                )
            ),
            "step": took(lambda: page.get_by_role("searchbox").press("Enter")),
        }
        assert max(times.values()) < 10_000
        press(page, "Control+Enter")
        all_sent(page)
        assert (
            len(it.said()["long"]["Aiko"]["spans"]["gist"]) + len(it.said()["long"]["Aiko"]["spans"]["supplement"])
            >= 101
        )
