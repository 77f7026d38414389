"""Runs on a real Ray cluster, against a real server: started here, killed here, and counted at the server."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from secrets import token_hex

import fsspec
import pytest
from moto.server import ThreadedMotoServer
from ray_commands import (
    CONCURRENCY,
    RAY,
    finished,
    ray_workers,
    repeated,
    run_with_judge,
    saiten,
    scores_of,
    wait_for,
    write_data,
)

from saiten.runs import read_run
from servers import OpenAIServer

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray"), pytest.mark.timeout(300)]

pytest.importorskip("ray", reason="needs Ray: pip install 'saiten[ray]'")


@pytest.mark.witness
def test_a_run_on_a_cluster_equals_the_run_on_one_machine(tmp_path):
    """Line by line: samples, scores, bad rows and the table; without a dashboard, statistics, or leftovers."""
    data = write_data(tmp_path / "data.jsonl", 900)
    metrics = ("-m", "token_f1,faithfulness", "--format", "csv")
    here, _ = finished(saiten("score", data, *metrics, "-o", tmp_path / "here"))
    temporary = Path(tempfile.gettempdir())
    before = set(temporary.glob("saiten-ray-*"))
    there, notes = finished(saiten("score", data, *metrics, "-o", tmp_path / "there", *RAY))
    assert there == here
    assert "shards with 902 rows" in notes
    assert "raylet" not in notes
    assert set(temporary.glob("saiten-ray-*")) <= before
    shards = sorted((tmp_path / "there" / "shards").iterdir())
    assert len(shards) > 4
    for name in ("samples", "scores", "errors"):
        joined = b"".join((shard / f"{name}.jsonl").read_bytes() for shard in shards)
        assert joined == (tmp_path / "here" / f"{name}.jsonl").read_bytes()
    again, notes = finished(saiten("score", data, *metrics, "-o", tmp_path / "there", *RAY))
    assert again == here
    assert "0 scores for 900 samples" in notes


def booked(run):
    """The calls in the books of all shards."""
    return read_run(run).paid().calls


def test_a_worker_that_is_killed_costs_no_more_than_what_it_had_in_flight(tmp_path):
    """SIGKILL, three times: each pair once, equal to the run on one machine, every request in the books, and no more
    requests twice than were in flight.
    """
    data = write_data(tmp_path / "data.jsonl", 240)
    with OpenAIServer() as server:
        server.latency = 0.05
        process = run_with_judge(server, data, tmp_path / "run")
        for kills in range(3):
            seen = len(server.requests)
            wait_for(lambda seen=seen: len(server.requests) > seen + 100 and len(ray_workers()) > 1, process)
            os.kill(ray_workers()[kills % 2], signal.SIGKILL)
        _, notes = finished(process)
        again, first = repeated(server)
        assert again <= 3 * CONCURRENCY
        assert first <= 4
        assert len(server.requests) - 3 * CONCURRENCY <= booked(tmp_path / "run") <= len(server.requests)
        assert "was lost; its shards go to others" in notes  # one that was just started again had none
        here = saiten(
            "score", data, "-m", "faithfulness,correctness", "--judge", f"openai:m@{server.base_url}",
            "-o", tmp_path / "here",
        )  # fmt: skip
        finished(here)
    assert scores_of(tmp_path / "run") == scores_of(tmp_path / "here")


def test_a_driver_that_is_killed_is_started_again_and_pays_for_nothing_twice(tmp_path):
    """Workers stop asking when nobody takes their results, their processes end, and all replies are reused.

    The next command removes the folder that was left.
    """
    data = write_data(tmp_path / "data.jsonl", 240)
    before = set(Path(tempfile.gettempdir()).glob("saiten-ray-*"))
    with OpenAIServer() as server:
        server.latency = 0.05
        process = run_with_judge(server, data, tmp_path / "run")
        wait_for(lambda: len(server.requests) > 150, process)
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 60
        while ray_workers() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not ray_workers()
        asked = len(server.requests)
        time.sleep(0.5)
        assert len(server.requests) == asked < 600
        finished(run_with_judge(server, data, tmp_path / "run"))
        again, _ = repeated(server)
        assert again <= 2 * CONCURRENCY
    assert set(Path(tempfile.gettempdir()).glob("saiten-ray-*")) <= before
    assert len(scores_of(tmp_path / "run")) == 480


def test_ctrl_c_ends_the_run_and_all_its_processes_and_it_can_be_resumed(tmp_path):
    """Status 130, a note on what is kept, and no request after it."""
    data = write_data(tmp_path / "data.jsonl", 240)
    with OpenAIServer() as server:
        server.latency = 0.05
        process = run_with_judge(server, data, tmp_path / "run")
        wait_for(lambda: len(server.requests) > 100, process)
        process.send_signal(signal.SIGINT)
        _, notes = finished(process, 130)
        assert "everything so far is kept; re-run the command to resume" in notes
        assert "Traceback" not in notes
        asked = len(server.requests)
        assert booked(tmp_path / "run") == asked
        time.sleep(0.5)
        assert not ray_workers()
        assert len(server.requests) == asked
        finished(run_with_judge(server, data, tmp_path / "run"))
        assert repeated(server)[0] <= 2 * CONCURRENCY
    assert len(scores_of(tmp_path / "run")) == 480


def test_the_budget_holds_over_all_workers(tmp_path):
    """Exactly so many requests arrive; the next run goes on."""
    data = write_data(tmp_path / "data.jsonl", 100)
    with OpenAIServer() as server:
        server.latency = 0.01
        _, notes = finished(run_with_judge(server, data, tmp_path / "run", "--max-calls", 90), 3)
        assert len(server.requests) == 90
        assert "the budget of 90 calls is spent" in notes
        finished(run_with_judge(server, data, tmp_path / "run"))
    assert len(scores_of(tmp_path / "run")) == 200


def test_a_setup_that_is_wrong_for_workers_is_said_as_on_one_machine(tmp_path):
    """A refused key, found by the first small call of a worker, ends the run with the same words."""
    data = write_data(tmp_path / "data.jsonl", 30)
    with OpenAIServer() as server:
        server.key = "wrong"
        _, notes = finished(run_with_judge(server, data, tmp_path / "run"), 2)
    assert "does not accept the key from OPENAI_API_KEY" in notes
    assert "Traceback" not in notes


BOT = """
import asyncio

