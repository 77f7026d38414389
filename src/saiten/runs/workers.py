"""Processes that score chunks of samples, so that work on this machine uses all its cores.

They are started as programs of their own (`runs/worker.py`), neither forked, since this process has threads, nor by
`multiprocessing`, which would run a user's script once more in each. They share nothing and write nothing: a process
that is killed takes no line with it. They get no Ctrl-C of the terminal's, and end with this process, however it ends.
"""

import asyncio
import json
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from saiten.errors import ConfigurationError
from saiten.runs.chunks import ChunkScores, ChunkWork
from saiten.runs.worker import LENGTH, Answer, frame

AHEAD = 2
"""Chunks that a process has at a time: one in work, and the next, so that it never waits."""

_BUFFER = 1 << 24
_TO_END = 5.0
"""Seconds in which a process that has nothing more to do ends by itself."""
_CODE = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from saiten.runs.worker import main; main()"


class CannotStart(Exception):
    """Processes cannot do this work; the text says why."""


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def packed(work: ChunkWork) -> bytes:
    """Return the work as bytes; raises CannotStart if a metric cannot be sent to another process."""
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # a lambda, an open file, whatever a metric of one's own may hold
        raise CannotStart(f"{type(error).__name__}: {error}") from error


class Workers:
    """Processes that wait for chunks; made by `started`."""

    def __init__(self, workers: Sequence["_Worker"]) -> None:
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        for worker in [*workers] * AHEAD:
            self._free.put_nowait(worker)
        self.most = len(workers) * AHEAD
        """Chunks that are with processes at a time, at most."""

    async def score(self, lines: Sequence[bytes], wanted: Sequence[Sequence[int]] | None) -> ChunkScores:
        """Return the scores of the samples with these lines.

        Raises:
            ConfigurationError: A metric raised it, or a process has died.
        """
        worker = await self._free.get()
        try:
            kind, content = await worker.ask(pickle.dumps((lines, wanted), pickle.HIGHEST_PROTOCOL))
        except _WorkerEnded as error:
            raise ConfigurationError(
                f"a process that scores was ended {error}; all scores so far are kept: re-run the command to resume, "
                "with fewer --workers if memory is short"
            ) from None
        finally:
            self._free.put_nowait(worker)
        if kind == "scores":
            scores: ChunkScores = content
            return scores
        raise ConfigurationError(content) if kind == "wrong" else RuntimeError(content)


@asynccontextmanager
async def started(count: int, work: bytes) -> AsyncIterator[Workers]:
    """Start the processes; they have ended when this is left.

    Raises:
        CannotStart: They cannot be started, or cannot do this work.
        ConfigurationError: A metric's own, such as a file that has changed.
    """
    workers: list[_Worker] = []
    clean = False
    try:
        for _ in range(count):
            workers.append(await _Worker.start())  # noqa: PERF401 - those that were started are ended, whatever comes
        try:
            answers = await asyncio.gather(*(worker.ask(work) for worker in workers))
        except _WorkerEnded as error:
            raise CannotStart(f"they ended {error}") from None
        for kind, content in answers:
            if kind == "wrong":
                raise ConfigurationError(content)
            if kind != "ready":
                raise CannotStart(content)
        yield Workers(workers)
        clean = True
    finally:
        await _end(workers, kill=not clean)


class _WorkerEnded(Exception):
    """A process ended although it should not; the text says how."""

    def __init__(self, status: int) -> None:
        names = {-each.value: each.name for each in signal.Signals}
        memory = ", as the system does when memory runs out" if names.get(status) == "SIGKILL" else ""
        super().__init__(f"by {names[status]}{memory}" if status in names else f"with status {status}")


class _Worker:
    """One process."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._reading = asyncio.Lock()

    @classmethod
    async def start(cls) -> "_Worker":
        if not sys.executable:
            raise CannotStart("the path of Python is unknown")
        # -P: no file of the current folder is taken for a module of Python's before the path is set
        command = [sys.executable, "-P", "-c", _CODE, json.dumps(sys.path)]
        try:
            # A session of its own, so that Ctrl-C reaches only this process, which then ends the others.
            found = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=_BUFFER, start_new_session=True
            )
        except OSError as error:
            raise CannotStart(str(error)) from error
        return cls(found)

    async def ask(self, content: bytes) -> Answer:
        """Return the answer to one frame; answers come in the order of the frames."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise AssertionError("both are pipes")
        stdin.write(frame(content))
        async with self._reading:
            try:
                length = int.from_bytes(await stdout.readexactly(LENGTH), "big")
                answer: Answer = pickle.loads(await stdout.readexactly(length))  # noqa: S301 - from our own child
            except (asyncio.IncompleteReadError, ConnectionError):
                raise _WorkerEnded(await self.process.wait()) from None
        return answer


async def _end(workers: Sequence[_Worker], *, kill: bool) -> None:
    """End the processes and wait for them, even while being canceled."""
    for worker in workers:
        if worker.process.stdin is not None:
            worker.process.stdin.close()
    if kill:
        _kill(workers)
    waiting = [asyncio.ensure_future(worker.process.wait()) for worker in workers]
    canceled: asyncio.CancelledError | None = None
    patience: float | None = _TO_END
    while waiting:
        try:
            _, rest = await asyncio.wait(waiting, timeout=patience)
        except asyncio.CancelledError as error:
            canceled = error
            _kill(workers)
            continue
        waiting = list(rest)
        if rest:
            _kill(workers)
            patience = None
    if canceled is not None:
        raise canceled


def _kill(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.process.returncode is None:
            try:
                worker.process.kill()
            except ProcessLookupError:
                continue
