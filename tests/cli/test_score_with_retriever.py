"""Evidence E3 found by the tested system's own retriever: `--retriever` in `score`, `converse` and `experiment`."""

import json

import pytest

from answer_service import AnswerService
from saiten.runs import read_run
from servers import Fault

BOT = """
def retrieve(query, k):
    print("searching")
    if "q2" in query: raise LookupError("the index is closed")
    return [{"text": f"Seen: {query}", "source": "manual.md", "score": 0.5}] * 9
def answer(question): return "Port 25000."
"""
ROWS = [
    {"id": f"q{n}", "question": f"Which port does q{n} use?", "answer": "Port 25000.", "reference": "Port 25000 is used."}
    for n in (1, 2)
]  # fmt: skip


@pytest.fixture(autouse=True)
def files(somewhere, monkeypatch):
    """Answers to grade, and a retriever in a file."""
    monkeypatch.delenv("SAITEN_SYSTEM_KEY", raising=False)
    (somewhere / "bot.py").write_text(BOT)
    (somewhere / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))


@pytest.fixture
def search():
    """A service on loopback that finds the query."""
    with AnswerService() as server:
        server.reply = lambda asked: {"passages": [f"Seen: {asked.body['query']}"]}
        yield server


def scores(run):
    """The scores by sample."""
    return {one.sample: one.score for one in read_run(run).scores()}


def test_a_function_gives_the_evidence_and_its_failure_is_a_failed_score(saiten, somewhere):
    """Question and reference are the query; a failure has its line; what the function prints is not in the output."""
    command = ("score", "answers.jsonl", "-m", "correctness", "--evidence", "reference", "--retriever", "bot.py:retrieve", "-k", 2, "-o", "run")  # fmt: skip
    done = saiten(*command, "--format", "json")
    assert done.status == 0
    assert json.loads(done.out)
    found = scores(somewhere / "run")
    assert (
        found["q1"].details["evidence"]["passages"]
        == [{"text": "Seen: Which port does q1 use?\nPort 25000 is used.", "source": "manual.md", "score": 0.5}] * 2
    )
    assert (found["q2"].status, found["q2"].value) == ("failed", None)
    assert "the evidence could not be retrieved from python:bot.py:retrieve: LookupError: the index is closed (line 4" in found["q2"].reason  # fmt: skip
    signature = read_run(somewhere / "run").manifest.signatures["correctness"]
    assert "evidence_from:python:bot.py:retrieve[k=2]" in signature
    assert "other settings" in saiten(*command[:-4], "-k", 3, "-o", "run").err
    (somewhere / "bot.py").write_text(BOT.replace("q2", "q3"))
    assert saiten(*command, "--retry-failed").status == 0
    assert scores(somewhere / "run")["q2"].status == "ok"


def test_a_service_gives_the_evidence(saiten, search, somewhere):
    """With a header from the environment, which is nowhere on disk; queries are no calls of a model."""
    done = saiten("score", "answers.jsonl", "-m", "correctness", "--retriever", search.url, "--retriever-header", "X-Key=secret-key", "-o", "run")  # fmt: skip
    assert done.status == 0
    assert {each.status for each in scores(somewhere / "run").values()} == {"ok"}
    assert [each.headers["X-Key"] for each in search.requests] == ["secret-key"] * 2
    assert search.asked[0]["k"] == 5
    kept = b"".join(path.read_bytes() for path in (somewhere / "run").rglob("*") if path.is_file())
    assert search.url.encode() in kept
    assert b"secret-key" not in kept
    assert {each.usage.calls for each in scores(somewhere / "run").values()} == {0}


