"""Planted secrets: none of them is in what the commands write or show."""

import inspect
import json
import shutil
import sys
from base64 import b64encode

import pytest
from planted import Planted
from secret_carriers import FLAGS, KNOWN, MODELS

import saiten
from answer_service import AnswerService
from question_writer import QuestionWriter
from saiten.cli import main
from saiten.options import options_of
from saiten.settings import JudgeSettings, RoleSettings, WriterSettings
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


VARIABLES = KNOWN | {"PROXY_PASSWORD", "LANGFUSE_SECRET_KEY", "MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN"}
PAIRS = [name for name in FLAGS if name.endswith(("header", "-option"))]


@pytest.fixture
def planted(monkeypatch):
    """The secrets of the test, one of them in every variable."""
    planted = Planted()
    for name in sorted(VARIABLES - {"SAITEN_ADMIN_TOKEN"}):
        monkeypatch.setenv(name, planted(name))
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{planted('proxy')}@127.0.0.1:9")
    return planted


def address(url, planted, what, *, user=True):
    """The address with a user, a password, a token in the path, a signature, and a harmless parameter."""
    server, slash, path = url.removeprefix("http://").partition("/")
    before = f"{planted(f'{what} user')}:{planted(f'{what} password')}@" if user else ""
    token, query = planted(f"{what} path"), planted(f"{what} query")
    return f"http://{before}{server}/hooks/{token}{slash}{path}?sig={query}&api-version=2024-10-21"


def pairs(planted, *options):
    """A header or a parameter for each of these options, with a secret."""
    return [
        f"{option}={'X-' + option.strip('-') if option.endswith('header') else 'metadata.api_key'}={planted(option)}"
        for option in options
    ]


def papers(inputs, shown, planted, url, system):
    """Run designs of papers with secrets in the addresses of their judges, systems and retrievers."""

    def judge(what):
        return f"openai:m@{address(url, planted, what)}"

    (inputs / "mine").mkdir()
    (inputs / "mine" / "answers.jsonl").write_text((inputs / "rows.jsonl").read_text())
    for more in (["--dry-run"], []):
        shown(0, "paper", "ragas", inputs / "mine", "--judge", judge("paper judge"), "--judge", "offline", *more)
    shutil.copytree(inputs / "docs", inputs / "mine" / "documents")
    (inputs / "mine" / "questions.jsonl").write_text((inputs / "rows.jsonl").read_text())
    plain = f"openai:m@{url}"  # a plan is to be passed on: an address with secrets is refused
    chains = ["--model", plain, "--chain", "stuff", "--judge", plain]
    talks = ["--qa", address(system, planted, "qa"), "--mqa", address(system, planted, "mqa")]
    talks += ["--retriever", address(system, planted, "paper retriever"), "--judge", judge("talks judge")]
    for more in (["--dry-run"], []):
        shown(0, "paper", "chains", inputs / "mine", *chains, *more)
        shown(0, "paper", "dialogues", inputs / "mine", *talks, "--max-turns", "1", *more)


