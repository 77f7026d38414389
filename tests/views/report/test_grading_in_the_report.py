"""Grading in the report, in a real browser: kept, exported as labels that commands read, loaded again, never mixed up."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from looking import faults, shot
from report_runs import HOSTILE, samples

import browsing
from saiten.cli import main
from saiten.data import read_labels
from saiten.records import Label, Sample, Score, Scored
from saiten.runs import read_run
from saiten.views.notebook import ShownPage
from saiten.views.report.document import make_report, write_report

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

LOOKS = [("en", "light", (1280, 900)), ("ja", "dark", (1920, 1000)), ("ja", "light", (390, 844)), ("en", "dark", (390, 844))]  # fmt: skip


@pytest.fixture
def tabs(browser, tmp_path):
    """`open_tab(page, …)`: tabs of one browser profile, on files; at teardown there was no error in any."""
    errors, context = [], browser.new_context(viewport={"width": 1280, "height": 900})

    def open_tab(path, ready="#browser[data-ready]"):
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        if ready:
            page.locator(ready).wait_for(state="attached")
        return page

    yield open_tab
    context.close()
    assert errors == []


@pytest.fixture
def report(tmp_path):
    """`report(name, folders, …)`: the path of a written report."""

    def written(name, *folders, language="en"):
        path = tmp_path / f"{name}.html"
        write_report(make_report([read_run(folder) for folder in folders], language=language), path)
        return path

    return written


@contextmanager
def looked_at(browser, path, scheme, size):
    """A page in a profile of its own."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("#browser[data-ready]").wait_for(state="attached")
    yield page
    context.close()


def opened_answer(page, place=1, row=0):
    """Open an answer from the matrix and return its controls; `place`: its column."""
    page.bring_to_front()
    page.locator(f'.matrix .row[data-at="{row}"] [data-place="{place}"]').click()
    page.locator("dialog.sample section.grade").first.wait_for()
    return page.locator("dialog.sample section.grade").first


def closed(page):
    """Close the answer, so that the address no longer leads to it."""
    page.keyboard.press("Escape")
    page.locator("dialog.sample").wait_for(state="hidden")
    page.wait_for_url(lambda address: "#item" not in address)


def exported(page, folder):
    """Press the button and return the downloaded file."""
    page.bring_to_front()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export labels").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def ran(capsys, *words):
    """The output of a command, which succeeds. Playwright has a running loop in this thread."""
    with ThreadPoolExecutor(1) as other, pytest.raises(SystemExit, match=r"^0$"):
        other.submit(main, list(map(str, words))).result()
    return capsys.readouterr()


def grade_as(page, name, given):
    """Grade the answers of the first column: row → keys."""
    for row, keys in given.items():
        controls = opened_answer(page, row=row)
        field = controls.locator("input.grader")
        if field.is_visible():
            field.fill(name)
            field.press("Enter")
        page.locator("#sample-id").focus()
        for key in keys:
            page.keyboard.press(key)
        closed(page)


def test_grades_last_and_their_labels_are_read_as_they_are(tabs, report, run, tmp_path, capsys):
    """Graded, reloaded, exported: `meta-evaluate` finds the same as with the same labels written by hand."""
    folder = run("first", samples(12))
    page = tabs(report("答え report", folder))
    grade_as(page, "愛子", {0: "y5", 1: "n1", 2: "y4", 3: "n2", 4: "y3", 5: "n"})
    page.reload()
    page.locator("#browser[data-ready]").wait_for(state="attached")
    assert page.locator(".own-grade").count() == 6
    assert page.locator(".grading-bar .count").inner_text() == "6 of 12 answers graded"
    controls = opened_answer(page, row=1)
    assert controls.locator("[aria-pressed=true]").all_inner_texts() == ["✗ Wrong", "1"]
    assert controls.locator(".state").inner_text() == "Saved in this browser as 愛子"
    closed(page)
    file = exported(page, tmp_path)
    assert file.name == "答え report.labels.jsonl"
    by_hand = tmp_path / "by-hand.jsonl"
    rows = [(f"q{n}", "correct", 1 - n % 2) for n in range(6)] + [
        (f"q{n}", "grade", g) for n, g in enumerate((5, 1, 4, 2, 3))
    ]
    by_hand.write_text(
        "".join(json.dumps({"item": i, "aspect": a, "value": v, "annotator": "愛子"}) + "\n" for i, a, v in rows)
    )
    for aspect in ("correct", "grade"):
        figures = [
            ran(capsys, "meta-evaluate", folder, path, "--aspect", aspect, "--format", "json").out
            for path in (file, by_hand)
        ]
        assert figures[0] == figures[1]
    assert {(one.item, one.aspect, one.value) for one in read_labels(file)} == set(rows)
    ran(capsys, "report", folder, "--labels", file, "-o", tmp_path / "trust.html")
    assert "<h2" in (tmp_path / "trust.html").read_text("utf-8")


