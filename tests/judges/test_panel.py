"""Votes: majority and mean, unreadable votes, and what each vote alone would have given."""

import asyncio
from fractions import Fraction
from itertools import chain, product
from math import floor

import pytest

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, Unreadable
from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.judges.wrappers import Metered
from saiten.records import Usage
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

CONTEXT = JudgeContext("q", "c", "r", language="en")
GRADE = GradeAnswer("q", "a", ("r",), language="ja")
SPLIT = SplitStatements("q", "t", language="en")
CALL = Usage(calls=1)
YES = True
BAD = Unreadable("rubbish", "raw", Usage(calls=2))


def votes(*lines) -> Panel:
    """A panel whose members each give their line, whatever the task."""
    kinds = {bool: JudgeContext, int: GradeAnswer, list: VerifyStatements}

    def reply(line):
        if isinstance(line, bool):
            return ContextVerdict(reason=f"{line}", useful=line).with_usage(CALL)
        if isinstance(line, int):
            return Grade(feedback=f"{line}", grade=line).with_usage(CALL)
        if isinstance(line, list):
            verdicts = [Verdict(number=n, reason="", verdict=v) for n, v in enumerate(line, start=1)]
            return StatementVerdicts(verdicts=verdicts).with_usage(CALL)
        return line

    asked = [kinds[type(line)] for line in lines if type(line) in kinds] or [JudgeContext]
    return Panel(tuple(ScriptedJudge({asked[0]: reply(line)}) for line in lines))


@pytest.mark.parametrize(
    ("lines", "useful"),
    [
        ((True, True, False), True),
        ((False, True, False), False),
        ((True, False), False),
        ((True,), True),
        ((True, BAD, True), True),
        ((False, BAD, True), False),
    ],
)
async def test_verdicts_go_by_majority_and_a_tie_is_a_no(lines, useful):
    """Yes is the claim, so it needs more than half of the readable votes."""
    assert (await votes(*lines).perform(CONTEXT)).useful == useful


async def test_each_statement_is_voted_on_by_itself():
    """A panel may follow one member on the first statement and another on the second."""
    task = VerifyStatements(("a", "b", "c"), ("x",), language="en")
    reply = await votes([True, True, False], [True, False, False], [False, True, False]).perform(task)
    assert [verdict.verdict for verdict in reply.verdicts] == [True, True, False]


@pytest.mark.parametrize(
    ("lines", "value"), [((4, 5, 4), 13 / 3), ((5, 0, 4), 4.5), ((0, 0, 4), 0.0), ((3, BAD, 4), 3.5)]
)
async def test_grades_are_averaged_and_declined_by_majority(lines, value):
    """The mean of the grades above 0; 0 if most votes say that the answer declines."""
    assert (await votes(*lines).perform(GRADE)).value == pytest.approx(value)


async def test_the_grade_is_the_one_nearest_to_the_mean_halves_up():
    """Every combination of two and three grades, whether or not a vote gave it, and in any order."""
    for lines in chain(product(range(1, 6), repeat=2), product(range(1, 6), repeat=3)):
        found = await votes(*lines).perform(GRADE)
        assert found.grade == floor(Fraction(sum(lines), len(lines)) + Fraction(1, 2)), lines
        assert int(found.feedback) in lines


@pytest.mark.parametrize("lines", [(True, BAD), (True, BAD, BAD), (BAD,)])
async def test_a_panel_of_which_half_cannot_be_read_is_unreadable(lines):
    """Not more than half readable is not a majority; the error has a raw reply and the cost of all votes."""
    with pytest.raises(Unreadable, match="votes could not be read") as error:
        await votes(*lines).perform(CONTEXT)
    assert error.value.raw == "raw"
    assert error.value.usage == sum([BAD.usage if line is BAD else CALL for line in lines], Usage())


async def test_the_merged_reply_costs_what_all_votes_cost():
    """Unreadable votes were paid for as well."""
    assert (await votes(YES, BAD, YES).perform(CONTEXT)).usage == CALL + BAD.usage + CALL