async def answer(question):
    await asyncio.sleep(0.001)
    return {"answer": f"It is {question}", "contexts": ["a", "b"]}
"""


def test_answers_are_collected_on_a_cluster_into_one_file_in_the_order_of_the_questions(tmp_path):
    """The file is what one machine writes, except for latencies; resuming asks nothing; another run there is refused."""
    data = write_data(tmp_path / "data.jsonl", 300)
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")

    def answer(name, *more, status=0):
        system = ("--system", "bot.py:answer", "-o", name, "--format", "json")
        return finished(saiten("answer", data, *system, *more, cwd=tmp_path), status)

    answer("here.jsonl", "--concurrency", "1")
    out, _ = answer("there.jsonl", *RAY)
    assert json.loads(out)
    here, there = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("here.jsonl", "there.jsonl")
    )
    assert len(there) == 300
    unmeasured = [{name: row[name] for name in row if name not in {"seconds", "calls"}} for row in there]
    assert unmeasured == [{name: row[name] for name in row if name not in {"seconds", "calls"}} for row in here]
    _, notes = answer("there.jsonl", *RAY)
    assert "resuming" in notes
    _, notes = answer("there.jsonl", status=2)
    assert "begun on a cluster, in shards; resume it with --executor ray" in notes
    _, notes = answer("here.jsonl", *RAY, status=2)
    assert "was not collected on a cluster" in notes


def test_dialogues_are_held_on_a_cluster(tmp_path):
    """The scores are those of one machine, and a dialogue can be shown."""
    data = write_data(tmp_path / "data.jsonl", 60)
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")

    def converse(name, *more):
        finished(saiten("converse", data, "--system", "bot.py:answer", "-o", name, *more, cwd=tmp_path))
        return scores_of(tmp_path / name)

    assert converse("there", *RAY) == converse("here")
    out, _ = finished(saiten("show", tmp_path / "there", "--dialogue", "q1"))
    assert "It is Question 1?" in out


def test_evaluate_on_a_cluster_returns_what_it_returns_here(tmp_path):
    """Rows in memory and a file; the watch sees every sample and score."""
    code = """
