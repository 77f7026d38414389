"""Runs of many rows: what each row adds to the peak memory of any process."""

import json
import os
import random
import subprocess
import sys

import pytest

MEASURED = """
import json, subprocess, sys, threading
from pathlib import Path

def peaks(process, most):
    todo = [process]
    while todo:
        pid = todo.pop()
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            todo += [int(child) for task in Path(f"/proc/{pid}/task").iterdir()
                     for child in (task / "children").read_text().split()]
        except OSError:
            continue
        for line in status.splitlines():
            if line.startswith("VmHWM"):
                most[pid] = max(most.get(pid, 0), int(line.split()[1]) << 10)

most = {}
running = subprocess.Popen([sys.executable, "-c", "from saiten.cli import main; main()", *sys.argv[1:]], stdout=subprocess.DEVNULL)
while True:
    peaks(running.pid, most)
    try:
        running.wait(0.05)
        break
    except subprocess.TimeoutExpired:
        pass
print(json.dumps([running.returncode, max(most.values())]))
"""
"""Runs a command, and prints its exit status and the most memory of any of its processes, in bytes."""


def measured(*command):
    """Run a command of saiten; the most memory of any of its processes."""
    run = [sys.executable, "-c", MEASURED, *map(str, command)]
    found = subprocess.run(run, capture_output=True, check=True, text=True)
    status, most = json.loads(found.stdout)
    assert status == 0, found.stderr[-2_000:]
    return most


def written(path, rows):
    """A file of answers with ids, of ten words each."""
    words, draw = [f"word{number}" for number in range(2_000)], random.Random(rows)
    with path.open("w") as file:
        for number in range(rows):
            text = draw.choices(words, k=12)
            file.write(
                json.dumps(
                    {
                        "id": f"question-{number:07d}",
                        "question": f"what is {text[0]} {number}?",
                        "answer": " ".join(text[:10]),
                        "reference": " ".join(text[2:]),
                    }
                )
                + "\n"
            )
    return path


def scored_and_shown(folder, rows):
    """The most memory of scoring this many rows, and of showing them."""
    data, run = written(folder / f"{rows}.jsonl", rows), folder / f"run-{rows}"
    scoring = measured("score", data, "-m", "token_f1,bleu4", "-o", run, "-q")
    return {"score": scoring, "show": measured("show", run)}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of processes from /proc")
def test_a_row_adds_little_memory(tmp_path):
    """Scoring and showing a run needs at most 400 bytes more per row, of which it keeps numbers and no texts.

    `SAITEN_SOAK=1` takes a million rows instead: no process needs more than 500 MB.
    """
    if os.environ.get("SAITEN_SOAK") == "1":
        assert all(most < 500_000_000 for most in scored_and_shown(tmp_path, 1_000_000).values())
        return
    (few, some), (many, more) = ((rows, scored_and_shown(tmp_path, rows)) for rows in (20_000, 120_000))
    per_row = {command: (more[command] - some[command]) / (many - few) for command in some}
    assert max(per_row.values()) < 400, per_row
