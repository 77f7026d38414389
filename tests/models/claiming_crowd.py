"""Processes that use one answer store at the same time, and what the server has seen of them."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from saiten.models.answer_store import ClaimedKeys

WORKER = Path(__file__).with_name("claiming_worker.py")


def ours(*keys):
    """What a claim returns that gets all these keys."""
    return ClaimedKeys({}, frozenset(keys))


async def waiting(work):
    """A task that is given time to end, and has not."""
    task = asyncio.create_task(work)
    await asyncio.wait([task], timeout=0.3)
    assert not task.done()
    return task


def worker(store_name, server, seed, count):
    """A process that asks `count` questions and embeds as many texts, once started."""
    command = [sys.executable, str(WORKER), store_name, server.base_url, str(seed), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def half_way(store_name, server):
    """Three workers that ask the same 120 questions, of which some are answered."""
    crowd = [worker(store_name, server, seed, 120) for seed in range(3)]
    assert [process.stdout.readline() for process in crowd] == ["begun\n"] * 3
    while len(server.requests) < 60:
        time.sleep(0.01)
    return crowd


def sent_again(server):
    """How many questions, and how many texts, were sent more than once."""
    questions, texts = Counter(), Counter()
    for asked in server.requests:
        if "input" in asked.body:
            texts.update(asked.body["input"])
        else:
            questions[asked.text] += 1
    return [counts.total() - len(counts) for counts in (questions, texts)], len(questions), len(texts)
