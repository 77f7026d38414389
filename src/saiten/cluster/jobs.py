"""What workers do with a shard: score it, answer its questions, or hold its dialogues.

A job is sent to each worker once; there it is prepared with that worker's own models. Each shard is then a run like any
other, of the same engine, in a folder of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from saiten.cluster.counts import Counting
from saiten.data import BadRow
from saiten.dialogue.conversations import Conversations
from saiten.dialogue.running import Conversing
from saiten.dialogue.session import open_journal
from saiten.executor import LocalExecutor
from saiten.models.budget import Account, Book
from saiten.models.prices import Quote
from saiten.protocols import Closable, Judge, Metric, System
from saiten.records import Sample, Usage
from saiten.runs import Journal, RunSettings
from saiten.runs.answers import AnswersFile, Collecting
from saiten.runs.answers.joined import ANSWERS_NAME, put_in_order
from saiten.runs.engine import run_all
from saiten.runs.local import plan_local, run_planned
from saiten.runs.scoring import Scoring
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import Models, assemble_judge, ready, runs_here

Rows = Iterator[Sample | BadRow]


class Prepared(Protocol):
    """A job with the models of one worker."""

    @property
    def closing(self) -> Sequence[Closable | None]:
        """What is closed when the worker has no more shards, the last one first."""

    async def run(self, folder: Path, rows: Rows, counting: Counting) -> None:
        """Make every result of the shard that its folder lacks.

        Raises:
            BudgetSpent, BadInput, ConfigurationError: As `run_all`.
        """


class Job(Protocol):
    """What is done with each shard; sent to each worker once."""

    @property
    def calls(self) -> CallSettings:
        """The settings of the calls."""

    @property
    def retry_failed(self) -> bool:
        """Whether results that failed are made again."""

    @property
    def has_network(self) -> bool:
        """Whether a network runs in each worker, which a GPU makes faster."""

    @property
    def variables(self) -> frozenset[str]:
        """The environment variables that its headers take their values from."""

    def prepare(self, models: Models) -> Prepared:
        """Return the job with these models; raises ConfigurationError as on the command line."""


Connect = Callable[[tuple[Metric, ...], Models], tuple[tuple[Metric, ...], Closable | None]]
"""Connects metrics to what a worker has to open itself, such as a knowledge base."""


def as_they_are(metrics: tuple[Metric, ...], models: Models) -> tuple[tuple[Metric, ...], None]:
    """Return metrics that need nothing opened."""
    return metrics, None


def judged_here(*judges: JudgeSettings) -> bool:
    """Return whether one of the judges, or its embedder, is a network in this process."""
    return any(runs_here(name) for one in judges for name in (one.judge, one.embedder))


def variables_in(*headers: Mapping[str, str]) -> frozenset[str]:
    """Return the environment variables that these headers take their values from (`env:NAME`)."""
    values = (value for each in headers for value in each.values())
    return frozenset(value.removeprefix("env:") for value in values if value.startswith("env:"))


def variables_of(*judges: JudgeSettings) -> frozenset[str]:
    """Return the environment variables that the headers of these judges and their embedders need."""
    return variables_in(*(headers for one in judges for headers in (one.judge_headers, one.embedder_headers)))


@dataclass(frozen=True)
class ScoringJob:
    """Scores of samples."""

    metrics: tuple[Metric, ...]
    judge: JudgeSettings | Judge
    calls: CallSettings
    settings: RunSettings
    signatures: Mapping[str, str]
    retry_failed: bool = False
    strict: bool = False
    connect: Connect = as_they_are
    embeds: bool = False
    """Whether the knowledge base of the evidence runs a network in this process."""
    more_variables: frozenset[str] = frozenset()
    """The environment variables that the headers of a retriever need."""

    @property
    def has_network(self) -> bool:
        in_judge = isinstance(self.judge, JudgeSettings) and judged_here(self.judge)
        return self.embeds or in_judge or any(getattr(metric, "has_network", False) for metric in self.metrics)

    @property
    def variables(self) -> frozenset[str]:
        judge = variables_of(self.judge) if isinstance(self.judge, JudgeSettings) else frozenset()
        return judge | self.more_variables

    def prepare(self, models: Models) -> "PreparedScoring":
        metrics, base = self.connect(self.metrics, models)
        judge = assemble_judge(self.judge, models=models) if isinstance(self.judge, JudgeSettings) else self.judge

        async def first() -> None:
            if any(metric.tasks for metric in metrics):
                await judge.preflight()

        return PreparedScoring(self, metrics, judge, models, base, Once(first))


@dataclass(frozen=True)
class PreparedScoring:
    """Metrics and judge of one worker."""

    job: ScoringJob
    metrics: tuple[Metric, ...]
    judge: Judge
    models: Models
    base: Closable | None
    first: "Once"

    @property
    def closing(self) -> Sequence[Closable | None]:
        return self.judge, self.base

    async def run(self, folder: Path, rows: Rows, counting: Counting) -> None:
        job = self.job
        with (
            Journal.open(
                folder, job.settings, signatures=job.signatures, retry_failed=job.retry_failed, notify=counting.note
            ) as journal,
            _booked(self.models.account, journal.paid),
        ):
            await self.first.done()
            scoring = Scoring(self.metrics, self.judge, journal, tried=True)
            plan, limit = plan_local(self.metrics, self.judge, 1), job.calls.concurrency
            await run_planned(scoring, rows, counting, plan, limit, notify=counting.note, strict=job.strict)


@dataclass(frozen=True)
class AnsweringJob:
    """Answers of a system."""

    make: Callable[[Models], System]
    """Returns the system; sent to workers by its name."""
    name: str
    """The name of the system in each row."""
    calls: CallSettings
    settings: RunSettings
    limit: int
    """Questions in work at a time."""
    retry_failed: bool = False
    strict: bool = False
    has_network: bool = False
    variables: frozenset[str] = frozenset()

    def prepare(self, models: Models) -> "PreparedAnswering":
        system = self.make(models)
        return PreparedAnswering(self, system, models, Once(partial(ready, system, models)))


@dataclass(frozen=True)
class PreparedAnswering:
    """The system as one worker asks it."""

    job: AnsweringJob
    system: System
    models: Models
    first: "Once"

    @property
    def closing(self) -> Sequence[Closable | None]:
        return (self.system,)

    async def run(self, folder: Path, rows: Rows, counting: Counting) -> None:
        job = self.job
        with (
            AnswersFile.open(
                folder / ANSWERS_NAME, job.settings, job.name, retry_failed=job.retry_failed, notify=counting.note
            ) as answers,
            _booked(self.models.account, answers.paid),
        ):
            await self.first.done()
            collecting = Collecting(self.system, answers)
            asked: list[str] = []
            await run_all(collecting, _noted(rows, asked), LocalExecutor(job.limit), counting, strict=job.strict)
        put_in_order(folder / ANSWERS_NAME, asked)


@dataclass(frozen=True)
class ConversingJob:
    """Dialogues with a system."""

    make: Callable[[Models], "Participants"]
    """Returns the participants; sent to workers by its name."""
    calls: CallSettings
    settings: RunSettings
    signatures: Mapping[str, str]
    limit: int
    """Dialogues at a time."""
    retry_failed: bool = False
    strict: bool = False
    has_network: bool = False
    variables: frozenset[str] = frozenset()

    def prepare(self, models: Models) -> "PreparedConversing":
        participants = self.make(models)

        async def first() -> None:
            await participants.opening()
            await participants.conversations.agents.preflight()

        return PreparedConversing(self, participants, models, Once(first))


@dataclass(frozen=True)
class Participants:
    """Those of the dialogues, as one worker has them."""

    conversations: Conversations
    opening: Callable[[], Awaitable[object]]
    """Awaited once, before the first dialogue."""
    closing: Sequence[Closable | None] = ()


@dataclass(frozen=True)
class PreparedConversing:
    """The participants in one worker."""

    job: ConversingJob
    participants: Participants
    models: Models
    first: "Once"

    @property
    def closing(self) -> Sequence[Closable | None]:
        return self.participants.closing

    async def run(self, folder: Path, rows: Rows, counting: Counting) -> None:
        job = self.job
        with (
            open_journal(
                folder, job.settings, job.signatures, retry_failed=job.retry_failed, notify=counting.note
            ) as journal,
            _booked(self.models.account, journal.paid),
        ):
            await self.first.done()
            conversing = Conversing(journal, self.participants.conversations, counting.answered, tried=True)
            await run_all(conversing, rows, LocalExecutor(job.limit), counting, strict=job.strict)


class Once:
    """What a worker does before its first shard, which pays for it; the others wait for its end."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self._work = work
        self._task: asyncio.Task[object] | None = None

    async def done(self) -> None:
        """Return when it was done; raises what it raised, each time."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        await asyncio.shield(self._task)


def _noted(rows: Rows, ids: list[str]) -> Rows:
    """Yield the rows, and note the ids of the samples."""
    for row in rows:
        if isinstance(row, Sample):
            ids.append(row.id)
        yield row


_BOOK: ContextVar[Book] = ContextVar("the book of the shard that the running task belongs to")


class BookOfShard:
    """The book of a worker, which has several shards at a time: each call is entered in that of its shard."""

    def enter(self, usage: Usage) -> None:
        _BOOK.get().enter(usage)

    def quote(self, quote: Quote) -> None:
        _BOOK.get().quote(quote)


@contextmanager
def _booked(account: Account, book: Book) -> Iterator[None]:
    """Enter the calls of the running task, and of those that it starts, in this book."""
    account.book = BookOfShard()
    before = _BOOK.set(book)
    try:
        yield
    finally:
        _BOOK.reset(before)
