"""What the process that hands out leases can carry, and what of a rate or a budget is lost by leasing it.

    python benchmarks/cluster_leases.py                       # about a minute
    python benchmarks/cluster_leases.py --workers 100 800 3000

`lessor`: CPU per question, in this process and as an actor of Ray's.
`questions`: how often a worker asks, by its rate of calls.
`rate`: all workers want more than `--rpm 10000` allows: the share of the rate that they use, and their questions.
`budget`: all workers want more than `--max-calls` allows: how long the whole budget takes, beside the time that it
would take if no worker ever waited for what others hold.

The last three run in virtual time, so that other load on the machine does not matter; a question takes 2 ms
there, and half a millisecond of the lessor, which reads one at a time.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from cluster import all_below, cpu_of, kind_of
from saiten.cluster.ray_workers import AskActor, connected
from saiten.models.lessor import Allowance, Lease, LeaseRequest, Lessor

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "models"))
from leasing_crowd import Crowd
from virtual_time import run as run_virtually

SECONDS = 0.2
"""Of a call, if nothing else is said."""
TO_ASK = 0.002
"""Seconds that a question is on its way."""
TO_READ = 0.0005
"""Seconds of a question in the lessor, about as measured by the piece `lessor`."""
RPM = 10_000
ENOUGH = 1 << 40


class Distant(Crowd):
    """Workers whose questions take a moment, and go to a lessor that reads one at a time."""

    turn: asyncio.Lock

    async def ask(self, wanted: LeaseRequest) -> Lease:
        """Ask, as over a network."""
        async with self.turn:
            await asyncio.sleep(TO_READ)
        await asyncio.sleep(TO_ASK)
        return await super().ask(wanted)


def crowded(
    allowance: Allowance, workers: int, calls: int, at_once: int, latency: float = SECONDS
) -> tuple[Crowd, float]:
    """Let workers make so many calls each; return them, and the seconds from the first to the end of the last."""
    crowd = Distant(allowance, workers, seconds=latency)
    crowd.turn = asyncio.Lock()

    async def work() -> None:
        await asyncio.gather(*(crowd.work(number, calls, at_once) for number in range(workers)))

    run_virtually(work())
    times = [at for at, _ in crowd.calls]
    return crowd, max(times) - min(times) + latency


def question(worker: int) -> LeaseRequest:
    """Return what a worker asks that has used its lease."""
    return LeaseRequest(f"worker {worker}", "models", "http://server", 20, 0.0, 500, 20, 0.0)


async def in_process(workers: int, questions: int) -> None:
    """Ask a lessor in this process."""
    lessor = Lessor({"models": Allowance(max_calls=ENOUGH)}, workers)
    begun = time.process_time()
    for number in range(questions):
        await lessor.lease(question(number % workers))
    cpu = (time.process_time() - begun) / questions
    print(f"lessor in this process, {workers} workers: {1e6 * cpu:.0f} µs per question, {1 / cpu:.0f}/s on a full core")


async def through_ray(workers: int, questions: int, at_once: int = 64) -> None:
    """Ask an actor of Ray's from this process."""
    with connected(None, 1) as cluster:
        lessor = cluster.lessor({"models": Allowance(max_calls=ENOUGH)})
        if lessor is None:
            raise AssertionError("nothing is limited")
        await lessor.ask(question(0))
        numbers = iter(range(questions))
        process = next(each for each in all_below(os.getpid()) if kind_of(each) == "lessor")
        wall, cpu = time.perf_counter(), cpu_of(process)
        await asyncio.gather(*(asking(lessor.ask, numbers, workers) for _ in range(at_once)))
        wall, cpu = time.perf_counter() - wall, (cpu_of(process) - cpu) / questions
        lessor.end()
    print(
        f"lessor as an actor: {questions / wall:.0f} questions/s from one process; "
        f"{1e6 * cpu:.0f} µs per question in the actor, {1 / cpu:.0f}/s on a full core"
    )


async def asking(ask: AskActor, numbers: "Sequence[int] | count[int]", workers: int) -> None:
    """Ask one after another."""
    for number in numbers:
        await ask(question(number % workers))


def questions_by_rate() -> None:
    """Print how often one worker asks."""
    for at_once, latency in ((4, 0.2), (16, 0.2), (64, 0.2), (16, 2.0), (64, 2.0)):
        crowd, seconds = crowded(Allowance(max_calls=ENOUGH), 8, at_once * 100, at_once, latency)
        asked = sum(crowd.asked.values())
        print(
            f"{at_once:3} in flight for {latency} s, {len(crowd.calls) / seconds / 8:4.0f} calls/s per worker: "
            f"{asked / seconds / 8:4.1f} questions/s per worker, {len(crowd.calls) / asked:5.1f} calls per question",
            flush=True,
        )


def rate_used(workers: int, at_once: int, minutes: float = 2) -> None:
    """Print the share of a rate that the workers use."""
    calls = int(RPM * minutes / workers)
    crowd, seconds = crowded(Allowance(requests_per_minute=RPM), workers, calls, at_once)
    used = len(crowd.calls) / (RPM / 60) / (seconds - SECONDS)
    asked = sum(crowd.asked.values()) / seconds
    print(
        f"--rpm {RPM}, {workers:4} workers, {at_once:3} in flight: {used:6.1%} of the rate, {asked:5.1f} questions/s "
        f"of all, {len(crowd.calls) / sum(crowd.asked.values()):4.1f} calls per question",
        flush=True,
    )


def budget_spent(workers: int, at_once: int, latency: float, most: int, rpm: int | None = None) -> None:
    """Print how long a budget takes that is smaller than what the workers want."""
    allowance = replace(Allowance(max_calls=most), requests_per_minute=rpm)
    crowd, seconds = crowded(allowance, workers, most, at_once, latency)
    ideal = most / (workers * at_once) * latency if rpm is None else most / rpm * 60 + latency
    print(
        f"--max-calls {most}{'' if rpm is None else f' --rpm {rpm}'}, {workers:4} workers, {at_once:3} in flight for "
        f"{latency} s: {len(crowd.calls)} calls in {seconds:6.2f} s, ideal {ideal:6.2f}; "
        f"{sum(crowd.asked.values()) / seconds:.0f} questions/s",
        flush=True,
    )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    pieces = ("lessor", "questions", "rate", "budget")
    parser.add_argument("--pieces", choices=pieces, nargs="+", default=pieces)
    parser.add_argument("--workers", type=int, nargs="+", default=[100, 800])
    chosen = parser.parse_args()
    if "lessor" in chosen.pieces:
        for workers in chosen.workers:
            asyncio.run(in_process(workers, 20_000))
        asyncio.run(through_ray(chosen.workers[-1], 4000))
    if "questions" in chosen.pieces:
        questions_by_rate()
    if "rate" in chosen.pieces:
        for workers in chosen.workers:
            for at_once in (4, 64):
                rate_used(workers, at_once)
    if "budget" in chosen.pieces:
        for workers in chosen.workers:
            for most in (80_000, 160_000):
                budget_spent(workers, 16, SECONDS, most)
            budget_spent(workers, 64, 2.0, 2 * 64 * workers)
            budget_spent(workers, 16, SECONDS, RPM, RPM)


if __name__ == "__main__":
    main()
