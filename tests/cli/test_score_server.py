"""`saiten score` with a model behind a real HTTP server: what is asked, paid, kept, refused and resumed."""

import json
import shutil
import signal
import socket
from collections import Counter
from pathlib import Path

import orjson
import pytest

from saiten.records import Usage
from saiten.runs import read_run
from servers import Fault

CALLS_A_SAMPLE = 3
"""Of `METRICS` with the server's default replies: split, verify, decide."""
METRICS = ("-m", "faithfulness", "-m", "accuracy", "-m", "token_f1")


@pytest.fixture
def judged(saiten, openai_server):
    """`saiten score DATA` with three metrics and the server as the judge, into `run`."""

    def call(data, *more, metrics=METRICS, model="m"):
        judge = f"openai:{model}@{openai_server.base_url}"
        return saiten("score", data, *metrics, "--judge", judge, "-o", "run", *more)

    return call


def prompts(server):
    """How often each request came, excluding the preflight."""
    return Counter(
        orjson.dumps([asked.body["messages"], asked.body.get("seed")])
        for asked in server.requests
        if '{"ok": true}' not in asked.text
    )


def test_a_run_with_a_model_is_paid_once(judged, openai_server, data, scores):
    """A preflight and three calls per sample; the scores' usage equals the server's requests; the same command again
    asks nothing at all.
    """
    said = judged(data(6))
    assert said.status == 0
    found = scores()
    assert {score.status for score in found.values()} == {"ok"}
    assert len(openai_server.requests) == 1 + 6 * CALLS_A_SAMPLE
    whole = sum((score.usage for score in found.values()), Usage())
    assert (whole.calls, whole.unpriced) == (6 * CALLS_A_SAMPLE, 6 * CALLS_A_SAMPLE)
    assert "19 calls" in said.err  # the first small one is paid for, too
    assert "cost unknown (set [prices] in saiten.toml)" in said.err
    assert "cost unknown (set [prices] in saiten.toml)" in said.out
    again = judged(data(6))
    assert again.status == 0
    assert len(openai_server.requests) == 1 + 6 * CALLS_A_SAMPLE
    assert again.out == said.out


@pytest.mark.parametrize("votes", [1, 3])
def test_a_dry_run_asks_nobody_and_counts_as_the_run_does(saiten, judged, openai_server, data, votes):
    """Not one request is sent, not even a folder is made; the reported calls are those of the run, with samples that
    share a task, and votes.
    """
    rows = [
        {"id": f"{n}", "question": f"q{n % 4}?", "answer": f"Answer {n % 6}.", "contexts": ["Answer 1.", f"Text {n % 4}."], "reference": "Answer 1."}
        for n in range(12)
    ]  # fmt: skip
    file, metrics = (
        data(rows),
        ("-m", "faithfulness", "-m", "context_precision", "-m", "accuracy", "-m", "context_recall"),
    )
    openai_server.reply = statements_by_text
    said = judged(file, "--dry-run", "--format", "json", "--votes", votes, metrics=metrics)
    assert said.status == 0
    assert openai_server.requests == []
    assert not open_folder()
    (reported_rows,) = json.loads(said.out).values()
    calls = {row["metric"]: row["calls"] for row in reported_rows}
    assert judged(file, "--votes", votes, metrics=metrics).status == 0
    assert calls["all"] == sum(prompts(openai_server).values())
    assert set(prompts(openai_server).values()) == {1}


@pytest.mark.parametrize("kept", [0, 1, 3, 5])
def test_a_run_that_is_resumed_in_the_middle_of_a_sample_pays_for_nothing_again(
    judged, openai_server, data, scores, kept
):
    """Joined calls depend on all metrics of a sample; those that are left make the same ones, which the cache answers."""
    openai_server.reply = statements_by_text
    metrics = ("-m", "ragas")
    assert judged(data(4), metrics=metrics).status == 0
    whole, sent = scores(), len(openai_server.requests)
    file = Path("run") / "scores.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(each for n, each in enumerate(lines) if n % 6 < kept), "utf-8")
    assert judged(data(4), metrics=metrics).status == 0
    assert {key: one.value for key, one in scores().items()} == {key: one.value for key, one in whole.items()}
    again = [asked for asked in openai_server.requests[sent:] if '{"ok": true}' not in asked.text]
    assert again == []


