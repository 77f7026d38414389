"""The choices of a saiten.toml in the current folder are reported before anything is sent."""

import json
import re
import resource
import sys
from pathlib import Path

import pytest

import saiten as api
from recorder import Recorder, response
from saiten.errors import ConfigurationError

ROW = {"id": "a", "question": "q", "answer": "a", "reference": "a", "contexts": ["a"]}
SCORE = ("score", "data.jsonl", "-m", "accuracy", "-m", "answer_similarity", "-o", "run", "-q")
FAR = "openai:m@http://me:planted@far.example:8000/v1?sig=planted"


@pytest.fixture(autouse=True)
def proxy(somewhere, monkeypatch):
    """Data, and a proxy that keeps what is sent to servers elsewhere, so that no name is looked up."""
    Path("data.jsonl").write_text(json.dumps(ROW) + "\n")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with Recorder(response("502 Bad Gateway")) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url)
        yield server


def configure(text):
    """The saiten.toml of the current folder."""
    Path("saiten.toml").write_text(text)


def named(what, server="http://far.example:8000"):
    """The beginning of the line that says where data go."""
    return f"note: {Path('saiten.toml').absolute()} names the server of the {what}, {server}: it gets the data"


def test_a_server_elsewhere_is_shown_before_it_is_asked(saiten, proxy, monkeypatch):
    """Judge and embedder are shown with the variable of the key they get, without a password, also with --quiet."""
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    configure(f'judge = "openai:m@http://far.example:8000/v1"\nembedder = "{FAR}"\n')
    said = saiten(*SCORE, "--retries", "0")
    assert said.status == 2
    assert b"far.example" in proxy.received
    first, second, third, *_, last = said.err.splitlines()
    assert first == f"note: settings are from {Path('saiten.toml').absolute()}"
    assert second == f"{named('judge')} and the key in OPENAI_API_KEY when it is asked"
    assert third == f"{named('embedder')} when it is asked"  # with a password of its own
    assert last.startswith("saiten: ")
    assert "planted" not in said.err


def test_nothing_is_sent_by_a_rehearsal_that_says_the_same(saiten, proxy):
    """Without a key, none is named; a key chosen by `key_env` is."""
    configure(f'judge = "{FAR}"\n')
    assert f"{named('judge')} when it is asked" in saiten(*SCORE, "--dry-run").err
    configure(f'judge = "{FAR}"\n[key_env]\n"http://far.example:8000" = "PATH"\n')
    assert f"{named('judge')} and the key in PATH when it is asked" in saiten(*SCORE, "--dry-run").err
    configure(f'judge = "{FAR}"\n[key_env]\n"http://far.example:8000" = "NOT_SET"\n')
    assert f"{named('judge')} when it is asked" in saiten(*SCORE, "--dry-run").err
    assert proxy.received == b""


