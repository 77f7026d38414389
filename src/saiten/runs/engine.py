"""The engine of every run: `score`, `answer`, `converse`, `probe`, `experiment`, `evaluate()` stream through `run_all`.

It reads samples one at a time, skips those that the journal holds, works on the others many at once, and hands each
result to the journal the moment it is there. When the budget is spent, what is under way ends and nothing is begun;
when a result cannot be written, nothing more is asked. Kinds of run (`RunKind`) say what a result is and how it is
made: `runs/scoring.py`, `runs/answers/collecting.py`, `dialogue/running.py`.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, NotWritten
from saiten.protocols import Executor, Judge
from saiten.records import Sample

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Watch(Protocol[T_contra]):
    """Observe a run, for example to show its progress."""

    def sample_read(self, sample: Sample) -> None:
        """A sample came out of the source."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was kept apart."""

    def result(self, sample: Sample, result: T_contra) -> None:
        """A result was made and written down: a score, an answer, a dialogue."""

    def sample_done(self, sample: Sample) -> None:
        """All results of a sample are there, from this run or an earlier one."""


class RunJournal(Protocol):
    """The part of a journal that the engine itself needs; each kind of run needs more of its own."""

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used."""


@dataclass
class Stop:
    """Why a run begins nothing more. Not frozen: everything under way looks at it."""

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
        """The error to raise instead of paying for what could not be kept; None while everything is."""
        return NotWritten(self.broken) if self.broken else None


class RunKind(Protocol[T]):
    """One kind of run: what a result is, how it is made, and which lines it takes."""

    @property
    def journal(self) -> RunJournal:
        """The destination of all results."""
        ...

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        """The sample as this kind of run takes it, or the reason why it cannot; `number` counts rows from 1."""
        ...

    def is_done(self, sample: Sample) -> bool:
        """Return whether the journal has all results of the sample; raise BadInput if it has another under this id."""
        ...

    def judge_for(self, sample: Sample) -> Judge | None:
        """The judge to try before the first sample that needs one; None if this sample does not."""
        ...

    async def make(self, sample: Sample, keep: Callable[[T], None], stop: Stop) -> None:
        """Make what the journal lacks of the sample, and hand each result to `keep` the moment it is there."""
        ...

    def write(self, sample: Sample, result: T) -> T:
        """Write the result to the journal; the result as it was kept."""
        ...

    def finish(self) -> None:
        """Note that all rows were read and every result is there."""


async def run_all(
    kind: RunKind[T],
    rows: Iterable[Sample | BadRow],
    executor: Executor,
    watch: Watch[T],
    *,
    strict: bool = False,
    whole: bool = True,
) -> None:
    """Make every result that the journal lacks; no more samples are held than the executor works on.

    With `strict` the first row that cannot be used is raised. The run is finished at the end of `whole` rows alone.

    Raises:
        BadInput: A sample differs from the one that the journal holds under its id; with `strict`, any bad row.
        BudgetSpent: After what was under way has ended and was written; the rest is still to be made.
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

    async with aclosing(executor.run(work, _pending(kind, rows, watch, stop, strict=strict))) as done:
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
                raise BadInput(f"{found.where}: {found.reason} (--strict stops at the first bad row)")
            kind.journal.bad_row(found.where, found.reason, found.raw)
            watch.bad_row(found)
            continue
        watch.sample_read(found)
        if kind.is_done(found):
            watch.sample_done(found)
            continue
        if not tried and (judge := kind.judge_for(found)) is not None:
            await judge.preflight()
            tried = True
        yield found