def test_labels_say_what_else_is_known(tabs, report, run, tmp_path):
    """Note, run, system, the answer's digest, whether scores were in view, and when."""
    page = tabs(report("page", run("first", samples(2))))
    controls = opened_answer(page)
    controls.get_by_role("button", name="✓ Correct").click()
    controls.get_by_label("Note").fill("Off by one year.\n(in the source)")
    closed(page)
    (row,) = map(json.loads, exported(page, tmp_path).read_text("utf-8").splitlines())
    assert len(row.pop("answer_digest")) == 16
    assert row.pop("saved_at").endswith("Z")
    assert row == {
        "item": "q0", "aspect": "correct", "value": 1, "annotator": "", "reason": "Off by one year.\n(in the source)",
        "system": "one", "run": "first", "scores": "shown",
    }  # fmt: skip


def test_an_answer_is_graded_with_the_keyboard_alone(tabs, report, run):
    """Keys grade the open answer, except while a text is written or an input method composes; the focus is visible."""
    page = tabs(report("page", run("first", samples(4))))
    controls = opened_answer(page)
    pressed = controls.locator("[aria-pressed=true]")
    page.keyboard.press("3")
    page.keyboard.press("n")
    assert pressed.all_inner_texts() == ["✗ Wrong", "3"]
    page.keyboard.press("y")
    page.keyboard.press("3")
    assert pressed.all_inner_texts() == ["✓ Correct"]
    note = controls.get_by_label("Note")
    note.focus()
    page.keyboard.type("n0 5 ")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#sample-id").inner_text() == "q0"
    input_method = page.context.new_cdp_session(page)
    input_method.send("Input.imeSetComposition", {"text": "5てん", "selectionStart": 3, "selectionEnd": 3})
    input_method.send("Input.insertText", {"text": "5点"})
    page.locator("#sample-id").focus()
    for composing in ({"isComposing": True}, {"keyCode": 229}):
        page.evaluate("options => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '5', bubbles: true, ...options }))", composing)  # fmt: skip
    page.keyboard.press("Control+5")
    assert pressed.all_inner_texts() == ["✓ Correct"]
    assert note.input_value() == "n0 55点 "
    page.keyboard.press("Tab")
    while not controls.locator("button").first.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")
    assert controls.locator("button").first.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
    page.keyboard.press("Space")
    assert pressed.all_inner_texts() == []
    controls.get_by_role("button", name="Clear").click()
    assert note.input_value() == ""
    assert controls.locator(".state").inner_text() == ""


def test_tabs_share_grades_and_lose_none(tabs, report, run):
    """A grade appears in the other tab at once; verdict and grade of one answer, given in two tabs, are both kept."""
    path = report("page", run("first", samples(4)))
    first, second = tabs(path), tabs(path)
    opened_answer(first)
    first.keyboard.press("y")
    second.locator(".own-grade").first.wait_for()
    shown = opened_answer(second)
    second.keyboard.press("4")
    assert shown.locator("[aria-pressed=true]").all_inner_texts() == ["✓ Correct", "4"]
    first.bring_to_front()
    first.locator("section.grade [aria-pressed=true]", has_text="4").wait_for()
    grade_as(second, "", {}) or closed(second)
    grade_as(second, "Ben", {2: "n"})
    closed(first)
    first.locator(".own-grade").nth(1).wait_for()
    assert first.locator(".grading-bar .count").inner_text() == "2 of 4 answers graded"


