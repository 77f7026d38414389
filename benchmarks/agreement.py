"""Time of the agreement figures for a million labels with 1,000 bootstrap rounds, on one core.

    python benchmarks/agreement.py [LABELS]

Prints CPU seconds for tables of several shapes, and for `saiten agreement` on a file. The goal is less than 60 each.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is imported: the claim is about one core

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np

from saiten.stats.interrater.agreement import agreement_among

LABELS = 1_000_000
SHAPES = (
    (2, 2, "two annotators, verdicts"),
    (3, 5, "three annotators, grades 1 to 5"),
    (3, 101, "three annotators, 0 to 100"),
    (10, 11, "ten annotators, 0 to 10"),
    (1_000, 5, "a thousand annotators (no pairs)"),
)


def table(items: int, annotators: int, kinds: int) -> np.ndarray:
    """Return grades, two thirds of them the same for all annotators of an item, the others random."""
    random = np.random.default_rng(0)
    own = random.integers(0, kinds, size=(items, 1))
    other = random.integers(0, kinds, size=(items, annotators))
    return np.where(random.random(other.shape) < 2 / 3, own, other).astype(float)


def timed(labels: int, annotators: int, kinds: int, *, clustered: bool) -> float:
    """Return the CPU seconds for all figures with their intervals."""
    items = labels // annotators
    values = table(items, annotators, kinds).ravel()
    item = np.repeat(np.arange(items), annotators).tolist()
    people = np.tile(np.arange(annotators), items).tolist()
    questions = [f"q{each // 4}" for each in item] if clustered else None
    before = time.process_time()
    agreement_among(item, values, people, questions)
    return time.process_time() - before


def command(labels: int) -> float:
    """Return the CPU seconds of `saiten agreement FILE`, including start-up and reading."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.jsonl"
        with path.open("w") as file:
            for item, row in enumerate(table(labels // 4, 4, 5).tolist()):
                for who, value in enumerate(row):
                    line = {"item": f"item-{item}", "annotator": f"a{who}", "aspect": "grade", "value": value}
                    file.write(json.dumps(line) + "\n")
        before = getrusage(RUSAGE_CHILDREN)
        run = [sys.executable, "-c", "from saiten.cli import main; main()", "agreement", str(path)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the times."""
    labels = int(sys.argv[1]) if len(sys.argv) > 1 else LABELS
    print(f"{labels:,} labels, 1,000 bootstrap rounds, CPU seconds:")
    for annotators, kinds, name in SHAPES:
        print(f"  {timed(labels, annotators, kinds, clustered=False):6.1f}  {name}")
    print(f"  {timed(labels, 3, 5, clustered=True):6.1f}  three annotators, grades 1 to 5, resampled by question")
    print(f"  {command(labels):6.1f}  `saiten agreement labels.jsonl`, four annotators, including reading")


if __name__ == "__main__":
    main()
