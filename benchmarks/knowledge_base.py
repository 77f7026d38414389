"""Cost of a knowledge base in a folder: memory and speed of indexing, search latency compared with plain numpy.

    python benchmarks/knowledge_base.py [--chunks 100000] [--dimensions 384] [--queries 100] [--graph]

Indexes made-up documents through the whole path (files, chunks, terms, store) with an embedder that returns random
unit vectors immediately, so that no model is included in the times. The limit of an exact search is one product of a
matrix in memory with a vector, and the selection of the best five. `--graph` also measures the cost and recall of
HNSW over such vectors, which saiten does not use in a folder. For one core: OMP_NUM_THREADS=1 taskset -c 0 python …
"""

import argparse
import asyncio
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate
from pathlib import Path
from uuid import UUID

import numpy as np
import qdrant_edge as edge

from saiten.protocols import Embeddings
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.indexing import Indexing
from saiten.rag.knowledge.opening import begin, end
from saiten.rag.knowledge.reading import Reader

WORDS, CHARACTERS, CHUNKS_A_DOCUMENT = 30_000, 512, 250
LATENT = 48
"""Directions of the random vectors, to which noise is added: they are as concentrated as vectors of models."""


class RandomEmbedder:
    """Returns random unit vectors that depend on the text."""

    name = "random"

    def __init__(self, dimensions: int) -> None:
        rng = np.random.default_rng(0)
        self._directions = rng.normal(size=(LATENT, dimensions)).astype(np.float32)
        self._dimensions = dimensions
        self.seconds = 0.0

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one row per text."""
        begun = time.process_time()
        rng = np.random.default_rng(sum(map(hash, texts)) % 2**32)
        latent = rng.normal(size=(len(texts), LATENT)).astype(np.float32)
        noise = rng.normal(size=(len(texts), self._dimensions)).astype(np.float32)
        vectors = latent @ self._directions + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self.seconds += time.process_time() - begun
        return Embeddings(vectors)

    async def close(self) -> None:
        """There is nothing to close."""


def write_documents(folder: Path, chunks: int) -> None:
    """Write documents of made-up sentences, with word frequencies as in a natural language."""
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(WORDS)]
    weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
    for number in range(-(-chunks // CHUNKS_A_DOCUMENT)):
        length, lines = 0, []
        while length < CHUNKS_A_DOCUMENT * CHARACTERS * 0.93:
            lines.append(" ".join(rng.choices(words, cum_weights=weights, k=12)) + ".")
            length += len(lines[-1]) + 1
        (folder / f"{number:05}.txt").write_text("\n".join(lines), "utf-8")


def memory() -> tuple[float, float]:
    """Return the peak memory of the process, and its current memory without mapped files, in MiB."""
    own = 0
    for line in Path("/proc/self/status").read_text("ascii").splitlines() if sys.platform == "linux" else ():
        if line.startswith("RssAnon"):
            own = int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, own / 1024


async def latencies(search: Callable[[int], Awaitable[object]], queries: int) -> tuple[float, float, float]:
    """Return the median and p95 of wall time and the median of CPU time, in milliseconds."""
    for number in range(5):
        await search(number)
    wall, cpu = [], []
    for number in range(queries):
        begun, used = time.perf_counter(), time.process_time()
        await search(number)
        wall.append(1e3 * (time.perf_counter() - begun))
        cpu.append(1e3 * (time.process_time() - used))
    return statistics.median(wall), sorted(wall)[int(len(wall) * 0.95)], statistics.median(cpu)


def show(what: str, found: tuple[float, float, float], limit: float) -> None:
    """Print one line of the table."""
    print(f"{what:<34}{found[0]:8.2f}{found[1]:8.2f}{found[2]:8.2f}{found[2] / limit:12.2f}")


async def numpy_limit(chunks: int, dimensions: int, queries: int) -> float:
    """Measure an exact search in plain numpy; return its CPU milliseconds."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(chunks, dimensions)).astype(np.float32)
    asked = rng.normal(size=(queries, dimensions)).astype(np.float32)

    async def search(number: int) -> object:
        scores = table @ asked[number % queries]
        return np.argpartition(-scores, 5)[:5]

    found = await latencies(search, queries)
    show("numpy product, best 5 (the limit)", found, found[2])
    return found[2]