def statements_by_text(asked):
    """As many statements as texts, as the stand-in finds in them."""
    names = asked.schema.get("properties", ())
    if "statements" in names:
        return json.dumps({"statements": [asked.text]})
    last = asked.body["messages"][-1]["content"]
    texts = {name: last.partition(f"<{name}>\n")[2].partition("\n<")[0] for name in ("first", "second")}
    return json.dumps({name: [text] for name, text in texts.items()}) if "first" in names else None


def open_folder():
    """Whether the run's folder exists."""
    return Path("run").exists()


def test_a_dry_run_reports_the_cost_where_the_price_is_known(judged, data, somewhere):
    """The prices in saiten.toml apply, in their currency; the run itself and `show` use them, too."""
    (somewhere / "saiten.toml").write_text(
        'currency = "JPY"\n[prices]\n"m" = { prompt = 1000.0, completion = 2000.0 }\n'
    )
    (rows,) = json.loads(judged(data(3), "--dry-run", "--format", "json").out).values()
    for row in rows:
        expected = (row["prompt tokens"] * 1000 + row["completion tokens"] * 2000) / 1e6
        assert row["cost (JPY)"] == pytest.approx(expected)
    said = judged(data(3))
    assert " JPY" in said.err
    assert " JPY" in said.out
    assert "USD" not in said.out


@pytest.mark.parametrize("limit", [0, 1, 4, 11])
def test_the_budget_of_calls_is_exact_and_the_run_goes_on_without_it(judged, openai_server, data, scores, limit):
    """The server gets exactly so many requests; status 3 and a sentence; the next command pays only for the rest."""
    file = data(6)
    said = judged(file, "--max-calls", limit, "--concurrency", "4")
    assert said.status == 3
    assert f"the budget of {limit} calls is spent" in said.err
    assert len(openai_server.requests) == limit
    assert {score.status for score in scores().values()} <= {"ok"}
    assert judged(file).status == 0
    assert len(scores()) == 18
    assert {score.status for score in scores().values()} == {"ok"}
    assert set(prompts(openai_server).values()) == {1}


def test_a_cost_that_cannot_be_known_cannot_be_bounded(judged, openai_server, data):
    """--max-cost without a price is refused before anything is asked."""
    said = judged(data(2), "--max-cost", "1")
    assert said.status == 2
    assert "saiten.toml" in said.err
    assert openai_server.requests == []


def nowhere():
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


@pytest.mark.parametrize("trouble", ["model", "key", "path", "gone"])
def test_a_wrong_set_up_stops_after_one_call_and_may_be_put_right(saiten, openai_server, data, scores, trouble):
    """Unknown model, wrong key, wrong path, no server: status 2 after the preflight with what to do; the corrected
    command accepts the same folder.
    """
    url, model = openai_server.base_url, "m"
    if trouble == "model":
        openai_server.models, model = ["m"], "x"
    if trouble == "key":
        openai_server.key = "right"
    address = {"path": url.replace("/v1", "/wrong"), "gone": nowhere()}.get(trouble, url)
    if trouble == "path":
        openai_server.reply = lambda asked: (
            Fault(404, "404 page not found") if asked.path.startswith("/wrong") else None
        )
    file = data(50)
    said = saiten("score", file, *METRICS, "--judge", f"openai:{model}@{address}", "-o", "run", "--retries", "0")
    assert said.status == 2, said
    assert len(openai_server.requests) <= 1
    assert "Traceback" not in said.err
    expected = {"model": "model", "key": "OPENAI_API_KEY", "path": "404", "gone": "127.0.0.1"}[trouble]
    assert expected in said.err
    openai_server.key = None
    assert saiten("score", file, *METRICS, "--judge", f"openai:m@{url}", "-o", "run").status == 0
    assert len(scores()) == 150


