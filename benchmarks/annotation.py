"""What fifty annotators at once cost the annotation page: counts of what is stored, saves a second, latencies.

    python benchmarks/annotation.py [--people 50] [--items 500] [--pause 5] [--databases sqlite postgresql]

The real `saiten annotate` serves on loopback, from a process of its own. Each annotator joins by a link and asks for
the next item, saves, and so on; a tenth of the saves is sent twice at the same moment, of another tenth the reply is
never read and the save is sent again. First nobody thinks (what the server can take), then everybody does, for
`--pause` seconds on average (how long people wait). Afterwards the export is read: every save that was acknowledged is
there once, as it was said, and the work was shared evenly. The limit is what one durable commit of one row costs on
the same disk, or the same PostgreSQL server, in the same run.
"""

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "annotation"))

from crowd import Crowd, Kept, exported, held_against, work_off
from databases import PostgresServer
from served import ServedProject, answers

COMMITS = 200
ROW = json.dumps({"grade": 3, "reason": "as long as a reason usually is. " * 3})


def quantile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)] * 1_000


def commit_cost(commit: Callable[[], object]) -> float:
    """Median milliseconds of one."""
    taken = []
    for _ in range(COMMITS):
        begun = time.perf_counter()
        commit()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken) * 1_000


def sqlite_commit(folder: Path) -> float:
    """Of a row, in WAL mode and synced, as the store has it."""
    with closing(sqlite3.connect(folder / "limit.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS rows (text TEXT)")
        return commit_cost(lambda: connection.execute("INSERT INTO rows VALUES (?)", [ROW]))


def postgres_commit(url: str) -> float:
    """Of a row, on one connection."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS limit_rows (text text)")
        return commit_cost(lambda: connection.execute("INSERT INTO limit_rows VALUES (%s)", [ROW]))


@contextmanager
def databases(kind: str, folder: Path) -> Iterator[tuple[Callable[[int], str], Callable[[], float]]]:
    """The address of the n-th database, and what a commit costs there."""
    if kind == "sqlite":
        yield lambda n: str(folder / f"labels{n}.db"), lambda: sqlite_commit(folder)
        return
    server = PostgresServer()
    try:
        for setting in ("fsync", "full_page_writes"):  # tests do without; labels do not
            server.tell(f"ALTER SYSTEM SET {setting} = on")
        server.tell("SELECT pg_reload_conf()")
        yield lambda _: server.new_database(), lambda: postgres_commit(server.url())
    finally:
        server.remove()


def served(folder: Path, database: str, people: int, items: int) -> ServedProject:
    """A new project, each item for two."""
    names = [part for n in range(people) for part in ("--annotator", f"P{n}")]
    folder.mkdir()
    return ServedProject(folder, database, answers(items, length=10), "--form", "grade", *names)


def tell(crowd: Crowd, kept: Kept, seconds: float, cpu: float, commit: float) -> None:
    """A few lines."""
    saves = len(crowd.acknowledged)
    print(
        f"  stored: {kept.rows} of {saves} saves; lost {kept.lost}, double {kept.double}, never sent {kept.unasked}; "
        f"annotators of an item {dict(kept.per_item)}; items of an annotator {dict(kept.per_person)}"
    )
    print(
        f"  replies never read {crowd.counted['cut']}, sent twice {crowd.counted['twice']}, "
        f"answered as there already {crowd.counted['again']}, told to come again {crowd.counted['503']}"
    )
    print(
        f"  {saves / seconds:.0f} saves/s in {seconds:.0f} s; the server's CPU per item (a next and a save) "
        f"{cpu / saves * 1_000:.1f} ms; one commit of one row {commit:.2f} ms"
    )
    for name, taken in (("save", crowd.saves), ("next", crowd.nexts)):
        p50, p95, p99 = (quantile(taken, share) for share in (0.5, 0.95, 0.99))
        print(f"  {name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms; p50 is {p50 / commit:.0f} commits")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--items", type=int, default=500, help="each for two of them")
    parser.add_argument("--pause", type=float, default=5.0)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgresql"])
    asked = parser.parse_args()
    failed = False
    for kind in asked.databases:
        with tempfile.TemporaryDirectory() as name, databases(kind, Path(name)) as (address, commit):
            for turn, pause in enumerate((0.0, asked.pause)):
                project = served(Path(name, str(turn)), address(turn), asked.people, asked.items)
                crowd = Crowd(random.Random(turn), pause=pause)
                before, begun = project.cpu_seconds(), time.perf_counter()
                asyncio.run(work_off(project, crowd, [f"P{n}" for n in range(asked.people)]))
                seconds, cpu = time.perf_counter() - begun, project.cpu_seconds() - before
                kept = held_against(asyncio.run(exported(project)), crowd.acknowledged)
                project.stop()
                print(f"{kind}, {asked.people} at once, {f'thinking {pause:g} s' if pause else 'without a pause'}")
                tell(crowd, kept, seconds, cpu, commit())
                failed |= bool(kept.lost or kept.double or kept.unasked or set(kept.per_item) != {2})
    sys.exit(failed)


if __name__ == "__main__":
    main()
