"""Equal tasks are performed once, and nobody loses if somebody else leaves."""

import asyncio

import pytest

from saiten.errors import BudgetSpent, CallFailed, Unreadable
from saiten.judges.memo import Memo
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Usage
from saiten.tasks.statements import SplitStatements, Statements

TASK = SplitStatements("q", "t", language="en")
OTHER = SplitStatements("q", "t", language="ja")
CALL = Usage(calls=1, prompt_tokens=10)
REPLY = Statements(statements=["a"]).with_usage(CALL)
REUSED = Usage(reused=1)


class Gated(ScriptedJudge):
    """Answers only once the gate is open; counts who came in and who was canceled."""

    def __init__(self, line):
        super().__init__({SplitStatements: line})
        object.__setattr__(self, "gate", asyncio.Event())
        object.__setattr__(self, "cancelled", [])

    __slots__ = ("cancelled", "gate")

    async def perform(self, task):
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(task)
            raise
        return await ScriptedJudge.perform(self, task)


async def started(memo: Memo, count: int) -> list[asyncio.Task]:
    """This many tasks asking the same, all already waiting."""
    askers = [asyncio.create_task(memo.perform(TASK)) for _ in range(count)]
    for _ in range(3):
        await asyncio.sleep(0)
    return askers


async def test_equal_tasks_are_performed_once_and_paid_once():
    """The first asker gets the cost, later ones a reused reply; other tasks are separate."""
    judge = ScriptedJudge({SplitStatements: REPLY})
    memo = Memo(judge)
    replies = [await memo.perform(task) for task in (TASK, TASK, SplitStatements("q", "t", language="en"), OTHER)]
    assert [reply.statements for reply in replies] == [["a"]] * 4
    assert [reply.usage for reply in replies] == [CALL, REUSED, REUSED, CALL]
    assert judge.asked == [TASK, OTHER]


async def test_what_cost_nothing_is_not_reported_as_reused():
    """The offline judge costs nothing, so nothing was saved: its runs report no reused answers."""
    free = Memo(ScriptedJudge({SplitStatements: Statements(statements=["one"])}))
    task = SplitStatements("?", "one", language="en")
    assert [(await free.perform(task)).usage for _ in range(2)] == [Usage(), Usage()]


async def test_askers_at_the_same_time_share_one_performance():
    """Single flight: ten simultaneous askers cost one call together."""
    judge = Gated(REPLY)
    askers = await started(Memo(judge), 10)
    judge.gate.set()
    replies = await asyncio.gather(*askers)
    assert len(judge.asked) == 1
    assert sum([reply.usage for reply in replies], Usage()) == CALL + Usage(reused=9)


async def test_who_goes_takes_nothing_from_those_who_stay():
    """The first asker is canceled; the others get the reply, and one of them gets the cost."""
    judge = Gated(REPLY)
    askers = await started(Memo(judge), 3)
    askers[0].cancel()
    await asyncio.sleep(0)
    judge.gate.set()
    gone, *replies = await asyncio.gather(*askers, return_exceptions=True)
    assert isinstance(gone, asyncio.CancelledError)
    assert [reply.usage for reply in replies] == [CALL, REUSED]
    assert judge.cancelled == []


async def test_a_performance_that_nobody_waits_for_is_canceled_and_can_be_asked_for_again():
    """No call is paid for once everybody has left, and the next asker starts afresh."""
    judge = Gated(REPLY)
    memo = Memo(judge)
    askers = await started(memo, 2)
    for asker in askers:
        asker.cancel()
    judge.gate.set()
    outcomes = await asyncio.gather(*askers, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
    assert (await memo.perform(TASK)).usage == CALL
    assert judge.cancelled == [TASK]


async def test_who_asks_while_the_last_one_goes_is_not_canceled_with_him():
    """A newcomer between the cancellation and its effect gets a new performance."""
    judge = Gated(REPLY)
    memo = Memo(judge)
    (asker,) = await started(memo, 1)
    asker.cancel()
    await asyncio.sleep(0)
    newcomer = asyncio.create_task(memo.perform(TASK))
    judge.gate.set()
    assert (await newcomer).usage == CALL


@pytest.mark.parametrize(
    "error", [Unreadable("rubbish", "raw", CALL), CallFailed("down", CALL, retryable=True, retry_after=2.0, status=503)]
)
async def test_failures_are_shared_but_paid_once(error):
    """All askers get the same error, with all its details; the first pays."""
    judge = ScriptedJudge({SplitStatements: error})
    memo = Memo(judge)
    raised = []
    for _ in range(3):
        with pytest.raises(type(error), match=str(error)) as caught:
            await memo.perform(TASK)
        raised.append(caught.value)
    assert [each.usage for each in raised] == [CALL, REUSED, REUSED]
    assert len(judge.asked) == 1
    rest = [{key: value for key, value in vars(each).items() if key != "usage"} for each in raised]
    assert rest[0] == rest[1] == rest[2]
    assert error.usage == CALL


async def test_what_stops_the_run_stops_all_who_ask():
    """An error of the run is passed on to everybody unchanged."""
    memo = Memo(ScriptedJudge({SplitStatements: BudgetSpent("no money")}))
    outcomes = await asyncio.gather(*await started(memo, 3), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [BudgetSpent] * 3


async def test_a_thousand_askers_with_random_departures_pay_exactly_once():
    """However many leave, whenever they do, exactly one of those who stay pays for the call."""
    judge = Gated(REPLY)
    askers = await started(Memo(judge), 1_000)
    for number, asker in enumerate(askers):
        if number % 7:
            asker.cancel()
        if number == 500:
            judge.gate.set()
            await asyncio.sleep(0)
    outcomes = await asyncio.gather(*askers, return_exceptions=True)
    stayed = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert len(stayed) >= 143
    assert sum([reply.usage for reply in stayed], Usage()).calls == 1
    assert len(judge.asked) == 1