def test_a_server_that_talks_rubbish_gives_unreadable_scores_and_the_run_ends(judged, openai_server, data, scores):
    """Every reply is kept unchanged, with why it could not be read; nothing becomes a figure; --retry-failed asks
    again, and only for these.
    """
    rubbish = "I would rather talk about the weather \x1b[2J"
    openai_server.reply = lambda asked: None if '{"ok"' in asked.text else rubbish
    said = judged(data(4))
    assert said.status == 0
    assert "8 scores failed or were unreadable" in said.err
    for (_, metric), score in scores().items():
        assert (score.status, score.value is None) == (("ok", False) if metric == "token_f1" else ("unreadable", True))
        if metric != "token_f1":
            assert score.details["raw"] == rubbish
    kept = [error for error in read_run("run").errors() if error["kind"] == "score"]
    assert {error["raw"] for error in kept} == {rubbish}
    assert "\x1b" not in judged(data(4)).out
    openai_server.reply = lambda _: None
    openai_server.requests.clear()
    said = judged(data(4), "--retry-failed")
    assert {score.status for score in scores().values()} == {"ok"}
    assert len(openai_server.requests) == 1 + 4 * CALLS_A_SAMPLE
    assert saiten_lines("run") == 12 + 8


def saiten_lines(folder):
    """Lines of scores.jsonl, earlier attempts included."""
    return len(Path(folder, "scores.jsonl").read_bytes().splitlines())


def test_a_server_that_is_no_model_server_ends_the_run_at_once(judged, openai_server, data):
    """Status 2 after three replies, with the address, what it sent and what to do."""
    openai_server.reply = lambda _: Fault(200, "<html>rubbish</html>")
    said = judged(data(2))
    assert (said.status, len(openai_server.requests)) == (2, 3)
    assert all(words in said.err for words in (openai_server.base_url, "<html>rubbish</html>", "check the base URL"))


def test_failed_calls_are_failed_scores_and_can_be_asked_for_again(judged, openai_server, data, scores):
    """HTTP 500 to the last retry: the score says so and counts its attempts; the same command leaves it, --retry-failed
    does not.
    """
    openai_server.reply = lambda asked: Fault(500) if "Question 1?" in asked.text else None
    assert judged(data(3), "--retries", "1").status == 0
    failed = {key for key, score in scores().items() if score.status == "failed"}
    assert failed == {("q1", "faithfulness"), ("q1", "accuracy")}
    assert sum(scores()[key].usage.calls for key in failed) == 4
    openai_server.reply = lambda _: None
    openai_server.requests.clear()
    judged(data(3))
    assert openai_server.requests == []
    judged(data(3), "--retry-failed")
    assert {score.status for score in scores().values()} == {"ok"}
    assert len(openai_server.requests) == 1 + CALLS_A_SAMPLE


def test_a_storm_of_429_ends_well(judged, openai_server, data, scores):
    """Every second request of the first is refused with Retry-After: in the end all scores exist; all tries count."""
    openai_server.reply = lambda asked: (
        Fault(429, headers={"Retry-After": "0"}) if asked.number % 2 and asked.number < 16 else None
    )
    assert judged(data(4), "--concurrency", "8", "--retries", "20").status == 0
    assert {score.status for score in scores().values()} == {"ok"}
    whole = sum((score.usage for score in scores().values()), Usage())
    assert 0 <= len(openai_server.requests) - whole.calls <= 4  # the preflight's own attempts


def test_votes_are_asked_kept_and_summarized(saiten, judged, openai_server, data, scores):
    """Three votes with three seeds; each vote's figure is in the run, and the summary gives their agreement."""

    def grades(asked):
        if "grade" not in json.dumps(asked.schema or {}):
            return None
        return json.dumps({"feedback": "f", "grade": 2 + asked.body["seed"] % 3})

    openai_server.reply = grades
    said = judged(data(4), "--votes", "3", metrics=("-m", "correctness[evidence=none]"))
    assert said.status == 0
    assert {tuple(sorted(score.votes)) for score in scores().values()} == {(2.0, 3.0, 4.0)}
    assert {score.value for score in scores().values()} == {3.0}
    assert {asked.body["temperature"] for asked in openai_server.requests} == {0.7}
    tables = json.loads(saiten("show", "run", "--format", "json").out)
    (row,) = tables["Test–retest reliability of the votes"]
    assert (row["votes"], row["n"], row["items that changed"]) == (3.0, 4, 1.0)
    assert "votes:3" in tables["How the figures were made"][0]["signature"]


