"""`saiten answer`: questions in, answers out, and on to `saiten score`."""

import json
import signal
import time
from pathlib import Path

import pytest

from answer_service import AnswerService
from servers import Fault

BOT = """
print('imported')

def answer(question, id):
    print("asked")
    if id == "q3": raise LookupError("no such page")
    return {"answer": "The answer is " + id[1:] + ".", "contexts": [{"text": "c", "source": "s.md", "score": 0.5}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.25}}

def slow(question, id):
    import time
    time.sleep(0.02)
    return id
"""


@pytest.fixture(autouse=True)
def bot(somewhere, monkeypatch):
    """A system in a file."""
    monkeypatch.delenv("SAITEN_SYSTEM_KEY", raising=False)
    (somewhere / "bot.py").write_text(BOT)


@pytest.fixture
def service():
    """A service on loopback that speaks the JSON contract."""
    with AnswerService() as server:
        yield server


def asked(n):
    """Rows with a question and a reference."""
    return [
        {"id": f"q{i}", "question": f"Question {i}?", "reference": f"The answer is {i}.", "group": "g"}
        for i in range(n)
    ]


def rows(path="a.jsonl"):
    """Id → row; each id once."""
    lines = Path(path).read_text().splitlines()
    found = {row["id"]: row for row in map(json.loads, lines)}
    assert len(found) == len(lines)
    return found


def test_answers_go_straight_into_score(saiten, data):
    """They have references, groups and the system's name; a failure is counted there."""
    said = saiten("answer", data(asked(6)), "--system", "bot.py:answer", "-o", "a.jsonl", "--format", "json")
    assert said.status == 0
    tables = json.loads(said.out)
    (row,) = tables["Answers"]
    assert (row["answered"], row["failed"], row["measured"]) == (5, 1, 5)
    (row,) = tables["What they took"]
    assert (row["prompt tokens"], row["completion tokens"], row["cost (USD)"]) == (50, 10, 1.25)
    assert "LookupError: no such page (line 6 of" in said.err
    assert "5 answers" in said.err
    assert "--retry-failed" in said.err
    assert {row["system"] for row in rows().values()} == {"python:bot.py:answer"}
    assert "no contexts" not in said.out
    scored = saiten("score", "a.jsonl", "-m", "exact_match", "-o", "run", "--format", "json")
    assert scored.status == 0
    (figure,) = json.loads(scored.out)["Scores"]
    assert (figure["mean"], figure["n"], figure["of"]) == (1.0, 5, 6)


def test_the_same_command_goes_on_and_asks_nothing_twice(saiten, data, service):
    """With more questions only the new ones are asked; failures only with --retry-failed."""
    command = ("answer", "data.jsonl", "-s", service.url, "-o", "a.jsonl")
    service.reply = lambda one: Fault(500) if one.body["id"] == "q1" else None
    data(asked(3))
    assert saiten(*command).status == 0
    data(asked(5))
    said = saiten(*command)
    assert "already has 3 of the answers" in said.err
    assert [one["id"] for one in service.asked].count("q1") == 1
    assert len(service.asked) == 5
    service.reply = lambda _: None
    assert saiten(*command, "--retry-failed").status == 0
    assert len(service.asked) == 6
    assert all(row["answer"] for row in rows().values())


def test_another_system_or_name_in_the_same_file_is_refused(saiten, data):
    """Nothing is written in that case."""
    saiten("answer", data(asked(2)), "-s", "bot.py:answer", "-o", "a.jsonl")
    before = Path("a.jsonl").read_bytes()
    for more in (
        ("-s", "bot.py:slow"),
        ("-s", "bot.py:answer", "--name", "b"),
        ("-s", "bot.py:answer", "--language", "ja"),
    ):
        said = saiten("answer", "data.jsonl", *more, "-o", "a.jsonl")
        assert said.status == 2
        assert "begun with other settings" in said.err
    assert Path("a.jsonl").read_bytes() == before


def test_the_questions_are_never_written_over(saiten, data):
    """This holds even if they are named as the place for the answers."""
    file = data(asked(2))
    before = file.read_bytes()
    assert saiten("answer", file, "-s", "bot.py:answer", "-o", file).status == 2
    assert file.read_bytes() == before


def test_a_key_and_headers_are_stored_nowhere(saiten, data, service, somewhere, monkeypatch):
    """Neither in the answers, nor in a file next to them, nor on the screen."""
    monkeypatch.setenv("SAITEN_SYSTEM_KEY", "secret-key")
    service.reply = lambda one: Fault(500, str(dict(one.headers))) if one.body["id"] == "q1" else None
    url = service.url.replace("//", "//me:secret-word@") + "?code=secret-code"
    said = saiten("answer", data(asked(3)), "-s", url, "--header", "X-Key=secret-header", "-o", "a.jsonl")
    assert said.status == 0
    assert service.requests[0].headers["X-Key"] == "secret-header"
    assert "secret" not in said.out + said.err
    kept = [path for path in somewhere.rglob("*") if path.is_file() and path.suffix != ".py"]
    assert len(kept) >= 4
    assert not [path for path in kept if b"secret" in path.read_bytes()]
    assert rows()["q0"]["system"] == service.url


def test_a_dry_run_asks_nobody_and_writes_nothing(saiten, data, service, somewhere):
    """It counts what there is to ask."""
    said = saiten(
        "answer",
        data([*asked(3), {"question": ""}, {"question": "質問？"}]),
        "-s",
        service.url,
        "-o",
        "a.jsonl",
        "--dry-run",
        "--format",
        "json",
    )
    (row,) = json.loads(said.out)["To ask"]
    assert (row["questions"], row["in ja"], row["rows that cannot be used"]) == (4, 1, 1)
    assert service.requests == []
    assert not (somewhere / "a.jsonl").exists()
    assert not (somewhere / "a.jsonl.saiten").exists()


