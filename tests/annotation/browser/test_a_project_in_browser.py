"""A whole project by the real command: two people grade ten items in two browsers, connections and the server fail,
the two differ on two items, the admin settles them, and the exported labels are exactly what was entered.

Opt-in: runs where Chromium and Playwright are installed and is skipped elsewhere.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from grading import ADMIN_TOKEN, all_sent, fetched, ready

import browsing

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

ITEMS = 10
AHEAD = 3
"""Items that the page fetches ahead of the one shown."""
ASPECTS = ("gist", "supplement", "extra_gist", "extra_supplement", "missing_gist", "missing_supplement")
TEACHER = "👩\u200d🏫"
REASON = "written while nobody listened"
DECIDED = {3: "Aiko", 7: "Ben"}
"""The items they differ on, and whose label the admin chooses."""


def text_of(number):
    """Reference and answer: Windows line ends, and characters of two or more code units before the marks."""
    reference = f"🍣の正解{number}です。\r\n理由は𠮷野家で聞いた話です。"
    answer = f"回答{number}です。\r\n{TEACHER}先生も言いました。"
    return reference, answer


def said_by(name, number):
    """What each person marks: they differ on two items."""
    reference = text_of(number)[0].split("\r\n")
    second = "gist" if name == "Ben" and number in {3, 7} else "supplement"
    marked = {"gist": [reference[0]], "extra_gist": [TEACHER]}
    marked.setdefault(second, []).append(reference[1])
    return marked


class Command:
    """`saiten annotate`, which can be killed and started again."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.links = {}
        self.process = None

    def run(self, *words):
        """The command, in its folder."""
        return [sys.executable, "-c", "from saiten.cli import main; main()", "annotate", *words, "--db", "labels.db"]

    def start(self, *words):
        """Start the server and wait until it responds."""
        log = self.folder / f"log-{time.monotonic_ns()}.txt"
        environment = {**os.environ, "SAITEN_ADMIN_TOKEN": ADMIN_TOKEN, "COLUMNS": "300", "NO_COLOR": "1"}
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                self.run(*words, "--port", str(self.port)), cwd=self.folder, stdout=out, stderr=out, env=environment
            )
        deadline = time.monotonic() + 60
        while "Ctrl-C" not in log.read_text("utf-8"):  # the last line before it serves; it is already listening
            assert self.process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for name, link in re.findall(r"^\W*(\w+)\W.*?(http\S+/join/\S+)", log.read_text("utf-8"), re.MULTILINE):
            self.links[name] = link

    def kill(self):
        """Kill it without giving it a chance to clean up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def command(tmp_path):
    """The command, in a folder with ten answers."""
    rows = []
    for number in range(1, ITEMS + 1):
        reference, answer = text_of(number)
        rows.append(
            {
                "id": f"q{number}",
                "question": f"質問その{number}",
                "answer": answer,
                "reference": reference,
                "system": "S",
            }
        )
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    found = Command(tmp_path)
    yield found
    if found.process is not None and found.process.poll() is None:
        found.kill()


@contextmanager
def watched(chromium, url):
    """`opened(language)`: a page in its own browser; at teardown no script failed and no other host was contacted."""
    errors, asked, contexts = [], set(), []

    def opened(language):
        contexts.append(chromium.new_context(locale=language, viewport={"width": 1280, "height": 900}))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Security Policy" in said.text else None)
        page.on("request", lambda request: asked.add(request.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    assert [each for each in asked if not each.startswith((f"{url}/", "chrome-error:"))] == []


def number_on(page) -> int:
    """The number of the question shown."""
    return int(page.locator(".question .text").inner_text().removeprefix("質問その"))


def mark(page, name):
    """Mark what this person finds, by keyboard alone, and go on to the next item."""
    number = number_on(page)
    shown = page.locator("main").get_attribute("data-number")
    second = "1" if name == "Ben" and number in {3, 7} else "2"
    page.locator(".reference .text").focus()
    for key in ("Control+Home", ".", "1", ".", second):
        page.keyboard.press(key)
    page.locator(".answer .text").focus()
    for key in ("Control+Home", "ArrowDown", "Home", "Shift+ArrowRight", "1"):
        page.keyboard.press(key)
    assert page.locator(".marks li").count() == 3
    page.keyboard.press("Control+Enter")
    page.locator(f"main:not([data-number='{shown}']), .finished, .loading").first.wait_for()
    return number


def spans(marked, aspect, number):
    """The spans of an export row, as Python counts."""
    reference, answer = text_of(number)
    text = answer if aspect.startswith("extra") else reference
    return [
        {"text": each, "start": text.index(each), "end": text.index(each) + len(each)}
        for each in marked.get(aspect, [])
    ]


def grade_until_the_end(page, name):
    """Grade everything that is left; returns the questions."""
    done = []
    while not page.locator(".finished").count():
        ready(page)
        done.append(mark(page, name))
        page.locator("form.rail, .finished").first.wait_for()
    all_sent(page)
    return done


def grade_ten_with_losses(command, aiko, ben):
    """Aiko loses the connection, then both lose the server; returns Aiko's questions and where Ben gave a reason."""
    done = []
    for _ in range(3):
        ready(aiko)
        done.append(mark(aiko, "Aiko"))
    all_sent(aiko)
    ready(aiko)
    fetched(aiko, 3 + 1 + AHEAD)
    aiko.context.set_offline(True)
    for _ in range(3):
        ready(aiko)
        done.append(mark(aiko, "Aiko"))
    aiko.get_by_text("送信待ち 3 件").wait_for()
    aiko.context.set_offline(False)
    all_sent(aiko)
    for _ in range(4):
        ready(ben)
        mark(ben, "Ben")
    all_sent(ben)
    ready(aiko)
    ready(ben)
    command.kill()
    done.append(mark(aiko, "Aiko"))
    aiko.get_by_text("送信待ち 1 件").wait_for()
    ben.keyboard.press("r")
    ben.keyboard.type(REASON)
    with pytest.raises(Exception, match="ERR_"):
        aiko.reload()  # with unsent work and no server
    command.start()
    aiko.goto(command.url)
    ready(aiko)
    all_sent(aiko)
    ben.reload()
    ready(ben)
    assert ben.get_by_label("Reason").input_value() == REASON
    return done + grade_until_the_end(aiko, "Aiko"), grade_until_the_end(ben, "Ben")[0]


