"""Runs on a Ray cluster of this machine: how they scale with workers, and how much memory each process takes.

    python benchmarks/cluster.py                              # both kinds of run, 1 and 2 workers
    python benchmarks/cluster.py --kind offline --rows 1000000 --workers 2
    python benchmarks/cluster.py --kind calls --rows 8000 --workers 1 2 4 8 16

`offline`: the rows of `local_scoring.py` with the offline judge (`faithfulness`), which needs the processor. `calls`: a
judge on a server that replies after 200 ms (`fast_server.py`), with 16 requests in flight per worker, which needs
little of it. Printed per number of workers:

- the seconds of the whole command, and rows per second from 20 % to 90 % of the rows, when all workers run, with the
  ratio to the first number of workers; so starting Ray and the workers is in the first figure and not in the second;
- the cores that the command, the workers, Ray and the server used in that time: if their sum is near the number of
  cores, or replies are late by more than 1 ms, the processor was the limit, and more workers cannot help;
- the memory of each kind of process (RSS; the largest of its kind) after 10, 50 and 100 % of the rows, and the highest
  ever (VmHWM): if it is the same for 100,000 and 1,000,000 rows, memory does not depend on their number.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from fast_server import Counts, FastServer
from local_scoring import children_of, write_rows

IN_FLIGHT, LATENCY = 16, 0.2
ROWS = {"offline": [20_000], "calls": [2000]}
"""Rows of each kind of run, if nothing else is asked for: enough for some ten seconds with one worker."""
FROM, TO = 0.2, 0.9
"""The part of the rows over which rates are measured."""
POINTS = (0.1, 0.5, 1.0)
"""Parts of the rows after which memory is printed."""
KINDS = {"ray::ShardWorker": "worker", "ray::Lessor": "lessor", "raylet": "raylet", "gcs_server": "gcs"}
"""How a process of each kind begins: its command line, or the name of its program."""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Look:
    """The processes at one moment."""

    at: float
    """Seconds since the command began."""
    size: int
    """Bytes of scores on the disk of the command."""
    memory: Counter[str] = field(default_factory=Counter)
    """Kind of process → its largest RSS, in MB."""
    peak: Counter[str] = field(default_factory=Counter)
    """Kind of process → its largest VmHWM, in MB."""
    cpu: Counter[str] = field(default_factory=Counter)
    """Kind of process → CPU seconds by now of all that are there."""


@dataclass
class Measured:
    """One run."""

    seconds: float
    looks: list[Look]

    def at(self, part: float) -> Look:
        """Return the first look at which this part of the rows was done, and all workers were there."""
        there = [look for look in self.looks if look.memory["worker"]]
        return next((look for look in there if look.size >= part * there[-1].size), there[-1])

    def rate(self, rows: int) -> float:
        """Return rows per second between the two points."""
        begun, ended = self.at(FROM), self.at(TO)
        return rows * (ended.size - begun.size) / self.looks[-1].size / max(ended.at - begun.at, 1e-9)

    def cores(self) -> dict[str, float]:
        """Return the cores that each kind of process used between the two points."""
        begun, ended = self.at(FROM), self.at(TO)
        return {kind: (cpu - begun.cpu[kind]) / max(ended.at - begun.at, 1e-9) for kind, cpu in ended.cpu.items()}


def kind_of(process: int) -> str:
    """Return the kind of a process of Ray's; raises OSError if it has ended."""
    line = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    program = Path(line.partition("\0")[0]).name
    return next((kind for name, kind in KINDS.items() if name in (program, line[: len(name)])), "other")


def all_below(process: int) -> list[int]:
    """Return the processes that a process, or one of these, has started."""
    return [each for child in children_of(process) for each in (child, *all_below(child))]


