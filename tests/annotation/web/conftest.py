"""The page, served for real on loopback, and visitors who use it over HTTP."""

import html
import http.client
import json
import re
import threading
from contextlib import closing
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from saiten.annotation.forms import FORMS
from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.items import add_items, add_prelabels
from saiten.annotation.store.people import all_people, create_person, server_admin
from saiten.annotation.store.project import open_project
from saiten.annotation.web.app import make_app
from saiten.annotation.web.serving import bound_socket, server_of
from saiten.annotation.web.settings import WebSettings
from saiten.records import Sample

ADMIN_TOKEN = "t" * 43
SAMPLES = [
    Sample(
        f"secret-id-{n}",
        f"Question {n}?",
        f"Answer {n}.",
        contexts=(f"Context {n}.",),
        reference=f"Reference {n}.",
        system="secret-system",
    )
    for n in range(1, 5)
]


@dataclass
class Reply:
    """A reply of the server."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def link(self):
        """The personal link that an admin's page shows."""
        return re.search(r'value="([^"]+/join/[^"]+)"', self.text)[1]


@dataclass
class Visitor:
    """A person with a browser: keeps the session cookie and the token that pages give to scripts."""

    site: "Site"
    cookies: dict = field(default_factory=dict)
    csrf: str = ""

    def ask(self, method, path, body=None, *, headers=None, raw=None):
        """A request as our own page sends it; `headers` replace, None leaves one out; `raw` is sent as it is."""
        sent = {
            "Host": self.site.host,
            "Origin": self.site.url,
            "X-CSRF": self.csrf,
            "Content-Type": "application/json",
        }
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {name: value for name, value in (sent | (headers or {})).items() if value is not None}
        with closing(http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
            if data or method != "GET":
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            reply = Reply(answer.status, answer.headers, answer.read())
        for cookie in reply.headers.get_all("Set-Cookie", ()):
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value.strip('"')
        self.cookies = {name: value for name, value in self.cookies.items() if value}
        return reply

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def join(self, token):
        """Log in by the link, then load the page for the scripts' token."""
        reply = self.get(f"/join/{token}")
        if reply.status == 303:
            page = self.get(reply.headers["Location"]).text
            self.csrf = re.search(r'data-csrf="([^"]+)"|"csrf": "([^"]+)"', page)
            self.csrf = self.csrf[1] or self.csrf[2]
        return reply

    def rows(self, path, **more):
        """The cells of a page's table rows, without tags."""
        page = self.get(path, **more).text
        rows = re.findall(r"<tr.*?</tr>", page[page.rfind("<tbody") if "<tbody" in page else 0 :], re.DOTALL)
        return [
            [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)]
            for row in rows
        ]

    def save(self, number, payload, **more):
        """Save under a new ID."""
        return self.ask("PUT", f"/api/items/{number}", {"payload": payload, "save_id": str(uuid4()), **more})


class Site:
    """A project and its server."""

    def __init__(self, folder, form, samples, *, web=None, options=None, beforehand=(), **settings):
        self.form = FORMS[form].from_options(options or {})
        self.settings = ProjectSettings(form, self.form.options, **settings)
        self.database = str(folder / "labels.db")
        self.web = web or {}
        self.project = open_project(self.database, self.settings)
        add_items(self.project, self.form.items(samples))
        add_prelabels(self.project, beforehand)
        server_admin(self.project)
        self.tokens = {"admin": ADMIN_TOKEN}
        self.port = 0
        self.start()

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"http://{self.host}"

    def start(self):
        """Start the server, at its earlier address if it had one."""
        self.listening = bound_socket("127.0.0.1", self.port)
        self.port = self.listening.getsockname()[1]
        settings = WebSettings(
            self.web.get("address", self.url), ADMIN_TOKEN, **{k: v for k, v in self.web.items() if k != "address"}
        )
        self.app = make_app(self.project, self.form, settings=settings)
        self.server = server_of(self.app, behind_proxy=settings.behind_proxy)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]}, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join(30)
        self.listening.close()

    def close(self):
        self.server.force_exit = True  # nobody sends requests any more
        self.stop()
        self.project.close()

    def stranger(self):
        """A visitor without a link."""
        return Visitor(self)

    def enter(self, name):
        """A visitor who logged in by their link; the annotator is added if missing."""
        if name not in self.tokens:
            self.tokens[name] = create_person(self.project, name, "annotator")[1]
        visitor = Visitor(self)
        assert visitor.join(self.tokens[name]).status == 303
        return visitor

    def person(self, name):
        return next(person for person in all_people(self.project) if person.name == name)


def sites_in(folder):
    """`serve(form, samples, …)`: a site of its own; all are closed at the end."""
    sites = []

    def start(form="grade", samples=SAMPLES, **settings):
        place = folder / f"site-{len(sites)}"
        place.mkdir()
        sites.append(Site(place, form, samples, **settings))
        return sites[-1]

    yield start
    for site in sites:
        site.close()


@pytest.fixture
def serve(tmp_path):
    """Sites for one test."""
    yield from sites_in(tmp_path)


@pytest.fixture(scope="module")
def serve_for_all(tmp_path_factory):
    """Sites for those tests of a module that only read."""
    yield from sites_in(tmp_path_factory.mktemp("sites"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A site for a whole module, whose tests touch only their own annotators."""
    site = Site(tmp_path_factory.mktemp("shared"), "grade", SAMPLES, per_item=1_000)
    yield site
    site.close()


@pytest.fixture
def somebody(shared):
    """A new annotator on the shared site, holding item 1."""
    visitor = shared.enter(f"somebody {uuid4()}")
    assert visitor.get("/api/items/next").json["number"] == 1
    return visitor
