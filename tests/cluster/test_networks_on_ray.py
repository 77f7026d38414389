"""Networks in the workers of a real Ray cluster: their scores, their batches, their GPUs and their threads.

What a network is given is seen by a hook of torch's in each worker, which a metric of one's own installs there. The GPUs
are Ray's accounts of GPUs: this needs none, and the networks run on the CPU.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from ray_commands import RAY, finished, scores_of
from ray_commands import saiten as command

import networks
from tiny_classifiers import THINGS, tiny_nli
from tiny_models import tiny_bert, tiny_chat

pytestmark = [
    *(mark for mark in networks.marks("ray") if mark.name != "xdist_group"),
    pytest.mark.xdist_group("ray"),
]

STAND_IN = Path(__file__).parents[1] / "stand_ins" / "vllm_engine"

PROBE = '''
"""A metric that lets torch write what the networks of this process are given: the texts of each batch."""
import asyncio, json, os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from saiten.metrics.base import BaseMetric
from saiten.records import Score

def log(**seen):
    with open(os.environ["SEEN"], "a") as file:
        file.write(json.dumps({"process": os.getpid(), **seen}) + "\\n")

def install():
    import torch
    from torch.nn.modules.module import register_module_forward_pre_hook
    def look(module, given):
        if isinstance(module, torch.nn.Embedding) and given[0].dim() == 2 and given[0].shape[1] > 1:
            ids = given[0].tolist()
            log(rows=len(ids), device=str(given[0].device), threads=torch.get_num_threads(), ids=ids)
    register_module_forward_pre_hook(look)

if os.environ.get("SEEN"):
    install()

@dataclass(frozen=True)
class Where(BaseMetric):
    """1 for each sample; writes where it was scored, and waits until both workers score, so that each has a part."""
    title: ClassVar[str] = "where"
    async def score(self, sample, judge):
        import ray
        log(gpus=ray.get_gpu_ids() if ray.is_initialized() else [], visible=os.environ.get("CUDA_VISIBLE_DEVICES"))
        case = Path("case").read_text() if Path("case").is_file() else "case"
        there = Path(os.environ["SEEN"]).with_name(f"at {case}")
        there.mkdir(exist_ok=True)
        (there / str(os.getpid())).touch()
        while len(list(there.iterdir())) < 2:
            await asyncio.sleep(0.01)
        return Score(1.0)
'''


@pytest.fixture
def here(tmp_path):
    """A folder with the metric, the models and room for a log."""
    (tmp_path / "probe.py").write_text(PROBE, encoding="utf-8")
    return tmp_path


def saiten(folder, *arguments, **variables):
    """Run a command in this folder, with these environment variables."""
    finished(command(*arguments, cwd=folder, **variables))


def write_rows(path, rows):
    """The rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def questions(count):
    """Rows whose texts have different lengths."""
    return [
        {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "answer": f"It is {n}." + " Yes." * (n % 7),
            "reference": f"It is {n - n % 2}.",
            "contexts": [f"Number {n} is {n}."],
        }
        for n in range(count)
    ]


def replies_of(run):
    """The replies in the cache that the workers of this machine share: key → text."""
    with sqlite3.connect(run / "answers.sqlite") as kept:
        rows = kept.execute("SELECT key, value FROM answers").fetchall()
    return {key: json.loads(value)["text"] for key, value in rows}


