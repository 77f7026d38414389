"""The small judges (metered, rehearsal, scripted), and that every wrapper passes on what it does not handle."""

import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.judges.memo import Memo
from saiten.judges.panel import Panel
from saiten.judges.rehearsal import Rehearsal, estimate_tokens
from saiten.judges.scripted import ScriptedJudge
from saiten.judges.wrappers import Metered
from saiten.prompts import BUILT_IN
from saiten.protocols import Judge
from saiten.records import Usage
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.similarity import MeasureSimilarity, Similarities
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

SPLIT = SplitStatements("q", "日本の橋", language="ja")
REPLY = Statements(statements=["a"])


class Noting(ScriptedJudge):
    """Records what reaches it."""

    def describe(self, tasks):
        return {"judge": "noting", "tasks": str(len(list(tasks)))}

    async def preflight(self):
        self.asked.append("preflight")

    async def close(self):
        self.asked.append("close")


@pytest.mark.parametrize(
    "wrap", [Memo, Metered, Rehearsal, lambda judge: Panel((judge,)), lambda judge: Panel((judge,)).member(0)]
)
async def test_every_wrapper_is_a_judge_around_a_judge(wrap):
    """Wrappers stack in any order: reply, description and closing of the inner judge pass through."""
    within = Noting({SplitStatements: REPLY})
    judge: Judge = wrap(within)
    assert (await judge.perform(SPLIT)).statements == REPLY.statements
    assert judge.describe(iter([SplitStatements]))["judge"] == "noting"
    assert judge.describe(iter([SplitStatements]))["tasks"] == "1"
    await judge.preflight()
    await judge.close()
    assert within.asked[0] == SPLIT


async def test_a_meter_adds_up_replies_and_failures():
    """The cost of an error is spent as well."""
    lines = iter(
        [
            REPLY.with_usage(Usage(calls=1, cost=0.5)),
            CallFailed("down", Usage(calls=3)),
            REPLY.with_usage(Usage(reused=1)),
        ]
    )

    def say(task):
        line = next(lines)
        if isinstance(line, Exception):
            raise line
        return line

    meter = Metered(ScriptedJudge({SplitStatements: say}))
    await meter.perform(SPLIT)
    with pytest.raises(CallFailed):
        await meter.perform(SPLIT)
    await meter.perform(SPLIT)
    assert meter.usage == Usage(calls=4, cost=0.5, reused=1)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("採点", 2), ("採点 in Japan", 5)])
def test_tokens_are_estimated_by_script(text, tokens):
    """A quarter token per ASCII character, one per Japanese one."""
    assert estimate_tokens(text) == tokens


async def test_a_rehearsal_counts_the_real_messages_and_sends_none():
    """The stand-in answers; the cost is that of the messages and of the reply as a model would have written it."""
    verdicts = [Verdict(number=1, reason="理由", verdict=True, p=0.9, evidence=((0, 1, 2),))]
    stand_in = ScriptedJudge({VerifyStatements: StatementVerdicts(verdicts=verdicts).with_usage(Usage(calls=7))})
    task = VerifyStatements(("a",), ("b",), language="ja")
    reply = await Rehearsal(stand_in).perform(task)
    messages = BUILT_IN.render(task)
    assert reply.usage.calls == 1
    assert reply.usage.prompt_tokens == sum(estimate_tokens(message.content) + 4 for message in messages) > 300
    assert reply.usage.completion_tokens == estimate_tokens(
        '{"verdicts": [{"number": 1, "reason": "理由", "verdict": true}]}'
    )
    assert reply.verdicts[0].p == 0.9


async def test_a_rehearsal_counts_no_call_for_similarity():
    """An embedder is not a chat model."""
    stand_in = ScriptedJudge({MeasureSimilarity: Similarities(values=[0.5])})
    reply = await Rehearsal(stand_in).perform(MeasureSimilarity("a", ("b",), language="en"))
    assert (reply.values, reply.usage) == ([0.5], Usage())


async def test_a_rehearsal_never_touches_a_server():
    """The preflight of a rehearsal does nothing."""
    within = Noting({})
    await Rehearsal(within).preflight()
    assert within.asked == []


async def test_a_scripted_judge_gives_its_replies_and_records_its_tasks():
    """A reply, a function of the task, or an exception, by type of task."""
    judge = ScriptedJudge(
        {
            SplitStatements: lambda task: Statements(statements=task.text.split(".")),
            JudgeContext: CallFailed("down"),
            MeasureSimilarity: Similarities(values=[1.0]),
        }
    )
    split = SplitStatements("q", "a.b", language="en")
    assert (await judge.perform(split)).statements == ["a", "b"]
    context = JudgeContext("q", "c", "r", language="en")
    with pytest.raises(CallFailed, match="down"):
        await judge.perform(context)
    assert judge.asked == [split, context]
    assert judge.describe([]) == {"judge": "scripted"}


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ({}, ConfigurationError, "nothing is scripted for VerifyStatements"),
        (
            {VerifyStatements: ContextVerdict(reason="", useful=True)},
            TypeError,
            "ContextVerdict, expected StatementVerdicts",
        ),
        ({VerifyStatements: StatementVerdicts(verdicts=[])}, ValueError, "1 of 1 has no verdict"),
    ],
)
async def test_a_script_that_does_not_fit_is_refused_immediately(script, error, message):
    """A double that gives impossible answers would prove nothing."""
    with pytest.raises(error, match=message):
        await ScriptedJudge(script).perform(VerifyStatements(("a",), ("b",), language="en"))
