"""The grading page, served on loopback from its own database and opened in browsers.

with site(folder, "grade", samples) as it:
    page = it.visit("Aiko", language="ja")     # in a browser context of her own
"""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from saiten.annotation.forms import FORMS
from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person, server_admin
from saiten.annotation.store.project import open_project
from saiten.annotation.web.app import make_app
from saiten.annotation.web.serving import bound_socket, server_of
from saiten.annotation.web.settings import WebSettings
from saiten.records import Sample

ADMIN_TOKEN = "a" * 43
_LOST = re.compile(r"Failed to load resource|net::ERR_")
"""What a browser itself writes to its console about requests that fail: tests make them fail."""


class Site:
    """A project with its server, which can be stopped and restarted at the same address."""

    def __init__(self, chromium, folder, form, samples, *, people, **settings):
        self.chromium = chromium
        self.form = FORMS[form].from_options(settings.pop("options", {}))
        self.database = str(folder / "labels.db")
        self.settings = ProjectSettings(form, self.form.options, **settings)
        self.project = open_project(self.database, self.settings)
        add_items(self.project, self.form.items(samples))
        server_admin(self.project)
        self.tokens = {name: create_person(self.project, name, "annotator")[1] for name in people}
        self.contexts, self.errors, self.asked, self.dialogs = {}, [], set(), []
        self.port = 0
        self.server = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, name) -> str:
        return f"{self.url}/join/{ADMIN_TOKEN if name == 'admin' else self.tokens[name]}"

    def start(self):
        """Start the server, at its earlier address if it had one."""
        listening = bound_socket("127.0.0.1", self.port)
        self.port = listening.getsockname()[1]
        app = make_app(self.project, self.form, settings=WebSettings(self.url, ADMIN_TOKEN))
        self.server = server_of(app)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        self.listening = listening

    def stop(self):
        """Stop the server; everything it acknowledged is in the database."""
        self.server.force_exit = self.server.should_exit = True
        self.thread.join(100)
        self.listening.close()

    def visit(
        self,
        name,
        *,
        language="en",
        scheme="light",
        size=(1440, 900),
        touch=False,
        path="/",
        join=True,
        before="",
        **more,
    ):
        """A page of this person, in their own browser context."""
        if name not in self.contexts:
            self.contexts[name] = self.chromium.new_context(
                locale={"en": "en-GB", "ja": "ja-JP"}[language], color_scheme=scheme, has_touch=touch,
                viewport={"width": size[0], "height": size[1]}, **more,
            )  # fmt: skip
            if before:
                self.contexts[name].add_init_script(before)
        context = self.contexts[name]
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.asked.add(request.url))
        page.on("dialog", self._asked)
        if join:
            page.goto(self.link(name))
        if not join or path != "/":
            page.goto(self.url + path)
        return page

    def _said(self, message):
        if message.type in {"error", "warning"} and not _LOST.search(message.text):
            self.errors.append(message.text)

    def _asked(self, dialog):
        self.dialogs.append((dialog.type, dialog.message))
        dialog.accept()

    def said(self) -> dict:
        """What is stored: by item key, then by annotator."""
        return {
            each.item.key: {person.name: answered.payload for person, answered in each.annotations}
            for each in annotated_items(self.project)
        }


@contextmanager
def site(chromium, folder, form, samples: Sequence[Sample], *, people=("Aiko", "Ben"), **settings) -> Iterator[Site]:
    """A function that serves a project; at teardown no page had an error and no request went to another host."""
    found = Site(chromium, folder, form, samples, people=people, **settings)
    try:
        yield found
        assert found.errors == []
        assert [url for url in found.asked if not url.startswith(f"{found.url}/")] == []
    finally:
        for context in found.contexts.values():
            context.close()
        found.stop()
        found.project.close()


def ready(page, number=None):
    """Wait until an item (this one, if given) is shown."""
    wanted = "" if number is None else f"[data-number='{number}']"
    page.locator(f"main{wanted} form.rail").wait_for()


def all_sent(page):
    """Wait until nothing is left to send."""
    page.locator("#state[data-kind=sent]").wait_for()


def fetched(page, count):
    """Wait until this many items were requested since the page was opened: the one shown and those fetched ahead."""
    asked = "performance.getEntriesByType('resource').filter((each) => each.name.includes('/next')).length"
    while page.evaluate(asked) < count:
        page.wait_for_timeout(50)
