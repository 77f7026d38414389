"""Scoring on this machine alone: in chunks, in this process or in several.

Metrics without a judge and the offline judge wait for nothing, so the engine's tasks and its line at a time only cost:
samples are read, scored and written in chunks instead, in the order of the data. Chunks are the same for any number of
processes, and so are the files, byte by byte.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeGuard, runtime_checkable

from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.executor import LocalExecutor
from saiten.metrics.own import OwnMetric
from saiten.protocols import Closable, Judge, Metric
from saiten.records import Sample, Scored
from saiten.runs.chunks import ChunkScores, ChunkWork
from saiten.runs.engine import Watch, awake, run_all
from saiten.runs.journal import Journal
from saiten.runs.lines import sample_to_json, to_line
from saiten.runs.scoring import Scoring
from saiten.runs.workers import CannotStart, Workers, available_cores, packed, started
from saiten.tasks.similarity import MeasureSimilarity

if TYPE_CHECKING:
    from saiten.judges.offline import OfflineJudge

_LOG = logging.getLogger(__name__)

_BYTES = 1 << 20
"""Bytes of a chunk's samples, about, so that memory does not depend on their size."""

_WORKERS, _WORKERS_PER_CORE = 16, 4
"""Highest number of processes: a machine of any size may have the first."""

_COUNTING, _JUDGING = "saiten.metrics.overlap.", ("saiten.metrics.ragas.", "saiten.metrics.judged.")
_WITH_KNOWLEDGE = "saiten.metrics.judged.with_evidence"
_OFFLINE = "saiten.judges.offline.judge"


@runtime_checkable
class CountingWatch(Protocol):
    """A watch that is told how many scores were made, not each one."""

    def counted(self, samples: int, scores: ChunkScores) -> None:
        """All results of this many samples were made and written."""


@dataclass(frozen=True, slots=True)
class LocalPlan:
    """How a run on this machine is divided."""

    processes: int
    """1: this process alone."""
    at_once: bool
    """Whether to start the processes at once, or only after `few` samples."""
    few: int
    """Samples that take about as long as it takes to start processes."""
    rows: int
    """Samples of a chunk, at most."""
    limit: int = 1
    """Samples in work at a time in one process."""


