"""How close `saiten converse` comes to the ideal, in long dialogues with a system and a judge on loopback.

    python benchmarks/dialogues.py [--dialogues 100] [--turns 5] [--latency-ms 50] [--judge 64] [--system 8]

Both servers run in a separate process, answer after a fixed latency and count the calls. No grade is 5, so a dialogue
of n turns always takes n questions to the system and, deciding and asking in two calls (`--questioning published`),
4n - 1 calls of the judge, one after the other.

The ideal is the longest of three times that no schedule can beat (L: the latency, D: the number of dialogues):

    the critical path of one dialogue            (n + 4n - 1) L
    the system, `--system` questions at a time    D n / system x L, and the three calls of the judge after the last
    the judge, `--judge` calls at a time          D (4n - 1) / judge x L, and the question before the first

The ratio is the time of the run, without start-up and summary, divided by the ideal. Figures are medians of the rounds.
"""

import argparse
import json
import math
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from answer_service import AnswerService
from servers import Asked, OpenAIServer, instance

LONG = "It removes duplicate rows, keeps the first of them, and says in the log how many there were. " * 3


def judged(asked: Asked) -> str:
    """Return a reply that fits the schema: no grade of 5, always another question, and no text twice."""
    schema = asked.body["response_format"]["json_schema"]["schema"]
    reply = instance(schema)
    if "grade" in reply:
        reply["grade"] = 3
    if "answer" in reply:
        reply["answer"] = f"It has part {asked.number}."
    if "question" in reply:
        reply["question"] = f"What about part {asked.number}?"
    return json.dumps(reply)


def serve(latency: float, pipe: Connection) -> None:
    """Run both servers; answer each message of the pipe with their requests, distinct questions, and peaks."""
    with OpenAIServer() as judge, AnswerService() as system:
        judge.latency = system.latency = latency
        judge.reply, system.reply = judged, lambda _: LONG
        pipe.send((judge.base_url, system.url))
        while pipe.recv():
            turns = {(one["session"], len(one["history"])) for one in system.asked}
            pipe.send((len(judge.requests), len(system.requests), len(turns), judge.peak, system.peak))
            judge.requests.clear()
            system.requests.clear()


def run(urls: tuple[str, str], data: Path, folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """Run the command once."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "converse", str(data), "-o", str(folder)]
    asked = ["--system", urls[1], "--judge", f"openai:m@{urls[0]}", "--max-turns", str(options.turns)]
    asked += ["--questioning", "published"]
    wide = ["--concurrency", str(options.judge), "--system-concurrency", str(options.system)]
    done = subprocess.run(
        [*command, *asked, *wide, "--format", "json"],
        env={**os.environ, "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=True,
    )
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "wall": wall,
        "run": float(done.stderr.partition(" turns in ")[2].partition(" s;")[0]),
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "dialogues": len((folder / "dialogues.jsonl").read_text("utf-8").splitlines()),
    }


def ideal(options: argparse.Namespace) -> tuple[float, str]:
    """Return the seconds that no schedule can beat, and the bound that applies."""
    latency, n, dialogues = options.latency_ms / 1e3, options.turns, options.dialogues
    bounds = {
        "critical path": (5 * n - 1) * latency,
        "system": (math.ceil(dialogues * n / options.system) + 3) * latency,
        "judge": (math.ceil(dialogues * (4 * n - 1) / options.judge) + 1) * latency,
    }
    binds = max(bounds, key=bounds.__getitem__)
    return bounds[binds], binds


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=100)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--judge", type=int, default=64)
    parser.add_argument("--system", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(options.latency_ms / 1e3, theirs))
    server.start()
    rounds = []
    try:
        urls = ours.recv()
        with tempfile.TemporaryDirectory() as name:
            data = Path(name) / "qa.jsonl"
            rows = (
                {"id": f"q{n}", "question": f"What does part {n} do?", "reference": LONG}
                for n in range(options.dialogues)
            )
            data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            for number in range(options.rounds):
                figures = run(urls, data, Path(name) / f"run{number}", options)
                ours.send("count")
                names = ("judge", "system", "turns", "judge peak", "system peak")
                rounds.append(figures | dict(zip(names, ours.recv(), strict=True)))
        ours.send("")
    finally:
        server.terminate()
    middle = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
    best, binds = ideal(options)
    n, dialogues = options.turns, options.dialogues
    print(f"{dialogues} dialogues of {n} turns, {options.latency_ms:g} ms per call, ", end="")
    print(f"at most {options.judge} to the judge and {options.system} to the system")
    print(f"dialogues          {middle['dialogues']:.0f}")
    expected = dialogues * (4 * n - 1) + 1  # one call tests the server
    print(f"calls of the judge {middle['judge']:.0f} (expected {expected}), {middle['judge peak']:.0f} at a time")
    print(f"questions          {middle['system']:.0f} (expected {dialogues * n}), ", end="")
    print(f"asked twice {middle['system'] - middle['turns']:.0f}, {middle['system peak']:.0f} at a time")
    print(f"run / ideal        {middle['run'] / best:.3f} ({middle['run']:.2f} s / {best:.2f} s; bound: {binds})")
    print(f"CPU ms per call    {middle['cpu'] / (middle['judge'] + middle['system']) * 1e3:.3f} (whole process)")


if __name__ == "__main__":
    main()
