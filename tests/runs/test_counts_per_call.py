"""What a call costs beyond the model, counted rather than timed: requests, bytes, tasks, hashes, prompts, modules.

`benchmarks/scoring.py` measures the CPU time; these counts fail first if somebody adds work to each call.
"""

import asyncio
import json
import os
import subprocess
import sys

import orjson

from saiten.executor import LocalExecutor
from saiten.judges.llm import LLMJudge
from saiten.metrics.catalog import make_metrics
from saiten.models import cache
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.sqlite_store import SQLiteStore
from saiten.models.stack import layers, stack_chat, stack_embedder
from saiten.prompts import Prompts
from saiten.records import Sample
from saiten.runs import Journal
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring
from servers import OpenAIServer

SAMPLES = 6


def sample(number):
    """A sample whose texts are its own, so that nothing is asked twice."""
    contexts = tuple(f"Bridge {number}.{n} was opened in {1900 + n}." for n in range(5))
    answer = f"Bridge {number} was opened in 1900."
    return Sample(f"s{number}", f"When was bridge {number} opened?", answer, contexts, f"In 190{number}.")


class Watching:
    """Watches nothing."""

    def __getattr__(self, _):
        return lambda *_: None


def counted(monkeypatch, owner, name):
    """Count the calls of a function or class from now on."""
    calls, inner = [], getattr(owner, name)

    def counting(*args, **kwargs):
        calls.append(name)
        return inner(*args, **kwargs)

    monkeypatch.setattr(owner, name, counting)
    return calls


async def run(server, folder, samples):
    """Score these samples with the nine metrics and everything that is around a model."""
    store = SQLiteStore(folder / "answers.sqlite")
    chat = stack_chat(OpenAICompatibleChat("m", server.base_url), layers(), store)
    embedder = stack_embedder(OpenAICompatibleEmbedder("e", server.base_url), layers(), store)
    with Journal.open(folder / "run") as journal:
        judge = LLMJudge(chat, embedder, prompts=Prompts())
        scoring = Scoring(make_metrics(["ragas"]), judge, journal)
        await run_all(scoring, samples, LocalExecutor(4), Watching(), closing=[judge])
        return journal.done


async def test_work_per_call(openai_server: OpenAIServer, tmp_path, monkeypatch):
    """Eight calls per sample, one hash of a chat request, few tasks and bytes per sample, one layout per kind of task."""
    made = []

    def create(loop, coroutine, **kwargs):
        made.append(coroutine)
        return asyncio.Task(coroutine, loop=loop, **kwargs)

    hashes = counted(monkeypatch, cache, "sha256")
    layouts = counted(monkeypatch, sys.modules["saiten.prompts.library"], "PromptLayout")
    asyncio.get_running_loop().set_task_factory(create)
    assert await run(openai_server, tmp_path, [sample(n) for n in range(SAMPLES)]) == 9 * SAMPLES
    asyncio.get_running_loop().set_task_factory(None)
    chats = [asked for asked in openai_server.requests if "messages" in asked.body]
    texts = {text for asked in openai_server.requests for text in asked.body.get("input", ())}
    assert len(chats) == 8 * SAMPLES + 1  # 1: the trial call
    assert len(made) / SAMPLES < 52, len(made) / SAMPLES
    assert len(hashes) <= len(chats) + 2 * len(texts)
    assert len(layouts) <= len({asked.body["response_format"]["json_schema"]["name"] for asked in chats}) + 2
    assert sum(len(orjson.dumps(asked.body)) for asked in chats) / SAMPLES < 27_000


def test_modules_of_a_run(openai_server: OpenAIServer, tmp_path):
    """`saiten score` with a model on a server loads no package that draws, trains, indexes or segments Japanese."""
    data = tmp_path / "samples.jsonl"
    one = sample(1)
    row = {"id": "a", "question": one.question, "answer": one.answer, "contexts": one.contexts}
    data.write_text(json.dumps(row | {"reference": one.reference}), "utf-8")
    url = openai_server.base_url
    words = ["score", str(data), "-m", "ragas", "--judge", f"openai:m@{url}", "--embedder", f"openai:e@{url}"]
    heavy = ["torch", "transformers", "pandas", "pyarrow", "scipy", "sudachipy", "sacrebleu", "altair", "vl_convert"]
    heavy += ["jinja2", "qdrant_edge", "sqlalchemy", "fastapi", "mlflow", "selectolax", "any_llm"]
    heavy += ["saiten.judges.offline", "saiten.judges.encoder", "saiten.judges.support.judge"]
    code = (
        "import sys\nfrom saiten.cli import main\n"
        f"try: main({[*words, '-o', str(tmp_path / 'run')]!r})\nexcept SystemExit as end: assert not end.code\n"
        f"print('LOADED', [name for name in {heavy!r} if name in sys.modules])"
    )
    environment = os.environ | {"OPENAI_API_KEY": "none"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "LOADED []"
