"""What replies in a cache that workers share cost: the PostgreSQL server, if they are in one, and each worker.

    python benchmarks/shared_cache.py                       # 1, 2 and 4 workers with 16 calls in flight
    python benchmarks/shared_cache.py --workers 2 --in-flight 64 --latency 0.2
    python benchmarks/shared_cache.py --file                # in a SQLite file

Worker processes make calls that take `--latency` seconds, give or take half, and return 2 kB, through a cached chat
model: all different; then the same again, from the database; then each worker the same calls as the others at the same
time. Printed per reply: CPU time of the PostgreSQL server (all its processes) and of the worker, statements, and the
median time that a reply of one's own call took beyond the call. The server is started here without fsync: a disk adds a
wait, and no CPU time. In the last part, each call is made once, by whoever comes first.
"""

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from cluster import cpu_of, fields_of
from local_scoring import children_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from databases import PostgresServer
from saiten.models.cache import CachedChat
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.wiring.stores import open_store

REPLY = "Because the context says so. " * 70


async def work(store_name: str, who: str, calls: int, in_flight: int, latency: float) -> None:
    """Make calls as one worker, and print what they took as JSON."""
    slept: dict[str, float] = {}

    async def answered(request: ChatRequest) -> str:
        slept[request.messages[0].content] = pause = latency * random.uniform(0.5, 1.5)
        await asyncio.sleep(pause)
        return REPLY

    chat = CachedChat(ScriptedChat(answered), open_store(store_name, print))
    free = asyncio.Semaphore(in_flight)
    took = []

    async def one(number: int) -> None:
        async with free:
            begun = time.perf_counter()
            await chat.complete(ChatRequest((ChatMessage("user", f"{who} {number}"),)))
            if not slept or f"{who} {number}" in slept:  # of a call of others, it is their time
                took.append(time.perf_counter() - begun - slept.get(f"{who} {number}", 0.0))

    sys.stdin.readline()  # all begin together
    cpu, begun = time.process_time(), time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(calls)))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    await chat.close()
    print(json.dumps({"made": len(slept), "seconds": seconds, "cpu": cpu, "took": took}))


def server_cpu(server: PostgresServer) -> float:
    """Return the CPU seconds of all processes of the server, also of those that have ended."""
    ((lasting,),) = server.tell("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    postmaster = int(fields_of(lasting)[1])
    cpu = cpu_of(postmaster, ended=True)
    for process in children_of(postmaster):
        with suppress(OSError):  # it has just ended
            cpu += cpu_of(process)
    return cpu


def statements(server: PostgresServer) -> int:
    """Return how many transactions, one per statement, were committed."""
    time.sleep(1.1)  # statistics are handed over once a second, and when a session ends
    return server.tell("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")[0][0]


def measure(server: PostgresServer | None, database: str, names: list[str], chosen: argparse.Namespace) -> None:
    """Run one worker per name at the same time, and print a line; `server` is None for a file."""
    command = [
        sys.executable,
        __file__,
        "--work",
        database,
        str(chosen.calls),
        str(chosen.in_flight),
        str(chosen.latency),
    ]
    crowd = [
        subprocess.Popen([*command, "--who", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in names
    ]
    time.sleep(2)  # until all have connected
    before, count = (server_cpu(server), statements(server)) if server else (0.0, 0)
    outs = [process.communicate("\n" if process is crowd[-1] else None) for process in _started(crowd)]
    ends = [json.loads(out) for out, _ in outs]
    replies, made = len(names) * chosen.calls, sum(end["made"] for end in ends)
    longest = max(end["seconds"] for end in ends)
    late = 1000 * statistics.median(one for end in ends if bool(end["made"]) is bool(made) for one in end["took"])
    worker_cpu = sum(end["cpu"] for end in ends)
    served = ""
    if server:
        cpu, count = server_cpu(server) - before, statements(server) - count
        served = f"{1000 * cpu / replies:.3f} ms CPU of the server, {count / replies:.2f} statements, "
    print(
        f"{len(names)} workers, {replies} replies of {made} calls, {replies / longest:6.0f}/s: per reply {served}"
        f"{1000 * worker_cpu / replies:.3f} ms CPU of the worker; {late:.1f} ms longer than the call",
        flush=True,
    )


def _started(crowd: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for process in crowd[:-1]:
        process.stdin.write("\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
    return crowd


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.2, help="Seconds per call.")
    parser.add_argument("--calls", type=int, default=400, help="Per worker.")
    parser.add_argument("--file", action="store_true", help="Keep replies in a SQLite file.")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--who", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        name, calls, in_flight, latency = chosen.work
        asyncio.run(work(name, chosen.who, int(calls), int(in_flight), float(latency)))
        return
    with TemporaryDirectory() as folder, ExitStack() as ended:
        server = None if chosen.file else PostgresServer()
        if server is not None:
            ended.callback(server.remove)
        for workers in chosen.workers:
            database = f"{folder}/{workers}.sqlite" if server is None else server.new_database()
            names = [f"w{number}" for number in range(workers)]
            for what, who in (
                ("different calls", names),
                ("all replies again", names),
                ("equal calls", ["same"] * workers),
            ):
                print(f"{what:18}", end="")
                measure(server, database, who, chosen)


if __name__ == "__main__":
    main()
