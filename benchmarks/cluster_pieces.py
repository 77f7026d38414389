"""What the parts of a cluster that exist once can carry: the command, its disk, Ray's messages, the object store.

    python benchmarks/cluster_pieces.py                       # all pieces, a minute or two
    python benchmarks/cluster_pieces.py --pieces driver --workers 800

A real worker first scores a shard in this process, once with the offline judge and once with a judge on a server that
replies after 200 ms, 16 requests in flight. What it hands over at each pull is kept, and then replayed by as many
workers as wanted, so that nothing is measured but the command:

`messages`: the bytes of each message, as pickled; Ray sends those above 100 KiB through its object store.
`driver`: the real driver over workers in this process, with folders on disk: CPU per pull and per row; and also with
ten messages in one, as when a busy driver asks each worker less often.
`ray`: the same over actors of Ray's, which adds Ray's own cost per message; and what the object store holds.
`divide`: counting rows, reading ids and finding repeated ones; memory of the command per shard and per row.
`join`: `saiten join`, per million rows.

CPU is that of the whole process, and "main" that of its main thread, which cannot use more than one core.
"""

import argparse
import asyncio
import os
import pickle
import tempfile
import time
import tracemalloc
from array import array
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fast_server import FastServer
from local_scoring import write_rows
from saiten.cluster.counts import Counts
from saiten.cluster.divided_run import DividedRun
from saiten.cluster.driver import Driving, InputPart, Remote
from saiten.cluster.input import RowsOfShard
from saiten.cluster.jobs import ScoringJob
from saiten.cluster.mirror import FileChange
from saiten.cluster.ray_workers import UNRECORDED, RayWorker, connected
from saiten.cluster.worker import DONE, Ended, Hello, Piece, ShardNews, ShardWorker
from saiten.data.shard_rows import ids_of, repeated
from saiten.data.shards import Shard, count_rows, cut, numbered
from saiten.durable.appended_file import AppendedFile
from saiten.metrics.catalog import make_metrics
from saiten.runs import RunSettings, read_run
from saiten.runs.joining_shards import join_shards
from saiten.runs.shards import Division
from saiten.runs.signatures import signatures_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.version import __version__
from saiten.wiring import Models, assemble_judge

INLINE = 100 << 10
"""Bytes of a message up to which Ray sends it directly (`max_direct_call_object_size`)."""
IN_FLIGHT, LATENCY = 16, 0.2
TO_FREE = 2.0
"""Seconds after which the object store is looked at again."""
ROWS = {"offline": 4000, "calls": 300}
"""Rows of the recorded shard."""
News = list[list[ShardNews]]
"""What a worker handed over about one shard, pull by pull."""


@dataclass(frozen=True)
class Recorded:
    """A shard that a real worker scored."""

    news: News
    rows: int
    seconds: float
    signatures: Mapping[str, str]

    @property
    def sizes(self) -> list[int]:
        """Return the bytes of each message."""
        return [len(pickle.dumps(blocks, protocol=5)) for blocks in self.news]