def seen(path):
    """The lines of a log."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def shard_of(run):
    """Sample → the number of its shard."""
    found = {}
    for path in sorted((run / "shards").glob("*/samples.jsonl")):
        found.update({json.loads(line)["id"]: path.parent.name for line in path.read_text("utf-8").splitlines()})
    return found


def samples_in(ids):
    """The questions in the tokens of a prompt, of which each is a byte."""
    text = "".join(chr(SIGNS[token]) for token in ids if token < 256)
    return {f"q{number}" for number in re.findall(r"Question (\d+)\?", text)}


def _signs():
    from tokenizers import pre_tokenizers

    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    byte_of = {chr(byte): byte for byte in plain}
    byte_of |= {chr(256 + n): byte for n, byte in enumerate(each for each in range(256) if each not in plain)}
    return [byte_of[sign] for sign in sorted(pre_tokenizers.ByteLevel.alphabet())]


SIGNS = _signs() if networks.find_spec("tokenizers") else []
"""Token of `byte_tokenizer` → byte."""


def test_a_causal_judge_in_the_workers(here):
    """Both workers run it, in batches over several samples and over both shards that a worker has; each on its own
    share of the cores; scores and replies are those of one machine.
    """
    tiny_chat(here / "judge", reads=8192)
    data = write_rows(here / "data.jsonl", questions(40))
    judge = ("--judge", "hf:judge", "--max-tokens", 2)
    saiten(here, "score", data, "-m", "accuracy,token_f1", *judge, "-o", "here")
    saiten(
        here, "score", data, "-m", "accuracy,token_f1,probe.py:Where", *judge, "-o", "there", *RAY, SEEN=here / "log"
    )
    there = {key: score for key, score in scores_of(here / "there").items() if key[1] != "where"}
    assert there == scores_of(here / "here")
    assert replies_of(here / "there") == replies_of(here / "here")
    shards = shard_of(here / "there")
    assert len(set(shards.values())) >= 4
    batches = defaultdict(list)
    for line in seen(here / "log"):
        if "rows" in line:
            batches[line["process"]].append([shards[name] for ids in line["ids"] for name in samples_in(ids)])
            assert (line["device"], line["threads"]) == ("cpu", 1)
    assert len(batches) == 2
    for process in batches.values():
        assert max(map(len, process)) == 8  # full batches
        assert any(len(set(batch)) > 1 for batch in process)


def test_a_support_network_in_the_workers(here):
    """`nli:` gives the scores of one machine, in batches over several samples."""
    tiny_nli(here / "nli")
    rows = [
        {
            "id": f"n{n}",
            "question": "where is it?",
            "answer": f"The {THINGS[n % 8]} is near the {THINGS[n * 3 % 8]}.",
            "contexts": [f"A {THINGS[n * 5 % 8]} slept.", f"The {THINGS[n % 8]} is there."],
            "reference": f"The {THINGS[n % 8]} is there.",
        }
        for n in range(96)
    ]
    data = write_rows(here / "data.jsonl", rows)
    metrics, judge = "faithfulness,context_recall", ("--judge", "nli:nli")
    saiten(here, "score", data, "-m", metrics, *judge, "-o", "here")
    saiten(here, "score", data, "-m", f"{metrics},probe.py:Where", *judge, "-o", "there", *RAY, SEEN=here / "log")
    made, expected = scores_of(here / "there"), scores_of(here / "here")
    assert {made[key]["value"] for key in expected} == {0.0, 1.0}
    assert [(key, made[key]["value"], made[key]["status"]) for key in expected] == [
        (key, score["value"], score["status"]) for key, score in expected.items()
    ]
    for key, score in expected.items():
        assert made[key].get("expected") == pytest.approx(score.get("expected"), abs=1e-5)
    rows_of = defaultdict(int)
    for line in seen(here / "log"):
        if "rows" in line:
            rows_of[line["process"]] = max(rows_of[line["process"]], line["rows"])
    assert len(rows_of) == 2
    assert min(rows_of.values()) > 2  # a sample has two contexts


def test_an_embedder_in_the_workers(here):
    """`st:` gives the scores of one machine, up to rounding, which depends on the batch."""
    pytest.importorskip("sentence_transformers")
    tiny_bert(here / "embedder")
    data = write_rows(here / "data.jsonl", questions(96))
    command = ("score", data, "-m", "answer_similarity", "--embedder", "st:embedder")
    saiten(here, *command, "-o", "here")
    saiten(here, *command, "-o", "there", *RAY)
    made, expected = scores_of(here / "there"), scores_of(here / "here")
    assert made.keys() == expected.keys()
    for key, score in expected.items():
        assert made[key]["value"] == pytest.approx(score["value"], abs=1e-5)
    assert len({round(score["value"], 4) for score in expected.values()}) > 5


def test_a_system_and_agents_in_the_workers(here):
    """Answers of an `hf:` system, and dialogues whose agents are in vLLM's engine (a stand-in), are those of one machine."""
    tiny_chat(here / "bot", reads=8192)
    tiny_chat(here / "judge", reads=8192, seed=1)
    data = write_rows(here / "data.jsonl", questions(12))
    system = ("--system", "hf:bot", "--max-tokens", 5, "--temperature", 1)  # drawn by request, so answers differ
    answers = []
    for name, more in (("here", ()), ("there", RAY)):
        saiten(here, "answer", data, *system, "-o", f"{name}.jsonl", *more)
        lines = seen(here / f"{name}.jsonl")
        answers.append(sorted((line["id"], line["answer"]) for line in lines))
    assert answers[0] == answers[1]
    assert len({answer for _, answer in answers[0]}) > 8
    bot = "async def answer(question):\n    return {'answer': 'It is ' + question, 'contexts': ['a']}\n"
    (here / "bot.py").write_text(bot, encoding="utf-8")
    talk = ("converse", data, "--system", "bot.py:answer", "--judge", "vllm-engine:judge", "--max-turns", 2)
    path = os.pathsep.join([str(STAND_IN), *filter(None, [os.environ.get("PYTHONPATH")])])
    for name, more in (("here", ()), ("there", RAY)):
        saiten(here, *talk, "--judge-option", "max_model_len=16384", "-o", name, *more, PYTHONPATH=path)
    assert scores_of(here / "here") == scores_of(here / "there")
    assert "ok" in {score["status"] for score in scores_of(here / "here").values()}


