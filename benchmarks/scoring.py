"""How close `saiten score` comes to the ideal and to bare aiohttp clients: nine RAGAS metrics, a server on loopback.

    python benchmarks/scoring.py [--samples 500] [--in-flight 16 64 256] [--latency-ms 50 200] [--rounds 3]

The server (`fast_server.py`) runs in a separate process, answers after a fixed latency, and counts the calls. Per
round and setting, three clients take turns:

- `usual`: a bare client as aiohttp's documentation writes it, `post(json=…)` and `response.json()`. It posts the bodies
  of an earlier run of saiten, rendered beforehand as Python objects and written as JSON in the loop, and validates each
  reply with the same pydantic models. No prompts are rendered; there is no cache, journal, retry, limit or metric, and
  no call waits for the reply to another one.
- `fast`: the same with orjson on both sides.
- `saiten`: the command line, with cache, journal and embedder. Its time is that from the first request to the last
  reply as the server sees it, including the two trial calls before the run. Its CPU time is that of the whole process
  (`all`), or less that of a run with one sample: start-up, summary and 19 calls (`run`).

Ideal: round trips x latency. `busy` is the share of the allowed requests that the server had in flight on average, and
`late` how much later than promised it sent its replies: with much more than 1 ms the machine was busy, not the client.
All figures are medians of the rounds, ratios of the rounds' ratios.
"""

import argparse
import asyncio
import gc
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import aiohttp
import numpy as np
import orjson

import saiten.tasks
from fast_server import FastServer
from saiten.protocols import Reply, snake_case

SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ne",
    "ru",
    "ta",
    "vo",
    "si",
    "pel",
    "dor",
    "gri",
    "mo",
    "sen",
    "ult",
    "bar",
    "cha",
    "fen",
]
CONTEXTS, CHARACTERS = 5, 500
Body = tuple[str, dict[str, Any]]
Figures = dict[str, float]


_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed saiten has its bytecode."""


def words(rng: random.Random, count: int) -> str:
    """Make up this many words."""
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(count))


def sample(number: int) -> dict[str, object]:
    """Make a question, five contexts of 500 characters, and answer and reference of three sentences, all different."""
    rng = random.Random(number)
    contexts = [". ".join(words(rng, 12) for _ in range(12))[:CHARACTERS] for _ in range(CONTEXTS)]
    answer, reference = (" ".join(words(rng, 14).capitalize() + "." for _ in range(3)) for _ in range(2))
    question = f"What about {words(rng, 9)}?"
    return {"id": f"s{number}", "question": question, "contexts": contexts, "answer": answer, "reference": reference}


def reply_types() -> dict[str, type[Reply]]:
    """Return the types of replies by the name of their schema."""
    for module in iter_modules(saiten.tasks.__path__, "saiten.tasks."):
        import_module(module.name)
    return {snake_case(each.__name__): each for each in Reply.__subclasses__()}


async def post_all(url: str, bodies: list[Body], in_flight: int, *, fast: bool) -> Figures:
    """Post all bodies with a bare client; `fast`: with orjson instead of aiohttp's own JSON."""
    types = reply_types()
    calls: Iterator[tuple[str, Any, type[Reply] | None]] = iter(
        [
            (
                url + path.removeprefix("/v1"),
                body,
                types.get(body["response_format"]["json_schema"]["name"]) if "response_format" in body else None,
            )
            for path, body in bodies
        ]
    )
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    gc.collect()
    gc.freeze()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

        async def ask() -> None:
            for at, body, kind in calls:
                if fast:
                    async with session.post(at, data=orjson.dumps(body)) as response:
                        value = orjson.loads(await response.read())
                else:
                    async with session.post(at, json=body) as response:
                        value = await response.json()
                if "data" in value:
                    for entry in value["data"]:
                        np.frombuffer(b64decode(entry["embedding"]), "<f4")
                elif kind is not None:
                    kind.model_validate_json(value["choices"][0]["message"]["content"])

        begun, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(ask() for _ in range(in_flight)))
        figures = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}
    gc.unfreeze()
    return figures


