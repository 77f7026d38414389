"""`saiten score --workers`: Ctrl-C, SIGKILL of the command, and errors."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import orjson
import pytest

from saiten.runs import read_run

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]

METRIC = """
import os, time
from dataclasses import dataclass
from pathlib import Path
import saiten

@dataclass(frozen=True)
class Own(saiten.BaseMetric):
    title = "own"
    needs = ("answer",)

    async def score(self, sample, judge):
        Path(f"process-{os.getpid()}").touch()
        while not Path("go").exists() and int(sample.id) > 200:
            time.sleep(0.01)
        return saiten.Score(1.0)
"""
COMMAND = ["score", "data.jsonl", "-m", "mine.py:Own", "-o", "run", "--quiet"]


@pytest.fixture
def begun(somewhere):
    """A command with two workers that has written scores and now waits; it has a session, as in a terminal."""
    (somewhere / "mine.py").write_text(METRIC)
    lines = [orjson.dumps({"id": str(n), "question": "q", "answer": "a"}) for n in range(400)]
    (somewhere / "data.jsonl").write_bytes(b"\n".join(lines))
    command = [*SAITEN, *COMMAND, "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    scores = somewhere / "run" / "scores.jsonl"
    while not scores.exists() or not scores.stat().st_size:
        assert process.poll() is None
        time.sleep(0.02)
    yield process
    (somewhere / "go").touch()
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.communicate()


def gone(folder):
    """Wait until the processes that scored have ended."""
    numbers = [int(path.name.partition("-")[2]) for path in folder.glob("process-*")]
    assert numbers
    for number in numbers:
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(number, 0)
                time.sleep(0.02)
    return numbers


def finished_by(saiten, folder, workers):
    """The run goes on with another number of workers, and has every score once."""
    (folder / "go").touch()
    said = saiten(*COMMAND, "--workers", workers)
    assert said.status == 0, said
    scores = [orjson.loads(line)["sample"] for line in (folder / "run" / "scores.jsonl").read_bytes().splitlines()]
    assert scores == [str(n) for n in range(400)]
    assert read_run(folder / "run").manifest.finished


def test_ctrl_c_ends_the_command_and_its_processes_without_a_traceback(begun, saiten, somewhere):
    """The terminal sends the signal to the command's whole group; the status is 130, and the run can be resumed."""
    os.killpg(begun.pid, signal.SIGINT)
    _, err = begun.communicate()
    assert begun.returncode == 130, err
    assert b"Traceback" not in err
    assert b"re-run the command to resume" in err
    gone(somewhere)
    finished_by(saiten, somewhere, 3)


def test_a_command_that_is_killed_leaves_no_process_and_can_be_resumed(begun, saiten, somewhere):
    """Its processes notice that nobody reads their answers any more."""
    begun.kill()
    begun.wait()
    (somewhere / "go").touch()  # they are in the middle of a sample
    gone(somewhere)
    finished_by(saiten, somewhere, 1)


def test_workers_are_refused_with_a_model_as_the_judge(saiten, somewhere):
    """Before anything is sent or written, with the reason."""
    (somewhere / "data.jsonl").write_text('{"question": "q", "answer": "a", "reference": "a"}\n')
    said = saiten(
        "score", "data.jsonl", "-m", "correctness", "--judge", "openai:m@http://127.0.0.1:9", "--workers", "2"
    )
    assert said.status == 2
    assert "correctness asks" in said.err
    assert "made by one process" in said.err
    assert not (somewhere / "runs").exists()


def test_the_number_of_workers_changes_no_file(saiten, somewhere):
    """A CSV file with rows that cannot be used: scores, samples and errors are the same for one, two and the default."""
    lines = [f'{n},"question {n}","It is {n % 5}.","{n % 3} it is"' for n in range(3_000)]
    lines[19] = lines[18]
    lines[9] = lines[8]
    (somewhere / "data.csv").write_text("\n".join(["id,question,answer,reference", *lines]))
    found = []
    for workers in ((), ("--workers", "1"), ("--workers", "2")):
        folder = somewhere / f"run{len(found)}"
        said = saiten("score", "data.csv", "-m", "token_f1,rouge_l,chrf", "-o", folder, *workers)
        assert said.status == 0, said
        assert "2 rows could not be used" in said.err
        found.append([(folder / name).read_bytes() for name in ("samples.jsonl", "scores.jsonl", "errors.jsonl")])
    assert found[0] == found[1] == found[2]
