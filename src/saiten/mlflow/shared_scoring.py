"""Scores of single rows for callers in many threads: one judge, one budget, and each row's steps once.

MLflow calls each scorer of a row in a thread of its own. The first of them starts all metrics of the row, as a run
does, so that they share steps and joined calls; the others wait for their part.
"""

import asyncio
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field

from saiten.api.background import BackgroundLoop
from saiten.api.choosing import assembled_judge
from saiten.models.flights import shielded
from saiten.protocols import Judge, Metric
from saiten.records import Sample, Score, Scored
from saiten.runs.engine import Stop
from saiten.runs.journal import InMemory
from saiten.runs.scoring import Scoring
from saiten.runs.signatures import signature_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import Models

_ROWS = 1000
"""Finished rows that are kept for scorers that have not called yet, such as some that are not used at all."""


class SharedScoring:
    """Scores rows with the metrics of one set; safe to use from several threads. Closed once it is no longer used."""

    def __init__(self, metrics: Sequence[Metric], judge: JudgeSettings | Judge, calls: CallSettings) -> None:
        """`judge`: its settings, or the caller's own judge, which is not closed.

        Raises:
            ConfigurationError: the judge cannot be made of its settings.
        """
        self._loop = BackgroundLoop("saiten.mlflow")
        self.judge = judge.judge if isinstance(judge, JudgeSettings) else type(judge).__name__
        """The name of the judge."""
        self.currency = calls.currency
        """The currency of costs."""
        try:
            performing = self._loop.wait(_assembled(judge, calls))
        except BaseException:
            self._loop.stop()
            raise
        self._rows = _Rows(tuple(metrics), performing)
        closing = () if performing is judge else (performing.close,)
        weakref.finalize(self, self._loop.stop, *closing)

    def signature(self, metric: Metric) -> str:
        """Return how the metric's figures will be made, as far as that is known before the first call."""
        return str(signature_of(metric, self._rows.judge))

    def score(self, sample: Sample, metric: Metric) -> tuple[Score, str]:
        """Return the score of a row by one of the metrics, and its signature; wait for it.

        Raises:
            ConfigurationError, BudgetSpent: The error concerns all rows, or all that are still to be paid for.
        """
        return self._loop.wait(self._rows.score(sample, metric))


async def _assembled(judge: JudgeSettings | Judge, calls: CallSettings) -> Judge:
    """Make the judge in the loop in which it will work."""
    return assembled_judge(judge, Models(calls))


@dataclass(slots=True)
class _Row:
    """A row in progress or done."""

    scores: dict[str, asyncio.Future[Score]]
    """By metric."""
    waiting: set[str]
    """The metrics whose score nobody has taken yet."""
    work: asyncio.Task[None] | None = None

    def done(self) -> bool:
        """Return whether all scores are there, or failed."""
        return all(score.done() for score in self.scores.values())

    def used_up(self, metric: str) -> bool:
        """Return whether the metric's score was taken before, so that another call of its scorer is a new one."""
        return metric not in self.waiting and self.scores[metric].done()

    def fail(self, error: Exception) -> None:
        """Raise the error to those who wait for a score that will not come."""
        for score in self.scores.values():
            if not score.done():
                score.set_exception(error)
                score.exception()  # a score that nobody takes is no reason for a warning


@dataclass(slots=True)
class _Rows:
    """The rows of one set of metrics; used in one event loop only."""

    metrics: tuple[Metric, ...]
    judge: Judge
    stop: Stop = field(default_factory=Stop)
    rows: dict[Sample, _Row] = field(default_factory=dict)
    tried: asyncio.Task[None] | None = None

    async def score(self, sample: Sample, metric: Metric) -> tuple[Score, str]:
        """Return score and signature; another metric may have started the row. Raises as `SharedScoring.score`."""
        row = self.rows.get(sample)
        if row is None or row.used_up(metric.name):
            row = self._begin(sample)
        try:
            score = await shielded(row.scores[metric.name])
            return score, str(signature_of(metric, self.judge))  # with what was found out about the model
        finally:
            row.waiting.discard(metric.name)
            if not row.waiting and self.rows.get(sample) is row:
                del self.rows[sample]

    def _begin(self, sample: Sample) -> _Row:
        if (surplus := len(self.rows) - _ROWS) > 0:
            for known in [known for known, row in self.rows.items() if row.done()][:surplus]:
                del self.rows[known]
        names = [metric.name for metric in self.metrics]
        loop = asyncio.get_running_loop()
        row = self.rows[sample] = _Row({name: loop.create_future() for name in names}, set(names))
        row.work = asyncio.create_task(self._make(sample, row))
        return row

    async def _make(self, sample: Sample, row: _Row) -> None:
        """Score the row as a run does."""

        def keep(scored: Scored) -> None:
            row.scores[scored.metric].set_result(scored.score)

        try:
            await self._try_judge()
            await Scoring(self.metrics, self.judge, InMemory()).make(sample, keep, self.stop)
        except Exception as error:  # noqa: BLE001 - raised where a score is waited for
            row.fail(error)
        except asyncio.CancelledError:
            for score in row.scores.values():
                score.cancel()
            raise

    async def _try_judge(self) -> None:
        """Make one small call before the first row, if a metric needs the judge; all rows see the same error."""
        if not any(metric.tasks for metric in self.metrics):
            return
        if self.tried is None:
            self.tried = asyncio.create_task(self.judge.preflight())
        await asyncio.shield(self.tried)
