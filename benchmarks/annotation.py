"""Load test of the annotation page with 50 concurrent annotators: stored saves, saves per second, latencies.

    python benchmarks/annotation.py [--people 50] [--items 500] [--pause 5] [--databases sqlite postgresql]

The real `saiten annotate` runs in a separate process on loopback. Each annotator joins by a link, then requests the
next item, saves, and so on. A tenth of the saves are sent twice at the same moment; another tenth are sent again
because the reply is not read. The first round has no pauses and measures throughput; the second has pauses of `--pause`
seconds on average and measures how long people wait. The export is then checked: it contains every acknowledged save
once and unchanged, and the work is shared evenly. The lower bound is one durable commit of one row on the same disk, or
on the same PostgreSQL server, in the same run.
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

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "annotation"))

from crowd import Crowd, Kept, exported, held_against, work_off
from served import ServedProject, answers

from databases import PostgresServer

COMMITS = 200
ROW = json.dumps({"grade": 3, "reason": "as long as a reason usually is. " * 3})


def quantile(seconds: Sequence[float], share: float) -> float:
    """Return a quantile in milliseconds."""
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)] * 1_000


def commit_cost(commit: Callable[[], object]) -> float:
    """Return the median milliseconds of one commit."""
    taken = []
    for _ in range(COMMITS):
        begun = time.perf_counter()
        commit()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken) * 1_000


def sqlite_commit(folder: Path) -> float:
    """Return the cost of committing a row with the settings of the store: WAL mode and full sync."""
    with closing(sqlite3.connect(folder / "limit.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS rows (text TEXT)")
        return commit_cost(lambda: connection.execute("INSERT INTO rows VALUES (?)", [ROW]))


def postgres_commit(url: str) -> float:
    """Return the cost of committing a row on one connection."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS limit_rows (text text)")
        return commit_cost(lambda: connection.execute("INSERT INTO limit_rows VALUES (%s)", [ROW]))


@contextmanager
def databases(kind: str, folder: Path) -> Iterator[tuple[Callable[[int], str], Callable[[], float]]]:
    """Yield two functions: the address of the n-th database, and the cost of a commit there."""
    if kind == "sqlite":
        yield lambda n: str(folder / f"labels{n}.db"), lambda: sqlite_commit(folder)
        return
    server = PostgresServer()
    try:
        for setting in ("fsync", "full_page_writes"):  # the tests turn them off
            server.tell(f"ALTER SYSTEM SET {setting} = on")
        server.tell("SELECT pg_reload_conf()")
        yield lambda _: server.new_database(), lambda: postgres_commit(server.url())
    finally:
        server.remove()


def served(folder: Path, database: str, people: int, items: int) -> ServedProject:
    """Start a new project with two annotators per item."""
    names = [part for n in range(people) for part in ("--annotator", f"P{n}")]
    folder.mkdir()
    return ServedProject(folder, database, answers(items, length=10), "--form", "grade", *names)


def print_report(crowd: Crowd, kept: Kept, seconds: float, cpu: float, commit: float) -> None:
    """Print counts, throughput and latencies."""
    saves = len(crowd.acknowledged)
    print(
        f"  stored: {kept.rows} of {saves} saves; lost {kept.lost}, doubled {kept.double}, never sent {kept.unasked}; "
        f"annotators per item {dict(kept.per_item)}; items per annotator {dict(kept.per_person)}"
    )
    print(
        f"  replies never read {crowd.counted['cut']}, sent twice {crowd.counted['twice']}, "
        f"recognized as repeated {crowd.counted['again']}, asked to retry later {crowd.counted['503']}"
    )
    print(
        f"  {saves / seconds:.0f} saves/s in {seconds:.0f} s; server CPU per item (one next and one save) "
        f"{cpu / saves * 1_000:.1f} ms; commit of one row {commit:.2f} ms"
    )
    for name, taken in (("save", crowd.saves), ("next", crowd.nexts)):
        p50, p95, p99 = (quantile(taken, share) for share in (0.5, 0.95, 0.99))
        print(f"  {name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms; p50 = {p50 / commit:.0f} commits")


def main() -> None:
    """Measure each database without and with pauses; exit with 1 if the export is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--items", type=int, default=500, help="each for two annotators")
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
                print(f"{kind}, {asked.people} annotators, {f'pauses of {pause:g} s' if pause else 'no pauses'}")
                print_report(crowd, kept, seconds, cpu, commit())
                failed |= bool(kept.lost or kept.double or kept.unasked or set(kept.per_item) != {2})
    sys.exit(failed)


if __name__ == "__main__":
    main()
