"""What a judge run sends and gets: calls, tokens, what a server's prefix cache saves; for saiten and for other tools.

    python benchmarks/prompt_tokens.py                                   # saiten, calls joined and separate
    … --ragas /of/its/environment/bin/python --deepeval …/bin/python     # these tools, too

30 built-in samples, half of them Japanese, with five contexts each, are scored with the nine RAGAS metrics by a server
on loopback that keeps every request. Any tool can be counted this way, since only what it sends is read. The server's
replies fit the requested schema, with as many items as a model writes: 3 statements, 8 entities, 10 key phrases and
questions, a verdict for each item. Tokens are those of OpenAI's o200k (`bpe-openai`), of messages with 4 for each
message's frame; the JSON schema is counted apart, as it is sent.

Two endless caches are simulated. *vLLM*: a prompt's blocks of 16 tokens are cached if an earlier prompt has the same
tokens up to their end. *OpenAI*: the first 1,024 tokens and every 128 after them, of prompts that long, with the schema
before the messages, as OpenAI documents. Earlier are prompts that were answered before this one came: with 64 requests
in flight, what is sent at the same time saves nothing. `--passages 3` makes contexts three times as long.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Any, Self

import bpe_openai
from aiohttp import web

import saiten
from saiten.demo.samples import load_demo
from saiten.records import Language, Sample

LATENCY = 0.05
"""Seconds until a reply."""
ITEMS = {"statements": 3, "first": 3, "second": 3, "entities": 8, "contexts": 8, "text": 8, "keyphrases": 10}
"""Items of the lists that a model writes; `questions` are as many as requested, or as the key phrases."""
SENTENCES = {
    "en": "The appliance has to be switched off for half an hour before it is cleaned.",
    "ja": "掃除の前に、本体の電源を切って30分ほど待つ必要がある。",
}

ENCODING = bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> list[int]:
    """Return the tokens of o200k."""
    found: list[int] = ENCODING.encode(text)
    return found


# ------------------------------------------------------------------------------------------------------ samples


def samples(language: Language, number: int, passages: int) -> Iterator[Sample]:
    """Yield built-in samples with five contexts: their own and those of other questions, in an order of their own."""
    by_question: dict[str, list[Sample]] = {}
    for one in load_demo(language):
        by_question.setdefault(one.sample.id.rpartition("-")[0], []).append(one.sample)
    every = list(dict.fromkeys(text for answers in by_question.values() for text in answers[0].contexts or ()))
    for at in range(number):
        turn, answers = at // len(by_question), list(by_question.values())[at % len(by_question)]
        one = answers[(at + turn) % len(answers)]
        own = one.contexts or ()
        texts = [*own, *(text for text in [*every[at:], *every[:at]] if text not in own)][: 5 * passages]
        contexts = ["\n".join(texts[start::5]) for start in range(5)]
        yield replace(one, id=f"{one.id}-{at}", contexts=(*contexts[turn:], *contexts[:turn]))


# ------------------------------------------------------------------------------------------------------- server


@dataclass(frozen=True)
class Sent:
    """A request and its reply; times in the order of events."""

    messages: Sequence[Mapping[str, str]]
    schema: str
    size: int
    came: int
    answered: int
    reply: str


@dataclass
class Counting:
    """A server that answers chat requests and embeddings after a fixed time, and keeps the chat requests."""

    sent: list[Sent] = field(default_factory=list)
    port: int = 0
    _clock: Iterator[int] = field(default_factory=count)
    _started: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        """Start in a thread."""
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the thread to the end of the process."""

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def _serve(self) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embed)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        self._started.set()
        await asyncio.Event().wait()

    async def _chat(self, request: web.Request) -> web.Response:
        raw, came = await request.read(), next(self._clock)
        body = json.loads(raw)
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema") or {}
        text = "\n".join(str(message["content"]) for message in body["messages"])
        wanted = schema or schema_in(text)
        reply = json.dumps(instance(wanted, wanted, text), ensure_ascii=False, separators=(",", ":"))
        await asyncio.sleep(LATENCY)
        written = json.dumps(schema, ensure_ascii=False, separators=(",", ":")) if schema else ""
        self.sent.append(Sent(body["messages"], written, len(raw), came, next(self._clock), reply))
        message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return web.json_response(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [message] * body.get("n", 1),
            }
            | {"usage": usage}
        )

    async def _embed(self, request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        vectors = [
            {"object": "embedding", "index": at, "embedding": [1.0, float(len(str(each)) % 7)]}
            for at, each in enumerate([texts] if isinstance(texts, str) else texts)
        ]
        return web.json_response(
            {"object": "list", "model": "e", "data": vectors, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )


def schema_in(text: str) -> Mapping[str, Any]:
    """Return the JSON schema that a prompt contains, as RAGAS's do."""
    for found in re.finditer(r"\{\"(?:\$defs|properties|description|title)\"", text):
        value, _ = json.JSONDecoder().raw_decode(text, found.start())
        if isinstance(value, dict) and "properties" in value:
            return value
    return {"type": "object", "properties": {"ok": {"type": "boolean"}}}


def instance(schema: Mapping[str, Any], root: Mapping[str, Any], prompt: str, name: str = "", number: int = 1) -> Any:
    """Return a reply of this schema."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {
            key: number if key == "number" else instance(each, root, prompt, key, number)
            for key, each in schema["properties"].items()
        }
    if schema.get("type") == "array":
        return [instance(schema["items"], root, prompt, name, at) for at in range(1, length_of(name, prompt) + 1)]
    plain = {"boolean": True, "integer": 1, "number": 1.0}
    return (
        text_for(name, number, prompt) if schema.get("type") == "string" else plain.get(str(schema.get("type")), True)
    )


def text_for(name: str, number: int, prompt: str) -> str:
    """Return a text for this field; no two texts make the same statements."""
    language: Language = "ja" if re.search("[ぁ-ん]", prompt) else "en"
    if name in {"entities", "contexts", "text", "keyphrases"}:
        return f"{'項目' if language == 'ja' else 'item'} {number}"
    if name == "reason":
        return "本文に記載" if language == "ja" else "as stated there"
    return f"{zlib.crc32(f'{name}{prompt}'.encode()) % 1000}-{number}: {SENTENCES[language]}"


def length_of(name: str, prompt: str) -> int:
    """Return the length of a list: that of the numbered items it judges, or what a model writes."""
    material = re.split(r"End of the examples|例は以上です", prompt)
    letters = {"answer": "A", "reference": "R", "verdicts": "[SQ]"}
    if name in letters:
        items = re.findall(rf"(?m)^{letters[name]}(\d+):", material[-1]) or re.findall(r"(?m)^\[(\d+)\]", material[0])
        return max(map(int, items), default=3)
    if name == "questions":
        asked = re.findall(r"(?:Number of questions|質問の数): (\d+)", prompt)
        return int(asked[-1]) if asked else ITEMS["keyphrases"]
    return ITEMS.get(name, 3)


# ------------------------------------------------------------------------------------------------------- counts


def prompt_of(one: Sent) -> list[int]:
    """Return the tokens of the messages, with a frame of four for each."""
    return list(
        chain.from_iterable(
            [-1, *tokens(each["role"])[:1], -2, *tokens(str(each["content"])), -3] for each in one.messages
        )
    )


def cached(sent: Sequence[Sent], *, first: int, step: int, with_schema: bool) -> int:
    """Return the tokens of prompts that an endless cache has, in blocks of `step` after the first `first`."""
    known: set[int] = set()
    waiting: list[tuple[int, list[int]]] = []
    found = 0
    for one in sorted(sent, key=lambda each: each.came):
        known |= {block for at, blocks in waiting if at < one.came for block in blocks}
        waiting = [each for each in waiting if each[0] >= one.came]
        whole = prompt_of(one)
        before = tokens(one.schema) if with_schema and one.schema else []
        ends = range(first, len(before) + len(whole) + 1, step)
        blocks = [hash(tuple([*before, *whole][:end])) for end in ends]
        hits = sum(1 for _ in takewhile(known.__contains__, blocks))
        found += max(0, ends[hits - 1] - len(before)) if hits else 0
        waiting.append((one.answered, blocks))
    return found


def line(name: str, one_by_one: Sequence[Sent], at_once: Sequence[Sent], n: int) -> list[str]:
    """Return the figures per sample."""
    prompt = sum(map(len, map(prompt_of, one_by_one)))
    schema = sum(len(tokens(one.schema)) for one in one_by_one if one.schema)
    reply = sum(len(tokens(one.reply)) for one in one_by_one)
    hits = [
        cached(sent, first=first, step=step, with_schema=schema_first)
        for first, step, schema_first in ((16, 16, False), (1024, 128, True))
        for sent in (one_by_one, at_once)
    ]
    share = [
        f"{found / sum(map(len, map(prompt_of, sent))):.0%}"
        for found, sent in zip(hits, [one_by_one, at_once] * 2, strict=True)
    ]
    fresh = [prompt - hits[0], sum(map(len, map(prompt_of, at_once))) - hits[1]]
    return [
        name,
        f"{len(one_by_one) / n:.1f}",
        f"{prompt / n:,.0f}",
        f"{schema / n:,.0f}",
        f"{reply / n:,.0f}",
        f"{sum(one.size for one in one_by_one) / n / 1000:.1f}",
        *share,
        *(f"{each / n:,.0f}" for each in fresh),
    ]


HEAD = (
    "",
    "calls",
    "prompt",
    "schema",
    "reply",
    "kB sent",
    "cached, vLLM",
    "64 in flight",
    "cached, OpenAI",
    "64 in flight",
    "not cached, vLLM",
    "64 in flight",
)

# -------------------------------------------------------------------------------------------------------- tools


def with_saiten(rows: Sequence[Sample], url: str, in_flight: int, *, separate: bool) -> None:
    """Score with saiten."""
    saiten.evaluate(rows, ["ragas"], f"openai:m@{url}", separate_calls=separate, concurrency=in_flight)


RAGAS = """  # through LangChain, which is what its `evaluate` makes of a model
import json, os, sys, warnings
os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.simplefilter("ignore")
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from ragas import EvaluationDataset, SingleTurnSample, evaluate, metrics as m
from ragas.embeddings import LangchainEmbeddingsWrapper
from ragas.llms import LangchainLLMWrapper
from ragas.metrics._context_entities_recall import ContextEntityRecall
from ragas.metrics._summarization import SummarizationScore
from ragas.run_config import RunConfig
rows, url, workers = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
llm = LangchainLLMWrapper(ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key="none"))
embedder = LangchainEmbeddingsWrapper(OpenAIEmbeddings(base_url=url, api_key="none", check_embedding_ctx_length=False))
nine = [m.Faithfulness(), m.ResponseRelevancy(), m.LLMContextPrecisionWithReference(), m.LLMContextRecall(),
        ContextEntityRecall(), m.AnswerCorrectness(), m.SemanticSimilarity(),
        m.AspectCritic(name="harmfulness", definition="Is the answer harmful to the reader?"), SummarizationScore()]
data = EvaluationDataset(samples=[SingleTurnSample(user_input=r["question"], retrieved_contexts=r["contexts"],
        reference_contexts=r["contexts"], response=r["answer"], reference=r["reference"]) for r in rows])
evaluate(data, metrics=nine, llm=llm, embeddings=embedder, run_config=RunConfig(max_workers=workers),
         show_progress=False)
"""


DEEPEVAL = """
import json, os, sys
os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_NO_INSPECT_PROMPT": "1"}
from deepeval import evaluate, metrics as m
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.models.llms.openai_model import OpenAIModel
from deepeval.test_case import LLMTestCase, SingleTurnParams as P
rows, url, workers = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
model = OpenAIModel(model="gpt-4.1", base_url=url, api_key="none")
seven = [each(model=model) for each in (m.FaithfulnessMetric, m.AnswerRelevancyMetric, m.ContextualPrecisionMetric,
                                        m.ContextualRecallMetric, m.SummarizationMetric)]
both = [P.INPUT, P.ACTUAL_OUTPUT]
seven += [m.GEval(name="Correctness", criteria="Is the actual output correct given the expected output?",
                  evaluation_params=[*both, P.EXPECTED_OUTPUT], model=model),
          m.GEval(name="Harmfulness", criteria="Is the actual output harmful to the reader?", evaluation_params=both,
                  model=model)]
cases = [LLMTestCase(input=r["question"], actual_output=r["answer"], expected_output=r["reference"],
                     retrieval_context=r["contexts"]) for r in rows]
evaluate(cases, seven, async_config=AsyncConfig(max_concurrent=workers), error_config=ErrorConfig(ignore_errors=True),
         display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False))
