"""Attackers, and everybody at once in each other's way: over HTTP, against the process that people start.

Permissions of single roles are tested in `web/test_who_may_what.py`, limits in `web/test_bounds.py`, texts in
`web/test_hostile_text.py`.
"""

import asyncio
import json
import random
import socket
import subprocess
import sys
import textwrap
from contextlib import closing
from uuid import uuid4

import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from crowd import Worker, exported
from served import ServedProject, answers
from sqlalchemy import select

from saiten.annotation.store.people import all_people
from saiten.annotation.store.project import open_project
from saiten.annotation.store.schema import acts

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("attacks")]  # one server for all tests here

ID = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def talkative(tmp_path_factory):
    """A project whose server logs everything its libraries can; Anna holds item 1."""
    strange = [{"id": "a\0b", "question": "q", "answer": "a"}, {"id": "x" * 5_000, "question": "q", "answer": "a"}]
    project = ServedProject(
        tmp_path_factory.mktemp("attacked"), "labels.db", [*answers(6), *strange], "--form", "grade",
        *("--annotator", "Anna", "--annotator", "Ben"), talkative=True,
    )  # fmt: skip
    yield project
    if project.process.poll() is None:
        project.kill()


@pytest.fixture
async def anna(talkative):
    """Anna, logged in and holding item 1."""
    worker = Worker("Anna", talkative.tokens["Anna"], talkative.port)
    await worker.join()
    assert (await worker.line.ask(worker.request("GET", "/api/items/next"))).status == 200
    yield worker
    worker.line.cut()


def spoken(port, raw):
    """Everything that comes back for these bytes."""
    came = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as line:
        line.sendall(raw)
        while piece := line.recv(65_536):
            came += piece
    return came


def saved(body):
    """The body of a save, in which BODY is a placeholder for the payload's text."""
    return b'{"save_id": "' + ID.encode() + b'", "payload": ' + body + b"}"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"null", 400), (b"[]", 400), (b"\xff\xfe", 400), (b"\xef\xbb\xbf{}", 400),
        (b"[" * 100_000, 400), (b'{"a":' * 5_000, 400), (b"{" + b'"a":1,' * 9_999 + b'"b":2}', 422),
        (saved(b'{"grade": NaN}'), 400), (saved(b'{"grade": 1e400}'), 400), (saved(b'{"grade": ' + b"9" * 5_000 + b"}"), 400),
        (saved(b'{"grade": 1, "__proto__": {}}'), 422), (saved(b'{"grade": {"$gt": 0}}'), 422),
        (b'{"save_id": "1 OR 1=1", "payload": {"grade": 1}}', 422),
    ],
)  # fmt: skip
async def test_bodies_that_no_page_sends(anna, body, status):
    """The body is refused, and nothing is stored."""
    head = anna.request("PUT", "/api/items/1").replace(b"Content-Length: 0", b"Content-Length: %d" % len(body))
    reply = await anna.line.ask(head + body)
    assert (reply.status, next(iter(json.loads(reply.body)))) == (status, "message")
    item = await anna.line.ask(anna.request("GET", "/api/items/1"))
    assert json.loads(item.body)["answered"] is None


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 5\r\nContent-Length: 6", "Content-Length: -1", "Content-Length: +5", "Content-Length: 1e3",
        "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, identity", "X\0Y: 1", "X: a\rb", "X : y",
    ],
)  # fmt: skip
async def test_requests_whose_end_is_in_doubt_are_not_read(anna, talkative, headers):
    """400, and the connection is closed: no second request can hide in the first one (request smuggling)."""
    hidden = anna.request("POST", "/api/leave")
    head = anna.request("PUT", "/api/items/1").replace(b"Content-Length: 0", headers.encode())
    came = await asyncio.to_thread(spoken, talkative.port, head + b"0\r\n\r\n" + hidden)
    assert came.startswith(b"HTTP/1.1 400 ")
    assert came.count(b"HTTP/1.1") == 1
    assert (await anna.line.ask(anna.request("GET", "/api/items/1"))).status == 200


@pytest.mark.parametrize(
    "host",
    ["localhost:1@evil.example", "127.0.0.1:x", "[::1", "[::1]x", "127.1", "2130706433", "127.0.0.1.", "a/b", "[]"],
)
async def test_hosts_that_no_browser_sends(anna, talkative, host):
    """They are refused, whatever they begin with."""
    request = anna.request("GET", "/api/items/1").replace(f"127.0.0.1:{anna.port}".encode(), host.encode())
    assert (await anna.line.ask(request)).status == 421


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/static/../app.py", 404), ("/static/%2e%2e/app.py", 404), ("/static/..%2fapp.py", 404),
        ("/static/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404), ("/static//etc/passwd", 404),
        ("/static/..%5capp.py", 404), ("/static/page.js%00", 404), ("/static/", 404), ("/static", 404), ("/%00", 404),
        ("//evil.example/", 404), ("/admin/", 404), ("/ADMIN", 404), ("/openapi.json", 404), ("/docs", 404),
        ("/api/items/-1", 404), ("/api/items/999999999999999999999999", 404), ("/api/items/1.0", 404),
        ("/api/items/next?except=1,2,3,4,5,6", 400), ("/api/items/next?except=%D9%A1", 400),
    ],
)  # fmt: skip
async def test_paths_that_lead_nowhere(anna, path, status):
    """They lead neither to files outside our own nor, by a redirect, to an address made from the request."""
    reply = await anna.line.ask(anna.request("GET", path))
    assert reply.status == status
    assert "location" not in reply.headers


