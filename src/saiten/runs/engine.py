"""The engine of every run: `score`, `answer`, `converse`, `probe`, `experiment`, `evaluate()` stream through `run_all`.

It reads samples one at a time, skips those that the journal holds, works on the others concurrently, and writes each
result to the journal as soon as it exists. When the budget is spent, running work is finished and nothing new begins;
when a result cannot be written, no more calls are made. Kinds of run (`RunKind`) define results and how they are
made: `runs/scoring.py`, `runs/answers/answers_file.py`, `dialogue/running.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from saiten.data import BadRow
from saiten.errors import BudgetSpent, NotWritten
from saiten.protocols import Closable, Executor, Judge
from saiten.records import Sample

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Watch(Protocol[T_contra]):
    """Observe a run, for example to show its progress."""

    def sample_read(self, sample: Sample) -> None:
        """A sample was read from the source."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was set aside."""

    def result(self, sample: Sample, result: T_contra) -> None:
        """A result was made and written: a score, an answer, a dialogue."""

    def sample_done(self, sample: Sample) -> None:
        """All results of a sample exist, from this run or an earlier one."""


class RunJournal(Protocol):
    """The part of a journal that the engine itself needs; each kind of run needs more."""

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used."""


@dataclass
class Stop:
    """The reason for starting no more work. Not frozen: all running work checks it."""

    spent: BudgetSpent | None = field(default=None, init=False)
    broken: str = field(default="", init=False)

    @contextmanager
    def noticing(self) -> Iterator[None]:
        """Remember an error that stops the whole run while letting it pass."""
        try:
            yield
        except BudgetSpent as error:
            self.spent = error
            raise
        except NotWritten as error:
            self.broken = str(error)
            raise

    def not_written(self) -> NotWritten | None:
        """Return the error to raise instead of paying for results that cannot be kept, or None."""
        return NotWritten(self.broken) if self.broken else None


class RunKind(Protocol[T]):
    """One kind of run: its results, how they are made, and how they are written."""

    @property
    def journal(self) -> RunJournal:
        """The destination of all results."""

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        """Return the sample for this kind of run, or a bad row with the reason; `number` counts rows from 1."""

    def is_done(self, sample: Sample) -> bool:
        """Return whether the journal has all results of the sample; raise BadInput if it has another under this id."""

    def judge_for(self, sample: Sample) -> Judge | None:
        """Return the judge to try before the first sample that needs one; None if this sample does not."""

    async def make(self, sample: Sample, keep: Callable[[T], None], stop: Stop) -> None:
        """Make the results of the sample that the journal lacks, and pass each to `keep` as soon as it exists."""

    def write(self, sample: Sample, result: T) -> T:
        """Write the result to the journal, and return it as written."""

    def sign(self) -> None:
        """Record what the run has found out about its models, such as a parameter that a server refuses."""

    def finish(self) -> None:
        """Record that all rows were read and every result exists."""


async def run_all(
    kind: RunKind[T],
    rows: Iterable[Sample | BadRow],
    executor: Executor,
    watch: Watch[T],
    *,
    first: Callable[[], Awaitable[object]] | None = None,
    closing: Iterable[Closable | None] = (),
    strict: bool = False,
    whole: bool = True,
) -> None:
    """Make every result that the journal lacks; no more samples are held than the executor works on.

    Args:
        kind: What a result is, how one is made, and where it is written.
        rows: The samples, and the rows that cannot be used.
        executor: Works on many samples at once.
        watch: Sees each sample and result.
        first: Awaited before the first sample.
        closing: Closed at the end, the last one first.
        strict: Raise at the first unusable row.
        whole: Mark the run as finished at the end, since `rows` are all of its rows.

    Raises:
        BadInput: A sample differs from the one that the journal holds under its id; with `strict`, any bad row.
        BudgetSpent: After running work has ended and was written; the rest is still to be made.
        ConfigurationError: At once; `NotWritten` among them.
    """
    stop = Stop()

    async def work(sample: Sample) -> None:
        def keep(result: T) -> None:
            watch.result(sample, kind.write(sample, result))

        try:
            with stop.noticing():
                await kind.make(sample, keep, stop)
        except BudgetSpent:
            return
        watch.sample_done(sample)

    async with awake(), AsyncExitStack() as stack:
        stack.callback(kind.sign)  # however the run ends
        for each in closing:
            if each is not None:
                stack.push_async_callback(each.close)
        if first is not None:
            await first()
        done = await stack.enter_async_context(
            aclosing(executor.run(work, _pending(kind, rows, watch, stop, strict=strict)))
        )
        async for _ in done:
            pass
    if stop.spent is not None:
        raise stop.spent
    if whole:
        kind.finish()


async def _pending(
    kind: RunKind[T], rows: Iterable[Sample | BadRow], watch: Watch[T], stop: Stop, *, strict: bool
) -> AsyncIterator[Sample]:
    """Yield the samples that lack a result, until the budget is spent; try the judge before the first that needs it."""
    tried = False
    for number, row in enumerate(rows, 1):
        if stop.spent is not None:
            return
        found = kind.usable(row, number) if isinstance(row, Sample) else row
        if isinstance(found, BadRow):
            if strict:
                raise found.strict_error()
            kind.journal.bad_row(found.where, found.reason, found.raw)
            watch.bad_row(found)
            continue
        watch.sample_read(found)
        if kind.is_done(found):
            watch.sample_done(found)
            continue
        if not tried and (judge := kind.judge_for(found)) is not None:
            await judge.preflight()
            kind.sign()  # now, since a killed run has no end
            tried = True
        yield found


@asynccontextmanager
async def awake() -> AsyncIterator[None]:
    """Wake the event loop twice a second: only then does it notice a Ctrl-C that comes just before it waits."""

    async def wake() -> None:
        while True:  # noqa: ASYNC110 - no event signals a Ctrl-C
            await asyncio.sleep(0.5)

    waking = asyncio.create_task(wake())
    try:
        yield
    finally:
        waking.cancel()
