"""A PostgreSQL database as the cache of a cluster: equal requests of all workers are sent once, whoever dies."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from ray_commands import CONCURRENCY, finished, ray_workers, repeated, run_with_judge, scores_of, wait_for

from databases import postgres_server
from servers import OpenAIServer

__all__ = ["postgres_server"]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray"), pytest.mark.timeout(300)]

pytest.importorskip("ray", reason="needs Ray: pip install 'saiten[ray]'")

DIFFERENT = 30
"""Of 300 rows; all others have the texts of one of these."""


@pytest.fixture
def data(tmp_path):
    """Rows of which many ask the judge the same, spread over all shards."""
    path = tmp_path / "data.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(300):
            k = n % DIFFERENT
            row = {"id": f"q{n}", "question": f"Question {k}?", "answer": f"Answer {k}. " * 9}
            file.write(
                json.dumps(row | {"contexts": [f"Context {k}. " * 20], "reference": f"Reference {k}. " * 9}) + "\n"
            )
    return path


def sent(server):
    """How often each request was sent, without the first small calls."""
    bodies = Counter(json.dumps(asked.body, sort_keys=True) for asked in server.requests)
    return {body: count for body, count in bodies.items() if '"preflight"' not in body}


def test_equal_requests_of_all_workers_are_sent_once(tmp_path, data, postgres_server):
    """Also those in flight at the same time; the next run sends none; the password is written nowhere."""
    database = postgres_server.new_database()
    with OpenAIServer() as server:
        server.latency = 0.05
        _, notes = finished(run_with_judge(server, data, tmp_path / "run", "--cache", database))
        first = sent(server)
        assert set(first.values()) == {1}
        assert len(first) >= 2 * DIFFERENT
        finished(run_with_judge(server, data, tmp_path / "again", "--cache", database))
        assert sent(server) == first
    assert scores_of(tmp_path / "again") == scores_of(tmp_path / "run")
    assert len(scores_of(tmp_path / "run")) == 600
    assert not list(tmp_path.rglob("replies.jsonl"))
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or not any(word in path.read_bytes() for word in (b"pass word", b"pass%20word"))
    assert "pass" not in notes


def test_a_worker_that_is_killed_costs_what_it_had_in_flight(tmp_path, data, postgres_server):
    """Its claims end with it: the others ask, and wait for nobody."""
    with OpenAIServer() as server:
        server.latency = 0.2
        process = run_with_judge(server, data, tmp_path / "run", "--cache", postgres_server.new_database())
        wait_for(lambda: len(server.requests) > 20 and len(ray_workers()) > 1, process)
        os.kill(ray_workers()[0], 9)
        finished(process)
        again, _ = repeated(server)
        assert again <= CONCURRENCY
    assert len(scores_of(tmp_path / "run")) == 600


def test_machines_of_a_cluster_share_it(tmp_path, data, postgres_server):
    """Two nodes, from Python; a file is refused there, with what to give instead."""
    code = """
import os, sys
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "1"
import ray
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
import saiten
from saiten.errors import ConfigurationError
def evaluate(cache):
    return saiten.evaluate(
        sys.argv[1], ["faithfulness", "correctness"], judge=sys.argv[2], executor="ray", workers=2, concurrency=8,
        cache=cache,
    )
assert len(evaluate(sys.argv[3]).scores) == 600
try:
    evaluate("answers.sqlite")
except ConfigurationError as error:
    assert "give the address of a PostgreSQL database" in str(error), error
else:
    raise AssertionError("a file was accepted")
ray.shutdown()
cluster.shutdown()
"""
    with OpenAIServer() as server:
        server.latency = 0.05
        arguments = [str(data), f"openai:m@{server.base_url}", postgres_server.new_database()]
        env = {**os.environ, "OPENAI_API_KEY": "k"}
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, timeout=280, env=env, cwd=tmp_path)
        assert set(sent(server).values()) == {1}


def test_an_address_that_does_not_work_ends_the_run_before_the_first_call(tmp_path, data):
    """Status 2, and one sentence without the password."""
    with OpenAIServer() as server:
        run = run_with_judge(server, data, tmp_path / "run", "--cache", "postgresql://me:secret@127.0.0.1:9/none")
        _, notes = finished(run, 2)
        assert not server.requests
    assert "the cache postgresql://127.0.0.1:9/none cannot be used" in notes
    assert "secret" not in notes
    assert "Traceback" not in notes