async def test_a_failed_call_fails_the_task_with_the_cost_of_all_votes():
    """It says nothing about the answer and can be repeated later; the vote is not just left out."""
    failure = CallFailed("down", Usage(calls=5), status=503)
    with pytest.raises(CallFailed, match="down") as error:
        await votes(YES, failure, YES, YES).perform(CONTEXT)
    assert error.value.usage == CALL + failure.usage + CALL + CALL
    assert failure.usage == Usage(calls=5)


@pytest.mark.parametrize("error", [BudgetSpent("no money"), ConfigurationError("no key")])
async def test_what_concerns_the_run_goes_before_what_concerns_a_vote(error):
    """A wrong key stops the run, even if other votes merely failed."""
    with pytest.raises(type(error)):
        await votes(CallFailed("down"), error, YES).perform(CONTEXT)


async def test_what_is_not_voted_on_is_asked_once():
    """Splitting has no majority: the first member does it, and the others are not asked."""
    members = tuple(ScriptedJudge({SplitStatements: Statements(statements=[str(i)])}) for i in range(3))
    assert (await Panel(members).perform(SPLIT)).statements == ["0"]
    assert [len(member.asked) for member in members] == [1, 0, 0]


async def test_all_members_are_asked_at_the_same_time():
    """Three votes take as long as one: each member answers only once all have been asked."""
    asked = asyncio.Barrier(3)

    class Waits(ScriptedJudge):
        async def perform(self, task):
            await asyncio.wait_for(asked.wait(), 60)
            return await super().perform(task)

    panel = Panel(tuple(Waits({JudgeContext: ContextVerdict(reason="", useful=True)}) for _ in range(3)))
    assert (await panel.perform(CONTEXT)).useful


async def test_each_members_own_result_is_found_without_another_call():
    """Scoring again with `member(i)` gives what vote i alone would have given, from memory."""
    scripted = tuple(
        ScriptedJudge({SplitStatements: Statements(statements=[f"{i}"]), GradeAnswer: line})
        for i, line in enumerate((Grade(feedback="", grade=2).with_usage(CALL), BAD, Grade(feedback="", grade=5)))
    )
    panel = Panel(scripted).remembering()
    assert (await panel.perform(GRADE)).value == 3.5
    assert (await panel.perform(SPLIT)).statements == ["0"]
    meter = Metered(panel.member(0))
    assert (await meter.perform(GRADE)).grade == 2
    with pytest.raises(Unreadable, match="rubbish"):
        await panel.member(1).perform(GRADE)
    assert (await panel.member(2).perform(GRADE)).grade == 5
    assert (await panel.member(2).perform(SPLIT)).statements == ["0"]
    assert [len(judge.asked) for judge in scripted] == [2, 1, 1]
    assert meter.usage == Usage(reused=1)


def test_the_description_has_the_number_of_votes_and_where_members_differ():
    """Differing values are listed side by side; the number of votes only if there is a vote."""

    class Seeded(ScriptedJudge):
        def describe(self, tasks):
            return {"judge": "m", "seed": str(len(self.script))}

    panel = Panel((Seeded({}), Seeded({JudgeContext: BAD})))
    assert panel.describe([JudgeContext, SplitStatements]) == {"judge": "m", "seed": "0,1", "votes": "2"}
    assert panel.describe([SplitStatements]) == {"judge": "m", "seed": "0"} | {"seed": "0,1"}


async def test_a_panel_prepares_and_closes_all_its_members():
    """Every member is tested before the run and closed after it, even if one of them fails."""
    events: list[str] = []

    class Noting(ScriptedJudge):
        async def preflight(self):
            events.append("tried")

        async def close(self):
            events.append("closed")
            if len(self.script):
                raise OSError("stuck")

    panel = Panel((Noting({JudgeContext: BAD}), Noting({})))
    await panel.preflight()
    with pytest.raises(OSError, match="stuck"):
        await panel.close()
    assert events == ["tried", "tried", "closed", "closed"]


def test_a_panel_without_members_is_refused():
    """No votes make no verdict."""
    with pytest.raises(ConfigurationError, match="at least one"):
        Panel(())