def test_grades_follow_the_answer_and_not_its_id(tabs, report, run, tmp_path, capsys):
    """A judge's second run of the same answers has the grades; another answer with the same id has none."""
    texts = {"before": "1998", "judged again": "1998", "after": "2001"}
    runs = {
        name: run(
            name, [Sample("q1", "When?", text), Sample("q2", "Where?", f"In {text}."), Sample("q3", "Who?", "Aya.")]
        )
        for name, text in texts.items()
    }
    page = tabs(report("both", runs["before"], runs["after"]))
    grade_as(page, "Aiko", {0: "y5", 1: "n1", 2: "y"})
    assert page.locator(".grading-bar .count").inner_text() == "3 of 5 answers graded"  # q3 has one answer in both
    file = exported(page, tmp_path)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {(row["item"], row["run"]) for row in rows} == {("q1", "before"), ("q2", "before"), ("q3", "before, after")}
    again = tabs(report("again", runs["judged again"]))
    assert again.locator(".own-grade").count() == 3
    other = tabs(report("other", runs["after"]))
    assert other.locator(".own-grade").count() == 1
    assert opened_answer(other).locator("[aria-pressed=true]").count() == 0
    found = ran(capsys, "meta-evaluate", runs["after"], file, "--aspect", "correct", "--format", "json")
    assert "2 of 3 labels were given to other answers under the same ids" in found.out


@pytest.fixture
def two_people(browser, report, run, tmp_path):
    """A report, and the files that two people exported from it."""
    path = report("page", run("first", samples(6)))
    files = []
    for name, keys in (("Aiko", "ynynyn"), ("Ben", "ynyyyn")):
        with looked_at(browser, path, "light", (1280, 900)) as page:
            grade_as(page, name, dict(enumerate(keys)))
            (tmp_path / name).mkdir()
            files.append(exported(page, tmp_path / name))
    return path, files


def test_people_export_apart_and_are_compared(tabs, two_people, tmp_path, capsys):
    """Two people's files: `agreement` of both as they are; loaded into one page they stay apart, folded away."""
    path, files = two_people
    both = tmp_path / "both.jsonl"
    both.write_text("".join(file.read_text("utf-8") for file in files), "utf-8")
    found = json.loads(ran(capsys, "agreement", both, "--format", "json").out)
    assert "Aiko" in json.dumps(found)
    page = tabs(path)
    load = page.locator(".grading-bar input[type=file]")
    load.set_input_files(files)
    page.get_by_text("grades of 6 answers loaded.").first.wait_for()
    page.locator(".grading-bar summary").click() if not page.locator(".grading-bar[open]").count() else None
    page.locator(".grading-bar input.grader").fill("Aiko")
    page.locator(".grading-bar input.grader").press("Enter")
    assert page.locator(".grading-bar .count").inner_text() == "6 of 6 answers graded"
    controls = opened_answer(page, row=3)
    assert controls.locator("[aria-pressed=true]").all_inner_texts() == ["✗ Wrong"]
    controls.get_by_text("Grades by others (1)").click()
    assert controls.locator(".others li").inner_text() == "Ben ✓"
    closed(page)
    merged = exported(page, tmp_path)
    labels = list(read_labels(merged))
    assert {(one.item, one.value, one.annotator) for one in labels} == {
        (one.item, one.value, one.annotator) for one in read_labels(both)
    }
    load.set_input_files(files[0])
    page.get_by_text("6 were here already.").wait_for()


def test_a_file_of_something_else_is_refused_in_words(tabs, report, run, tmp_path):
    """Rows of other answers, of other aspects, of an earlier time, and lines that are no JSON are counted."""
    page = tabs(report("page", run("first", samples(3))))
    grade_as(page, "Aiko", {0: "y"})
    lines = [
        {"item": "q0", "aspect": "correct", "value": 0, "annotator": "Aiko", "saved_at": "2020-01-01T00:00:00Z"},
        {"item": "q1", "aspect": "grade", "value": 2, "annotator": "Ben"},
        {"item": "q1", "aspect": "correct", "value": 1, "annotator": "Ben", "answer_digest": "0" * 16},
        {"item": "elsewhere", "aspect": "correct", "value": 1},
        {"item": "q2", "aspect": "fluency", "value": 3}, {"item": "q2", "aspect": "grade", "value": 9}, [1], None,
    ]  # fmt: skip
    file = tmp_path / "odd.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + "no JSON\n")
    page.locator(".grading-bar input[type=file]").set_input_files(file)
    page.get_by_text("odd.jsonl: grades of 1 answers loaded.").wait_for()
    said = page.locator(".grading-bar .message").last.inner_text()
    for part in ("1 answers already have a newer", "2 rows are of answers that", "5 rows are no verdicts"):
        assert part in said
    assert opened_answer(page).locator("[aria-pressed=true]").all_inner_texts() == ["✓ Correct"]