import sys, saiten
class Watch:
    seen = {"samples": 0, "scores": 0, "done": 0, "bad": 0}
    def sample_read(self, sample): self.seen["samples"] += 1
    def bad_row(self, row): self.seen["bad"] += 1
    def result(self, sample, result): self.seen["scores"] += 1
    def sample_done(self, sample): self.seen["done"] += 1
rows = [{"id": f"s{n}", "question": f"{n}?", "answer": f"a {n} b", "reference": f"a {n}"} for n in range(120)]
metrics = ["token_f1", "correctness"]
here = saiten.evaluate(rows, metrics)
there = saiten.evaluate(rows, metrics, executor="ray", workers=2, watch=Watch())
assert there.samples == here.samples
assert sorted(map(str, there.scores)) == sorted(map(str, here.scores))
assert there.signatures == here.signatures
assert there.settings == here.settings
assert Watch.seen == {"samples": 120, "scores": 240, "done": 120, "bad": 0}, Watch.seen
kept = saiten.evaluate(sys.argv[1], "token_f1", executor="ray", workers=2, run=sys.argv[2])
assert (len(kept.samples), len(kept.bad_rows), len(kept.scores)) == (90, 2, 90)
assert kept.folder is not None
"""
    data = write_data(tmp_path / "data.jsonl", 90)
    subprocess.run([sys.executable, "-c", code, str(data), str(tmp_path / "run")], check=True, timeout=200)
    assert len(scores_of(tmp_path / "run")) == 90


def test_a_machine_that_goes_away_takes_nothing_with_it(tmp_path):
    """A cluster of two nodes, one of which is removed in the middle: its shards go to the other."""
    code = """
import os, sys, threading, time
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "1"
import ray
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
import saiten
lost = []
def leave():
    while not any(os.path.getsize(p) for p in __import__("pathlib").Path(sys.argv[2]).glob("shards/*/scores.jsonl")):
        time.sleep(0.05)
    time.sleep(0.5)
    cluster.remove_node(second, allow_graceful=False)
    lost.append(time.time())
thread = threading.Thread(target=leave, daemon=True)
thread.start()
made = saiten.evaluate(
    sys.argv[1], ["faithfulness", "correctness"], judge=sys.argv[3], run=sys.argv[2], executor="ray", workers=2,
    concurrency=4,
)
assert lost, "the run ended before the machine was removed"
assert len(made.scores) == 480, len(made.scores)
ray.shutdown()
cluster.shutdown()
"""
    data = write_data(tmp_path / "data.jsonl", 240)
    with OpenAIServer() as server:
        server.latency = 0.05
        arguments = [str(data), str(tmp_path / "run"), f"openai:m@{server.base_url}"]
        env = {**os.environ, "OPENAI_API_KEY": "k"}
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, timeout=280, env=env)
        again, _ = repeated(server)
        assert again <= 3 * 4  # in flight, and replies that had not been handed over
    assert len(scores_of(tmp_path / "run")) == 480


@pytest.fixture
def head(tmp_path, monkeypatch):
    """The address of a cluster that was started with `ray start --head`, for Ray Client."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "planted-secret-" + token_hex(16))
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # not below pytest's: the paths of sockets must be short
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        port, client_port = one.getsockname()[1], other.getsockname()[1]
    ports = ("--port", str(port), "--ray-client-server-port", str(client_port))
    command = [Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--node-ip-address", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, *ports, "--num-cpus", "2", "--include-dashboard", "false", "--temp-dir", folder],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"RAY_AUTH_MODE": "token"},
    )  # fmt: skip
    lines = []
    while not any("Ray runtime started" in line for line in lines):
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    yield f"ray://127.0.0.1:{client_port}"
    process.terminate()
    process.communicate(timeout=60)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_cluster_is_reached_with_ray_client(tmp_path, head, monkeypatch):
    """With the token that is there; without it, the error names it; replies are kept with the shards, and reused."""
    data = write_data(tmp_path / "data.jsonl", 60)
    with OpenAIServer() as server:
        finished(run_with_judge(server, data, tmp_path / "run", "--ray-address", head))
        first = len(server.requests)
        assert repeated(server)[0] == 0
        finished(run_with_judge(server, data, tmp_path / "run", "--ray-address", head))
        assert len(server.requests) == first
        assert len(scores_of(tmp_path / "run")) == 120
        assert list((tmp_path / "run").glob("shards/*/replies.jsonl"))
        monkeypatch.setenv("RAY_AUTH_TOKEN", "wrong-" + token_hex(16))
        _, notes = finished(run_with_judge(server, data, tmp_path / "other", "--ray-address", head), 2)
    assert f"there is no Ray cluster at {head}" in notes
    assert "RAY_AUTH_TOKEN" in notes
    assert "Traceback" not in notes
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"planted-secret" not in path.read_bytes()


