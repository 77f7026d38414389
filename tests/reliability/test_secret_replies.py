"""What a server repeats of a key, a header, an address: no error shows it, whatever the status and the form."""

import html
import json
from base64 import b64encode
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from planted import Planted

from answer_service import AnswerService
from recorder import Recorder
from saiten.cli import main
from servers import Fault
from stand_ins.batches import BatchesServer

STATUSES = [400, 401, 403, 404, 407, 429, 500, 503, 302, 200]
ROW = {"id": "q", "question": "What is it?", "answer": "A wheel.", "reference": "A wheel.", "contexts": ["A wheel."]}


def echoes(asked):
    """The ways in which servers repeat what they were sent: its headers, its query, its path, the whole address."""
    sent = f"{dict(asked.headers)} {dict(asked.query)} {asked.path} http://u:p@host{asked.path}?{asked.query}"
    key = asked.headers.get("Authorization", "none").rpartition(" ")[2]
    url = f"http://me:{key}@host/v1?sig={asked.query.get('sig')}"
    return {
        "message": {"error": {"message": sent, "type": "invalid_request_error"}},
        "nested": {"error": {"message": json.dumps({"error": {"message": sent}}), "code": 1}},
        "detail": {"detail": [{"loc": ["header"], "msg": sent, "input": key}]},
        "page": f"<html><title>Error</title><body><pre>{html.escape(sent)}</pre></body></html>",
        "text": sent,
        "escaped": json.dumps({"url": url, "headers": dict(asked.headers)}).replace("/", "\\/"),
        "encoded": f"denied: {quote(sent, safe='')} and {quote(quote(url + asked.path, safe=''), safe='')}",
        "base64": f"denied: {b64encode(key.encode()).decode()} {b64encode(f'{asked.path}:{key}'.encode()).decode()}",
        "part": f"Incorrect API key provided: {key[:12]}…{key[-4:]}; do you mean {key[3:-3]}? {asked.path[9:19]}",
        "path": f"Invalid URL (POST {asked.path})",
        "late": f"{' ' * 9_985}{key}",
        "often": f"{key} " * 2_000,
    }