def test_texts_of_people_stay_text_and_come_back_whole(tabs, report, run, tmp_path):
    """Markup, line separators, unpaired surrogates in a note and a name: text on the page, and in the file."""
    path = report("page", run("first", samples(2)))
    page = tabs(path)
    controls = opened_answer(page)
    controls.locator("input.grader").evaluate("(input, text) => { input.value = text; input.dispatchEvent(new Event('change')); }", '<b>Zoë</b>/"\u202e')  # fmt: skip
    text = HOSTILE.replace("\r", "")
    controls.locator("textarea").evaluate("(note, text) => { note.value = text; note.dispatchEvent(new Event('input')); }", text)  # fmt: skip
    page.keyboard.press("y")
    closed(page)
    assert page.locator(".own-grade").get_attribute("title").endswith(text.replace("\ud800", "\ufffd"))
    file = exported(page, tmp_path)
    (label,) = read_labels(file)
    assert isinstance(label, Label)
    assert label.annotator == '<b>Zoë</b>/"'
    assert label.reason == text.replace("\ud800", "\ufffd")
    other = tabs(path)
    other.evaluate("localStorage.clear()")
    other.reload()
    other.locator("#browser[data-ready]").wait_for(state="attached")
    other.bring_to_front()
    other.locator(".grading-bar input[type=file]").set_input_files(file)
    other.get_by_text("grades of 1 answers loaded.").wait_for()
    controls = opened_answer(other)
    controls.locator(".others summary").click()
    assert controls.locator(".others img, .others script, .others li b b").count() == 0
    assert "<img src=" in controls.locator(".said-note").inner_text()
    assert other.title() != "1"


def test_where_nothing_can_be_stored_the_page_says_so(tabs, report, run, tmp_path):
    """In a notebook's frame: grades last as long as the page, the state says it, and the export is there as text."""
    html = report("page", run("first", samples(3))).read_text("utf-8")
    frame = tmp_path / "notebook.html"
    frame.write_text(f"<!DOCTYPE html><title>x</title>{ShownPage('report', html)._repr_html_()}", "utf-8")
    outer = tabs(frame, ready="")
    page = outer.frame_locator("iframe")
    page.locator("#browser[data-ready]").wait_for(state="attached")
    page.locator('.matrix .row[data-at="0"] [data-place="1"]').click()
    controls = page.locator("section.grade")
    controls.get_by_role("button", name="✓ Correct").click()
    assert controls.locator(".state").inner_text().startswith("Not saved: this browser allows no storage here.")
    outer.keyboard.press("Escape")
    assert page.locator(".own-grade").count() == 1
    assert page.locator(".grading-bar .trouble").inner_text().startswith("Not saved")
    page.get_by_role("button", name="Export labels").click()
    assert page.get_by_text("This frame may block downloads; copy these 1 rows:").is_visible()
    (row,) = map(json.loads, page.locator(".exported").input_value().splitlines())
    assert (row["item"], row["value"]) == ("q0", 1)


def test_a_full_storage_is_said_and_leaving_asks(tabs, report, run, tmp_path):
    """Grades that the storage does not take stay in the page; closing it asks, until they are exported."""
    page = tabs(report("page", run("first", samples(3))))
    page.evaluate("""() => {
        for (let size = 2 ** 20; size >= 1; size /= 2)
            try { for (let at = 0; ; at += 1) localStorage.setItem(`fill ${size} ${at}`, "x".repeat(size)); } catch {}
    }""")
    controls = opened_answer(page)
    page.keyboard.press("4")
    assert controls.locator(".state").inner_text().startswith("Not saved: the browser's storage is full.")
    closed(page)
    assert page.locator(".own-grade").inner_text() == "4"
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    page.wait_for_timeout(200)
    assert asked == ["beforeunload"]
    assert len(exported(page, tmp_path).read_text("utf-8").splitlines()) == 1
    page.evaluate("() => { for (const key of Object.keys(localStorage)) if (key.startsWith('fill')) localStorage.removeItem(key); }")  # fmt: skip
    opened_answer(page, row=1)
    page.keyboard.press("2")
    assert page.locator("section.grade .state").inner_text().startswith("Saved")