@pytest.mark.parametrize(
    ("toml", "options", "environ"),
    [
        ('judge = "offline"', (), {}),
        ('judge = "openai:m"', (), {"OPENAI_API_KEY": "k"}),
        ('judge = "openai:m@https://api.openai.com/v1"', (), {"OPENAI_API_KEY": "k"}),
        ('judge = "openai:m@http://localhost:9/v1"', (), {}),
        ('judge = "openai:m"', (), {"OPENAI_BASE_URL": "http://far.example/v1"}),
        ('judge = "openai:m@http://far.example/v1"', (), {"OPENAI_BASE_URL": "http://far.example/v1"}),
        (f'judge = "{FAR}"', ("--judge", FAR), {}),
    ],
)
def test_a_server_that_the_user_chose_is_not_shown(saiten, monkeypatch, toml, options, environ):
    """Typed, in the environment, on this machine, or OpenAI's own; the file is still named."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    configure(toml)
    said = saiten(*SCORE, "--dry-run", *options)
    assert said.status == 0
    assert "settings are from" in said.err
    assert "names the server" not in said.err


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("score", "data.jsonl", "-m", "accuracy", "--dry-run"), ("judge", "embedder")),
        (("probe", "data.jsonl", "-m", "accuracy", "--dry-run"), ("judge", "embedder")),
        (("converse", "data.jsonl", "--system", "http://h/ask", "-o", "run", "--dry-run"), ("judge", "embedder")),
        (("answer", "data.jsonl", "--system", "http://h/ask", "-o", "a.jsonl", "--dry-run"), ()),
        (("index", "gone", "--kb", "kb"), ("embedder",)),
        (("search", "q", "--kb", "gone"), ()),
        (("experiment", "gone.yaml"), ()),
    ],
)
def test_every_command_that_reads_the_file_says_so(saiten, arguments, shown):
    """It shows the servers in the file that it may ask; with --config, the given file."""
    configure(f'judge = "{FAR}"\nembedder = "{FAR}"\n')
    Path("other.toml").write_text("seed = 1\n")
    err = saiten(*arguments).err
    assert err.count(f"note: settings are from {Path('saiten.toml').absolute()}\n") == 1
    assert [what for what in ("judge", "embedder") if named(what) in err] == list(shown)
    typed = saiten(*arguments, "--config", "other.toml").err
    assert f"note: settings are from {Path('other.toml').absolute()}\n" in typed
    assert "saiten.toml" not in typed.replace("[prices] in saiten.toml", "")


def test_python_obeys_the_file_and_says_where_data_go(proxy, caplog):
    """`evaluate` asks the judge from saiten.toml, and logs its server first; an argument wins, and logs nothing."""
    configure(f'judge = "{FAR}"\nretries = 0\n')
    assert api.evaluate([ROW], ["accuracy"], judge="offline").settings["judge"] == "offline"
    assert (proxy.received, caplog.messages) == (b"", [])
    with pytest.raises(ConfigurationError, match="a first small call failed"):
        api.evaluate([ROW], ["accuracy"])
    assert named("judge").removeprefix("note: ") in caplog.text
    assert "planted" not in caplog.text
    assert proxy.received


def test_a_server_elsewhere_that_a_knowledge_base_names_is_shown(saiten, proxy, openai_server, caplog):
    """The folder may be somebody else's: shown once, before it is asked; not if the user gave another."""
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("Some text.")
    near = f"openai:e@{openai_server.base_url}"
    assert saiten("index", "docs", "--kb", "kb", "--embedder", near).status == 0
    assert saiten("search", "text", "--kb", "kb").status == 0
    assert not caplog.messages
    manifest = Path("kb/knowledge-base.json")
    manifest.write_text(manifest.read_text().replace(openai_server.base_url, "http://far.example/v1"))
    assert saiten("search", "text", "--kb", "kb").status == 2
    (said,) = caplog.messages
    assert said.startswith("the knowledge base kb names the server of its embedder, http://far.example: it gets the")
    assert b"far.example" in proxy.received
    caplog.clear()
    Path("docs/b.txt").write_text("More text.")
    saiten("index", "docs", "--kb", "kb", "--retries", "0")
    saiten("score", "data.jsonl", "-m", "correctness", "--kb", "kb", "-o", "run", "-q", "--retries", "0")
    assert caplog.messages == [said, said]
    caplog.clear()
    saiten("search", "text", "--kb", "kb", "--embedder", "openai:e@http://far.example/v1")
    assert not caplog.messages


@pytest.mark.parametrize(
    "words",
    [
        ("score", "x.jsonl", "-m", "length", "--concurrency", "1000000"),
        ("answer", "x.jsonl", "--system", "rag:kb", "--concurrency", "1000000"),
        ("answer", "x.jsonl", "--system", "rag:kb", "-k", "1000000"),
        ("converse", "x.jsonl", "--system", "rag:kb", "--system-concurrency", "1000000"),
        ("score", "x.jsonl", "-m", "length", "--workers", "1000000"),
        ("questions", "docs", "--n", "1000000000"),
    ],
)
def test_an_option_has_a_highest_value(saiten, words):
    """Whatever takes memory in proportion has a highest value, which the error names."""
    Path("x.jsonl").write_text(json.dumps(ROW) + "\n")
    said = saiten(*words)
    assert said.status == 2
    assert "should be less than or equal to 10" in re.sub(r"[\s│]+", " ", said.err)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of open files")
def test_more_requests_in_flight_than_open_files_are_refused(process, proxy):
    """A run that would fail for lack of connections does not begin; the error has both ways out."""
    configure("concurrency = 2000\n")
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))  # noqa: E731
    running = process(*SCORE, "--judge", f"openai:m@{proxy.url}/v1", preexec_fn=few)
    _, err = running.communicate(timeout=60)
    said = " ".join(err.decode().split())
    assert running.returncode == 2
    assert "lower the concurrency to 924, or raise the limit with `ulimit -n 2100`" in said
    assert proxy.received == b""
