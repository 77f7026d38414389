"""Limits on sizes, times and guesses; and what happens when the database or the server goes away."""

import socket
import threading
import time
from contextlib import closing
from uuid import uuid4

import pytest
import uvicorn

from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.web.guards import WrongJoins, network_of
from saiten.annotation.web.serving import HeaderTimeoutProtocol, bound_socket
from saiten.errors import ConfigurationError

GRADE = {"grade": 4, "reason": "because"}
MIB = 2**20


def spoken(site, visitor, *more, pieces=(), method="PUT", path="/api/items/1", headers=()):
    """The reply to a hand-written request."""
    head = [
        f"{method} {path} HTTP/1.1",
        f"Host: {site.host}",
        f"Origin: {site.url}",
        f"X-CSRF: {visitor.csrf}",
        "Cookie: " + "; ".join(f"{name}={value}" for name, value in visitor.cookies.items()),
        "Connection: close",
        *headers,
    ]
    with closing(socket.create_connection(("127.0.0.1", site.port), timeout=30)) as line:
        line.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
        try:
            for piece in more or pieces:
                line.sendall(piece)
        except OSError:
            pass  # the server may have closed it already
        came = b""
        try:
            while piece := line.recv(65_536):
                came += piece
        except ConnectionResetError:
            pass
    return came


@pytest.mark.parametrize("declared", [MIB + 1, 10**9, 10**18])
def test_a_body_declared_too_big_is_not_read(shared, somebody, declared):
    """The reply is an immediate 413."""
    came = spoken(shared, somebody, b"{", headers=[f"Content-Length: {declared}"])
    assert came.startswith(b"HTTP/1.1 413 ")


def test_a_body_in_chunks_is_bounded_too(shared, somebody):
    """Without a declared size, reading stops at one MiB."""
    chunk = b"%x\r\n" % 65_536 + b" " * 65_536 + b"\r\n"
    came = spoken(shared, somebody, *[chunk] * 32, headers=["Transfer-Encoding: chunked"])
    assert came.startswith(b"HTTP/1.1 413 ")
    assert somebody.get("/api/items/1").json["answered"] is None


def test_a_body_just_under_the_bound_is_read(shared, somebody):
    """It is refused for its content, not for its size."""
    raw = (
        b'{"payload": {"grade": 4, "reason": "'
        + b"x" * (MIB - 100)
        + b'"}, "save_id": "'
        + str(uuid4()).encode()
        + b'"}'
    )
    assert len(raw) <= MIB
    assert somebody.ask("PUT", "/api/items/1", raw=raw).status == 422


def test_a_body_that_does_not_come_is_not_waited_for(serve):
    """The reply is 408 after the configured time."""
    site = serve(web={"body_seconds": 0.2})
    anna = site.enter("anna")
    anna.get("/api/items/next")
    came = spoken(site, anna, b'{"payload"', headers=["Content-Length: 100"])
    assert came.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_headers_that_do_not_come_are_not_waited_for(serve, sent):
    """The connection is closed; uvicorn alone would wait forever."""

    class Hasty(HeaderTimeoutProtocol):
        head_seconds = 0.2

    app = serve().app
    with bound_socket("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(app, http=Hasty, lifespan="off", log_config=None, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        with closing(socket.create_connection(listening.getsockname(), timeout=30)) as line:
            line.sendall(sent)
            assert line.recv(100) == b""
        server.should_exit = True
        thread.join(30)


def test_headers_are_bounded(shared, somebody):
    """The reply is 400, and the server keeps running."""
    came = spoken(shared, somebody, method="GET", headers=["X-Long: " + "x" * 200_000])
    assert came.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")) or came == b""
    assert somebody.get("/api/items/1").status == 200


def test_the_memory_of_wrong_links_is_bounded():
    """Ten thousand addresses are remembered, and half an IPv6 address counts as one."""
    now = [0.0]
    joins = WrongJoins(2, clock=lambda: now[0])
    for number in range(20_000):
        joins.count(f"10.{number // 65_536}.{number // 256 % 256}.{number % 256}")
    assert len(joins._tried) == 10_000
    joins.count("2001:db8::1")
    joins.count("2001:db8::2")
    assert joins.too_many("2001:db8::3")
    assert not joins.too_many("2001:db9::3")
    now[0] = 61.0
    assert not joins.too_many("2001:db8::3")
    joins.count("2001:db8::3")
    assert not joins.too_many("2001:db8::3")


@pytest.mark.parametrize(
    ("address", "network"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "::"), ("2001:db8:1:2:3::4", "2001:db8:1:2::"), ("", ""), ("unix", "unix")],
)
def test_whose_address_it_is(address, network):
    """IPv4 as it is; the first half of IPv6; anything else unchanged."""
    assert network_of(address) == network


def test_when_the_database_is_away_the_page_is_asked_to_send_again(serve):
    """503 and when to retry; as JSON for scripts, as a page for people, also while logging in."""
    site = serve()
    anna, admin = site.enter("anna"), site.enter("admin")
    anna.get("/api/items/next")
    site.project.close()
    for reply in (anna.save(1, GRADE), anna.get("/api/items/1"), admin.get("/admin/export.jsonl")):
        assert (reply.status, reply.headers["Retry-After"], list(reply.json)) == (503, "5", ["message"])
    for reply in (anna.get("/"), admin.get("/admin"), site.stranger().get(f"/join/{site.tokens['anna']}")):
        assert (reply.status, reply.headers["Retry-After"]) == (503, "5")
        assert "<html" in reply.text


def test_what_is_being_saved_when_the_server_stops_is_saved(serve):
    """A request in progress is finished and acknowledged."""
    site = serve()
    anna = site.enter("anna")
    anna.get("/api/items/next")
    body = b'{"save_id": "%s", "payload": {"grade": 4, "reason": "late"}}' % str(uuid4()).encode()

    def halves():
        yield body[:20]
        while not site.server.server_state.tasks:
            time.sleep(0.01)  # until the server is handling it
        site.server.should_exit = True
        yield body[20:]

    came = spoken(site, anna, pieces=halves(), headers=[f"Content-Length: {len(body)}"])
    assert came.startswith(b"HTTP/1.1 200 ")
    site.thread.join(30)
    assert not site.thread.is_alive()
    (settled,) = annotated_items(site.project)
    assert settled.annotations[0][1].payload["reason"] == "late"


def test_a_port_in_use_is_reported():
    """One sentence says what to do."""
    with bound_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"port {port} of 127.0.0.1 is in use.*--port"):
            bound_socket("127.0.0.1", port)


def test_an_address_of_another_machine_is_reported():
    """One sentence says what to do."""
    with pytest.raises(ConfigurationError, match="--host names an address of this machine"):
        bound_socket("192.0.2.1", 0)