def test_scores_can_be_hidden_while_grading(tabs, report, run, tmp_path):
    """Without the judge's scores in cells and answers; the export says of each grade whether they were in view."""
    page = tabs(report("page", run("first", samples(6))))
    opened_answer(page, row=0)
    page.keyboard.press("y")
    closed(page)
    page.get_by_label("hide the judge's scores").check()
    assert not page.locator(".matrix .mark").first.is_visible()
    opened_answer(page, row=1)
    assert page.locator("dialog.sample .score").count() == 0
    page.keyboard.press("n")
    closed(page)
    opened_answer(page, row=0)
    page.keyboard.press("n")
    closed(page)
    page.reload()
    page.locator("#browser[data-ready]").wait_for(state="attached")
    assert not page.locator(".matrix .mark").first.is_visible()
    found = [json.loads(line) for line in exported(page, tmp_path).read_text("utf-8").splitlines()]
    assert {row["item"]: row["scores"] for row in found} == {"q0": "shown", "q1": "hidden"}
    page.get_by_label("hide the judge's scores").uncheck()
    assert page.locator(".matrix .mark").first.is_visible()


def test_the_list_is_filtered_by_what_is_graded(tabs, report, run):
    """Graded or not yet; a note alone is no grade."""
    page = tabs(report("page", run("first", samples(6))))
    grade_as(page, "Aiko", {0: "y", 2: "3"})
    opened_answer(page, row=1).get_by_label("Note").fill("Look again.")
    closed(page)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("My grade").select_option(label="not yet")
    assert page.locator(".filters output").inner_text().startswith("4 of 6")
    page.get_by_label("My grade").select_option(label="graded")
    assert page.locator(".filters output").inner_text().startswith("2 of 6")


def test_a_note_without_a_grade_is_exported_and_no_label(tabs, report, run, tmp_path):
    """It is in the file, comes back into the page, and commands count it as a remark."""
    path = report("page", run("first", samples(2)))
    page = tabs(path)
    opened_answer(page).get_by_label("Note").fill("Look again.")
    closed(page)
    file = exported(page, tmp_path)
    notes = []
    assert list(read_labels(file, notify=notes.append)) == []
    assert "1 rows are remarks without a verdict or a grade" in notes[-1]


def test_a_dialogue_or_a_missing_answer_is_not_graded(tabs, report, run):
    """There is no single answer to grade, so there are no controls."""

    def score(sample, number):
        yield Scored(sample.id, "token_f1", Score(0.5))

    page = tabs(report("page", run("first", [Sample("q0", "Why?", None), Sample("q1", "How?", "So.")], score)))
    page.bring_to_front()
    page.locator('.matrix .row[data-at="0"] [data-place="1"]').click()
    page.get_by_text("Only single answers can be graded here.").wait_for()
    assert page.locator("section.grade").count() == 0


@pytest.mark.parametrize("look", LOOKS)
def test_the_controls_can_be_used_by_everyone(browser, report, run, look):
    """In both languages, light and dark, wide and narrow: axe finds nothing, and nothing is wider than the page."""
    language, scheme, size = look
    path = report("page", run("first", samples(6, language=language)), run("second", samples(6, language=language, system="two")), language=language)  # fmt: skip
    with looked_at(browser, path, scheme, size) as page:
        controls = opened_answer(page)
        controls.locator("input.grader").fill("愛子")
        controls.locator("[aria-keyshortcuts='3']").click()
        assert controls.locator("[aria-pressed=true]").inner_text() == "3"
        controls.locator("textarea").fill("年が違う。" * 20)
        assert faults(page) == []
        assert page.locator("dialog.sample").evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
        shot(page, f"grading-{language}-{scheme}-{size[0]}")
        closed(page)
        assert page.locator(".grading-bar[open]").count() == 1
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        page.locator(".grading-bar").scroll_into_view_if_needed()
        shot(page, f"grading-bar-{language}-{scheme}-{size[0]}")