def test_vllms_engine_in_the_workers(here):
    """Each worker has an engine (a stand-in), which gets its requests together; scores are those of one machine; each
    engine is shut down.
    """
    tiny_chat(here / "judge", reads=8192)
    data = write_rows(here / "data.jsonl", questions(96))
    command = ("score", data, "--judge", "vllm-engine:judge")
    command += ("--judge-option", "max_model_len=8192", "--concurrency", 16)
    path = os.pathsep.join([str(STAND_IN), *filter(None, [os.environ.get("PYTHONPATH")])])
    metrics = "accuracy,faithfulness"
    for name, more in (("here", ("-m", metrics)), ("there", ("-m", f"{metrics},probe.py:Where", *RAY))):
        logs = {"SEEN": here / "log", "VLLM_STAND_IN_LOG": here / f"{name}.log"}
        saiten(here, *command, "-o", name, *more, PYTHONPATH=path, **logs)
    made = {key: score for key, score in scores_of(here / "there").items() if key[1] != "where"}
    assert made == scores_of(here / "here")
    assert {score["status"] for score in made.values()} == {"ok"}
    for name, engines in (("here", 1), ("there", 2)):
        events = seen(here / f"{name}.log")
        started = {event["process"]: event["arguments"] for event in events if event["event"] == "start"}
        ended = {event["process"]: event for event in events if event["event"] == "shutdown"}
        assert len(started) == len(ended) == engines
        assert {arguments["max_model_len"] for arguments in started.values()} == {8192}
        assert all(4 < event["most"] <= 16 for event in ended.values())


GPUS = """
import json, sys
import ray
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
ray.init(address="local", num_cpus=4, num_gpus=2, **quiet)
import saiten
rows = [{"id": f"s{n}", "question": f"{n}?", "answer": f"a {n}", "reference": f"a {n}"} for n in range(8)]
cases = {
    "each its own": {"judge": "hf:judge", "max_tokens": 2},
    "a neural metric": {"extra": ["perplexity[A,model=judge]"]},
    "two on one": {"judge": "hf:judge", "max_tokens": 2, "gpus_per_worker": 0.5},
    "none": {"judge": "hf:judge", "max_tokens": 2, "gpus_per_worker": 0},
    "no network": {},
}
for name, settings in cases.items():
    with open("case", "w") as file:
        file.write(name)
    metrics = ["accuracy", "probe.py:Where", *settings.pop("extra", [])]
    made = saiten.evaluate(rows, metrics, executor="ray", workers=2, **settings)
    assert len(made.scores) == 8 * len(metrics), name
    with open("log", "a") as file:
        file.write(json.dumps({"case": name}) + "\\n")
"""


def test_each_worker_has_a_gpu_of_its_own(here):
    """On a cluster with GPUs, by default if a network runs in the workers; half of one each, or none, if asked for."""
    tiny_chat(here / "judge", reads=8192)
    env = {**os.environ, "SEEN": str(here / "log"), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}
    env |= {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    env.pop("CUDA_VISIBLE_DEVICES", None)
    ran = subprocess.run(
        [sys.executable, "-c", GPUS], cwd=here, env=env, capture_output=True, text=True, timeout=280, check=False
    )
    assert ran.returncode == 0, ran.stderr
    cases, gpus, devices = {}, {}, set()
    for line in seen(here / "log"):
        if "case" in line:
            cases[line["case"]], gpus = gpus, {}
        elif "gpus" in line:
            gpus[line["process"]] = (line["gpus"], line["visible"])
        else:
            devices.add(line["device"])
    assert {name: len(each) for name, each in cases.items()} == dict.fromkeys(cases, 2)
    for name in ("each its own", "a neural metric"):
        assert sorted(cases[name].values()) == [([0], "0"), ([1], "1")]
    assert list(cases["two on one"].values()) == [([0], "0")] * 2
    assert list(cases["none"].values()) == [([], "")] * 2
    assert list(cases["no network"].values()) == [([], None)] * 2
    assert devices == {"cpu"}  # the networks run, although the GPUs are not there