def fields_of(process: int) -> list[str]:
    """Return what the system says of a process after its name (`/proc/PID/stat`); raises OSError if it has ended."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def cpu_of(process: int, *, ended: bool = False) -> float:
    """Return the CPU seconds of a process, if wanted with those of its children that have ended."""
    return sum(map(int, fields_of(process)[11 : 15 if ended else 13])) / TICK


def look_at(look: Look, kind: str, process: int) -> None:
    """Add what one process takes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    megabytes = {line.split()[0]: int(line.split()[1]) >> 10 for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    look.memory[kind] = max(look.memory[kind], megabytes.get("VmRSS:", 0))
    look.peak[kind] = max(look.peak[kind], megabytes.get("VmHWM:", 0))
    look.cpu[kind] += cpu_of(process)


def looked(process: int, at: float, folder: Path) -> Look:
    """Return what the command and all that it has started take."""
    look = Look(at, sum(path.stat().st_size for path in folder.glob("shards/*/scores.jsonl")))
    for each in (process, *all_below(process)):
        try:
            look_at(look, "command" if each == process else kind_of(each), each)
        except OSError:
            continue  # it has just ended
    return look


def run(data: Path, folder: Path, workers: int, more: list[str], every: float) -> Measured:
    """Run the command once."""
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "score", str(data), "-m", "faithfulness"]
    options = ["--executor", "ray", "--workers", str(workers), "-o", str(folder), "--quiet", "--format", "json"]
    begun, looks = time.perf_counter(), list[Look]()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([*command, *options, *more], stdout=subprocess.DEVNULL, stderr=errors)
        while process.poll() is None:
            time.sleep(every)
            looks.append(looked(process.pid, time.perf_counter() - begun, folder))
        if process.returncode:
            errors.seek(0)
            sys.exit(errors.read())
    return Measured(time.perf_counter() - begun, looks)


def show(measured: Measured, rows: int, workers: int, first: float, server: Counts | None) -> None:
    """Print one run."""
    rate = measured.rate(rows)
    print(
        f"{rows:>9,} rows  {workers:>2} workers  whole command {measured.seconds:7.1f} s  "
        f"{rate:8.1f} rows/s  ratio {rate / (first or rate):5.2f}"
    )
    cores = {kind: used for kind, used in measured.cores().items() if used >= 0.005}
    if server is not None:
        cores["server"] = server.cpu / server.span
    used = "  ".join(f"{kind} {each:.2f}" for kind, each in cores.items())
    late = "" if server is None else f"; replies late by {1000 * server.late:.1f} ms"
    print(f"{'':10}cores used {sum(cores.values()):.2f} of {os.cpu_count()}: {used}{late}")
    for kind in measured.looks[-1].peak | measured.at(0.5).peak:
        after = "  ".join(f"{part:4.0%} {measured.at(part).memory[kind]:4} MB" for part in POINTS)
        print(f"{'':10}{kind:8} {after}  highest {max(look.peak[kind] for look in measured.looks):4} MB", flush=True)


def report(kind: str, rows: int, counts: list[int], data: Path) -> None:
    """Measure one kind of run with each number of workers."""
    first, every = 0.0, 0.1 if rows <= 20_000 else 1.0
    print(f"{kind}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for workers in counts:
        with tempfile.TemporaryDirectory() as folder, FastServer() as server:
            server.restart(latency=LATENCY)
            judge = ["--judge", f"openai:m@{server.base_url}", "--concurrency", str(IN_FLIGHT)]
            measured = run(data, Path(folder) / "run", workers, judge if kind == "calls" else [], every)
            show(measured, rows, workers, first, server.counts() if kind == "calls" else None)
        first = first or measured.rate(rows)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", choices=("offline", "calls"), nargs="+", default=["offline", "calls"])
    parser.add_argument("--rows", type=int, nargs="+", help="Default: 20,000 offline, 2,000 with calls.")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    chosen = parser.parse_args()
    for kind in chosen.kind:
        for rows in chosen.rows or ROWS[kind]:
            with tempfile.TemporaryDirectory() as folder:
                data = Path(folder) / "data.jsonl"
                write_rows(data, "en", rows, contexts=True)
                report(kind, rows, chosen.workers, data)


if __name__ == "__main__":
    main()
