"""Time of a meta-evaluation: 1,000 bootstrap rounds on 10,000 items and 10 metrics, and a million labels.

python benchmarks/meta_evaluation.py
"""

import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

ITEMS, METRICS, SYSTEMS, ANNOTATORS = 10_000, 10, 5, 3


def world(
    grades: int, items: int = ITEMS, annotators: int = ANNOTATORS
) -> tuple[dict[str, Place], list[Output], list[Label]]:
    """Make items with a hidden quality, people who observe it with noise, and metrics with more noise."""
    random = np.random.default_rng(7)
    quality = random.normal(size=items)
    places = {f"i{i}": Place(f"q{i // SYSTEMS}", f"s{i % SYSTEMS}") for i in range(items)}
    outputs = [
        Output(f"i{i}", f"metric {m}", float(value))
        for m in range(METRICS)
        for i, value in enumerate(1 / (1 + np.exp(-quality - random.normal(size=items) * (1 + m / 5))))
    ]
    seen = quality[:, None] + random.normal(size=(items, annotators)) / 2
    values = np.clip(np.round((seen + 2.5) * (grades - 1) / 5), 0, grades - 1)
    labels = [Label(f"i{i}", float(values[i, a]), f"a{a}") for i in range(items) for a in range(annotators)]
    return places, outputs, labels


def timed(title: str, work: Callable[[], Any]) -> Any:
    """Run the work; print its time and the peak memory."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took = f"{time.process_time() - cpu:6.1f} s CPU {time.perf_counter() - wall:6.1f} s wall"
    print(f"{title:<62} {took} {peak:6.0f} MB peak", flush=True)
    return result


def cases() -> Iterator[tuple[str, int]]:
    """Yield kinds of labels: verdicts, grades, and 0 to 100, for which every rank is recomputed."""
    yield "verdicts", 2
    yield "grades 0 to 5", 6
    yield "0 to 100", 101


def main() -> None:
    """Print the table."""
    print(f"{ITEMS:,} items, {METRICS} metrics, {ANNOTATORS} annotators, {Settings().resamples:,} bootstrap rounds")
    for title, grades in cases():
        aspects = timed(f"{title}: pair", lambda grades=grades: pair(*world(grades)))
        timed(f"{title}: every figure, interval, test and the ceiling", lambda aspects=aspects: meta_evaluate(aspects))
    places, outputs, labels = world(6, annotators=100)
    aspects = timed("a million labels (10,000 items x 100 annotators): pair", lambda: pair(places, outputs, labels))
    timed("a million labels: every figure", lambda: meta_evaluate(aspects))


if __name__ == "__main__":
    main()
