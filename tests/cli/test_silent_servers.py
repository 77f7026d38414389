"""Servers that hang before a run: the user is told soon, and the run gives up after one time-out, not eight."""

import contextlib
import json
import socket
import threading
from pathlib import Path

import pytest

from saiten.models import http_client

ROW = {"id": "a", "question": "q", "answer": "a", "reference": "a", "contexts": ["a"]}
HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


class Hanging:
    """Accepts connections, sends some bytes, one at a time if they trickle, and never finishes."""

    def __init__(self, sends=b"", *, accepts=True, trickles=False):
        self._sends, self._trickles = sends, trickles
        self.connections = []
        self._stop = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=16 if accepts else 0)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._filling = []
        if accepts:
            threading.Thread(target=self._accept, daemon=True).start()
        else:
            self._fill()

    def _fill(self):
        """Fill the backlog, so that further SYN packets are dropped."""
        for _ in range(4):
            filling = socket.socket()
            filling.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                filling.connect(self._socket.getsockname())
            self._filling.append(filling)

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._send, args=(connection,), daemon=True).start()

    def _send(self, connection):
        with contextlib.suppress(OSError):
            connection.sendall(self._sends)
            while self._trickles and not self._stop.wait(0.05):
                connection.sendall(b" ")

    def close(self):
        self._stop.set()
        for each in (self._socket, *self.connections, *self._filling):
            each.close()


@pytest.fixture
def hanging(monkeypatch):
    """Make servers that hang, and report silence soon."""
    monkeypatch.setattr(http_client, "_SILENT", 0.2)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    servers = []

    def make(*sends, **how):
        servers.append(Hanging(*sends, **how))
        return servers[-1]

    yield make
    for each in servers:
        each.close()


@pytest.mark.parametrize(
    "case",
    [(b"", {}), (HEADERS, {}), (HEADERS, {"trickles": True}), (b"", {"accepts": False})],
    ids=["silent", "headers", "trickle", "dropped"],
)
@pytest.mark.parametrize("who", ["judge", "embedder", "writer"])
def test_a_server_that_hangs_is_named_and_given_up(saiten, caplog, hanging, who, case):
    """The note names the server and the option, and the run ends after one time-out."""
    sends, how = case
    server = hanging(sends, **how)
    Path("x.jsonl").write_text(json.dumps(ROW) + "\n")
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("The printer needs three watts.\n")
    model = f"openai:m@http://{server.address}/v1"
    command = {
        "judge": ("score", "x.jsonl", "-m", "accuracy", "--judge", model, "-o", "run"),
        "embedder": ("index", "docs", "--kb", "kb", "--embedder", model),
        "writer": ("questions", "docs", "-o", "set", "--n", "1", "--judge", model),
    }[who]
    said = saiten(*command, "--timeout", "1")
    assert said.status in (2, 3), said
    (note,) = [each for each in caplog.messages if "no answer from" in each]
    assert f"no answer from openai:m@http://{server.address}/v1 within 0.2 s" in note
    assert "This waits up to 1 s, see --timeout" in note
    assert server.address in said.err
    assert len(server.connections) <= 1


def test_a_model_that_takes_longer_to_load_is_waited_for(saiten, caplog, monkeypatch, openai_server):
    """The note is a note: a server that answers late, but in time, runs as usual."""
    monkeypatch.setattr(http_client, "_SILENT", 0.0)
    openai_server.latency = 0.1
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    Path("x.jsonl").write_text(json.dumps(ROW) + "\n")
    said = saiten("score", "x.jsonl", "-m", "accuracy", "--judge", f"openai:m@{openai_server.base_url}", "-o", "run")
    assert said.status == 0, said
    assert caplog.text.count("no answer from") == 1
