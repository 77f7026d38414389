"""What commands pay: every call counts once it is sent, whatever ends the run; none that cannot be kept is sent."""

import json
import re
import resource
import signal
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
from paying import AT_ONCE, CountingServer, held, kill_at_rest, until_nothing_moves

import saiten as library
from saiten.errors import NotWritten
from saiten.experiments.plan import read_plan
from saiten.experiments.results import read_results
from saiten.judges.llm import LLMJudge
from saiten.models.budget import CALLS_NAME
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.runs import read_run
from saiten.runs.answers import summarize_answers
from saiten.runs.locked_folder import paid_in
from servers import Fault, instance


@pytest.fixture
def commands(data, openai_server, somewhere):
    """Name → a command that asks the server, and what it paid by its own account."""
    judge = f"openai:m@{openai_server.base_url}"
    few = ("--concurrency", AT_ONCE, "-q")
    scored = ("-m", "faithfulness", "-m", "accuracy", "-m", "answer_relevancy", "-m", "correctness[evidence=none]")
    rows = [
        {"id": f"q{n}", "question": f"What does part {n} do?", "reference": f"Part {n} turns the wheel."}
        for n in range(12)
    ]
    data(rows, "questions.jsonl")
    data(40, "many.jsonl")
    (somewhere / "mine").mkdir()
    data(3, "mine/answers.jsonl")
    (somewhere / "docs").mkdir()
    for row in rows:
        (somewhere / "docs" / f"{row['id']}.txt").write_text(f"{row['reference']} It is made of steel.")
    (somewhere / "grid.yaml").write_text(
        "data:\n  - questions: questions.jsonl\n    kb: kb\n    documents: [docs]\n"
        f"models: [{json.dumps(judge)}]\nchains: [stuff, refine]\nk: 2\nmetrics: [faithfulness, accuracy]\n"
        f"judge: {{name: {json.dumps(judge)}}}\n"
    )
    embedded = ("--embedder", f"openai:e@{openai_server.base_url}")
    answers = summarize_answers
    return {
        "score": (("score", data(8), *scored, "--judge", judge, *embedded, "-o", "run", *few), run_paid),
        "no cache": (("score", data(8), *scored, "--judge", judge, "-o", "run", "--no-cache", *few), run_paid),
        "answer": (
            ("answer", "many.jsonl", "-s", judge, "-o", "a.jsonl", *few),
            lambda: answers(Path("a.jsonl")).usage.calls,
        ),
        "converse": (
            ("converse", "questions.jsonl", "-s", judge, "--judge", judge, "-o", "run", "--max-turns", 3, *few),
            run_paid,
        ),
        "probe": (
            ("probe", data(20), "--judge", judge, "-m", "correctness", "--probes", "padded", "-o", "run", *few),
            run_paid,
        ),
        "experiment": (
            ("experiment", "grid.yaml", "-q"),
            lambda: read_results(read_plan(Path("grid.yaml")), Path("runs/grid"), print).usage.calls,
        ),
        "paper": (
            ("paper", "ragas", "mine", "--judge", judge, "--judge", judge.replace("openai:m", "openai:m2"), *few),
            lambda: sum(paid_in(path.parent).calls for path in Path("runs").rglob(CALLS_NAME)),
        ),
    }


COMMANDS = ("score", "no cache", "answer", "converse", "probe", "experiment", "paper")


def run_paid():
    """What a run reports as paid, in calls: on disk, and to people."""
    reader = read_run("run")
    assert reader.paid() == paid_in(reader.folder)
    return reader.paid().calls


def odd(asked):
    """Occasionally no JSON, so the request is repeated, or a transient fault; otherwise something new each time."""
    if asked.number % 9 == 4 and asked.path.endswith("completions"):
        return "I would rather not say."
    if asked.number % 31 == 6:
        return Fault(503)
    form = asked.body.get("response_format")
    if form is None:
        return None
    reply = instance(form["json_schema"]["schema"])
    changed = {"grade": 3, "question": f"And part {asked.number}?", "answer": f"Part {asked.number}."}
    return json.dumps(reply | {name: value for name, value in changed.items() if name in reply})


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_resumed_run_has_paid_what_the_server_received(saiten, process, commands, openai_server, name):
    """Killed twice, stopped by the budget once: first small calls, retries, repairs, embeddings, aborted calls
    and calls of unfinished scores all count, once each.
    """
    command, paid = commands[name]
    openai_server.reply = odd
    for after in (6, 20):
        with held(openai_server, after):
            running = process(*command)
            kill_at_rest(openai_server, running, after, paid)
            assert paid() == len(openai_server.requests)
    assert saiten(*command, "--max-calls", 7).status == 3
    assert paid() == len(openai_server.requests)
    assert saiten(*command).status == 0
    assert paid() == len(openai_server.requests)
    again = saiten(*command)
    assert paid() == len(openai_server.requests)  # what exists is not paid for again
    if name in ("score", "no cache"):
        assert int(re.search(r"(\d+) calls", again.out)[1]) == len(openai_server.requests)
        report = saiten("report", "run", "-o", "run.html")
        assert report.status == 0
    if name == "experiment":
        assert int(re.search(r"(\d+) calls", again.err)[1]) == len(openai_server.requests)


