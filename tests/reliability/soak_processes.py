"""The processes of the soak: what they use, how they are ended, and what they leave behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson
import psutil

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]
MARK = "SAITEN_SOAK_MARK"
"""The variable that every process of a soak inherits, so that an orphan is recognized."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a process used at a moment."""

    rss: float
    """MB, as `pss`."""
    pss: float
    """The part of the memory that is its own, and its share of what it has in common with others."""
    descriptors: int
    threads: int
    cpu: float
    """Seconds since it was started."""


def use_of(pid: int) -> Use | None:
    """Return what the process uses; None if it has ended."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            memory, cpu = process.memory_full_info(), process.cpu_times()
            megabytes = memory.rss / 1e6, memory.pss / 1e6
            return Use(*megabytes, process.num_fds(), process.num_threads(), cpu.user + cpu.system)
    except psutil.Error:
        return None


class Records:
    """What was measured, in `soak.jsonl`, and in memory for the check and the picture."""

    def __init__(self, path: Path) -> None:
        self.rows: list[dict[str, object]] = []
        self._file = path.open("wb", buffering=0)
        self._begun = time.monotonic()

    def note(self, what: str, **more: object) -> None:
        """Keep an event with its time."""
        row = {"at": round(time.monotonic() - self._begun, 3), "what": what, **more}
        self.rows.append(row)
        self._file.write(orjson.dumps(row) + b"\n")

    def measure(self, name: str, pid: int, **more: object) -> None:
        """Keep what a process uses now, unless it has ended."""
        if (use := use_of(pid)) is not None:
            self.note("use", process=name, pid=pid, **asdict(use), **more)

    def seconds(self) -> float:
        """Return the time since the beginning."""
        return time.monotonic() - self._begun

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def start_server(folder: Path, seed: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the server, and wait until it serves."""
    program = str(Path(__file__).with_name("soak_server.py"))
    with (folder / "server.txt").open("wb") as said:
        process = subprocess.Popen([sys.executable, program, folder, str(seed)], stderr=said, env=environment)
    until = time.monotonic() + 60
    while not (folder / "port").exists():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            raise RuntimeError((folder / "server.txt").read_text())
        time.sleep(0.02)
    return process


class Lines:
    """A file that grows: counts the whole lines that are new since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def new(self) -> Iterator[bytes]:
        """Yield the lines that were not there before; one that is being written is left for the next time."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._read += len(line)
                yield line


def end(process: subprocess.Popen[bytes], how: signal.Signals) -> int:
    """Send the signal and return the exit status; a process that does not end within a minute is killed."""
    process.send_signal(how)
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def orphans(mark: str) -> list[str]:
    """Return the processes that a soak with this mark started and that are still there, except this one."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
        except psutil.Error:
            continue
    return found
