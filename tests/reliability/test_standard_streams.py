"""Standard streams that are closed, full, or left by their reader: a command still ends with a status and no traceback."""

import json
import subprocess
import sys

import pytest

SAITEN = f"{sys.executable} -c 'from saiten.cli import main; main()'"
COMMANDS = {
    "score": "score data.jsonl -m length -o run --format json",
    "score from standard input": "score - -m length -o run -q --format json < data.jsonl",
    "help": "--help",
    "an error": "show nowhere",
    "metrics": "metrics",
}
STREAMS = ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "> /dev/full", "2> /dev/full", "| head -c 0")


@pytest.mark.parametrize("streams", STREAMS)
def test_no_standard_stream_can_cause_a_traceback(streams, tmp_path):
    """Whatever is closed, the status is one that the help names, and what can still be read has no traceback."""
    (tmp_path / "data.jsonl").write_text(json.dumps({"id": "q", "question": "Q?", "answer": "A."}) + "\n")
    faults = []
    for name, typed in COMMANDS.items():
        command = typed.partition(" < ")[0] if "<&-" in streams else typed
        line = f"{SAITEN} {command} {streams}"
        if "|" in streams:
            line = f"({SAITEN} {command}; echo $? > status) {streams}"
        ran = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        status = int((tmp_path / "status").read_text()) if "|" in streams else ran.returncode
        said = ran.stdout + ran.stderr
        if status not in {0, 2, 6} or any(sign in said for sign in ("Traceback", "Exception ignored")):
            faults.append(f"{name}: status {status}: {said[-500:]}")
    assert not faults, "\n".join(faults)
