"""Planted secrets: none of them is in what the commands write or show."""

import json
import sys
from base64 import b64encode

import pytest

from answer_service import AnswerService
from saiten.cli import main
from servers import Fault

ROWS = [
    {
        "id": f"q{n}",
        "question": f"What does part {n} do?",
        "answer": f"It turns wheel {n}.",
        "contexts": [f"Part {n} turns the wheel."],
        "reference": f"Part {n} turns the wheel.",
    }
    for n in range(3)
]
BASIC = b64encode(b"planted-user:planted-pass").decode()


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """A folder for input with secrets; the commands run in another, which is searched."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key")
    monkeypatch.setenv("SAITEN_SYSTEM_KEY", "planted-system-key")
    (tmp_path / "in" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path / "in"


@pytest.fixture
def service():
    """A system under test."""
    with AnswerService() as server:
        yield server


@pytest.fixture
def shown(capsys, monkeypatch):
    """`shown(STATUS, ARGUMENTS)`: the output of a command; `shown.all` is the whole output."""

    def call(status, *arguments):
        monkeypatch.setattr(sys, "argv", ["saiten", *map(str, arguments)])
        try:
            main()
            ended = 0
        except SystemExit as end:
            ended = end.code or 0
        printed = capsys.readouterr()
        call.all += printed.out + printed.err
        assert ended == status, printed
        return printed.out + printed.err

    call.all = ""
    return call


def secret(url, word="planted"):
    """The address with a user, a password, a signature, and a harmless parameter."""
    return f"{url.replace('//', f'//{word}-user:{word}-pass@')}?sig={word}-sig&api-version=2024-10-21"


def leaks(folder, printed):
    """The places with a secret; the output counts as a file."""
    found = [path for path in folder.rglob("*") if path.is_file() and _has(path.read_bytes(), path.name)]
    return found + (["the output"] if _has(printed.encode(), "") else [])


def _has(content, name):
    return b"planted" in content.lower() or BASIC.encode() in content or "planted" in name.lower()


def test_no_command_writes_or_shows_a_secret(inputs, shown, openai_server, service, tmp_path):
    """In the addresses of judge, embedder, system and generator, in headers, in keys; each was sent."""
    data, url = inputs / "rows.jsonl", secret(openai_server.base_url)
    asked = ["--judge", f"openai:m@{url}", "--embedder", f"openai:e@{openai_server.base_url}", "-q"]
    asked += ["--judge-header", "X-Three=planted-three", "--judge-option", "metadata.api_key=planted-four"]
    asked += ["--embedder-header=X-Five=planted-five", '--judge-option=more={"token": "planted-six", "n": 1}']
    system = ["--system", secret(service.url), "--header", "X-One=planted-one", "--header=X-Two=planted-two"]
    (inputs / "grid.yaml").write_text(
        f"data:\n  - {{questions: rows.jsonl, kb: kb}}\nmodels: ['openai:g@{url}']\n"
        f"systems: ['{secret(service.url)}']\nchains: [stuff]\nmetrics: [accuracy]\njudge: 'openai:m@{url}'\n"
    )
    (inputs / "docs").mkdir()
    (inputs / "docs" / "a.txt").write_text("Part 1 turns the wheel.")
    shown(0, "index", inputs / "docs", "--kb", inputs / "kb", "--embedder", f"openai:e@{url}", "-q")
    shown(0, "search", "wheel", "--kb", inputs / "kb", "--embedder", f"openai:e@{url}")
    metrics = ["-m", "accuracy", "-m", "answer_similarity"]
    shown(0, "score", data, *metrics, *asked, "--dry-run")
    shown(0, "score", data, *metrics, *asked, "-o", "runs/score", "--fail-under", "accuracy=0.1", "--junit", "j.xml")
    shown(0, "probe", data, "-m", "accuracy", "--probes", "padded", *asked, "-o", "runs/probe")
    shown(0, "answer", data, *system, "-o", "answers.jsonl", "-q")
    shown(0, "converse", data, *system, *asked, "--max-turns", "1", "-o", "runs/talk")
    shown(0, "experiment", inputs / "grid.yaml", "-o", "runs/grid", "-q")
    shown(0, "experiment", inputs / "grid.yaml", "-o", "runs/grid", "--results")
    for form in ("table", "json", "html"):
        shown(0, "show", "runs/score", "--format", form)
    shown(0, "show", "runs/talk", "--dialogue", "q1")
    shown(0, "compare", "runs/score", "runs/probe")
    shown(0, "report", "runs/score", "runs/talk", "-o", "report.html")
    assert leaks(tmp_path / "out", shown.all) == []
    sent = {asked.headers.get("Authorization") for asked in openai_server.requests}
    assert sent == {f"Basic {BASIC}", "Bearer planted-key", None}  # None: a knowledge base keeps no password
    assert {asked.query.get("sig") for asked in openai_server.requests} == {"planted-sig", None}
    assert {asked.headers.get("X-Two") for asked in service.requests} == {"planted-two", None}
    assert {asked.headers.get("X-Three") for asked in openai_server.requests} == {"planted-three", None}
    assert {asked.headers.get("X-Five") for asked in openai_server.requests} == {"planted-five", None}
    bodies = [asked.body for asked in openai_server.requests if "metadata" in asked.body]
    assert {(body["metadata"]["api_key"], body["more"]["token"]) for body in bodies} == {
        ("planted-four", "planted-six")
    }
    manifest = json.loads((tmp_path / "out" / "runs" / "talk" / "manifest.json").read_text())
    assert manifest["settings"]["judge"] == f"openai:m@{openai_server.base_url.replace('//', '//***@')}?sig=***&api-version=2024-10-21"  # fmt: skip
    hidden = ["X-One=***", "--header=X-Two=***", "X-Three=***", "--embedder-header=X-Five=***"]
    assert [each for each in manifest["command"] if "X-" in each] == hidden
    options = ["metadata.api_key=***", '--judge-option=more={"token": "***", "n": 1}']
    assert [each for each in manifest["command"] if each in options] == options
    assert manifest["settings"]["judge_options"] == {"metadata": {"api_key": "***"}, "more": {"n": 1, "token": "***"}}


def test_a_run_goes_on_with_a_new_key_and_not_with_another_judge(inputs, shown, openai_server, tmp_path):
    """Hidden parts are not compared, so a key may be renewed; visible parts are."""
    arguments = ["score", inputs / "rows.jsonl", "-m", "accuracy", "-o", "run", "-q", "--judge"]
    url = secret(openai_server.base_url)
    shown(0, *arguments, f"openai:m@{url}")
    before = len(openai_server.requests)
    assert "already has 3 scores" in shown(0, *arguments, f"openai:m@{secret(openai_server.base_url, 'plantednew')}")
    for other in (f"openai:other@{url}", f"openai:m@{url.replace('2024', '2025')}", f"openai:m@{url}&region=eu"):
        assert "begun with other settings" in shown(2, *arguments, other)
    assert len(openai_server.requests) == before
    assert leaks(tmp_path / "out", shown.all) == []


def test_a_run_of_an_older_saiten_loses_its_secrets_when_it_goes_on(inputs, shown, openai_server, tmp_path):
    """Nothing shows them before, and it remains the same run."""
    judge = f"openai:m@{secret(openai_server.base_url)}"
    arguments = ["score", inputs / "rows.jsonl", "-m", "accuracy", "-o", "run", "-q", "--judge", judge]
    shown(0, *arguments)
    path = tmp_path / "out" / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"]["judge"] = judge
    manifest["command"] = ["saiten", *map(str, arguments)]
    path.write_text(json.dumps(manifest))
    shown(0, "show", "run")
    shown(0, "report", "run", "-o", "report.html")
    assert leaks(tmp_path / "out", shown.all) == [path]
    shown(0, *arguments)
    assert leaks(tmp_path / "out", shown.all) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@planted-user:planted-pass@host/v1?sig=planted"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@ftp://planted:planted@host/v1?sig=planted"],
        ["score", "DATA", "-m", "accuracy", "--judge", "planted-user:planted-pass@host/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://planted:pl/anted@host:1/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://u:planted@127.0.0.1:9/v1?sig=planted"],
        ["score", "DATA", "-m", "answer_similarity", "--embedder", "http://u:planted@127.0.0.1:9/v1?sig=planted"],
        ["answer", "DATA", "--system", "planted-user:planted-pass@host/ask?key=planted", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "htp://planted-user:planted-pass@host/ask?key=planted", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "http://u:planted@127.0.0.1:9/ask?key=planted", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "openai:m@http://u:planted@h/v1", "--header", "X=planted", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "openai:m@http://u:planted@h/v1", "--chain", "stuff", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "http://h/ask", "--header", "X-Key: planted", "-o", "a.jsonl"],
        ["answer", "DATA", "--system", "http://h/ask", "--header", "X: Bearer planted==", "-o", "a.jsonl"],
        ["score", "DATA", "-m", "accuracy", "http://u:planted@h/v1?sig=planted"],
        ["score", "DATA", "-m", "accuracy", "--votes", "http://u:planted@h/v1?sig=planted"],
        ["search", "q", "--kb", "http://u:planted@127.0.0.1:9/kb"],
        ["search", "q", "--kb", "http://127.0.0.1:9/kb?api_key=planted"],
        ["track", "gone", "--to", "http://u:planted@127.0.0.1:9/?token=planted"],
    ],
)
def test_an_error_shows_no_secret(inputs, shown, arguments, tmp_path):
    """Whatever is wrong: the form of a name, an option, an absent server."""
    shown(2, *(str(inputs / "rows.jsonl") if each == "DATA" else each for each in arguments))
    assert leaks(tmp_path / "out", shown.all) == []


def test_a_mistake_in_an_experiment_is_shown_without_its_secret(inputs, shown, tmp_path):
    """This holds even if the value is cut in the middle of a password."""
    long = "p" * 60
    url = f"openai:m@http://planted-user:planted-{long}@host/v1"
    (inputs / "grid.yaml").write_text(f"data:\n  - {{demo: en}}\nmodels: [{{name: x, exampel: '{url}'}}]\nk: '{url}'\n")
    assert "grid.yaml" in shown(2, "experiment", inputs / "grid.yaml")
    (inputs / "grid.yaml").write_text(
        f"data:\n  - {{demo: en}}\nsystems: ['http://a/?key=planted-1', 'http://a/?key=planted-2']\nk: 3\n# {url}\n"
    )
    assert "http://a/?key=*** is listed twice" in shown(2, "experiment", inputs / "grid.yaml")
    assert leaks(tmp_path / "out", shown.all) == []


def test_what_a_server_repeats_is_not_shown(inputs, shown, openai_server, tmp_path):
    """A server error may contain everything that it was sent."""
    openai_server.reply = lambda asked: Fault(
        400, {"error": {"message": f"{dict(asked.headers)} {dict(asked.query)} {asked.path}"}}
    )
    url = secret(openai_server.base_url)
    shown(2, "score", inputs / "rows.jsonl", "-m", "accuracy", "--judge", f"openai:m@{url}", "-o", "run", "-q")
    assert leaks(tmp_path / "out", shown.all) == []
