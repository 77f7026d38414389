"""Runs on a Ray cluster of this machine: how they scale with workers, and how much memory each process takes.

    python benchmarks/cluster.py                              # both kinds of run, 1 and 2 workers
    python benchmarks/cluster.py --kind offline --rows 1000000 --workers 2
    python benchmarks/cluster.py --kind calls --rows 2000 --workers 1 2 4

`offline`: the rows of `local_scoring.py` with the offline judge (`faithfulness`), which needs the processor. `calls`: a
judge on a server that replies after 200 ms (`fast_server.py`), with 16 requests in flight per worker, which needs none
to speak of. Printed are the seconds from the first worker to the last result, rows per second, the ratio to one
worker, and the highest memory of the command, of any worker, and of a worker half way: if it is the same for 100,000
and 1,000,000 rows, memory does not depend on their number. Starting Ray takes 3 to 12 seconds more.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from fast_server import FastServer
from local_scoring import memory_of, write_rows

IN_FLIGHT, LATENCY = 16, 0.2


@dataclass
class Measured:
    """One run."""

    seconds: float = 0.0
    """From the first worker to the last result."""
    command: int = 0
    """Highest memory, in MB."""
    workers: list[int] = field(default_factory=list)
    """The highest memory of any worker in each tenth of a second, in MB."""


def workers_now() -> list[int]:
    """Return the processes of workers."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cmdline").read_bytes().startswith(b"ray::ShardWorker"):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def run(data: Path, folder: Path, workers: int, more: list[str]) -> Measured:
    """Run the command once."""
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "score", str(data), "-m", "faithfulness"]
    options = ["--executor", "ray", "--workers", str(workers), "-o", str(folder), "--quiet", "--format", "json"]
    measured, begun, last = Measured(), 0.0, 0.0
    process = subprocess.Popen(
        [*command, *options, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None:
        time.sleep(0.1)
        measured.command = max(measured.command, memory_of(process.pid))
        if there := workers_now():
            begun, last = begun or time.perf_counter(), time.perf_counter()
            measured.workers.append(max(map(memory_of, there)))
    if process.returncode:
        sys.exit(process.stderr.read() if process.stderr is not None else "failed")
    measured.seconds = last - begun
    return measured


def report(kind: str, rows: int, counts: list[int], more: list[str], data: Path) -> None:
    """Print one line per number of workers."""
    first = 0.0
    for workers in counts:
        with tempfile.TemporaryDirectory() as folder:
            measured = run(data, Path(folder) / "run", workers, more)
        first = first or measured.seconds * counts[0]
        half = measured.workers[len(measured.workers) // 2] if measured.workers else 0
        print(
            f"{kind:8} {rows:>9,} rows  {workers:>2} workers  {measured.seconds:7.1f} s  "
            f"{rows / max(measured.seconds, 1e-9):8.0f}/s  ratio {first / max(measured.seconds, 1e-9):4.2f}  "
            f"command {measured.command} MB, worker {max(measured.workers, default=0)} MB, half way {half} MB",
            flush=True,
        )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", choices=("offline", "calls"), nargs="+", default=["offline", "calls"])
    parser.add_argument("--rows", type=int, nargs="+", default=[2000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    chosen = parser.parse_args()
    for rows in chosen.rows:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data.jsonl"
            write_rows(data, "en", rows, contexts=True)
            if "offline" in chosen.kind:
                report("offline", rows, chosen.workers, [], data)
            if "calls" in chosen.kind:
                with FastServer() as server:
                    server.restart(latency=LATENCY)
                    judge = ["--judge", f"openai:m@{server.base_url}", "--concurrency", str(IN_FLIGHT)]
                    report("calls", rows, chosen.workers, judge, data)


if __name__ == "__main__":
    main()