@pytest.fixture
def killed(saiten, process, data, openai_server):
    """`killed(judge)`: what is shown of a run that was killed with calls in flight, and again when it was resumed."""

    def show():
        assert run_paid() == len(openai_server.requests)
        return " ".join(saiten("show", "run").out.split())

    def run(judge):
        spec = f"{judge}@{openai_server.base_url}"
        command = ("score", data(20), "-m", "accuracy", "--judge", spec, "-o", "run", "-q", "--concurrency", AT_ONCE)
        openai_server.reply = odd
        with held(openai_server, 8):
            kill_at_rest(openai_server, process(*command), 8, run_paid)
            first = show()
        assert saiten(*command).status == 0
        return first, show()

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "price", "said"),
    [
        ("vllm:m", None, r", 0\.0000 USD\b"),
        ("openai:m", 10, r"at least 0\.\d{4} USD \(interrupted before the reply: \d, .*, 0\.\d{4} more\)"),
        ("openai:m", None, r"cost unknown \(set \[prices\] in saiten\.toml\)"),
    ],
    ids=["free", "known", "unknown"],
)
def test_the_summary_of_a_killed_run_says_what_is_known_of_its_cost(killed, judge, price, said):
    """A model on this machine costs nothing, also for calls in flight; with a price the cost is a lower bound with the
    reason; only without a price it is to be set.
    """
    if price is not None:
        Path("saiten.toml").write_text(f'[prices]\n"m" = {{ prompt = {price}, completion = {price} }}\n')
    for shown in killed(judge):
        assert re.search(said, shown), shown


def test_the_budget_bounds_each_command_and_not_their_sum(saiten, commands, openai_server):
    """--max-calls is exact for the command, also for a resumed run; all payments are in the run."""
    command, paid = commands["score"]
    for times in (1, 2, 3):
        said = saiten(*command, "--max-calls", 5)
        assert (said.status, len(openai_server.requests)) == (3, 5 * times)
        assert "the budget of 5 calls is spent; re-run the command" in " ".join(said.err.split())
        assert paid() == 5 * times


def test_what_python_pays_is_counted_too(openai_server, somewhere):
    """`evaluate`, in memory and with a folder, resumed after a spent budget."""
    rows = [{"question": f"q{n}", "answer": "a", "reference": "a"} for n in range(6)]
    judge = f"openai:m@{openai_server.base_url}"
    first = library.evaluate(rows, ["accuracy"], judge, run="run", max_calls=3)
    assert (first.stopped is None, first.summary.usage.calls) == (False, 3)
    second = library.evaluate(rows, ["accuracy"], judge, run="run")
    assert second.summary.usage.calls == len(openai_server.requests) == 3 + 1 + 4
    alone = library.evaluate(rows, ["accuracy"], judge)
    assert alone.summary.usage.calls == len(openai_server.requests) - 8 == 7


def test_a_run_of_an_older_version_keeps_what_its_scores_cost(saiten, commands, openai_server):
    """If no call has been recorded so far, the account begins with the usage of the scores."""
    command, paid = commands["probe"]
    assert saiten(*command, "--max-calls", 9).status == 3
    Path("run/calls.jsonl").unlink()
    known = sum(score.score.usage.calls for score in read_run("run").scores())
    before = len(openai_server.requests)
    assert saiten(*command).status == 0
    assert paid() == known + len(openai_server.requests) - before