@pytest.fixture
def bucket(monkeypatch):
    """The address of a bucket with two files, on a real S3-compatible server on this machine."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "planted-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    system = fsspec.filesystem("s3")
    system.mkdir("bucket")
    for name in ("a", "b"):
        rows = ({"question": f"{name} {n}?", "answer": f"答え {n}", "reference": f"答え {n % 3}"} for n in range(700))
        text = "".join(json.dumps(row | {"contexts": ["文脈。" * 30]}, ensure_ascii=False) + "\n" for row in rows)
        system.pipe(f"bucket/day/{name}.jsonl", text.encode())
    yield "s3://bucket/day/*.jsonl"
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    server.stop()


def test_a_bucket_is_scored_on_a_cluster_as_on_one_machine(tmp_path, bucket):
    """Each worker fetches its own shards; no key is written anywhere."""
    outs = []
    for name, more in (("here", ()), ("there", RAY)):
        out, _ = finished(saiten("score", bucket, "-m", "token_f1", "-o", tmp_path / name, "--format", "csv", *more))
        outs.append(out)
    assert outs[0] == outs[1]
    assert len(list((tmp_path / "there" / "shards").iterdir())) > 4
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"planted-secret" not in path.read_bytes()


def test_data_that_has_changed_since_the_run_began_is_refused(tmp_path):
    """More rows, or others, are another input; the run is as it was."""
    data = write_data(tmp_path / "data.jsonl", 300)
    finished(saiten("score", data, "-m", "token_f1", "-o", tmp_path / "run", *RAY))
    with data.open("a", encoding="utf-8") as file:
        file.write('{"question": "new?", "answer": "a", "reference": "a"}\n')
    _, notes = finished(saiten("score", data, "-m", "token_f1", "-o", tmp_path / "run", *RAY), 2)
    assert "is not what it was when the run began" in notes
    assert len(scores_of(tmp_path / "run")) == 300


def test_without_ray_the_option_says_what_to_install(tmp_path):
    """The core never loads Ray: neither the package nor its loaded modules are there after a run on one machine."""
    data = write_data(tmp_path / "data.jsonl", 3)
    code = """
import sys
sys.modules["ray"] = None
from saiten.cli import main
main(sys.argv[1:])
"""
    command = [sys.executable, "-c", code, "score", str(data), "-m", "token_f1", "-o", str(tmp_path / "run")]
    here = subprocess.run(command, capture_output=True, text=True, check=False)
    assert here.returncode == 0, here.stderr
    there = subprocess.run([*command[:-1], str(tmp_path / "other"), *RAY], capture_output=True, text=True, check=False)
    assert there.returncode == 2
    assert 'needs Ray; install it with pip install "saiten[ray]"' in there.stderr
