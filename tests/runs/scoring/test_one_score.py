"""One score: whatever goes wrong with it becomes a status, and errors of the whole run are raised."""

import asyncio

import numpy as np
import pytest
from doubles import CALL, SAMPLE, Own, paid, speaking, split_of

from saiten.errors import BudgetSpent, CallFailed, CannotJudge, ConfigurationError, JudgeError, Unreadable
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric
from saiten.records import Sample, Score, Usage
from saiten.runs.scoring import score_once
from saiten.tasks.statements import SplitStatements, Statements


@pytest.mark.parametrize(
    ("metric", "sample", "said"),
    [
        ("faithfulness", Sample("s", "q", "a"), "the sample has no contexts"),
        ("faithfulness", Sample("s", "q"), "the sample has no answer and no contexts"),
        ("answer_relevancy", Sample("s", " \n", "a", ("c",)), "the sample has no question"),
        ("token_f1", Sample("s", "", "a"), "the sample has no reference"),
    ],
)
async def test_a_missing_field_is_undefined_and_named(metric, sample, said):
    """The metric is not run on a sample that lacks a needed field; the reason names the fields."""
    judge = speaking()
    score = await score_once(sample, make_metric(metric), judge)
    assert (score.value, score.status, score.reason) == (None, "undefined", said)
    assert judge.asked == []


@pytest.mark.parametrize(
    ("error", "status", "details"),
    [
        (Unreadable("no JSON", "I think yes", CALL), "unreadable", {"raw": "I think yes"}),
        (CallFailed("HTTP 503", CALL, retryable=True, status=503), "failed", {}),
        (CannotJudge("has no means", CALL), "undefined", {}),
        (JudgeError("something else", CALL), "failed", {}),
    ],
)
async def test_the_error_of_one_call_is_a_status_with_its_reason_and_cost(error, status, details):
    """An unreadable reply keeps its raw text; in any case the score has the cost."""
    score = await score_once(SAMPLE, make_metric("faithfulness"), ScriptedJudge({SplitStatements: error}))
    assert (score.value, score.status, score.reason, dict(score.details)) == (None, status, str(error), details)
    assert score.usage == CALL


async def returning(value, sample, judge):
    """Ask once, then return this."""
    await judge.perform(split_of(sample))
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Score(float("nan")), "nan"),
        (Score(float("-inf")), "-inf"),
        (Score(None), "exactly if it is ok"),
        (Score(1.0, "undefined"), "exactly if it is ok"),
        (0.5, "expected a Score"),
        (None, "expected a Score"),
        (Score("high"), "TypeError"),
    ],
    ids=str,
)
async def test_what_is_no_score_is_failed_and_still_counted(value, said):
    """A custom metric may return NaN, a bare number or nothing: that is never a figure and never ends the run."""
    metric = Own(lambda sample, judge: returning(value, sample, judge))
    score = await score_once(SAMPLE, metric, speaking())
    assert (score.value, score.status) == (None, "failed")
    assert said in score.reason
    assert score.usage == CALL


async def test_numbers_of_numpy_are_numbers():
    """Metrics compute with NumPy; its floats are as good as Python's."""
    score = await score_once(SAMPLE, Own(lambda s, j: returning(Score(np.float64(0.25)), s, j)), speaking())
    assert (score.value, score.status) == (0.25, "ok")


async def test_a_metric_that_raises_is_failed_with_its_traceback():
    """The reason names the exception, the details say where; other metrics are not affected."""

    async def broken(sample, judge):
        await judge.perform(split_of(sample))
        raise KeyError("weight")

    score = await score_once(SAMPLE, Own(broken), speaking())
    assert (score.status, score.reason) == ("failed", "KeyError: 'weight'")
    assert "in broken" in score.details["traceback"]
    assert score.usage == CALL


@pytest.mark.parametrize("error", [BudgetSpent("no more"), ConfigurationError("no key")])
async def test_what_concerns_the_run_is_raised(error):
    """A wrong setup and a spent budget are not properties of the sample."""
    with pytest.raises(type(error), match=str(error)):
        await score_once(SAMPLE, make_metric("faithfulness"), ScriptedJudge({SplitStatements: error}))


@pytest.mark.parametrize(
    ("errors", "outcome"),
    [
        ([CallFailed("down"), ConfigurationError("no key")], ConfigurationError),
        ([CallFailed("down"), BudgetSpent("no more")], BudgetSpent),
        ([ValueError("x"), Unreadable("rubbish", "raw")], "unreadable"),
        ([ValueError("x")], "failed"),
    ],
)
async def test_errors_in_a_task_group_are_unpacked(errors, outcome):
    """A metric that asks within an asyncio.TaskGroup is treated like one that asks sequentially."""

    async def grouped(sample, judge):
        async def fail(error):
            raise error

        async with asyncio.TaskGroup() as group:
            for error in errors:
                group.create_task(fail(error))

    if isinstance(outcome, str):
        assert (await score_once(SAMPLE, Own(grouped), speaking())).status == outcome
    else:
        with pytest.raises(outcome):
            await score_once(SAMPLE, Own(grouped), speaking())


async def test_a_score_costs_what_its_tasks_cost():
    """Two tasks, two calls."""
    score = await score_once(SAMPLE, make_metric("faithfulness"), speaking())
    assert score.usage == CALL + CALL
    assert score.value == 1.0


async def test_a_metric_without_tasks_costs_nothing_and_asks_nobody():
    """Metrics on text run without a judge."""
    score = await score_once(SAMPLE, make_metric("token_f1"), ScriptedJudge({}))
    assert (score.value, score.usage) == (1.0, Usage())


async def test_an_answer_that_makes_no_statement_is_declined():
    """Nothing to measure is neither 0 nor NaN, and the call was paid."""
    judge = ScriptedJudge({SplitStatements: paid(Statements(statements=[]))})
    score = await score_once(SAMPLE, make_metric("faithfulness"), judge)
    assert (score.value, score.status, score.usage) == (None, "declined", CALL)
