"""A model in this process wherever the command line names a chat model: judge, system, generator, and Ctrl-C."""

import json
import re
import signal
import socket
import time

import orjson
import pytest

import networks
from tiny_models import tiny_chat

pytestmark = networks.marks()

METRICS = ("-m", "accuracy", "-m", "token_f1")


@pytest.fixture
def model(somewhere):
    """A folder `own` with a tiny random model."""
    return tiny_chat(somewhere / "own", reads=8192)


def test_a_judge_that_talks_rubbish(saiten, model, data, scores):
    """The run ends normally, each unreadable reply is counted, and what needs no judge is measured."""
    said = saiten("score", data(12), *METRICS, "--judge", "hf:own", "--max-tokens", "8", "-o", "run")
    assert said.status == 0
    found = scores()
    assert {score.status for (_, metric), score in found.items() if metric == "accuracy"} == {"unreadable"}
    assert {score.status for (_, metric), score in found.items() if metric == "token_f1"} == {"ok"}
    assert sum(score.usage.calls for score in found.values()) == 24  # each asked once, plus one repair
    assert "12 unreadable" in said.out
    assert re.search(r"judge:hf:own@[0-9a-f]{12}\|", said.out)
    assert "0.0000 USD" in said.err


def test_a_judge_that_was_trained_meanwhile(saiten, model, data):
    """Its scores are not mixed with those from before; the error shows both names."""
    command = ("score", data(2), *METRICS, "--judge", "hf:own", "--max-tokens", "4", "-o", "run")
    assert saiten(*command).status == 0
    assert "already has 4 scores; resuming" in saiten(*command).err
    tiny_chat(model, reads=8192, seed=1)
    said = saiten(*command)
    assert said.status == 2
    assert len(set(re.findall(r"hf:own@[0-9a-f]{12}", said.err))) == 2


def test_a_dry_run_knows_that_it_costs_nothing(saiten, model, data):
    """Nothing is loaded for it."""
    said = saiten("score", data(2), "-m", "accuracy", "--judge", "hf:own", "--dry-run", "--format", "json")
    assert said.status == 0
    assert {row["cost (USD)"] for row in next(iter(json.loads(said.out).values()))} == {0.0}


@pytest.mark.witness
def test_a_system(saiten, model, data, somewhere):
    """`saiten answer` with the model alone."""
    said = saiten("answer", data(3), "--system", "hf:own", "--max-tokens", "5", "-o", "answers.jsonl", "--quiet")
    assert said.status == 0
    rows = [orjson.loads(line) for line in (somewhere / "answers.jsonl").read_bytes().splitlines()]
    assert [row["usage"]["completion_tokens"] for row in rows] == [5, 5, 5]
    assert {row["system"] for row in rows} == {f"hf:own@{rows[0]['system'].partition('@')[2]}"}


def test_a_generator_of_our_rag(saiten, model, data, somewhere):
    """The built-in embedder finds passages, and the model writes."""
    (somewhere / "text.md").write_text("The bridge opened in 1998.\n")
    assert saiten("index", "text.md", "--kb", "kb").status == 0
    rag = ("--system", "rag:kb", "--generator", "hf:own", "--max-tokens", "5")
    said = saiten("answer", data(2), *rag, "-o", "answers.jsonl")
    assert said.status == 0
    rows = [orjson.loads(line) for line in (somewhere / "answers.jsonl").read_bytes().splitlines()]
    assert [row["usage"]["completion_tokens"] for row in rows] == [5, 5]


def test_forms_are_named_where_one_is_not_understood(saiten, model, data):
    """A folder without `hf:` is probably a model."""
    said = saiten("score", data(1), "-m", "accuracy", "--judge", "own", "-o", "run")
    assert said.status == 2
    assert "did you mean hf:own?" in " ".join(said.err.split())


def test_ctrl_c_and_no_network(process, model, data, somewhere):
    """Ctrl-C ends a run whose model has 100,000 tokens to go; a folder is never looked for on the hub."""
    import torch
    import transformers

    tiny_chat(model, reads=200_000)
    talker = transformers.AutoModelForCausalLM.from_pretrained(model)
    with torch.no_grad():
        talker.lm_head.weight[257] = 0  # never the likeliest token, so no answer ends
    talker.save_pretrained(model)
    asked = [{"id": "too long", "question": "x" * 200_001}, {"id": "endless", "question": "?"}]
    with socket.create_server(("127.0.0.1", 0)) as hub:
        hub.settimeout(0)
        answering = process(
            *("answer", data(asked), "--system", "hf:own", "-o", "answers.jsonl", "--max-tokens", "100000"),
            *("--concurrency", "1"),
            env={"HF_ENDPOINT": f"http://127.0.0.1:{hub.getsockname()[1]}"},
        )
        while not (somewhere / "answers.jsonl").exists() or not (somewhere / "answers.jsonl").read_bytes():
            assert answering.poll() is None, answering.communicate()
            time.sleep(0.05)
        answering.send_signal(signal.SIGINT)
        _, said = answering.communicate(timeout=100)
        assert answering.returncode == 130, said
        with pytest.raises(BlockingIOError):
            hub.accept()
    assert b"the model takes 200000" in (somewhere / "answers.jsonl").read_bytes()