@pytest.mark.slow
def test_no_command_writes_or_shows_a_secret(inputs, shown, planted, openai_server, service):
    """In the addresses of all models, systems and retrievers, in headers and parameters of every option, in every
    variable; each was sent.
    """
    openai_server.reply = QuestionWriter()
    service.reply = lambda _: {"answer": "It turns.", "passages": ["Part 1 turns the wheel."]}
    data, kb = inputs / "rows.jsonl", inputs / "kb"

    def model(what, **how):
        return f"openai:m@{address(openai_server.base_url, planted, what, **how)}"

    judged = ["--judge", model("judge"), *pairs(planted, "--judge-header", "--judge-option"), "-q"]
    embedded = ["--embedder", model("embedder"), *pairs(planted, "--embedder-header", "--embedder-option")]
    system = ["--system", address(service.url, planted, "system", user=False), *pairs(planted, "--header")]
    retriever = ["--retriever", address(service.url, planted, "retriever"), *pairs(planted, "--retriever-header")]
    composed = ["--composer", model("composer"), *pairs(planted, "--composer-header", "--composer-option")]
    questions = ["--questioner", model("questioner"), *pairs(planted, "--questioner-header", "--questioner-option")]
    written = ["--writer", model("writer"), *pairs(planted, "--writer-header", "--writer-option")]
    generated = ["--generator", model("generator"), *pairs(planted, "--header", "--system-option")]
    typed = [*judged, *embedded, *system, *retriever, *composed, *questions, *written, *generated, "--model"]
    assert {each.partition("=")[0] for each in typed if each.startswith("--")} >= {
        *PAIRS,
        *MODELS,
        "--retriever",
        "--system",
    }
    (inputs / "docs").mkdir()
    for name in "ab":
        (inputs / "docs" / f"{name}.txt").write_text(
            f"# Part {name}\n\n" + f"Part {name} turns the wheel of the mill. " * 20
        )
    headers = f"headers: {{X-Key: {planted('plan header')}}}, options: {{api_key: {planted('plan option')}}}"
    (inputs / "grid.yaml").write_text(
        f"data:\n  - {{questions: rows.jsonl, kb: plain, retriever: '{retriever[1]}'}}\n"
        f"models: [{{name: '{model('grid')}', {headers}}}]\nevidence: [reference]\n"
        f"systems: ['{system[1]}']\nchains: [stuff]\nmetrics: [correctness]\n"
        f"judge: {{name: '{model('grid judge')}', {headers}}}\n"
    )
    shown(0, "index", inputs / "docs", "--kb", kb, "--embedder", embedded[1], "-q")
    shown(0, "index", inputs / "docs", "--kb", inputs / "plain", "-q")
    shown(0, "search", "wheel", "--kb", kb, "--embedder", embedded[1])
    metrics = ["-m", "accuracy", "-m", "answer_similarity"]
    shown(0, "score", data, *metrics, *judged, *embedded, "--dry-run")
    shown(
        0,
        "score",
        data,
        *metrics,
        *judged,
        *embedded,
        "-o",
        "runs/score",
        "--fail-under",
        "accuracy=0.1",
        "--junit",
        "j.xml",
    )
    shown(0, "score", data, "-m", "correctness", "--evidence", "reference", *retriever, *judged, "-o", "runs/evidence")
    shown(0, "probe", data, "-m", "accuracy", "--probes", "padded", *judged, "-o", "runs/probe")
    shown(0, "answer", data, *system, "-o", "answers.jsonl", "-q")
    shown(
        0,
        "answer",
        data,
        "--system",
        model("chat", user=False),
        *pairs(planted, "--header", "--system-option"),
        "-o",
        "chat.jsonl",
        "-q",
    )
    shown(0, "answer", data, "--system", f"rag:{inputs / 'plain'}", *generated, "-o", "rag.jsonl", "-q")
    shown(0, "converse", data, *system, *judged, *composed, *questions, "--max-turns", "1", "-o", "runs/talk")
    shown(0, "questions", inputs / "docs", "--n", "2", "--kinds", "single", *judged, *written, "-o", "runs/set")
    shown(0, "testset", "check", "runs/set", *judged, "-o", "runs/check")
    shown(0, "testset", "export", "runs/set", "--as", "ragas", "-o", "set.jsonl")
    shown(0, "experiment", inputs / "grid.yaml", "-o", "runs/grid", "-q")
    shown(0, "experiment", inputs / "grid.yaml", "-o", "runs/grid", "--results")
    papers(inputs, shown, planted, openai_server.base_url, service.url)
    for form in ("table", "json", "html"):
        shown(0, "show", "runs/score", "--format", form)
    shown(0, "show", "runs/talk", "--dialogue", "q1")
    shown(0, "compare", "runs/score", "runs/probe")
    shown(0, "report", "runs/score", "runs/talk", "-o", "report.html")
    for ending in ("xlsx", "csv", "jsonl", "parquet"):
        shown(0, "export", "runs/score", "-o", f"scores.{ending}", "-q")
    assert planted.found_in(inputs.parent / "out") == {}
    assert planted.found(shown.all.encode()) == set()
    sent = planted.found(repr([(asked.path, dict(asked.query), dict(asked.headers), asked.body) for asked in (*openai_server.requests, *service.requests)]).encode())  # fmt: skip
    never = VARIABLES - {"OPENAI_API_KEY", "SAITEN_SYSTEM_KEY", "SAITEN_ADMIN_TOKEN"}
    assert set(planted.names.values()) - sent == (never | {"proxy"}) & set(planted.names.values())


def secret(url, word="planted"):
    """The address with a user, a password, a signature, and a harmless parameter."""
    return f"{url.replace('//', f'//{word}-user:{word}-pass@')}?sig={word}-sig&api-version=2024-10-21"


def leaks(folder, printed):
    """The places with a secret; the output counts as a file."""
    found = [path for path in folder.rglob("*") if path.is_file() and _has(path.read_bytes(), path.name)]
    return found + (["the output"] if _has(printed.encode(), "") else [])


def _has(content, name):
    return b"planted" in content.lower() or BASIC.encode() in content or "planted" in name.lower()


def test_a_manifest_keeps_what_is_no_secret(inputs, shown, openai_server, service, tmp_path):
    """The readable parts of addresses, the names of headers and parameters, and harmless values."""
    url = secret(openai_server.base_url)
    asked = ["--judge", f"openai:m@{url}", "--embedder", f"openai:e@{url}", "-q"]
    asked += ["--judge-header", "X-Three=planted-three", "--judge-option", "metadata.api_key=planted-four"]
    asked += ["--embedder-header=X-Five=planted-five", '--judge-option=more={"token": "planted-six", "n": 1}']
    system = ["--system", secret(service.url), "--header", "X-One=planted-one", "--header=X-Two=planted-two"]
    shown(0, "converse", inputs / "rows.jsonl", *system, *asked, "--max-turns", "1", "-o", "runs/talk")
    assert leaks(tmp_path / "out", shown.all) == []
    sent = {asked.headers.get("Authorization") for asked in openai_server.requests}
    assert sent == {f"Basic {BASIC}"}
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


