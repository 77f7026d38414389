"""A process that tracks a run contacts nobody, and MLflow's telemetry leaves no trace."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mlflow"), pytest.mark.timeout(240)]

CODE = """
import json, sys
calls = []
sys.addaudithook(lambda event, args: calls.append(str(args)) if event in ("socket.connect", "socket.getaddrinfo") else None)
BEFORE
import os, saiten
result = saiten.evaluate([{"id": "a", "question": "q", "answer": "a", "reference": "a"}], ["token_f1"])
before = dict(os.environ)
result.log_to_mlflow("sqlite:///tracked.db")
import threading
said = [thread.name for thread in threading.enumerate() if "elemetry" in thread.name]
json.dump({"calls": calls, "threads": said, "changed": [name for name, _ in set(before.items()) ^ set(os.environ.items()) if "MLFLOW" in name]}, sys.stdout)
"""


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("before", ["", "import mlflow"], ids=["fresh", "mlflow is in use"])
def test_tracking_contacts_nobody(before, tmp_path):
    """Where MLflow would report (no CI, no test), also where the user has it loaded; standard output is the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "VIRTUAL_ENV") if name in os.environ}
    home = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("BEFORE", before)],
        capture_output=True,
        text=True,
        timeout=220,
        check=False,
        cwd=tmp_path,
        env=kept | home,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"calls": [], "threads": [], "changed": []}
    assert bool(before) or not (tmp_path / "home").exists()  # its import, where it is the user's, writes an id