def settle(command, admin):
    """The admin decides once for Aiko and once for Ben; returns the labels as they are served."""
    admin.goto(f"{command.url}/join/{ADMIN_TOKEN}")
    admin.goto(f"{command.url}/admin/differences")
    links = admin.locator("main a[href^='/admin/items/']").all()
    differing = {link.inner_text(): link.get_attribute("href") for link in links}
    assert sorted(differing) == ["質問その3", "質問その7"]
    for number, whose in DECIDED.items():
        admin.goto(command.url + differing[f"質問その{number}"])
        admin.get_by_role("button", name=whose).click()
        admin.get_by_label("Note").fill(f"as {whose} says")
        admin.locator("#decision button.main").click()
        admin.locator(".decision").wait_for()
    reply = admin.context.request.get(f"{command.url}/admin/export.jsonl")
    return [json.loads(line) for line in reply.text().splitlines()]


def row(name, number, aspect, reason="", *, whose=None):
    """An export row without its times."""
    more = {"note": reason} if whose else {"unclear": False}
    return {
        "item": f"q{number}",
        "aspect": aspect,
        "annotator": name,
        "adjudicated": whose is not None,
        "reason": reason,
        "spans": spans(said_by(whose or name, number), aspect, number),
        **more,
    }


def ordered(rows):
    """The rows in an order that does not depend on when items were finished."""
    return sorted(rows, key=lambda each: (each["item"], each["annotator"], each["aspect"]))


def test_two_people_grade_ten_items_and_an_admin_settles_two(browser, command):
    """Nothing is lost and nothing is stored twice, whatever happens to connection, page and server in the meantime."""
    command.start("answers.jsonl", "--form", "gist", "--annotator", "Aiko", "--annotator", "Ben")
    with watched(browser, command.url) as opened:
        aiko, ben = opened("ja-JP"), opened("en-GB")
        aiko.goto(command.links["Aiko"])
        ben.goto(command.links["Ben"])
        done, noted = grade_ten_with_losses(command, aiko, ben)
        assert sorted(done) == list(range(1, ITEMS + 1))
        served = settle(command, opened("en-GB"))
    command.process.send_signal(signal.SIGINT)
    command.process.wait(60)
    subprocess.run(command.run("--export", "labels.jsonl"), cwd=command.folder, check=True, capture_output=True)
    written = [json.loads(line) for line in (command.folder / "labels.jsonl").read_text("utf-8").splitlines()]
    assert written == served

    assert all(each.pop("saved_at") for each in written)
    assert all(0 <= each.pop("seconds") < 600 for each in written if not each["adjudicated"])
    expected = [
        row(name, number, aspect, REASON if (name, number) == ("Ben", noted) else "")
        for number in range(1, ITEMS + 1)
        for name in ("Aiko", "Ben")
        for aspect in ASPECTS
    ]
    expected += [
        row("admin", number, aspect, f"as {whose} says", whose=whose)
        for number, whose in DECIDED.items()
        for aspect in ASPECTS
    ]
    assert ordered(written) == ordered(expected)
