"""The rate of `saiten score` for work on this machine, beside the rates of the libraries that do the same comparison.

    python benchmarks/local_scoring.py --rows 100000 300000 1000000 --workers 1 2
    python benchmarks/local_scoring.py --language ja --metric token_f1
    python benchmarks/local_scoring.py --metric faithfulness,context_recall --rows 2000

Made-up rows, all different: references of 20 to 30 words, and answers in which every other word is the reference's;
two contexts for metrics that need them. The whole command is measured, with reading, files and summary: wall time, CPU
time of all processes, and the highest memory of the command and of any worker. The libraries are called in a loop on
the same texts, with objects kept: rapidfuzz's token_set_ratio and Indel, sacrebleu's sentence chrF and BLEU, and for
Japanese Sudachi alone. A ratio is saiten's rows by CPU second over the library's; other load on the machine affects CPU
time less than wall time.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from overlap_metrics import WORDS
from saiten.metrics.catalog import make_metrics
from saiten.records import Language

PAIRS = 5_000
"""Pairs of texts for the libraries."""

MARK = {"en": ".", "ja": "。"}


def write_rows(path: Path, language: Language, rows: int, *, contexts: bool) -> None:
    """Write this many rows of JSON lines, 400 MB for a million English ones without contexts."""
    rng, words = random.Random(7), WORDS[language].split()
    glue = " " if language == "en" else ""
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            reference = [rng.choice(words) for _ in range(rng.randint(20, 30))]
            answer = [word if rng.random() < 0.5 else rng.choice(words) for word in reference]
            other = [rng.choice(words) for _ in range(25)]
            texts = [glue.join(each) + MARK[language] for each in (reference, answer, other)]
            row = {"id": f"q{number}", "question": f"Question {number}?", "answer": texts[1], "reference": texts[0]}
            more = {"contexts": [texts[0], texts[2]]} if contexts else {}
            file.write(json.dumps(row | more, ensure_ascii=False) + "\n")


@dataclass
class Measured:
    """One command."""

    wall: float
    cpu: float
    """Of all its processes."""
    memory: int
    """Highest, in MB."""
    worker_memory: int = 0
    """Highest of any worker, in MB."""


def run(data: Path, metric: str, workers: int, folder: Path) -> Measured:
    """Run the command once."""
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "score", str(data), "-m", metric]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--workers", str(workers), "-o", str(folder), "--quiet", "--format", "json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    highest = 0
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        highest = max(highest, *map(memory_of, children_of(process.pid)), 0)
        time.sleep(0.1)
    if status:
        raise SystemExit(f"the command ended with status {os.waitstatus_to_exitcode(status)}")
    process.returncode = 0
    wall = time.perf_counter() - begun
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10, highest)


def children_of(process: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def memory_of(process: int) -> int:
    """Return the highest memory of a process so far, in MB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")), 0)


def libraries(data: Path, language: Language) -> dict[str, float]:
    """Return the rows by CPU second of each library's own call."""
    with data.open(encoding="utf-8") as file:
        rows = [json.loads(line) for _, line in zip(range(PAIRS), file, strict=False)]
    pairs = [(row["answer"], row["reference"]) for row in rows]
    bleu = BLEU(tokenize="13a" if language == "en" else "char", effective_order=True)
    chrf = CHRF()
    calls: dict[str, Callable[[str, str], object]] = {
        "rapidfuzz token_set_ratio": fuzz.token_set_ratio,
        "rapidfuzz Indel": Indel.normalized_similarity,
        "sacrebleu chrF": lambda answer, reference: chrf.sentence_score(answer, [reference]),
        "sacrebleu BLEU": lambda answer, reference: bleu.sentence_score(answer, [reference]),
    }
    if language == "ja":
        from sudachipy import Dictionary  # noqa: PLC0415 - loads a large dictionary

        tokenize = Dictionary(dict="core").tokenizer("C").tokenize
        calls["Sudachi, both texts"] = lambda answer, reference: (tokenize(answer), tokenize(reference))
    return {name: rate_of(call, pairs) for name, call in calls.items()}


def rate_of(call: Callable[[str, str], object], pairs: list[tuple[str, str]]) -> float:
    """Return the calls by CPU second."""
    call(*pairs[0])
    start = time.process_time()
    for answer, reference in pairs:
        call(answer, reference)
    return len(pairs) / (time.process_time() - start)


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--language", choices=["en", "ja"], default="en")
    parser.add_argument("--metric", default="token_f1")
    options = parser.parse_args()
    print(f"{options.metric}, {options.language}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        f"{'rows':>9}{'workers':>9}{'wall s':>9}{'CPU s':>9}{'rows/s':>9}{'rows/CPU s':>12}{'MB':>6}{'MB, worker':>12}"
    )
    contexts = any("contexts" in metric.needs for metric in make_metrics([options.metric]))
    rate = 0.0
    with tempfile.TemporaryDirectory() as name:
        for rows in options.rows:
            data = Path(name) / f"{rows}.jsonl"
            write_rows(data, options.language, rows, contexts=contexts)
            for workers in options.workers:
                one = run(data, options.metric, workers, Path(name) / f"run{rows}-{workers}")
                rate = rows / one.cpu
                figures = f"{rows:>9}{workers:>9}{one.wall:>9.1f}{one.cpu:>9.1f}{rows / one.wall:>9.0f}"
                print(f"{figures}{rate:>12.0f}{one.memory:>6}{one.worker_memory or '-':>12}", flush=True)
        print(f"\n{'library':<28}{'rows/CPU s':>12}{'saiten / library':>18}")
        for library, theirs in libraries(data, options.language).items():
            print(f"{library:<28}{theirs:>12.0f}{rate / theirs:>18.3f}")


if __name__ == "__main__":
    main()