def test_a_service_that_is_not_there_stops_the_run(saiten, somewhere):
    """Nothing is graded without the evidence."""
    done = saiten("score", "answers.jsonl", "-m", "correctness", "--retriever", "http://127.0.0.1:1/find", "-o", "run", "--retries", 0)  # fmt: skip
    assert done.status == 2
    assert "127.0.0.1:1" in done.err
    assert not scores(somewhere / "run")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-m", "correctness", "--kb", "kb", "--retriever", "bot.py:retrieve"), "--kb and --retriever both name"),
        (("-m", "correctness", "--retriever-header", "X-Key=secret"), "--retriever-header is for --retriever"),
        (("-m", "token_f1", "--retriever", "bot.py:retrieve"), "--retriever is for correctness graded with"),
        (("-m", "correctness", "--evidence", "answer", "--retriever", "bot.py:retrieve"), "there is no such metric"),
        (("-m", "correctness", "--retriever", "bot.py:retreive"), "did you mean retrieve?"),
        (("-m", "correctness", "--evidence", "reference"), "--retriever FILE.py:FUNCTION"),
    ],
)
def test_an_option_that_cannot_work_is_an_error_before_anything_is_spent(saiten, somewhere, options, said):
    """The text says what to leave out or add; no folder is left."""
    done = saiten("score", "answers.jsonl", *options, "-o", "run")
    assert done.status == 2
    assert said in " ".join(done.err.split())
    assert "secret" not in done.err
    assert not (somewhere / "run").exists()


def test_a_dry_run_counts_placeholders_and_asks_nobody(saiten, search):
    """As with a knowledge base."""
    plain = ("score", "answers.jsonl", "-m", "correctness", "--judge", "openai:m@http://localhost:1/v1", "--dry-run")
    more = ("--retriever", search.url)
    without, seen = (json.loads(saiten(*plain, *each, "--format", "json").out) for each in ((), more))
    tokens = [next(iter(tables.values()))[0]["prompt tokens"] for tables in (without, seen)]
    assert tokens[1] > tokens[0] + 500
    assert not search.requests


def test_the_grader_of_a_dialogue_sees_what_the_retriever_finds(saiten, somewhere, search):
    """Its passages are with the dialogue, its name in the signature; a failure is the dialogue's."""
    search.reply = lambda asked: Fault(500, "closed") if "q2" in asked.body["query"] else {"passages": ["Port 25000."]}
    done = saiten("converse", "answers.jsonl", "-s", "bot.py:answer", "--retriever", search.url, "-k", 3, "--retries", 0, "-o", "run")  # fmt: skip
    assert done.status == 0
    lines = (somewhere / "run" / "dialogues.jsonl").read_text("utf-8").splitlines()
    dialogues = {line["id"]: line for line in map(json.loads, lines)}
    assert dialogues["q1"]["evidence"]["passages"][0]["text"] == "Port 25000."
    assert dialogues["q2"]["ended"] == "failed"
    assert "could not be retrieved" in dialogues["q2"]["reason"]
    assert f"evidence_from:{search.url}[k=3]" in read_run(somewhere / "run").manifest.signatures["wscore"]
    assert {each["k"] for each in search.asked} == {3}
    wrong = saiten(
        "converse", "answers.jsonl", "-s", "bot.py:answer", "--retriever", search.url, "--kb", "kb", "-o", "x"
    )
    assert (wrong.status, "--kb and --retriever both name" in wrong.err) == (2, True)


PLAN = """
data:
  - {name: ports, answers: answers.jsonl, retriever: "bot.py:retrieve"}
metrics: [token_f1]
evidence: [answer, reference]
k: 2
"""


def test_an_experiment_takes_evidence_from_a_retriever(saiten, somewhere):
    """It is a key of the data set; without evidence by reference, it is an error."""
    (somewhere / "plan.yaml").write_text(PLAN)
    assert saiten("experiment", "plan.yaml", "-o", "out").status == 0
    run = read_run(somewhere / "out" / "scores" / "ports")
    found = {(one.sample.split("@")[0], one.metric): one.score for one in run.scores()}
    assert len(found["q1", "correctness"].details["evidence"]["passages"]) == 2
    assert found["q2", "correctness"].status == "failed"
    assert "evidence_from:python:bot.py:retrieve[k=2]" in run.manifest.signatures["correctness"]
    (somewhere / "plan.yaml").write_text(PLAN.replace("[answer, reference]", "[answer]"))
    wrong = saiten("experiment", "plan.yaml", "-o", "other")
    assert (wrong.status, "the retriever of ports is for evidence: [reference]" in wrong.err) == (2, True)
    (somewhere / "plan.yaml").write_text(PLAN.replace("bot.py:retrieve", "bot.py:find"))
    wrong = saiten("experiment", "plan.yaml", "-o", "third")
    assert (wrong.status, "there is no find in bot.py" in wrong.err) == (2, True)