def score(url: str, data: Path, folder: Path, in_flight: int) -> Figures:
    """Run the command once."""
    judge = ["--judge", f"openai:m@{url}", "--embedder", f"openai:e@{url}", "--concurrency", str(in_flight)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "score", str(data), "-m", "ragas"]
    subprocess.run(
        [*command, *judge, "-o", str(folder), "--format", "json"],
        env={**_ENVIRONMENT, "OPENAI_API_KEY": "none"},
        capture_output=True,
        check=True,
    )
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    statuses = [json.loads(line)["status"] for line in (folder / "scores.jsonl").read_text("utf-8").splitlines()]
    if set(statuses) != {"ok"}:
        raise SystemExit(f"expected every score to be ok, got {sorted(set(statuses))}")
    return {"wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


class Measuring:
    """The data, the server, and the folders of the runs."""

    def __init__(self, server: FastServer, folder: Path, samples: int) -> None:
        self.server, self.folder = server, folder
        self.data, self.one = folder / "samples.jsonl", folder / "one.jsonl"
        lines = [json.dumps(sample(n)) + "\n" for n in range(samples)]
        self.data.write_text("".join(lines), "utf-8")
        self.one.write_text(lines[0], "utf-8")
        self.runs = 0

    def run(self, data: Path, latency: float, in_flight: int, *, keep: bool = False) -> Figures:
        """Run saiten, and add what the server saw."""
        self.runs += 1
        self.server.restart(latency, keep=keep)
        figures = score(self.server.base_url, data, self.folder / f"run{self.runs}", in_flight)
        counts = self.server.counts()
        if counts.distinct < counts.calls:
            raise SystemExit(f"{counts.calls - counts.distinct} requests were sent twice")
        seen = {"calls": counts.calls, "seconds": counts.span, "late": counts.late, "server": counts.cpu}
        return figures | seen | {"mean": counts.mean, "peak": counts.peak}

    def round(self, bodies: list[Body], latency: float, in_flight: int) -> Figures:
        """Measure each client once."""
        found: Figures = {}
        for name in ("usual", "fast"):
            self.server.restart(latency)
            figures = asyncio.run(post_all(self.server.base_url, bodies, in_flight, fast=name == "fast"))
            found |= {f"{name}_{key}": value for key, value in figures.items()}
        found |= self.run(self.data, latency, in_flight)
        found["start"] = self.run(self.one, 0.0, in_flight)["cpu"]
        return found


def row(rounds: list[Figures], latency: float, in_flight: int) -> str:
    """Return the medians of a setting as one line."""

    def middle(value: Callable[[Figures], float]) -> float:
        return statistics.median(map(value, rounds))

    calls = rounds[0]["calls"]
    ideal = math.ceil(calls / in_flight) * latency
    shown = [
        f"{latency * 1e3:4.0f} {in_flight:4}",
        f"{ideal:7.2f} {middle(lambda r: r['usual_seconds']):7.2f} {middle(lambda r: r['fast_seconds']):7.2f}",
        f"{middle(lambda r: r['seconds']):7.2f} {middle(lambda r: ideal / r['seconds']):6.2f}",
        f"{middle(lambda r: r['mean'] / in_flight):5.2f} {middle(lambda r: r['late'] * 1e3):5.2f}",
        f"{middle(lambda r: r['usual_cpu'] / calls * 1e3):6.3f} {middle(lambda r: r['fast_cpu'] / calls * 1e3):6.3f}",
        f"{middle(lambda r: of_run(r) / calls * 1e3):6.3f} {middle(lambda r: r['cpu'] / calls * 1e3):6.3f}",
        f"{middle(lambda r: of_run(r) / r['usual_cpu']):5.2f} {middle(lambda r: of_run(r) / r['fast_cpu']):5.2f}",
        f"{middle(lambda r: r['server'] / r['seconds']):6.2f}",
    ]
    return "  ".join(shown)


def of_run(figures: Figures) -> float:
    """Return the CPU seconds of saiten without start-up and summary."""
    return figures["cpu"] - figures["start"]


HEADER = """\
              seconds                          ideal/                CPU ms per call               run /       server
  ms    n       ideal   usual    fast   saiten  saiten   busy  late   usual   fast     run    all  usual  fast    CPU"""


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[16, 64, 256])
    parser.add_argument("--latency-ms", type=float, nargs="+", default=[50.0, 200.0])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    settings = [(latency / 1e3, n) for latency in options.latency_ms for n in options.in_flight]
    rounds: dict[tuple[float, int], list[Figures]] = {each: [] for each in settings}
    with FastServer() as server, tempfile.TemporaryDirectory() as name:
        measuring = Measuring(server, Path(name), options.samples)
        measuring.run(measuring.data, 0.0, 64, keep=True)
        bodies = server.bodies()
        size = sum(len(orjson.dumps(body)) for _, body in bodies)
        print(f"{options.samples} samples, nine metrics, {len(bodies)} calls, {size / len(bodies):.0f} bytes per call")
        for number in range(options.rounds):
            for setting in settings:
                rounds[setting].append(measuring.round(bodies, *setting))
                print(f"round {number + 1}: {row(rounds[setting][-1:], *setting)}", file=sys.stderr)
    print(HEADER)
    for setting in settings:
        print(row(rounds[setting], *setting))


if __name__ == "__main__":
    main()
