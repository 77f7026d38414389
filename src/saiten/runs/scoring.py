"""Scoring: samples × metrics → scores.

Equal tasks of a sample's metrics are performed once (`Memo`), others in joined calls (`Joining`); the cost of each
score is counted (`Metered`); an error of one score becomes its status; an error of the whole run stops it after all
paid results are written.
"""

import asyncio
import math
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from saiten.data import BadRow
from saiten.errors import BudgetSpent, CannotJudge, ConfigurationError, JudgeError, Unreadable
from saiten.judges.joining import asked_again, joining
from saiten.judges.memo import Memo
from saiten.judges.panel import Panel
from saiten.judges.wrappers import Metered
from saiten.protocols import Judge, Metric
from saiten.records import FREE, Sample, Score, Scored
from saiten.runs.engine import Stop
from saiten.runs.journal import InMemory, Journal
from saiten.runs.signatures import signatures_of


@dataclass(frozen=True, slots=True)
class Scoring:
    """A run of scores: every metric for every sample."""

    metrics: tuple[Metric, ...]
    judge: Judge
    journal: Journal | InMemory
    wanted: frozenset[tuple[str, str]] | None = None
    """(sample's id, metric's name) of the scores that are needed; None for all samples with all metrics."""
    tried: bool = False
    """Whether the judge was tried before."""

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        return sample

    def is_done(self, sample: Sample) -> bool:
        self.journal.sample(sample)
        return not self.pending(sample)

    def judge_for(self, sample: Sample) -> Judge | None:
        return self.judge if not self.tried and any(metric.tasks for metric in self.pending(sample)) else None

    async def make(self, sample: Sample, keep: Callable[[Scored], None], stop: Stop) -> None:
        judge, voters = _for_one_sample(self.judge)
        pending = self.pending(sample)

        async def one(metric: Metric) -> None:
            if metric not in pending:
                await score_once(sample, metric, judge)  # for its part in joined calls
                return
            with stop.noticing():  # at once, not when the sample's other metrics have ended
                score = await score_once(sample, metric, judge, stopped=stop.not_written)
                if voters and any(task.votable for task in metric.tasks) and score.status in {"ok", "declined"}:
                    votes = [await score_once(sample, metric, voter, stopped=stop.not_written) for voter in voters]
                    # Shared replies cost nothing the second time, so the votes add no usage.
                    score = replace(score, votes=tuple(vote.value for vote in votes), expected=_mean_of(score, votes))
                keep(Scored(sample.id, metric.name, score))

        # Not a TaskGroup: the other metrics' calls are paid for, so their scores are written before an error is raised.
        ended = await asyncio.gather(
            *map(one, asked_again(self._wanted(sample), pending, judge)), return_exceptions=True
        )
        for error in sorted(filter(None, ended), key=lambda each: isinstance(each, BudgetSpent)):
            raise error

    def write(self, sample: Sample, result: Scored) -> Scored:
        try:
            self.journal.score(result)
        except (TypeError, ValueError) as error:
            result = unwritable(result, error)
            self.journal.score(result)
        return result

    def sign(self) -> None:
        self.journal.sign(signatures_of(self.metrics, self.judge, with_history=self.journal.with_history))

    def finish(self) -> None:
        self.journal.finish(None if self.wanted is None else len(self.wanted))

    def pending(self, sample: Sample) -> list[Metric]:
        """Return the metrics that the sample has no score of."""
        return [metric for metric in self._wanted(sample) if not self.journal.is_done(sample.id, metric.name)]

    def _wanted(self, sample: Sample) -> Sequence[Metric]:
        wanted = self.wanted
        return self.metrics if wanted is None else [m for m in self.metrics if (sample.id, m.name) in wanted]


async def score_once(
    sample: Sample, metric: Metric, judge: Judge, *, stopped: Callable[[], BaseException | None] = lambda: None
) -> Score:
    """Return the score of one sample; an error of one call is a status, not an exception.

    `stopped` returns the error to raise instead of asking the judge, or None.

    Raises:
        BudgetSpent, ConfigurationError: The error concerns the whole run.
    """
    missing = [need for need in metric.needs if _is_missing(sample, need)]
    if missing:
        return Score.undefined(f"the sample has no {' and no '.join(missing)}")
    meter = Metered(judge, stopped)
    try:
        score = _checked(await metric.score(sample, meter))
    except Exception as error:  # noqa: BLE001 - one broken metric must not lose the others' paid scores
        score = _without_value(_single(error))
    return score if meter.usage is FREE else replace(score, usage=score.usage + meter.usage)


def unwritable(scored: Scored, error: Exception) -> Scored:
    """Return what is written for a score whose details JSON cannot represent, from a custom metric."""
    broken = Score(None, "failed", f"{type(error).__name__}: {error}", usage=scored.score.usage)
    return replace(scored, score=broken)


def _checked(score: Score) -> Score:
    """Return the score if it is valid; raise TypeError or ValueError for a custom metric's mistake."""
    if not isinstance(score, Score):
        raise TypeError(f"expected a Score, the metric returned {score!r:.100}")
    if (score.value is None) == (score.status == "ok"):
        raise ValueError(f"a score has a value exactly if it is ok; {score.value} came with the status {score.status}")
    if score.value is not None and not math.isfinite(score.value):
        raise ValueError(f"the metric returned {score.value}, which is not a valid score")
    if score.expected is not None and (score.value is None or not math.isfinite(score.expected)):
        raise ValueError(
            f"only an ok score has an expected value, a finite number; {score.expected} came with the status "
            f"{score.status}"
        )
    return score


def _mean_of(score: Score, votes: Sequence[Score]) -> float | None:
    """Return the mean of what each vote expects, or else of its value; None unless the panel's score has a value."""
    each = [vote.value if vote.expected is None else vote.expected for vote in votes]
    known = [value for value in each if value is not None]
    return fmean(known) if known and score.value is not None else None


def _single(error: Exception) -> Exception:
    """Return the decisive error of an asyncio.TaskGroup: one of the whole run before one of a call."""
    if not isinstance(error, ExceptionGroup):
        return error
    errors = [_single(each) for each in error.exceptions]
    return min(errors, key=lambda each: (not isinstance(each, _OF_THE_RUN), not isinstance(each, JudgeError)))


_OF_THE_RUN = (BudgetSpent, ConfigurationError)


def _without_value(error: Exception) -> Score:
    """Return the score for an error; raise it if it concerns the whole run."""
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
    """Return a judge that performs this sample's equal tasks once and joins others, and the members of a panel."""
    if not isinstance(judge, Panel):
        return Memo(joining(judge)), ()
    panel = judge.remembering()
    return Memo(panel), tuple(panel.member(index) for index in range(len(panel.members)))