def wait_for(condition, process):
    """Wait until a condition holds at the server; the process must not end before."""
    import time

    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def test_ctrl_c_ends_cleanly(process, judged, openai_server, data, scores):
    """Status 130 and a sentence, no traceback; the same command resumes, and repeats only what was in flight."""
    openai_server.latency = 0.02
    file, concurrency = data(60), 4
    judge = f"openai:m@{openai_server.base_url}"
    running = process("score", file, *METRICS, "--judge", judge, "-o", "run", "--concurrency", concurrency)
    wait_for(lambda: len(openai_server.requests) > 40, running)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    assert running.returncode == 130, err.decode()
    assert "interrupted" in err.decode()
    assert "Traceback" not in err.decode()
    openai_server.latency = 0.0
    assert 0 < len(scores()) < 180
    assert judged(file).status == 0
    assert len(scores()) == 180
    asked = prompts(openai_server)
    assert len(asked) == 60 * CALLS_A_SAMPLE
    assert sum(asked.values()) - len(asked) <= concurrency


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_loses_nothing(process, judged, openai_server, data, scores):
    """SIGKILL at several moments: in the end every score exists once, and no stored answer is requested
    again, at most those in flight at each kill.
    """
    openai_server.latency = 0.01
    file, concurrency, kills = data(80), 4, (3, 35, 70, 110)
    judge = f"openai:m@{openai_server.base_url}"
    acknowledged = {}
    for at in kills:
        running = process("score", file, *METRICS, "--judge", judge, "-o", "run", "--concurrency", concurrency)
        wait_for(lambda at=at: len(openai_server.requests) >= at, running)
        running.kill()
        running.communicate()
        there = scores()
        assert all(there[key] == score for key, score in acknowledged.items())
        acknowledged = there
    openai_server.latency = 0.0
    assert judged(file).status == 0
    assert len(scores()) == 240
    assert {score.status for score in scores().values()} == {"ok"}
    assert saiten_lines("run") == 240
    asked = prompts(openai_server)
    assert len(asked) == 80 * CALLS_A_SAMPLE
    assert sum(asked.values()) - len(asked) <= concurrency * len(kills)


def test_refusals_are_asked_again_within_the_run(judged, openai_server, data, scores):
    """Without the option every score is lost to the refusals; with it, each refused request is made once more with
    another seed. The run's calls equal the server's count, a resumed run asks nothing, and the option makes another
    run.
    """

    def refusing(asked):
        first = asked.body["seed"] == 1 and '{"ok": true}' not in asked.text
        return "I'm sorry, but I can't help with that." if first else None

    openai_server.reply = refusing
    metrics = ("-m", "accuracy")
    lost = judged(data(3), metrics=metrics)
    assert {score.status for score in scores().values()} == {"unreadable"}
    assert "the model refuses to judge" in " ".join(lost.out.split())
    assert judged(data(3), "--retry-refusals", 2, metrics=metrics).status == 2  # other settings, so another run
    shutil.rmtree("run")
    openai_server.requests.clear()
    assert judged(data(3), "--retry-refusals", 2, metrics=metrics).status == 0
    found = scores()
    assert {score.status for score in found.values()} == {"ok"}
    assert sum((score.usage for score in found.values()), Usage()).calls == 6
    assert len(openai_server.requests) == 1 + 6
    assert "refusals:retried(2)" in Path("run", "manifest.json").read_text("utf-8")
    assert judged(data(3), "--retry-refusals", 2, metrics=metrics).status == 0
    assert len(openai_server.requests) == 1 + 6


def test_a_judge_without_a_model_never_refuses(saiten, data):
    """An option without any effect is an error that says so."""
    said = saiten("score", data(1), "-m", "accuracy", "--retry-refusals", 1)
    assert said.status == 2
    assert "never refuses" in said.err
