"""Runs on a real tracking server, over HTTP."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from saiten.runs import read_run
from saiten.tracking import log_to_mlflow, run_on_disk
from saiten.tracking.stores import quietly

pytestmark = [
    pytest.mark.xdist_group("mlflow"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.timeout(240),
]

_SECONDS = 180
"""A server's start takes 10 seconds, and minutes on a busy machine."""


@pytest.fixture(scope="module")
def server(empty_database, tmp_path_factory):
    """`mlflow server` on a free port."""
    for package in ("flask", "flask_cors", "graphene"):
        pytest.importorskip(package, reason="`mlflow server` needs Flask, flask-cors and graphene")
    folder = tmp_path_factory.mktemp("server")
    (folder / "tracked.db").write_bytes(empty_database.read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = [
        "--backend-store-uri",
        f"sqlite:///{folder}/tracked.db",
        "--artifacts-destination",
        str(folder / "files"),
    ]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "log").open("w") as log:
        running = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *settings, "--port", str(port), "--workers", "1"],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=os.environ | quiet,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + _SECONDS
        while not _answers(port):
            assert running.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(running.pid, 15)
        running.wait()


def _answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


@pytest.mark.slow
def test_a_run_is_tracked_on_a_server(server, run, mlflow, tmp_path, capsys):
    """Figures, settings and files come back over HTTP; once, however often; the address shows no password."""
    (tmp_path / "r.html").write_text("<p>a report</p>")
    to = server.replace("://", "://me:s3cret@")
    tracking = run_on_disk(read_run(run))
    tracked = log_to_mlflow(tracking, to=to, experiment="日本 語/x", texts=True, report=tmp_path / "r.html")
    again = log_to_mlflow(tracking, to=server, experiment="日本 語/x")
    assert (again.run_id, again.made) == (tracked.run_id, False)
    assert tracked.address.endswith(f"/runs/{tracked.run_id}")
    assert "s3cret" not in tracked.address + capsys.readouterr().out
    with quietly():
        client = mlflow.MlflowClient(server)
        found = client.get_run(tracked.run_id)
        files = {file.path for file in client.list_artifacts(tracked.run_id, "saiten")}
        samples = Path(client.download_artifacts(tracked.run_id, "saiten/samples.jsonl", str(tmp_path))).read_bytes()
    assert found.data.metrics["token_f1/mean"] == pytest.approx(2 / 3)
    assert found.data.params["judge"] == "offline"
    assert "saiten/report" in files
    assert samples == (run / "samples.jsonl").read_bytes()
