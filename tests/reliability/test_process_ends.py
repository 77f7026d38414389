"""However `saiten score` is ended, the same command resumes it; a folder that is removed under it stops the calls."""

import fcntl
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections import Counter

import orjson
import pytest

pytestmark = pytest.mark.slow
SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]
AT_ONCE = 4


@pytest.fixture
def start(tmp_path, openai_server):
    """`start(samples, **settings)`: the command as a running process, which writes into the folder `run`."""
    started = []

    def score(samples, **settings):
        rows = [{"id": f"s{n}", "question": f"Q{n}?", "answer": "a", "reference": "a"} for n in range(samples)]
        (tmp_path / "data.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
        judge = f"openai:m@{openai_server.base_url}"
        command = [*SAITEN, "score", "data.jsonl", "-m", "accuracy", "--judge", judge, "-o", "run"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings
        started.append(subprocess.Popen([*command, "--concurrency", str(AT_ONCE)], cwd=tmp_path, **pipes))
        return started[-1]

    openai_server.latency = 0.02
    yield score
    for each in started:
        each.kill()
        each.communicate()


def wait_for(server, requests, process):
    """Wait until the server has received this many requests."""
    until = time.monotonic() + 120
    while len(server.requests) < requests:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.005)


def assert_resumed(start, server, folder, samples):
    """The same command ends well; each score is there once, and only what was in flight was asked for again."""
    resumed = start(samples)
    said = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, said
    scores = [orjson.loads(line) for line in (folder / "run" / "scores.jsonl").read_bytes().splitlines()]
    assert Counter(score["sample"] for score in scores) == Counter(f"s{n}" for n in range(samples))
    assert {score["status"] for score in scores} == {"ok"}
    asked = Counter(orjson.dumps(each.body) for each in server.requests if '{"ok": true}' not in str(each.body))
    assert len(asked) == samples
    assert asked.total() - samples <= AT_ONCE


@pytest.mark.parametrize(
    ("how", "status"),
    [(signal.SIGKILL, -9), (signal.SIGTERM, -15), (signal.SIGHUP, -1), (signal.SIGINT, 130)],
    ids=["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"],
)
def test_a_signal_ends_the_run_and_the_same_command_resumes_it(start, openai_server, tmp_path, how, status):
    """Only Ctrl-C is answered with a sentence; the others end the process at once. None loses a score."""
    running = start(60)
    wait_for(openai_server, 25, running)
    running.send_signal(how)
    _, said = running.communicate(timeout=60)
    assert running.returncode == status, said
    assert (b"re-run the command to resume" in said) == (how == signal.SIGINT)
    assert b"Traceback" not in said
    assert_resumed(start, openai_server, tmp_path, 60)


def test_a_closed_terminal_ends_the_run_and_the_same_command_resumes_it(start, openai_server, tmp_path):
    """A window or a connection that goes away in the middle of the progress line."""
    ours, theirs = pty.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    running = start(60, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal)
    os.close(theirs)
    wait_for(openai_server, 25, running)
    os.close(ours)
    assert running.wait(60) == -signal.SIGHUP
    assert_resumed(start, openai_server, tmp_path, 60)


def test_a_folder_that_is_removed_under_a_run_stops_the_calls(start, openai_server, tmp_path):
    """Scores that would be lost are not paid for: status 2 within about a second, with what happened and what to do."""
    running = start(3_000)
    wait_for(openai_server, 25, running)
    shutil.rmtree(tmp_path / "run")
    _, said = running.communicate(timeout=120)
    assert running.returncode == 2, said
    assert b"was deleted or replaced while it was being written; no further call is made" in said.replace(b"\n", b" ")
    assert len(openai_server.requests) < 2_000