FORMS = sorted(echoes(type("Asked", (), {"headers": {}, "query": {}, "path": "/"})))


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Secrets in the variables, of which the commands send two."""
    planted = Planted()
    for name in ("OPENAI_API_KEY", "SAITEN_SYSTEM_KEY"):
        monkeypatch.setenv(name, planted(name))
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    monkeypatch.chdir(tmp_path / "out")
    return planted


@pytest.fixture
def shown(capsys):
    """`shown(ARGUMENTS)`: the output of a command, however it ends."""

    def call(*arguments):
        with suppress(SystemExit):
            main([str(argument) for argument in arguments])
        return "".join(capsys.readouterr())

    return call


def commands(planted, model, system, out):
    """Commands in which a model, an embedder, a system and a retriever are asked; each fails or not."""
    data = "../in/rows.jsonl"
    query, header = f"?sig={planted('query')}", f"X-Key={planted('header')}"
    key, hook = f"key/{planted('path')}", f"hooks/{planted('path')}"
    judge, once = f"openai:m@{model}/{key}/v1{query}", ["--retries", "0", "-q"]
    yield ["score", data, "-m", "accuracy", "--judge", judge, "--judge-header", header, "-o", f"judge{out}", *once]
    embedder = ["--embedder", f"openai:m@{model}/{hook}/v1{query}", "--embedder-header", header]
    yield ["score", data, "-m", "answer_similarity", *embedder, "-o", f"embedder{out}", *once]
    asked = ["--system", f"{system}/{hook}{query}", "--header", header]
    yield ["answer", data, *asked, "-o", f"answers{out}.jsonl", *once]
    retriever = ["--retriever", f"{system}/{key}{query}", "--retriever-header", header, "--evidence", "reference"]
    yield ["score", data, "-m", "correctness", *retriever, "-o", f"retriever{out}", *once]


CASES = [
    *((form, STATUSES[number % 4 :: 4]) for number, form in enumerate(FORMS)),
    *(pytest.param(form, STATUSES, marks=pytest.mark.slow) for form in FORMS),
]
"""Each form with some statuses, and with all of them."""


@pytest.mark.parametrize(("form", "statuses"), CASES)
def test_an_error_repeats_nothing_that_was_sent(form, statuses, planted, shown, openai_server):
    """With every status; on the screen and in every file.

    A reply of status 200 without the form of an answer is an error, too.
    """
    with AnswerService() as service:
        for status in statuses:

            def fault(asked, status=status):
                place = f"{'http://other.example' * (asked.number % 2)}/v1{asked.path}"
                location = f"{place}?key={asked.headers.get('Authorization')}#{asked.query.get('sig')}"
                headers = {"Location": location, "X-Echo": str(asked.headers.get("Authorization"))}
                return Fault(status, echoes(asked)[form], headers)

            openai_server.reply = service.reply = fault
            for command in commands(planted, openai_server.base_url, service.url, status):
                printed = shown(*command)
                assert planted.found(printed.encode()) == set(), (status, command[0], printed)
        assert planted.found_in(Path.cwd()) == {}
    for server in (openai_server, service):
        assert len(server.requests) >= 2 * len(statuses)
        assert {"query", "header", "path"} <= planted.found(
            repr([(asked.path, asked.query, asked.headers) for asked in server.requests]).encode()
        )


@pytest.mark.parametrize("form", ["message", "page", "encoded"])
def test_an_error_about_a_batch_repeats_nothing_that_was_sent(form, planted, shown, tmp_path):
    """When it is made, when it fails, and in the errors of its single requests."""
    with BatchesServer() as server:
        base = f"{server.base_url}/key/{planted('path')}/v1"
        judge = ["--judge", f"openai:m@{base}?sig={planted('query')}", "--retries", "0"]
        judge += ["--judge-header", f"X-Key={planted('header')}"]
        batch = ["--batch", "--batch-poll", "0.02", "-q"]

        def fault(asked):
            sent = replace(asked, path=f"/key/{planted('path')}/v1/chat/completions")
            return Fault(400, echoes(sent)[form]) if len(server.batches) else None

        server.reply = fault
        for number in range(2):
            printed = shown("score", "../in/rows.jsonl", "-m", "accuracy", *judge, *batch, "-o", f"run{number}")
            assert planted.found(printed.encode()) == set(), printed
            server.has_batches = False
        assert server.batches
    assert planted.found_in(tmp_path / "out") == {}


def test_an_error_of_qdrant_repeats_no_key_and_no_path(planted, shown, monkeypatch):
    """Its own client has errors of its own, of each status."""
    pytest.importorskip("qdrant_client")
    key, path = planted("QDRANT_API_KEY"), f"/key/{planted('path')}"
    monkeypatch.setenv("QDRANT_API_KEY", key)
    body = json.dumps({"status": {"error": f"denied: {key} {key[:9]} {path}"}})
    for status in (400, 403, 404, 429, 500):
        head = f"HTTP/1.1 {status} Error\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        with Recorder((head + body).encode()) as server:
            printed = shown("search", "wheel", "--kb", f"{server.url}{path}/kb")
        assert planted.found(server.received) == {"QDRANT_API_KEY", "path"}
        assert planted.found(printed.encode()) == set()
        assert server.url in printed


def test_the_text_of_a_reply_is_kept_as_it_came(planted, shown, openai_server, tmp_path):
    """A model's text is the data that is graded, so it is not changed, whatever it repeats: a key such as `ollama` is
    an ordinary word.
    """
    with AnswerService() as service:
        service.reply = lambda asked: f"Your key is {asked.headers['Authorization']}."
        shown("answer", "../in/rows.jsonl", "--system", service.url, "-o", "answers.jsonl", "-q")
    written = json.loads((tmp_path / "out" / "answers.jsonl").read_text())
    assert written["answer"] == f"Your key is Bearer {planted('SAITEN_SYSTEM_KEY')}."