def test_the_budget_is_exact_and_the_run_goes_on(saiten, data, openai_server):
    """The status is 3; earlier answers are kept; a chat model gets the key and price that judges get."""
    command = ("answer", data(asked(6)), "-s", f"openai:m@{openai_server.base_url}", "-o", "a.jsonl")
    said = saiten(*command, "--max-calls", "2")
    assert said.status == 3
    assert "the budget of 2 calls is spent" in said.err
    assert (len(openai_server.requests), len(rows())) == (2, 2)
    Path("saiten.toml").write_text('[prices]\n"m" = { prompt = 1000.0, completion = 2000.0 }\n')
    assert saiten(*command).status == 0
    assert len(openai_server.requests) == 6
    assert sum(row["usage"]["cost"] > 0 for row in rows().values()) == 4
    assert all(row["contexts"] is None for row in rows().values())


def test_other_formats_columns_and_limits(saiten, somewhere):
    """They work as in `saiten score`; the given language is passed on and written to the row."""
    (somewhere / "q.csv").write_text("Q,gold,team\nWhy?,So.,red\nWho?,They.,blue\nWhen?,Now.,red\n")
    said = saiten(
        "answer",
        "q.csv",
        "-s",
        "bot.py:slow",
        "-o",
        "a.jsonl",
        "--column",
        "question=Q",
        "--column",
        "reference=gold",
        "--column",
        "group=team",
        "--limit",
        "2",
        "--language",
        "ja",
    )
    assert said.status == 0
    found = sorted((row["reference"], row["group"], row["language"]) for row in rows().values())
    assert found == [("So.", "red", "ja"), ("They.", "blue", "ja")]


def test_answers_are_joined_with_questions_as_they_are_now(saiten, data):
    """A reference that was corrected later is used: the file of answers is a system, too."""
    saiten("answer", data(asked(3)), "-s", "bot.py:answer", "-o", "a.jsonl")
    data([row | {"reference": "Mended."} for row in asked(3)])
    said = saiten("answer", "data.jsonl", "-s", "bot.py:answer", "-o", "a.jsonl")
    assert "3 answers still have the reference" in said.err
    assert saiten("answer", "data.jsonl", "-s", "file:a.jsonl", "-o", "b.jsonl", "--name", "bot").status == 0
    found = rows("b.jsonl")
    assert {(row["reference"], row["system"]) for row in found.values()} == {("Mended.", "bot")}
    assert found["q1"]["contexts"] == [{"text": "c", "source": "s.md", "score": 0.5}]
    assert found["q1"]["seconds"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-s", "bot.py:ansver"), "did you mean answer?"),
        (("-s", "pyton:bot:answer"), "did you mean python:bot:answer?"),
        (("-s", "http://127.0.0.1:9/ask"), "no server at http://127.0.0.1:9/ask"),
        (("-s", "bot.py:answer", "--header", "A=b"), "--header is for an HTTP system"),
        (("-s", "http://127.0.0.1:9/ask", "--header", "secret"), "--header expects NAME=VALUE"),
        (("-s", "bot.py:answer", "--max-cost", "1"), "--max-calls"),
        (("-s", "bot.py:answer", "--column", "question=Q"), "no column 'Q'"),
        (
            (
                "-s",
                "file:none.jsonl",
            ),
            "there is no file none.jsonl",
        ),
    ],
)
def test_a_wrong_setup_is_reported_in_a_sentence(saiten, data, arguments, message):
    """The status is 2, without a traceback or a row."""
    said = saiten("answer", data(asked(2)), *arguments, "-o", "a.jsonl")
    assert said.status == 2
    assert message in said.err
    assert "Traceback" not in said.err
    assert not Path("a.jsonl").exists() or not Path("a.jsonl").read_bytes()


def test_questions_that_have_answers_are_pointed_out(saiten, data):
    """The answers may be the references."""
    file = data([{"question": "Why?", "answer": "So."}])
    said = saiten("answer", file, "-s", "bot.py:slow", "-o", "a.jsonl", "--format", "md")
    assert "--column reference=answer" in said.err
    assert "1 answers have no contexts" in said.out
    saiten("answer", file, "-s", "bot.py:slow", "-o", "b.jsonl", "--column", "reference=answer")
    (row,) = rows("b.jsonl").values()
    assert row["reference"] == "So."


def test_what_a_system_says_cannot_act_on_the_terminal(saiten, data, service):
    """Escapes in a failure are shown as signs; markup is text."""
    service.reply = lambda _: Fault(500, "\x1b[2J[bold]x")
    said = saiten("answer", data(asked(1)), "-s", service.url, "-o", "a.jsonl")
    assert "\x1b" not in said.err + said.out
    assert "[bold]x" in said.err


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_cut_off_goes_on(saiten, process, data, ending):
    """Ctrl-C ends with 130 and a sentence; after SIGKILL, too, each answer is there exactly once."""
    command = ("answer", data(asked(200)), "-s", "bot.py:slow", "-o", "a.jsonl", "--concurrency", "2")
    running = process(*command)
    while not Path("a.jsonl").exists() or Path("a.jsonl").read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
        assert running.poll() is None
    running.send_signal(ending)
    _, err = running.communicate()
    assert running.returncode == (130 if ending == signal.SIGINT else -9)
    assert ending == signal.SIGKILL or b"re-run the command to resume" in err
    before = rows()
    assert len(before) < 200
    assert saiten(*command, "--concurrency", "64").status == 0
    after = rows()
    assert len(after) == 200
    assert {identity: after[identity] for identity in before} == before
