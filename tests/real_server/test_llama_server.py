"""The whole command against a real inference server: llama.cpp's, with a tiny random model, which answers nonsense.

What it says is of no use; that it is asked, constrained and read is. The bytes that are no ASCII are ruled out by an
option, since random ones are no UTF-8.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saiten.cli import main
from saiten.runs import read_run

pytest.importorskip("xllamacpp", reason="llama.cpp's server is not installed; `make neural` does it")
pytest.importorskip("gguf", reason="gguf is not installed; `make neural` does it")

HERE = Path(__file__).parent
ASCII_ONLY = "logit_bias=" + json.dumps({str(byte): -100 for byte in [*range(32), *range(127, 256)]})
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

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("llama")]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The server's base URL."""
    folder = tmp_path_factory.mktemp("llama")
    model = folder / "tiny.gguf"
    subprocess.run([sys.executable, str(HERE / "make_tiny_gguf.py"), str(model)], check=True)
    command = [sys.executable, str(HERE / "serve.py"), str(model)]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            address = process.stdout.readline().strip()
            if not address and process.wait(30) == -signal.SIGILL:
                pytest.skip("this processor lacks instructions that the prebuilt server uses")
            assert address, f"the server ended: {(folder / 'log').read_text(errors='replace')[-2000:]}"
            yield address
        finally:
            process.kill()


def score(server, tmp_path, capsys, *more, metrics=METRICS):
    """`saiten score` with the server as the judge: the lines of its scores, and its signatures."""
    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text("".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in SAMPLES), "utf-8")
    judge = ["--judge", f"llamacpp:tiny@{server}", "--max-tokens", "400", "--concurrency", "2", "--timeout", "300"]
    named = [word for metric in metrics for word in ("-m", metric)]
    with pytest.raises(SystemExit) as ended:
        main(["score", str(data), *named, *judge, *more, "-o", str(run), "--format", "json"])
    assert ended.value.code in {0, 6}, capsys.readouterr().err
    return [json.loads(line) for line in (run / "scores.jsonl").read_text("utf-8").splitlines()], read_run(run).manifest


def test_a_run_with_constrained_decoding(server, tmp_path, capsys):
    """Every score has a status, and some replies of a random model are read, since its decoding is constrained."""
    lines, made = score(server, tmp_path, capsys, "--judge-option", ASCII_ONLY, "--judge-option", "top_k=40")
    assert {(line["sample"], line["metric"]) for line in lines} == {(s["id"], m) for s in SAMPLES for m in METRICS}
    statuses = {line["status"] for line in lines}
    assert statuses <= {"ok", "declined", "undefined", "unreadable"}, lines
    assert statuses & {"ok", "declined"}, lines
    for line in lines:
        if line["status"] == "unreadable":
            assert line["details"]["raw"], line
            assert line["reason"], line
    assert "top_k=40" in made.signatures["accuracy"]


def test_token_probabilities_of_a_real_server(server, tmp_path, capsys):
    """Each reply that was read has an expected value by the server's own probabilities."""
    lines, made = score(server, tmp_path, capsys, "--judge-option", ASCII_ONLY, "--logprobs", metrics=["accuracy"])
    assert "|logprobs:5|" in made.signatures["accuracy"]
    expected = [line["expected"] for line in lines if line["status"] == "ok"]
    assert expected, lines
    assert all(0 <= value <= 1 for value in expected)


def test_a_dialogue_between_models_of_a_real_server(server, tmp_path, capsys):
    """System, grader, composer and questioner on one server, each with options of its own; every dialogue ends."""
    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text("".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in SAMPLES), "utf-8")
    models = [
        word for role in ("judge", "composer", "questioner") for word in (f"--{role}", f"llamacpp:{role}@{server}")
    ]
    bias = [word for role in ("judge", "composer", "questioner", "system") for word in (f"--{role}-option", ASCII_ONLY)]
    system = ["--system", f"llamacpp:tiny@{server}", "--max-turns", "1", "--system-max-tokens", "50"]
    with pytest.raises(SystemExit) as ended:
        main(["converse", str(data), *system, *models, *bias, "--max-tokens", "300", "-o", str(run), "-q"])
    assert ended.value.code in {0, 6}, capsys.readouterr().err
    talks = [json.loads(line) for line in (run / "dialogues.jsonl").read_text("utf-8").splitlines()]
    assert {talk["id"] for talk in talks} == {sample["id"] for sample in SAMPLES}
    asked = {step["agent"] for talk in talks for step in talk["steps"]}
    assert {"system", "composer"} <= asked
    parts = read_run(run).manifest.made_by("wscore")
    assert [parts[name].split("@")[0] for name in ("judge", "composer", "questioner")] == [
        "llamacpp:judge", "llamacpp:composer", "llamacpp:questioner",
    ]  # fmt: skip


def test_a_reply_that_the_server_cannot_read_costs_one_call(server, tmp_path, capsys):
    """Random bytes are no UTF-8, which llama.cpp reports as its own failure; the same request would fail again."""
    lines, _ = score(server, tmp_path, capsys, metrics=["accuracy"])
    failed = [line for line in lines if line["status"] == "failed"]
    assert all("the server cannot read what its model wrote" in line["reason"] for line in failed)
    assert all(line["usage"]["calls"] <= 2 for line in lines)