@contextmanager
def full_disk_from(server, number):
    """From this request on no file can grow, until the end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    reply = server.reply

    def filling(asked):
        if asked.number == number:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        return reply(asked)

    server.reply = filling
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        server.reply = reply


@pytest.mark.parametrize("number", [9, pytest.param(17, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_stops_new_calls(saiten, commands, openai_server, name, number):
    """After the first failed write nothing new is sent; with space again nothing is lost."""
    command, _ = commands[name]
    openai_server.latency = 0.02
    with full_disk_from(openai_server, number):
        said = saiten(*command)
    at_once = 8 if name == "experiment" else AT_ONCE
    assert said.status == 2, said
    assert "no further call is made" in " ".join(said.err.lower().split())
    assert len(openai_server.requests) <= number + at_once
    openai_server.latency = 0.0
    assert saiten(*command).status == 0
    if name != "no cache":
        asked = Counter(
            orjson.dumps(each.body) for each in openai_server.requests if '{"ok": true}' not in str(each.body)
        )
        # those in flight, and those whose reply had just come and was not written yet
        assert sum(asked.values()) - len(asked) <= 2 * at_once


async def test_a_full_disk_stops_a_custom_judge(somewhere, openai_server):
    """A judge that records nothing itself gets no more requests once a score could not be written."""
    rows = [{"question": f"q{n}", "answer": "A. B.", "contexts": ["A."], "reference": "a"} for n in range(20)]
    metrics = ["accuracy", "faithfulness", "context_recall", "context_precision"]
    judge = LLMJudge(OpenAICompatibleChat("m", openai_server.base_url))
    openai_server.latency = 0.01
    try:
        with full_disk_from(openai_server, 20), pytest.raises(NotWritten, match="free some space"):
            await library.aevaluate(rows, metrics, judge, run="run", concurrency=1)
    finally:
        await judge.close()
    assert len(openai_server.requests) <= 20 + len(metrics)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_told_to_end_has_paid_what_the_server_received(process, saiten, commands, openai_server, number):
    """Ctrl-C, `kill`, and a terminal that is closed: calls in flight count."""
    command, paid = commands["score"]
    openai_server.reply = odd
    with held(openai_server, 12):
        running = process(*command)
        until_nothing_moves(openai_server, running, 12)
        running.send_signal(number)
        running.communicate(timeout=60)
        assert running.returncode != 0
        assert paid() == len(openai_server.requests)
    assert saiten(*command).status == 0
    assert paid() == len(openai_server.requests)


def sour(asked):
    """Each way to fail, in turn; a reply that cannot be read is paid for like any other."""
    faults = {
        3: Fault(429, headers={"Retry-After": "0"}),
        5: Fault(500),
        8: Fault(drop=True),
        11: Fault(503),
        0: Fault(drop=True),
    }
    fault = faults.get(asked.number % 13)
    if fault is not None:
        return fault
    return "I would rather not say." if asked.number % 7 == 2 and asked.path.endswith("completions") else None


@pytest.mark.parametrize("stop", [None, ("--max-calls", 9), ("--max-cost", 0.001)])
def test_calls_tokens_and_cost_equal_the_servers_own_count(saiten, data, stop):
    """With refusals, errors, cut connections, unreadable replies and repairs, joined calls, votes, embeddings and
    several metrics, also after a stop by a budget. What a cut connection cost nobody can know: these calls are
    counted, and named as calls of unknown cost.
    """
    Path("saiten.toml").write_text(
        '[prices]\n"m" = { prompt = 10, completion = 30 }\n"e" = { prompt = 1, completion = 0 }\n'
    )
    with CountingServer() as server:
        server.reply = sour
        command = (
            *("score", data(6), "-m", "faithfulness", "-m", "accuracy", "-m", "answer_relevancy", "-m", "correctness"),
            *("--judge", f"openai:m@{server.base_url}", "--embedder", f"openai:e@{server.base_url}", "-o", "run", "-q"),
            *("--votes", 3, "--temperature", 0.7, "--retries", 8, "--concurrency", AT_ONCE),
        )
        if stop is not None:
            assert saiten(*command, *stop).status == 3
        assert saiten(*command).status == 0
        paid = read_run("run").paid()
        cut = sum(isinstance(fault := sour(asked), Fault) and fault.drop for asked in server.requests)
        assert cut > 1
        assert (paid.calls, paid.unpriced, paid.unanswered) == (len(server.requests), cut, 0)
        assert (paid.prompt_tokens, paid.completion_tokens) == (server.prompt.total(), server.completion)
        cost = (10 * server.prompt["m"] + server.prompt["e"] + 30 * server.completion) / 1e6
        assert paid.cost == pytest.approx(cost, rel=1e-9)
        shown = " ".join(saiten("show", "run").out.split())
        assert re.search(rf"at least 0\.\d+ USD \(calls of unknown cost: {cut}\)", shown), shown
