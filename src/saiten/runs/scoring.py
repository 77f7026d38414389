"""Scoring: samples × metrics → scores, each handed out the moment it is there.

What a sample's metrics have in common is asked once (`Memo`); what each score cost is counted (`Metered`); what goes
wrong with one score becomes a status of that score; what goes wrong with the whole run stops it, with everything that
was paid for already recorded.
"""

import asyncio
import math
import traceback
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, CannotJudge, ConfigurationError, JudgeError, NotWritten, Unreadable
from saiten.judges.memo import Memo
from saiten.judges.metered import Metered
from saiten.judges.panel import Panel
from saiten.protocols import Executor, Judge, Metric
from saiten.records import Sample, Score, Scored, Signature
from saiten.version import __version__

Record = Callable[[Sample, Scored], None]
"""Takes a score the moment it is there, for example to write it to disk."""


def signature_of(metric: Metric, judge: Judge) -> Signature:
    """How figures of this metric are made with this judge; stands under every figure."""
    parts = dict(judge.describe(metric.tasks)) if metric.tasks else {}
    parts |= metric.describe()
    return Signature(metric.name, (*parts.items(), ("saiten", __version__)))


@dataclass(frozen=True)
class Scorer:
    """Scores samples with some metrics and one judge; holds no more samples than the executor works on."""

    metrics: tuple[Metric, ...]
    judge: Judge
    executor: Executor

    async def run(
        self,
        samples: Iterable[Sample] | AsyncIterator[Sample],
        record: Record,
        pending: Callable[[Sample, Metric], bool] = lambda _sample, _metric: True,
        done: Callable[[Sample], None] = lambda _sample: None,
    ) -> None:
        """Score every pending (sample, metric), hand each score to `record`, and tell when a sample is done.

        Raises:
            BudgetSpent: after what was under way has ended and was recorded; the rest is still pending.
            ConfigurationError: at once.
        """
        spent = _Spent()

        async def work(sample: Sample) -> None:
            wanted = [metric for metric in self.metrics if pending(sample, metric)]
            if await self._score_sample(sample, wanted, record, spent):
                done(sample)

        async with aclosing(self.executor.run(work, spent.until_then(samples))) as results:
            async for _ in results:
                pass
        if spent.error is not None:
            raise spent.error

    async def _score_sample(self, sample: Sample, metrics: Sequence[Metric], record: Record, spent: "_Spent") -> bool:
        """Whether all of them were scored; False where the budget did not allow it."""
        judge, voters = _for_one_sample(self.judge)

        async def one(metric: Metric) -> bool:
            try:
                score = await score_once(sample, metric, judge, stopped=spent.why_broken)
                if voters and any(task.votable for task in metric.tasks) and score.status in {"ok", "declined"}:
                    votes = [await score_once(sample, metric, voter, stopped=spent.why_broken) for voter in voters]
                    # Shared replies cost nothing the second time, so the votes add no usage.
                    score = replace(score, votes=tuple(vote.value for vote in votes))
                record(sample, Scored(sample.id, metric.name, score))
            except BudgetSpent as error:
                spent.error = error
                return False
            except NotWritten as error:  # what is paid for from now on would be lost
                spent.broken = str(error)
                raise
            return True

        # Not a TaskGroup: what the other metrics have under way is paid for and is recorded before an error goes up.
        outcomes = await asyncio.gather(*(one(metric) for metric in metrics), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return all(outcomes)


async def score_once(
    sample: Sample, metric: Metric, judge: Judge, *, stopped: Callable[[], BaseException | None] = lambda: None
) -> Score:
    """The score of one sample, whatever happens: an error of one call is a status, not an exception.

    `stopped` says why the judge is to be asked nothing more; that is raised then.

    Raises:
        BudgetSpent, ConfigurationError: they concern the whole run.
    """
    missing = [need for need in metric.needs if _is_missing(sample, need)]
    if missing:
        return Score.undefined(f"the sample has no {' and no '.join(missing)}")
    meter = Metered(judge, stopped)
    try:
        score = _checked(await metric.score(sample, meter))
    except Exception as error:  # noqa: BLE001 - one broken metric must not take the others' paid scores with it
        score = _without_value(_single(error))
    return replace(score, usage=score.usage + meter.usage)


def _checked(score: Score) -> Score:
    """The score, if it is one; raises TypeError or ValueError with what a metric of one's own got wrong."""
    if not isinstance(score, Score):
        raise TypeError(f"a Score was expected, the metric returned {score!r:.100}")
    if (score.value is None) == (score.status == "ok"):
        raise ValueError(f"a score has a value exactly if it is ok; {score.value} came with the status {score.status}")
    if score.value is not None and not math.isfinite(score.value):
        raise ValueError(f"the metric returned {score.value}, which is no score")
    return score


def _single(error: Exception) -> Exception:
    """Of the errors of an asyncio.TaskGroup the one that counts: what concerns the run before what concerns a call."""
    if not isinstance(error, ExceptionGroup):
        return error
    errors = [_single(each) for each in error.exceptions]
    return min(errors, key=lambda each: (not isinstance(each, _OF_THE_RUN), not isinstance(each, JudgeError)))


_OF_THE_RUN = (BudgetSpent, ConfigurationError)


def _without_value(error: Exception) -> Score:
    """What the error of one score makes of it; raises what concerns the whole run."""
    if isinstance(error, _OF_THE_RUN):
        raise error
    if isinstance(error, CannotJudge):
        return Score.undefined(str(error))
    if isinstance(error, Unreadable):
        return Score(None, "unreadable", str(error), {"raw": error.raw})
    if isinstance(error, JudgeError):
        return Score(None, "failed", str(error))
    trace = "".join(traceback.format_exception(error))
    return Score(None, "failed", f"{type(error).__name__}: {error}", {"traceback": trace})


def _is_missing(sample: Sample, need: str) -> bool:
    return getattr(sample, need) is None or (need == "question" and not sample.question.strip())


def _for_one_sample(judge: Judge) -> tuple[Judge, tuple[Judge, ...]]:
    """A judge that performs equal tasks once for this sample, and each member of a panel voting alone."""
    if not isinstance(judge, Panel):
        return Memo(judge), ()
    panel = judge.remembering()
    return Memo(panel), tuple(panel.member(index) for index in range(len(panel.members)))


@dataclass
class _Spent:
    """Remembers that the budget is spent, so that no further sample is begun while those under way end."""

    error: BudgetSpent | None = field(default=None)
    broken: str = ""
    """Why nothing can be kept any more, so that nothing more is asked."""

    def why_broken(self) -> NotWritten | None:
        return NotWritten(self.broken) if self.broken else None

    async def until_then(self, samples: Iterable[Sample] | AsyncIterator[Sample]) -> AsyncIterator[Sample]:
        if isinstance(samples, AsyncIterator):
            async for sample in samples:
                if self.error is not None:
                    return
                yield sample
        else:
            for sample in samples:
                if self.error is not None:
                    return
                yield sample


class Watch(Protocol):
    """Is told what happens during a run, for example to show progress."""

    def sample_read(self, sample: Sample) -> None:
        """A sample came out of the source."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was kept apart."""

    def scored(self, sample: Sample, scored: Scored) -> None:
        """A score is there, and written down."""

    def sample_done(self, sample: Sample) -> None:
        """All pending scores of a sample are there."""


class Ledger(Protocol):
    """Where scores are written: a `journal.Journal`, or a list in memory."""

    def is_done(self, sample: str, metric: str) -> bool:
        """Whether the score is there already."""
        ...

    def sample(self, sample: Sample) -> None:
        """Keep a sample; raises BadInput if another one has its id."""

    def score(self, scored: Scored) -> None:
        """Keep a score."""

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used."""

    def finish(self) -> None:
        """All rows were read, and every score is there."""


def _keep_apart(row: BadRow, ledger: Ledger, watch: Watch, *, strict: bool) -> None:
    if strict:
        raise BadInput(f"{row.where}: {row.reason} (--strict stops at the first bad row)")
    ledger.bad_row(row.where, row.reason, row.raw)
    watch.bad_row(row)


async def score_into(
    ledger: Ledger,
    rows: Iterable[Sample | BadRow],
    scorer: Scorer,
    watch: Watch,
    *,
    strict: bool = False,
    whole: bool = True,
) -> None:
    """Score all that is not in the ledger yet, and write each score down the moment it is there.

    `whole`: whether these are all rows there will be, so that the ledger is finished at their end.

    The judge is tried with one small call before the first score that needs it.

    Raises:
        BadInput: a sample differs from the one that the ledger has under its id; with `strict`, any bad row.
        BudgetSpent: after what was under way has ended and was written.
        ConfigurationError: at once.
    """

    def pending(sample: Sample, metric: Metric) -> bool:
        return not ledger.is_done(sample.id, metric.name)

    def record(sample: Sample, scored: Scored) -> None:
        try:
            ledger.score(scored)
        except (TypeError, ValueError) as error:  # details that are no JSON, from a metric of one's own
            broken = Score(None, "failed", f"{type(error).__name__}: {error}", usage=scored.score.usage)
            scored = replace(scored, score=broken)
            ledger.score(scored)
        watch.scored(sample, scored)

    async def samples() -> AsyncIterator[Sample]:
        tried = False
        for row in rows:
            if isinstance(row, BadRow):
                _keep_apart(row, ledger, watch, strict=strict)
                continue
            watch.sample_read(row)
            ledger.sample(row)
            wanted = [metric for metric in scorer.metrics if pending(row, metric)]
            if not tried and any(metric.tasks for metric in wanted):
                await scorer.judge.preflight()
                tried = True
            if wanted:
                yield row
            else:
                watch.sample_done(row)

    await scorer.run(samples(), record, pending, watch.sample_done)
    if whole:
        ledger.finish()