async def test_ids_that_no_database_keeps_are_reported_and_left_out(talkative):
    """Each gets one line, however long it is; the other samples are there."""
    output = b"".join(talkative.output).decode()
    assert "left out sample 'a\\x00b': its id contains a zero character" in output
    assert f"left out sample '{'x' * 80}': its id contains" in output
    assert "\n6 items, 0 finished" in output


async def test_a_link_with_a_slash_at_its_end_leads_nowhere(talkative):
    """A redirect would put the link into an address without HTTPS if the server does not know its proxy's."""
    anna = Worker("Anna", talkative.tokens["Anna"], talkative.port)
    reply = await anna.line.ask(anna.request("GET", f"/join/{anna.token}/"))
    anna.line.cut()
    assert (reply.status, "location" in reply.headers, anna.token.encode() in reply.body) == (404, False, False)


async def test_a_method_is_the_one_in_the_request_line(anna):
    """No header or parameter turns a read into a change."""
    for method in ("HEAD", "OPTIONS", "TRACE", "DELETE", "PATCH", "FOO"):
        reply = await anna.line.ask(anna.request(method, "/api/items/1").replace(b"HEAD", b"head"))
        assert reply.status in {400, 405}, method
    for header in ("X-HTTP-Method-Override: POST", "X-Original-URL: /admin", "X-Forwarded-Host: evil.example"):
        request = anna.request("GET", "/mine?_method=POST").replace(b"\r\nCookie", f"\r\n{header}\r\nCookie".encode())
        reply = await anna.line.ask(request)
        assert (reply.status, b"evil" in reply.body) == (200, False)


async def test_a_session_that_somebody_chose_is_invalid(talkative):
    """Neither a chosen secret nor a link's token is a session, and each login makes another secret."""
    secrets = set()
    for chosen in ("chosen" * 7, talkative.tokens["Anna"], ""):
        anna = Worker("Anna", talkative.tokens["Anna"], talkative.port, f"saiten-{talkative.port}={chosen}")
        assert (await anna.line.ask(anna.request("GET", "/api/items/1"))).status == 401
        await anna.join()
        secrets.add(anna.cookie)
        anna.line.cut()
        assert chosen not in anna.cookie or not chosen
    assert len(secrets) == 3


@pytest.mark.witness
async def test_no_log_holds_a_link_a_session_or_a_secret(tmp_path):
    """Though every library logs all it can and requests fail; nor does it contain annotators' entries."""
    project = ServedProject(
        tmp_path, str(tmp_path / "labels.db"), answers(3), "--form", "grade", "--annotator", "Anna", talkative=True
    )
    workers = [Worker(name, token, project.port) for name, token in project.tokens.items()]
    before = len(b"".join(project.output))
    for worker in workers:
        await worker.join()
        await worker.line.ask(worker.request("GET", f"/join/{worker.token}x"))
        await worker.line.ask(worker.request("GET", "/api/items/next"))
        body = {"payload": {"grade": 1, "reason": "said in private"}, "save_id": str(uuid4())}
        await worker.line.ask_and_hang_up(worker.request("PUT", "/api/items/1", body), 0)
        await worker.line.ask(worker.request("PUT", "/api/items/1", body))
        await worker.line.ask(worker.request("GET", "/admin/export.jsonl"))
        worker.line.cut()
    await asyncio.to_thread(project.stop)
    output = b"".join(project.output)[before:].decode()
    assert "Traceback" not in output
    for worker in workers:
        for secret in (worker.token, worker.cookie.partition("=")[2], worker.csrf):
            assert secret
            assert secret not in output


TRACED = textwrap.dedent("""
    import sys, threading, urllib.error, urllib.request
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    from saiten.annotation.forms import GradeForm
    from saiten.annotation.records import ProjectSettings
    from saiten.annotation.store.people import all_people
    from saiten.annotation.store.project import open_project
    from saiten.annotation.web.app import make_app
    from saiten.annotation.web.serving import bound_socket, server_of
    from saiten.annotation.web.settings import WebSettings
    with open_project(sys.argv[1], ProjectSettings("grade")) as store, bound_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = server_of(make_app(store, GradeForm(), settings=WebSettings(f"http://127.0.0.1:{port}", "t" * 43)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/join/secret-link")
        except urllib.error.HTTPError as error:
            print(error.code)
        server.should_exit = True
        thread.join()
    print([span.attributes for span in spans.get_finished_spans()])
""")