async def measure_graph(dimensions: int, chunks: int, queries: int, limit: float, folder: Path) -> None:
    """Measure Qdrant's HNSW over vectors of the same kind: build time, latency, share of the true best five."""
    config = edge.EdgeConfig(vectors={"dense": edge.EdgeVectorParams(dimensions, edge.Distance.Dot)}, wal_enabled=False)
    shard = edge.EdgeShard.create(str(folder / "graph"), config)
    embedder = RandomEmbedder(dimensions)
    tables = []
    for start in range(0, chunks, 1_000):
        tables.append((await embedder.embed([f"{start} {n}" for n in range(1_000)])).vectors)
        points = [edge.Point(str(UUID(int=start + n + 1)), {"dense": row.tolist()}) for n, row in enumerate(tables[-1])]
        shard.update(edge.UpdateOperation.upsert_points(points))
    table = np.concatenate(tables)
    asked = (await embedder.embed([f"query {n}" for n in range(queries)])).vectors

    def found(number: int) -> list[int]:
        query = edge.Query.Nearest(asked[number % queries].tolist(), using="dense")
        return [point.id.int - 1 for point in shard.query(edge.QueryRequest(limit=5, query=query))]

    async def search(number: int) -> object:
        return found(number)

    show("engine alone, before optimize()", await latencies(search, queries), limit)
    begun, used = time.perf_counter(), time.process_time()
    shard.optimize()
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    show("engine alone, after (HNSW)", await latencies(search, queries), limit)
    right = sum(len(set(found(n)) & set(np.argsort(-(table @ asked[n]))[:5].tolist())) for n in range(queries))
    print(f"HNSW: built in {wall:.0f} s ({cpu:.0f} s CPU); finds {right / (5 * queries):.3f} of the true best five")
    shard.close()


async def measure(chunks: int, dimensions: int, queries: int, *, graph: bool) -> None:
    """Measure everything, in one temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "documents").mkdir()
        write_documents(folder / "documents", chunks)
        engine, embedder = FolderEngine(folder / "kb", writing=True), RandomEmbedder(dimensions)
        before = memory()
        begun, used = time.perf_counter(), time.process_time()
        manifest = await begin(engine, embedder, "random")
        with Reader() as reader:
            work = Indexing(engine, embedder, manifest, reader)
            done = await work.run(find_documents([folder / "documents"]))
        await end(engine, manifest)
        wall, cpu = time.perf_counter() - begun, time.process_time() - used - embedder.seconds
        after = memory()
        print(f"{done.chunks} chunks of {dimensions} dimensions from {done.read} documents")
        print(
            f"indexing: {wall:.1f} s, {done.chunks / wall:.0f} chunks/s; {cpu / done.chunks * 1e6:.0f} µs CPU per chunk"
        )
        print(
            f"memory: {before[0]:.0f} MiB before, peak {after[0]:.0f} MiB with mapped files, "
            f"{after[1]:.0f} MiB without; the vectors alone are {done.chunks * dimensions * 4 / 2**20:.0f} MiB"
        )
        size = sum(path.stat().st_blocks * 512 for path in (folder / "kb").rglob("*") if path.is_file())
        print(f"on disk: {size / 2**20:.0f} MiB\n")
        print(f"{'milliseconds':<34}{'median':>8}{'p95':>8}{'CPU':>8}{'CPU/limit':>12}")
        limit = await numpy_limit(done.chunks, dimensions, queries)
        asked = [path.read_text("utf-8")[n * 7 : n * 7 + 60] for n, path in enumerate((folder / "documents").iterdir())]
        for moment in ("before optimize()", "after"):
            contents = await read_contents(engine)
            for retrieval in ("dense", "bm25", "hybrid"):
                base = KnowledgeBase(engine, embedder, manifest, contents, retrieval=retrieval)

                async def search(number: int, base: KnowledgeBase = base) -> object:
                    return await base.retrieve(f"{number} {asked[number % len(asked)]}")

                show(f"{retrieval}, {moment}", await latencies(search, queries), limit)
            if moment != "after":
                begun = time.perf_counter()
                await engine.tidy()
                print(f"optimize(): {time.perf_counter() - begun:.1f} s")
        await engine.close()
        begun = time.perf_counter()
        engine = FolderEngine(folder / "kb", writing=False)
        await read_contents(engine)
        print(f"opened in {1e3 * (time.perf_counter() - begun):.0f} ms")
        await engine.close()
        if graph:
            await measure_graph(dimensions, chunks, queries, limit, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--graph", action="store_true")
    given = parser.parse_args()
    asyncio.run(measure(given.chunks, given.dimensions, given.queries, graph=given.graph))
