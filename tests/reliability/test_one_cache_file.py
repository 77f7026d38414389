"""Runs that share a cache file at the same time: every request is sent once, and their accounts add up."""

import time
from collections import Counter

import orjson
import pytest

from saiten.runs import read_run

AT_ONCE = 4


def sent_once(server):
    """Request → how often the server got it; texts to embed one by one; without the first small calls."""
    counted = Counter()
    for asked in server.requests:
        if "input" in asked.body:
            counted.update(asked.body["input"])
        elif '{"ok": true}' not in str(asked.body):
            counted[orjson.dumps(asked.body)] += 1
    counted.pop("ok", None)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.witness), 8])
def test_runs_that_share_a_cache_file_pay_once(process, data, openai_server, count):
    """Started at the same time on the same data, with votes and embeddings: each request reaches the server once,
    and the runs' own accounts add up to the server's count.
    """
    openai_server.latency = 0.03
    running = [process(*shared_command(data, openai_server, f"run{k}")) for k in range(count)]
    ends = [each.communicate(timeout=300) for each in running]
    assert [each.returncode for each in running] == [0] * count, ends
    assert set(sent_once(openai_server).values()) == {1}
    assert sum(read_run(f"run{k}").paid().calls for k in range(count)) == len(openai_server.requests)
    assert len({scores_in(f"run{k}") for k in range(count)}) == 1


@pytest.mark.slow
def test_a_killed_run_leaves_its_requests_to_the_other(process, saiten, data, openai_server):
    """Of two on one cache file; what was in flight is sent again, nothing else, and all of it is on record."""
    openai_server.latency = 0.05
    first, second = (process(*shared_command(data, openai_server, f"run{k}")) for k in range(2))
    while len(openai_server.requests) < 30:
        time.sleep(0.005)
    first.kill()
    second.communicate(timeout=120)
    assert second.returncode == 0
    counted = sent_once(openai_server)
    assert counted.total() - len(counted) <= 3 * AT_ONCE  # a request with embeddings has several texts
    assert saiten(*shared_command(data, openai_server, "run0")).status == 0
    assert sent_once(openai_server) == counted
    both = sum(read_run(f"run{k}").paid().calls for k in range(2))
    assert (
        len(openai_server.requests) <= both <= len(openai_server.requests) + AT_ONCE
    )  # booked, and killed before it was sent


def shared_command(data, server, run):
    """A command that scores the same data as others, with their cache."""
    return (
        *("score", data(12), "-m", "faithfulness", "-m", "accuracy", "-m", "answer_relevancy", "-o", run, "-q"),
        *("--judge", f"openai:m@{server.base_url}", "--embedder", f"openai:e@{server.base_url}"),
        *("--cache", "answers.sqlite", "--votes", 2, "--temperature", 0.5, "--concurrency", AT_ONCE),
    )


def scores_in(run):
    """All scores of a run, to be compared."""
    return tuple(sorted((one.sample, one.metric, one.score.value) for one in read_run(run).scores()))