def test_traces_hold_no_links(tmp_path):
    """If the process reports traces (OpenTelemetry), they exclude requests to the page: links are secret."""
    pytest.importorskip("opentelemetry.sdk", reason="there is nothing that reports traces")
    done = subprocess.run(
        [sys.executable, "-c", TRACED, str(tmp_path / "labels.db")], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["404", "[]"], done


SUMS = """
SELECT 'room', id FROM saiten_items i WHERE room <> needed - (
    SELECT count(*) FROM saiten_assignments a WHERE a.item_id = i.id AND a.state IN ('given', 'done'))
UNION ALL SELECT 'places', id FROM saiten_projects WHERE places <> (SELECT sum(room) FROM saiten_items WHERE room > 0)
UNION ALL SELECT 'had', person_id FROM saiten_workloads w WHERE had <> (
    SELECT count(*) FROM saiten_assignments a WHERE a.person_id = w.person_id AND a.state <> 'released')
UNION ALL SELECT 'standing', id FROM saiten_assignments a WHERE state = 'done' AND NOT EXISTS (
    SELECT 1 FROM saiten_acts s WHERE s.id = a.standing_id AND s.assignment_id = a.id AND s.kind = 'save')
"""


NAMES = ["Anna", "Ben", "Cat"]


class Storm:
    """What everybody does, drawn at random, and the replies they got."""

    def __init__(self, project, ids):
        self.project, self.ids = project, ids
        self.dice = random.Random(20270304)
        self.acknowledged, self.statuses = {}, set()

    async def ask(self, worker, method, path, body=None):
        reply = await asyncio.wait_for(worker.line.ask(worker.request(method, path, body)), 60)
        self.statuses.add(reply.status)
        return reply

    async def window(self, name):
        """A window of one of the two annotators."""
        worker = Worker(name, self.project.tokens[name], self.project.port)
        await worker.join()
        await self.ask(worker, "GET", "/api/items/next")
        sent = []
        for _ in range(20):
            reply = await self.act(worker, sent)
            if reply.status == 401:
                await asyncio.sleep(0.02)
                if (await self.ask(worker, "GET", f"/join/{worker.token}")).status == 303:
                    await worker.join()
        worker.line.cut()

    async def act(self, worker, sent):
        act = self.dice.choice(["next", "undo", "skip", "save", "save", "save again"])
        number, save_id = self.dice.randrange(1, 4), str(uuid4())
        if act == "next":
            return await self.ask(worker, "GET", "/api/items/next")
        if act == "undo":
            return await self.ask(worker, "POST", "/api/undo", {"save_id": save_id})
        if act == "skip":
            return await self.ask(worker, "POST", f"/api/items/{number}/skip", {"save_id": save_id})
        if act == "save" or not sent:
            sent.append({"payload": {"grade": self.dice.randrange(6)}, "save_id": save_id})
        reply = await self.ask(worker, "PUT", f"/api/items/{number}", sent[-1])
        if reply.status == 200:
            self.acknowledged[sent[-1]["save_id"]] = sent[-1]["payload"]["grade"]
        return reply

    async def admin(self, doing):
        worker = Worker("admin", self.project.tokens["admin"], self.project.port)
        await worker.join()
        for turn in range(6):
            for method, path, body in doing(turn):
                assert (await self.ask(worker, method, path, body)).status == 200
        worker.line.cut()

    def doors(self, turn):
        """Lock out and readmit, alternately."""
        yield "PUT", f"/api/admin/people/{self.ids[NAMES[turn // 2 % 3]]}", {"active": bool(turn % 2)}

    def desk(self, turn):
        """Decide, and look at everything."""
        yield "PUT", f"/api/admin/items/{turn + 1}/decision", {"payload": {"grade": turn % 6}, "note": "n"}
        for path in ("/admin/export.jsonl", "/admin/differences", "/admin/agreement", "/admin/people"):
            yield "GET", path, None


async def test_everybody_at_once_in_each_others_way(tmp_path, annotation_database):
    """Saves, skips and undos of one person in two windows, while an admin locks out, readmits, decides and exports.

    Nobody gets an internal error, every acknowledged save is stored once, and the counters kept along with the answers
    still match them.
    """
    people = [part for name in NAMES for part in ("--annotator", name)]
    project = ServedProject(tmp_path, annotation_database, answers(8), "--form", "grade", *people)
    with open_project(annotation_database) as store:
        storm = Storm(project, {person.name: person.id for person in all_people(store)})
    await asyncio.gather(*map(storm.window, NAMES * 2), storm.admin(storm.doors), storm.admin(storm.desk))
    rows = await exported(project)
    await asyncio.to_thread(project.stop)
    assert storm.statuses <= {200, 204, 303, 401, 404, 409, 429}
    assert sum(row["adjudicated"] for row in rows) == 6
    said = [(row["item"], row["annotator"]) for row in rows]
    assert len(said) == len(set(said))
    assert b"Traceback" not in b"".join(project.output)
    with open_project(annotation_database) as store, store.database.engine.connect() as connection:
        found = connection.execute(select(acts.c.save_id, acts.c.payload).where(acts.c.kind == "save")).all()
        assert len(found) == len(storm.acknowledged) > 3
        assert {save_id: json.loads(payload)["grade"] for save_id, payload in found} == storm.acknowledged
        assert connection.exec_driver_sql(SUMS).all() == []
