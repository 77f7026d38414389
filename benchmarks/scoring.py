"""How close `saiten score` comes to the ideal: the nine RAGAS metrics over synthetic samples and a server on loopback.

    python benchmarks/scoring.py [--samples 200] [--in-flight 64] [--latency-ms 50] [--rounds 3]

The server runs in a separate process, answers after a fixed latency with a minimal instance of the requested schema,
and counts the calls. Efficiency is the ideal time (calls / in flight x latency) divided by the time of the run without
start-up. CPU time is that of the whole process, including start-up and summary. Figures are medians of the rounds.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from servers import OpenAIServer

SYLLABLES = (
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
)
CONTEXTS, CHARACTERS = 5, 500


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


def serve(latency: float, pipe: Connection) -> None:
    """Run the server; answer each message of the pipe with (requests, distinct requests, most in flight)."""
    with OpenAIServer() as server:
        server.latency = latency
        pipe.send(server.base_url)
        while pipe.recv():
            asked = server.requests[:]
            server.requests.clear()
            pipe.send((len(asked), len({json.dumps(one.body, sort_keys=True) for one in asked}), server.peak))


def run(url: str, data: Path, folder: Path, in_flight: int) -> dict[str, float]:
    """Run the command once."""
    judge = ["--judge", f"openai:m@{url}", "--embedder", f"openai:e@{url}", "--concurrency", str(in_flight)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "score", str(data), "-m", "ragas"]
    done = subprocess.run(
        [*command, *judge, "-o", str(folder), "--format", "json"],
        env={**os.environ, "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=True,
    )
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    scores = [json.loads(line) for line in (folder / "scores.jsonl").read_text("utf-8").splitlines()]
    return {
        "wall": wall,
        "run": float(done.stderr.partition(" samples in ")[2].partition(" s;")[0]),
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "scores": len(scores),
        "ok": sum(line["status"] == "ok" for line in scores),
        "prompt_tokens": sum(line["usage"]["prompt_tokens"] for line in scores),
    }


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(options.latency_ms / 1e3, theirs))
    server.start()
    rounds = []
    try:
        url = ours.recv()
        with tempfile.TemporaryDirectory() as name:
            data = Path(name) / "samples.jsonl"
            data.write_text("".join(json.dumps(sample(n)) + "\n" for n in range(options.samples)), "utf-8")
            for number in range(options.rounds):
                figures = run(url, data, Path(name) / f"run{number}", options.in_flight)
                ours.send("count")
                calls, distinct, peak = ours.recv()
                rounds.append(figures | {"calls": calls, "distinct": distinct, "peak": peak})
        ours.send("")
    finally:
        server.terminate()
    middle = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
    ideal = middle["calls"] / options.in_flight * options.latency_ms / 1e3
    print(f"{options.samples} samples, nine metrics, {options.in_flight} in flight, {options.latency_ms:g} ms")
    print(f"scores                 {middle['scores']:.0f}, {middle['ok']:.0f} of them ok")
    print(f"requests               {middle['calls']:.0f} ({middle['calls'] / options.samples:.1f} per sample)", end="")
    print(f", asked twice {middle['calls'] - middle['distinct']:.0f}, at most {middle['peak']:.0f} in flight")
    print(f"prompt characters / 10 {middle['prompt_tokens'] / options.samples:.0f} per sample (not tokens of a model)")
    print(f"ideal / run            {ideal / middle['run']:.3f} ({ideal:.2f} s / {middle['run']:.2f} s)")
    print(f"ideal / whole process  {ideal / middle['wall']:.3f}")
    print(f"CPU ms per request     {middle['cpu'] / middle['calls'] * 1e3:.3f} (whole process)")


if __name__ == "__main__":
    main()