def longer(what: Recorded, pulls: int) -> Recorded:
    """Return a shard of about so many pulls, as large ones have, so that its beginning and end count little."""
    times = max(1, pulls // len(what.news))
    return replace(what, news=what.news * times, rows=what.rows * times)


def together(what: Recorded, number: int) -> Recorded:
    """Return the same with so many messages in one, as if the worker had been asked less often."""
    return replace(what, news=[merged(what.news[at : at + number]) for at in range(0, len(what.news), number)])


def merged(news: News) -> list[ShardNews]:
    """Return the news of several pulls as one."""
    parts: dict[str, list[bytes]] = {}
    whole: dict[str, bool] = {}
    for change in (each for blocks in news for block in blocks for each in block.written):
        whole.setdefault(change.name, change.whole)
        parts[change.name] = [*([] if change.whole else parts.get(change.name, [])), change.content]
    written = [FileChange(name, b"".join(content), whole[name]) for name, content in parts.items()]
    counted = [block.counts for blocks in news for block in blocks if block.counts is not None]
    counts = replace(counted[0], samples=sum(each.samples for each in counted)) if counted else None
    return [ShardNews(0, written, counts)]


class Replaying:
    """A worker that hands over what was recorded, as fast as it is asked."""

    def __init__(self, news: News) -> None:
        self._news = news
        self._shards: dict[int, Iterator[list[ShardNews]]] = {}

    async def hello(self) -> Hello:
        """Return who it is."""
        return Hello(str(id(self)), "here", os.getpid(), __version__)

    async def begin(self, number: int, piece: Piece, files: Mapping[str, bytes]) -> None:
        """Begin a shard."""
        self._shards[number] = iter([*self._news, [ShardNews(number, (), None, Ended(DONE))]])

    async def pull(self) -> list[ShardNews]:
        """Return what is next."""
        await asyncio.sleep(0)
        number, left = next(iter(self._shards.items()))
        blocks = next(left)
        if any(block.ended for block in blocks):
            del self._shards[number]
        return [replace(block, shard=number) for block in blocks]

    async def drop(self) -> list[ShardNews]:
        """Give up all shards."""
        self._shards.clear()
        return []


@asynccontextmanager
async def judged(kind: str) -> AsyncIterator[tuple[JudgeSettings, CallSettings]]:
    """Provide a judge and the settings of its calls; a worker far from the command has a cache of its own."""
    if kind == "offline":
        yield JudgeSettings(), CallSettings()
        return
    with FastServer() as server:
        server.restart(latency=LATENCY)
        yield JudgeSettings(judge=f"openai:m@{server.base_url}"), CallSettings(concurrency=IN_FLIGHT)


async def recorded(kind: str) -> Recorded:
    """Let a real worker score a shard in this process."""
    metrics = make_metrics(["faithfulness"])
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.jsonl"
        write_rows(data, "en", ROWS[kind], contexts=True)
        async with judged(kind) as (judge, calls):
            signatures = signatures_of(metrics, assemble_judge(judge, models=Models(calls)))
            worker = ShardWorker(ScoringJob(metrics, judge, calls, RunSettings(), signatures), {}, None, folder)
            (shard,) = divided(data, 1 << 40)
            begun, news, rows, ended = time.perf_counter(), News(), 0, False
            await worker.begin(0, RowsOfShard(shard, {}, None), {})
            while not ended:
                news.append(await worker.pull())
                rows += sum(block.counts.samples for block in news[-1] if block.counts is not None)
                ended = any(block.ended for block in news[-1])
            seconds = time.perf_counter() - begun
            await worker.close()
    kept = [[replace(block, ended=None) for block in blocks] for blocks in news]
    return Recorded(kept, rows, seconds, signatures)


def divided(data: Path, size: int) -> tuple[Shard, ...]:
    """Return the shards of a file."""
    shards = cut(data, None, size)
    return numbered(shards, [count_rows(shard) for shard in shards])


@dataclass(frozen=True)
class Spent:
    """What the driver took for so many messages."""

    pulls: int
    rows: int
    wall: float
    cpu: float
    main: float
    """CPU of the main thread."""

    def __str__(self) -> str:
        per_row = ""
        if self.rows:
            per_row = f", {1e6 * self.cpu / self.rows:5.1f} µs per row, {self.rows / self.main:7.0f} rows/s"
        return (
            f"{self.pulls:6} pulls in {self.wall:5.1f} s: CPU {1e6 * self.cpu / self.pulls:6.0f} µs per pull "
            f"(main {1e6 * self.main / self.pulls:6.0f}), {self.pulls / self.main:6.0f} pulls/s{per_row} on a full core"
        )


async def driven(what: Recorded, run: DividedRun, workers: Sequence[Remote], shards: int) -> Spent:
    """Let the driver take in what these workers hand over about so many shards each."""
    number = shards * len(workers)
    run.divide(Division(({},) * number))
    rows = 0

    def count(counts: Counts) -> None:
        nonlocal rows
        rows += counts.samples

    part = InputPart(RowsOfShard(Shard("data.jsonl", "jsonl", "data.jsonl"), {}, None), "data.jsonl")
    driving = Driving([part] * number, run.folder_of, run.key, count)
    driving.left()
    wall, cpu, main = time.perf_counter(), time.process_time(), time.thread_time()
    await driving.all(workers)
    wall, cpu, main = time.perf_counter() - wall, time.process_time() - cpu, time.thread_time() - main
    run.conclude(number, finished=True)
    return Spent(number * (len(what.news) + 1), rows, wall, cpu, main)


def opened(what: Recorded, folder: Path) -> DividedRun:
    """Begin a run."""
    return DividedRun.open(folder, RunSettings(), what.signatures, notify=print)


def show_messages(kind: str, what: Recorded) -> None:
    """Print the sizes of the messages."""
    sizes = sorted(what.sizes)
    total = sum(sizes)
    files: dict[str, int] = {}
    for change in (each for blocks in what.news for block in blocks for each in block.written):
        files[change.name] = files.get(change.name, 0) + len(change.content)
    print(
        f"{kind}: {what.rows} rows in {what.seconds:.1f} s, {len(sizes)} messages, {len(sizes) / what.seconds:.0f}/s, "
        f"{what.rows / len(sizes):.1f} rows each; {total / what.rows:.0f} bytes per row; bytes per message: "
        f"median {sizes[len(sizes) // 2]}, highest {sizes[-1]}; "
        f"above 100 KiB {sum(size > INLINE for size in sizes)}"
    )
    print("  bytes per row:", ", ".join(f"{name} {size / what.rows:.0f}" for name, size in sorted(files.items())))


def replayed(what: Mapping[str, Recorded]) -> dict[str, Recorded]:
    """Return what the driver is measured with."""
    nothing = replace(what["offline"], news=what["offline"].news[:1], rows=0)
    many = {kind: longer(each, 200) for kind, each in what.items()}
    return {
        "shards": nothing,
        "empty pulls": replace(nothing, news=[*nothing.news, *[[]] * 200]),
        **many,
        **{f"{kind}, 10 in one": longer(together(each, 10), 100) for kind, each in what.items()},
    }


async def in_process(what: Mapping[str, Recorded], workers: int, folder: Path) -> None:
    """Measure the driver over workers in this process."""
    for name, each in replayed(what).items():
        number = min(workers, max(4, 3000 // len(each.news)))
        with opened(each, folder / name) as run:
            spent = await driven(each, run, [Replaying(each.news) for _ in range(number)], 1)
        print(f"{name:17} {number:4} workers, {number:5} shards: {spent}", flush=True)
        if name == "shards":
            print(f"{'':17} {1e6 * spent.main / number:.0f} µs per shard", flush=True)


def syncing(folder: Path, files: int) -> None:
    """Measure what brings files to the disk that have all changed, which a thread of the driver does once a second."""
    opened_files = [AppendedFile(folder / f"{number}.jsonl") for number in range(files)]
    for file in opened_files:
        file.append(b"x" * 4096)
    begun = time.perf_counter()
    for file in opened_files:
        file.sync()
    seconds = time.perf_counter() - begun
    print(f"sync of {files} changed files: {seconds:.2f} s, {1000 * seconds / files:.2f} ms each", flush=True)
    for file in opened_files:
        file.close()


async def through_ray(what: Mapping[str, Recorded], folder: Path, workers: int) -> None:
    """Measure the driver over actors, and look into the object store."""
    empty = 0.0
    with connected(None, workers) as cluster:
        actor = cluster.ray.remote(Replaying).options(num_cpus=0, max_concurrency=1000, **UNRECORDED)
        for name, each in replayed(what).items():
            shards = max(2, min(100, 1500 // workers // len(each.news)))
            remotes = [RayWorker(cluster.ray, actor.remote(each.news)) for _ in range(workers)]
            await asyncio.gather(*(remote.hello() for remote in remotes))
            looking = asyncio.create_task(fullest(cluster.ray))
            with opened(each, folder / f"ray {name}") as run:
                spent = await driven(each, run, remotes, shards)
            looking.cancel()
            await asyncio.sleep(TO_FREE)
            print(f"{name:17} {workers:4} workers, {shards * workers:5} shards: {spent}", flush=True)
            if name == "empty pulls":
                empty = spent.main / spent.pulls
            if spent.rows:
                more = 1e6 * (spent.main - spent.pulls * empty) / spent.rows
                print(
                    f"  main thread, beyond empty pulls: {more:.1f} µs per row, {spent.rows / spent.pulls:.1f} in each"
                )
            print(f"  object store: {await looking} at most; afterwards {stored(cluster.ray)}", flush=True)
            for remote in remotes:
                cluster.ray.kill(remote._actor)  # noqa: SLF001 - `end` would first close the models of a worker


async def fullest(ray: Any) -> str:
    """Return how full the object store was at most until this was canceled."""
    found = [(0.0, "empty")]
    with suppress(asyncio.CancelledError):
        while True:
            now = await asyncio.to_thread(stored, ray)
            found.append((float(now.split()[0]), now))
            await asyncio.sleep(0.2)
    return max(found)[1]


def stored(ray: Any) -> str:
    """Return what the object store has, such as `0 MiB, 0 objects`."""
    from ray._private.internal_api import memory_summary  # noqa: PLC0415 - loads Ray

    text = memory_summary(address=ray.get_runtime_context().gcs_address, stats_only=True)
    return ", ".join(text.partition("Plasma memory usage ")[2].split(", ")[:2])


def dividing(rows: int) -> None:
    """Measure what happens before the first call."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.jsonl"
        write_rows(data, "en", rows, contexts=True)
        size = data.stat().st_size
        print(f"{rows} rows of {size / rows:.0f} bytes")
        timed("cut", rows, size, partial(cut, data, None, 1 << 20))
        shards = divided(data, 1 << 20)
        timed("count", rows, size, lambda: [count_rows(shard) for shard in shards])
        ids: list[array[int]] = []
        timed("ids", rows, size, lambda: ids.extend(ids_of(shard) for shard in shards))
        repeated(ids[:1])  # loads its package
        tracemalloc.start()
        timed("find repeated ids", rows, size, lambda: repeated(ids))
        highest = tracemalloc.get_traced_memory()[1] / rows
        tracemalloc.stop()
        print(f"  memory: {highest:.0f} bytes per row while it lasts, beside 8 of each id")
        tracemalloc.start()
        many = divided(data, 64 << 10)
        parts = [InputPart(RowsOfShard(shard, {}, None), f"{shard.name} from row {shard.first}") for shard in many]
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        sent = len(pickle.dumps(parts[-1].piece, protocol=5))
        print(f"  per shard: {kept / len(many):.0f} bytes in the command, {sent} bytes sent to its worker")


def timed(name: str, rows: int, size: int, work: Callable[[], object]) -> None:
    """Print what one step takes."""
    begun = time.process_time()
    work()
    cpu = time.process_time() - begun
    print(f"  {name:18} {1e6 * cpu / rows:6.2f} CPU s per million rows, {1e9 * cpu / size:6.2f} per GB", flush=True)


async def joining(what: Recorded, folder: Path) -> None:
    """Measure `saiten join` of a run that was replayed."""
    with opened(what, folder / "in shards") as run:
        await driven(what, run, [Replaying(what.news) for _ in range(5)], 2)
    begun, rows = time.process_time(), 0
    for rows in join_shards(read_run(folder / "in shards"), folder / "joined"):  # noqa: B007 - the last one counts
        pass
    cpu = time.process_time() - begun
    print(f"{rows} scores joined: {1e6 * cpu / rows:.1f} CPU s per million", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    pieces = ("messages", "driver", "ray", "divide", "join")
    parser.add_argument("--pieces", choices=pieces, nargs="+", default=pieces)
    parser.add_argument("--workers", type=int, default=800, help="Of the driver in this process.")
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--rows", type=int, default=20_000, help="Of the input that is divided.")
    chosen = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    what = {kind: asyncio.run(recorded(kind)) for kind in ROWS} if {*chosen.pieces} - {"divide"} else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "messages" in chosen.pieces:
            for kind, each in what.items():
                show_messages(kind, each)
        if "driver" in chosen.pieces:
            asyncio.run(in_process(what, chosen.workers, folder))
            syncing(folder, 2 * chosen.workers)
        if "join" in chosen.pieces:
            asyncio.run(joining(what["offline"], folder))
        if "ray" in chosen.pieces:
            asyncio.run(through_ray(what, folder, chosen.actors))
        if "divide" in chosen.pieces:
            dividing(chosen.rows)


if __name__ == "__main__":
    main()