def plan_local(
    metrics: Sequence[Metric], judge: Judge, workers: int | None, *, concurrency: int = 1
) -> LocalPlan | None:
    """Return how to score on this machine; None for a run whose calls stay in one process, several at a time.

    Args:
        metrics: The run's metrics.
        judge: Its judge.
        workers: The number of processes as asked for; by default one per core if all metrics are saiten's own.
        concurrency: Samples that metrics of the user's own have in work at a time, in all processes.

    Raises:
        ConfigurationError: Several workers are asked for, and the work is not all here; or less than one, or
            more than the machine can use.
    """
    if workers is not None and workers < 1:
        raise ConfigurationError(f"there must be at least 1 worker, not {workers}")
    if workers is not None and workers > (most := max(_WORKERS, _WORKERS_PER_CORE * available_cores())):
        raise ConfigurationError(
            f"{workers} workers are more than this machine can use, which has {available_cores()} cores; start at most "
            f"{most}"
        )
    remote = next(filter(None, (_elsewhere(metric, judge) for metric in metrics)), None)
    if remote is not None:
        if workers is not None and workers > 1:
            raise ConfigurationError(
                f"{workers} workers are for metrics without a judge or with the offline judge, but {remote}; leave out "
                "the workers, and set the concurrency instead"
            )
        return None
    if all(_module(metric).startswith((_COUNTING, *_JUDGING)) for metric in metrics):
        processes = available_cores() if workers is None else workers
        judged = any(metric.tasks for metric in metrics)
        return LocalPlan(processes, workers is not None, *((200, 32) if judged else (20_000, 1_000)))
    # Code of the user's own may hold anything once per process, so several are only for those who ask for them.
    if workers is None or workers == 1:
        return None
    return LocalPlan(workers, at_once=True, few=0, rows=32, limit=max(1, concurrency // workers))


def _elsewhere(metric: Metric, judge: Judge) -> str | None:
    """Return why a metric's work is not done by this process's code alone; None if it is."""
    module = _module(metric)
    if module.startswith(_COUNTING):
        return None
    if module.startswith("saiten.") and not module.startswith(_JUDGING):
        return f"{metric.name} runs a network, which uses all cores by itself"
    if module == _WITH_KNOWLEDGE:
        return f"{metric.name} asks a knowledge base"
    if not _is_offline(judge):
        named = dict(judge.describe(metric.tasks)).get("judge", "a judge of your own")
        return f"{metric.name} asks {named}, whose calls are made by one process"
    embedder = judge.embedder
    if MeasureSimilarity in metric.tasks and embedder is not None and not embedder.name.startswith("builtin"):
        return f"{metric.name} asks the embedder {embedder.name}"
    return None


def _is_offline(judge: Judge) -> "TypeGuard[OfflineJudge]":
    """Return whether it is the offline judge, without loading it for runs of another one."""
    return type(judge).__module__ == _OFFLINE


def _module(metric: Metric) -> str:
    return "" if isinstance(metric, OwnMetric) else type(metric).__module__


@dataclass(slots=True)
class _Chunk:
    """Rows that are scored and written together."""

    samples: list[Sample] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    wanted: list[tuple[int, ...]] = field(default_factory=list)
    new: list[bytes] = field(default_factory=list)
    """The lines of samples that the journal lacks."""
    bad: list[BadRow] = field(default_factory=list)
    rows: int = 0
    size: int = 0


async def run_local(
    scoring: Scoring,
    rows: Iterable[Sample | BadRow],
    watch: Watch[Scored],
    plan: LocalPlan,
    *,
    notify: Callable[[str], None] = _LOG.warning,
    closing: Iterable[Closable | None] = (),
    strict: bool = False,
) -> None:
    """Make every score that the journal lacks; at most two chunks per process are held.

    Args:
        scoring: The metrics, the judge and the journal.
        rows: The samples, and the rows that cannot be used.
        watch: Sees each sample and score; a `CountingWatch` only their numbers.
        plan: From `plan_local`.
        notify: Called with a note if processes cannot do this work, which this one then does.
        closing: Closed at the end, the last one first.
        strict: Raise at the first unusable row.

    Raises:
        BadInput: As `run_all`, after the rows before it are written.
        ConfigurationError: As `run_all`; also if a process dies.
    """
    run = _LocalRun(scoring, watch, plan, strict)
    async with awake(), AsyncExitStack() as stack:
        stack.callback(scoring.sign)  # however the run ends
        for each in closing:
            if each is not None:
                stack.push_async_callback(each.close)
        async with AsyncExitStack() as processes:
            await run.all(rows, processes, notify)
    scoring.finish()


async def run_planned(
    scoring: Scoring,
    rows: Iterable[Sample | BadRow],
    watch: Watch[Scored],
    plan: LocalPlan | None,
    concurrency: int,
    *,
    notify: Callable[[str], None] = _LOG.warning,
    closing: Iterable[Closable | None] = (),
    strict: bool = False,
) -> None:
    """Make every score that the journal lacks, as `run_local`, or without a plan as `run_all`."""
    if plan is None:
        await run_all(scoring, rows, LocalExecutor(concurrency), watch, closing=closing, strict=strict)
    else:
        await run_local(scoring, rows, watch, plan, notify=notify, closing=closing, strict=strict)


class _LocalRun:
    """One run in progress."""

    def __init__(self, scoring: Scoring, watch: Watch[Scored], plan: LocalPlan, strict: bool) -> None:  # noqa: FBT001
        self._scoring, self._watch, self._plan, self._strict = scoring, watch, plan, strict
        self._journal = scoring.journal if isinstance(scoring.journal, Journal) else None
        self._counting = watch if isinstance(watch, CountingWatch) else None
        judge = scoring.judge if _is_offline(scoring.judge) else None
        lines = self._journal is not None
        self._work = ChunkWork(scoring.metrics, judge, plan.limit, lines=lines, objects=self._counting is None)
        self._numbers = {metric.name: number for number, metric in enumerate(scoring.metrics)}
        self._every = tuple(self._numbers.values())
        self._failed: Exception | None = None

    async def all(
        self, rows: Iterable[Sample | BadRow], processes: AsyncExitStack, notify: Callable[[str], None]
    ) -> None:
        """Score and write chunk after chunk."""
        workers: Workers | None = None
        left = self._plan.few if not self._plan.at_once else 0
        several = self._plan.processes > 1
        running: deque[tuple[_Chunk, asyncio.Task[ChunkScores]]] = deque()
        try:
            for chunk in self._chunks(rows):
                if several and workers is None and left <= 0 and chunk.samples:
                    try:
                        start = started(self._plan.processes, packed(self._work))
                        workers = await processes.enter_async_context(start)
                    except CannotStart as error:
                        several = False
                        self._work = replace(self._work, limit=self._plan.limit * self._plan.processes)
                        notify(f"all is scored in one process, since others cannot do it: {error}")
                if workers is None:
                    self._write(chunk, await self._work.score(chunk.samples, chunk.wanted))
                    left -= len(chunk.samples)
                    continue
                running.append((chunk, asyncio.create_task(workers.score(chunk.lines, chunk.wanted))))
                await asyncio.sleep(0)  # so that it is sent
                while running and (len(running) >= workers.most or running[0][1].done()):
                    await self._write_first(running)
            while running:
                await self._write_first(running)
            if self._failed is not None:
                raise self._failed
        finally:
            for _, task in running:
                task.cancel()
            await asyncio.gather(*(task for _, task in running), return_exceptions=True)

    async def _write_first(self, running: deque[tuple[_Chunk, asyncio.Task[ChunkScores]]]) -> None:
        chunk, task = running[0]
        scores = await task
        running.popleft()
        self._write(chunk, scores)

    def _chunks(self, rows: Iterable[Sample | BadRow]) -> Iterator[_Chunk]:
        """Yield full chunks, and the last one; an error in reading is kept until the rows before it are written."""
        chunk = _Chunk()
        try:
            for row in rows:
                self._take(row, chunk)
                if chunk.rows >= self._plan.rows or chunk.size >= _BYTES:
                    yield chunk
                    chunk = _Chunk()
        except Exception as error:  # noqa: BLE001 - raised by `all`
            self._failed = error
        if chunk.rows:
            yield chunk

    def _take(self, row: Sample | BadRow, chunk: _Chunk) -> None:
        if isinstance(row, BadRow):
            if self._strict:
                raise row.strict_error()
            chunk.bad.append(row)
            chunk.rows += 1
            return
        line, is_new = b"", True
        if self._journal is not None:
            line, is_new = self._journal.line_of(row)
            if is_new:
                chunk.new.append(line)
        elif self._plan.processes > 1:
            line = to_line(sample_to_json(row))
        self._watch.sample_read(row)
        pending = self._every
        if not is_new or self._scoring.wanted is not None:
            pending = tuple(self._numbers[metric.name] for metric in self._scoring.pending(row))
        if pending:
            chunk.samples.append(row)
            chunk.lines.append(line)
            chunk.wanted.append(pending)
        else:
            self._watch.sample_done(row)
        if pending or is_new:
            chunk.rows += 1
            chunk.size += len(line)

    def _write(self, chunk: _Chunk, scores: ChunkScores) -> None:
        for bad in chunk.bad:
            self._scoring.journal.bad_row(bad.where, bad.reason, bad.raw)
            self._watch.bad_row(bad)
        if self._journal is not None:
            self._journal.block(b"".join(chunk.new), scores.lines, scores.keys, scores.faults)
        if self._counting is not None:
            self._counting.counted(len(chunk.samples), scores)
            return
        at = iter(scores.scored)
        for sample, wanted in zip(chunk.samples, chunk.wanted, strict=True):
            for _ in wanted:
                self._watch.result(sample, next(at))
            self._watch.sample_done(sample)