"""


def with_another(rows: Sequence[Sample], url: str, in_flight: int, *, python: str, code: str) -> None:
    """Score with another tool, in its own environment."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "rows.json"
        fields = ("question", "contexts", "answer", "reference")
        data.write_text(json.dumps([{key: getattr(row, key) for key in fields} for row in rows]), encoding="utf-8")
        environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        command = [python, "-c", code, str(data), url, str(in_flight)]
        done = subprocess.run(command, env=environ, cwd=name, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"it ended with {done.returncode}: {done.stderr[-2000:]}")


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=15, help="per language; default: 15, at most 96")
    options.add_argument("--passages", type=int, default=1, help="passages in each of the five contexts; default: 1")
    options.add_argument("--ragas", help="Python of an environment with ragas 0.4.3 and langchain-community<0.4")
    options.add_argument("--deepeval", help="Python of an environment with deepeval 4.3.1")
    given = options.parse_args()
    rows = [one for each in ("en", "ja") for one in samples(each, given.samples, given.passages)]
    sizes = Counter[str]()
    for row in rows:
        sizes["contexts"] += sum(len(tokens(text)) for text in row.contexts or ())
        sizes["answer"] += len(tokens(row.answer or ""))
        sizes["reference"] += len(tokens(row.reference or ""))
    said = ", ".join(f"{what} {total / len(rows):.0f}" for what, total in sizes.items())
    print(f"{len(rows)} samples, half Japanese, tokens (o200k) a sample: {said}\n")
    tools: dict[str, Callable[[Sequence[Sample], str, int], None]] = {
        "saiten": partial(with_saiten, separate=False),
        "saiten, separate calls": partial(with_saiten, separate=True),
    }
    for name, python, code in (("RAGAS", given.ragas, RAGAS), ("DeepEval, 7 metrics", given.deepeval, DEEPEVAL)):
        if python:
            tools[name] = partial(with_another, python=python, code=code)
    lines = [list(HEAD)]
    for name, run in tools.items():
        kept = []
        for in_flight in (1, 64):
            with Counting() as server:
                run(rows, server.url, in_flight)
                kept.append([one for one in server.sent if '{"ok": true}' not in str(one.messages)])
        lines.append(line(name, *kept, len(rows)))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        print(
            "  ".join(
                cell.rjust(width) if at else cell.ljust(width)
                for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
        )


if __name__ == "__main__":
    main()
