"""Commands on a Ray cluster of this machine, their workers, and what they asked a server."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from secrets import token_hex

from saiten.runs import read_run
from saiten.runs.lines import scored_to_json

RAY = ("--executor", "ray", "--workers", "2")
CONCURRENCY = 8
MARK = token_hex(8)
"""In the environment of each command, and so of its workers, so that no other's is killed."""


def saiten(*arguments, cwd=None, **variables):
    """Start a command, with more environment variables."""
    command = [str(Path(sys.executable).with_name("saiten")), *map(str, arguments)]
    env = {**os.environ, "COLUMNS": "200", "OPENAI_API_KEY": "k", "SAITEN_TEST": MARK}
    env |= {name: str(value) for name, value in variables.items()}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env=env)


def finished(process, status=0):
    """The output of a command that ends with this status."""
    out, notes = process.communicate(timeout=280)
    assert process.returncode == status, notes
    return out, notes


def ray_workers():
    """The processes of workers that these tests have started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            named = (folder / "cmdline").read_bytes().startswith(b"ray::ShardWorker")
            if named and f"SAITEN_TEST={MARK}".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def write_data(path, count):
    """Rows with and without ids, one broken line, one id twice."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            row = {"question": f"Question {n}?", "answer": f"Answer {n}. " * 9, "reference": f"Reference {n} " * 9}
            row["contexts"] = [f"Context {n} number {k}. " * 20 for k in range(2)]
            file.write(json.dumps(row | ({"id": f"q{n}"} if n % 3 else {})) + "\n")
            if n == count // 2:
                file.write('{broken\n{"id": "q1", "question": "once more?", "answer": "a"}\n')
    return path


def scores_of(run):
    """(sample, metric) → the score as JSON, without its cost; each pair once."""
    found = {}
    for scored in read_run(run).scores():
        value = scored_to_json(scored)
        del value["usage"]
        assert found.setdefault((scored.sample, scored.metric), value) is value
    return found


def run_with_judge(server, data, run, *more):
    """A run whose judge is asked over HTTP."""
    judge = ("--judge", f"openai:m@{server.base_url}", "--concurrency", CONCURRENCY)
    return saiten("score", data, "-m", "faithfulness,correctness", *judge, "-o", run, *RAY, *more)


def wait_for(condition, process):
    """Wait until something is so, while the command runs."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def repeated(server):
    """How many requests were sent more than once, and how many of these were first small calls of workers."""
    bodies = Counter(json.dumps(asked.body, sort_keys=True) for asked in server.requests)
    first = sum(count - 1 for body, count in bodies.items() if '"preflight"' in body)
    return sum(bodies.values()) - len(bodies) - first, first