def test_a_configuration_and_python_keep_no_secret(inputs, shown, planted, openai_server, caplog):
    """Of every table of `saiten.toml`, and of every keyword of `saiten.evaluate` that takes headers or parameters."""
    url = openai_server.base_url
    tables = {}
    for kind in (JudgeSettings, RoleSettings, WriterSettings):
        for declared, _, _ in options_of(kind).values():
            table, dot, part = str(declared.toml).partition(".")
            if dot:
                named = tables.setdefault(table, [f'name = "openai:m@{address(url, planted, f"toml {table}")}"'])
                named.append(f'{part} = {{ {"X-Key" if part == "headers" else "api_key"} = "{planted(f"toml {table} {part}")}" }}')  # fmt: skip
    written = "\n".join("\n".join([f"[{table}]", *lines]) for table, lines in tables.items())
    (inputs.parent / "out" / "saiten.toml").write_text(f'{written}\n[key_env]\n"http://host" = "HOST_KEY"\n')
    metrics = ["-m", "accuracy", "-m", "answer_similarity"]
    shown(0, "score", inputs / "rows.jsonl", *metrics, "-o", "runs/score")
    system = ["--system", f"openai:m@{url}", "--max-turns", "1"]
    shown(0, "converse", inputs / "rows.jsonl", *system, "-o", "runs/talk", "-q")
    (inputs.parent / "out" / "saiten.toml").rename(inputs / "saiten.toml")
    given = {
        name: {"X-Key" if name.endswith("headers") else "api_key": planted(name)}
        for name in inspect.signature(saiten.evaluate).parameters
        if name.endswith(("_headers", "_options"))
    }
    assert len(given) == 4
    judge, embedder = (f"openai:m@{address(url, planted, f'python {name}')}" for name in ("judge", "embedder"))
    result = saiten.evaluate(
        ROWS, ["accuracy", "answer_similarity"], judge=judge, embedder=embedder, run="run", **given
    )
    result.report("report.html")
    said = f"{result!r} {result.rows()} {result.summary} {caplog.text}"
    assert planted.found((shown.all + said).encode()) == set()
    assert planted.found_in(inputs.parent / "out") == {}
    sent = planted.found(repr([(each.path, dict(each.query), dict(each.headers), each.body) for each in openai_server.requests]).encode())  # fmt: skip
    assert {"toml judge headers", "toml composer path", "toml embedder options", *given, "python judge path"} <= sent


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
        ["paper", "chains", "FOLDER", "--model", "openai:m@http://u:planted@127.0.0.1:9/v1?sig=planted"],
        ["paper", "chains", "FOLDER", "--judge", "openai:m@http://u:planted@127.0.0.1:9/v1?sig=planted"],
        ["search", "q", "--kb", "http://u:planted@127.0.0.1:9/kb"],
        ["search", "q", "--kb", "http://127.0.0.1:9/kb?api_key=planted"],
        ["track", "gone", "--to", "http://u:planted@127.0.0.1:9/?token=planted"],
        ["search", "q", "--kb", "http://127.0.0.1:planted/kb"],
        ["search", "q", "--kb", "http://127.0.0.1:9/hooks/planted/kb"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://u:planted"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://u:planted＠host/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://u:%70lanted%40127.0.0.1:9/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://u:pw planted@127.0.0.1:9/v1?sig=a planted"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http%3A%2F%2Fu:planted@127.0.0.1:9/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:sk-planted-0123456789abc@http://127.0.0.1:9/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://127.0.0.1:9/key/planted-path/v1"],
        ["score", "DATA", "-m", "accuracy", "--judge", "openai:m@http://127.0.0.1:9/https://u:planted@host/v1"],
        ["score", "http://u:planted@127.0.0.1:9/a.jsonl?token=planted", "-m", "rouge_l"],
        [
            "score",
            "DATA",
            "-m",
            "accuracy",
            "--cache",
            "postgresql://u:planted@127.0.0.1:9/d?password=planted",
            "--judge",
            "ollama:m",
        ],
        ["score", "DATA", "-m", "correctness", "--retriever", "http://u:planted@127.0.0.1:9/?key=planted"],
        ["answer", "DATA", "--system", "rag:http://127.0.0.1:9/hooks/planted/kb", "-o", "a.jsonl"],
        [
            "annotate",
            "DATA",
            "--form",
            "grade",
            "--prepare",
            "--db",
            "postgresql://u:planted@127.0.0.1:9/d?password=planted",
        ],
        ["annotate", "DATA", "--form", "grade", "--public-url", "ftp://u:planted@host/?key=planted", "--port", "0"],
    ],
)
def test_an_error_shows_no_secret(inputs, shown, arguments, tmp_path):
    """Whatever is wrong: the form of a name, an option, an absent server."""
    (inputs / "documents").mkdir()
    (inputs / "documents" / "a.txt").write_text("Part a turns the wheel.")
    (inputs / "questions.jsonl").write_bytes((inputs / "rows.jsonl").read_bytes())
    places = {"DATA": str(inputs / "rows.jsonl"), "FOLDER": str(inputs)}
    shown(2, *(places.get(each, each) for each in arguments))
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
