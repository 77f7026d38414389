"""Opt-in: the whole command against llama.cpp's server with a tiny random model; see docs/testing.md."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from saiten.cli import main

HERE = Path(__file__).parent
PYTHON = os.environ.get("SAITEN_LLAMA_PYTHON")

pytestmark = [
    pytest.mark.real_server,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        PYTHON is None, reason="opt-in: `make real-server` builds llama.cpp's server and sets SAITEN_LLAMA_PYTHON"
    ),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server with a model that answers nonsense; its base URL."""
    folder = tmp_path_factory.mktemp("llama")
    model = folder / "tiny.gguf"
    subprocess.run([str(PYTHON), str(HERE / "make_tiny_gguf.py"), str(model)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(PYTHON), "-m", "llama_cpp.server", "--model", str(model), "--host", "127.0.0.1"]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen([*command, "--port", str(port), "--n_ctx", "8192"], stdout=log, stderr=log) as process,
    ):
        url = f"http://127.0.0.1:{port}/v1"
        try:
            _wait(url, process, folder / "log")
            yield url
        finally:
            process.terminate()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=1):  # noqa: S310 - loopback
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not come up within a minute")


SAMPLES = [
    {
        "id": "en",
        "question": "How often is the filter cleaned?",
        "answer": "Every two weeks.",
        "contexts": ["Clean the filter every 14 days."],
        "reference": "Every 14 days.",
    },
    {
        "id": "ja",
        "question": "フィルターは何日ごとに掃除しますか。",
        "answer": "14日ごとです。",
        "contexts": ["フィルターは14日ごとに掃除してください。"],
        "reference": "14日ごとに掃除します。",
    },
]
METRICS = ["context_precision", "aspect_critique[conciseness]", "accuracy", "correctness", "context_entity_recall"]


def test_a_run_against_a_real_server_with_constrained_decoding(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every score has a status, some replies of a random model are read, and structured output is found out once."""
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in SAMPLES), "utf-8")
    run = tmp_path / "run"
    named = [word for metric in METRICS for word in ("-m", metric)]
    judge = ["--judge", f"openai:tiny@{server}", "--max-tokens", "800", "--concurrency", "2", "--timeout", "300"]
    with pytest.raises(SystemExit) as ended:
        main(["score", str(data), *named, *judge, "-o", str(run), "--format", "json"])
    assert ended.value.code == 0, capsys.readouterr().err
    lines = [json.loads(line) for line in (run / "scores.jsonl").read_text("utf-8").splitlines()]
    assert {(line["sample"], line["metric"]) for line in lines} == {(s["id"], m) for s in SAMPLES for m in METRICS}
    statuses = {line["status"] for line in lines}
    assert statuses <= {"ok", "declined", "undefined", "unreadable"}, lines
    assert statuses & {"ok", "declined"}, lines
    for line in lines:
        if line["status"] == "unreadable":
            assert line["details"]["raw"], line
            assert line["reason"], line
    sys.stdout.write(json.dumps([(x["sample"], x["metric"], x["status"], x["value"]) for x in lines], indent=1))
