"""`-m bertscore` from the command line, on a tiny network."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import networks
from tiny_models import tiny_bert

pytestmark = networks.marks()

UNCONNECTED = textwrap.dedent("""
    import os, sys
    def refuse(event, arguments):
        if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
            os.write(2, f"{event} {arguments}".encode())
            os._exit(1)
    sys.addaudithook(refuse)
    from saiten.cli import main
    main()
""")
"""The command, which ends where it looks up an address or connects to one."""

ROWS = [
    {
        "id": f"q{n}",
        "question": f"When did bridge {n} open?",
        "answer": f"Bridge {n} opened in {1900 + n}. 橋は{1900 + n}年に開通しました。",
        "reference": f"It opened in {1900 + n % 7}.",
    }
    for n in range(300)
] + [{"id": "blank", "question": "?", "answer": "", "reference": "Tokyo"}]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a tiny model."""
    return tiny_bert(tmp_path_factory.mktemp("bert"))


def test_three_figures_come_out_and_a_killed_run_goes_on_to_the_same_ones(saiten, data, scores, model):
    """Killed with some scores on disk, then rerun: values equal those of an uninterrupted run; `show` has all three.
    The killed run had loaded its model from the folder without the network, and silently.
    """
    path, metric = data(ROWS), f"bertscore[model={model},layer=2]"
    whole = saiten("score", path, "-m", metric, "-o", "whole")
    assert (whole.status, "LOAD REPORT" in whole.err) == (0, False)
    assert "903 scores for 301 samples" in whole.err
    shown = saiten("show", "whole", "--format", "md").out
    for which in ("precision", "recall", "f1"):
        assert f"bertscore[{which},model=" in shown.replace("\\", "")
    command = [sys.executable, "-c", UNCONNECTED, "score", path, "-m", metric, "-o", "run", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as killed:
        while killed.poll() is None and lines(Path("run/scores.jsonl")) < 20:
            time.sleep(0.01)
        killed.kill()
        assert killed.stdout.read() == b""
    assert lines(Path("run/scores.jsonl")) >= 20
    assert saiten("score", path, "-m", metric, "-o", "run").status == 0
    assert set(scores()) == set(scores("whole"))
    for place, score in scores("whole").items():
        assert (
            scores()[place].value == pytest.approx(score.value, abs=1e-6)
            if place[0] != "blank"
            else score.value is None
        )


def test_a_bad_model_is_reported_before_a_run_is_begun(saiten, data, model):
    """The exit status is 2, without a folder."""
    said = saiten("score", data(ROWS[:3]), "-m", f"bertscore[model={model},layer=9]", "-o", "run")
    assert said.status == 2
    assert "has no layer 9; it has 1 to 4" in " ".join(said.err.split())
    assert not Path("run").exists()


def lines(path):
    """The number of lines in the file, 0 if there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
