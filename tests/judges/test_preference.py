"""Which of two answers is better: reading a model's verdict, votes, and the offline judge, which ignores order."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import CannotJudge, Unreadable
from saiten.judges.llm import LLMJudge
from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.judges.reading import read_reply
from saiten.judges.scripted import ScriptedJudge
from saiten.models.scripted import ScriptedChat
from saiten.tasks.preference import PreferAnswer, Preference

TASK = PreferAnswer("When?", "In 1998.", "In 2001.", ("In April 1998.",), language="en")
OTHER = {"first": "second", "second": "first", "tie": "tie"}


@pytest.mark.parametrize(
    ("written", "better"),
    [
        ("first", "first"),
        ("Second", "second"),
        ("TIE.", "tie"),
        (" the first answer ", "first"),
        ("<second>", "second"),
        ("First one", "first"),
        ("最初の回答", "first"),
        ("「後者」", "second"),
        ("引き分け", "tie"),
        ("neither", "tie"),
    ],
)
def test_a_verdict_is_read_as_it_was_meant(written, better):
    """Case, marks and Japanese words change nothing."""
    assert read_reply(TASK, json.dumps({"explanation": "e", "better": written})).better == better


@pytest.mark.parametrize("written", [1, 2, "1", "A", "", None, True, "first or second", "not first", ["first"], {}])
def test_what_names_no_side_is_refused(written):
    """A number may be counted from 0, and the prompt has no letters: no verdict is made up."""
    with pytest.raises(ValueError, match="better"):
        read_reply(TASK, json.dumps({"explanation": "e", "better": written}))


async def test_an_unreadable_verdict_is_unreadable():
    """This holds after the repair, too."""
    with pytest.raises(Unreadable):
        await LLMJudge(ScriptedChat(lambda _: '{"explanation": "e", "better": "both are fine"}')).perform(TASK)


@pytest.mark.parametrize(
    ("votes", "better"),
    [
        (["first", "second", "second"], "second"),
        (["first", "first", "tie", "second"], "first"),
        (["first", "second"], "tie"),
        (["second", "first"], "tie"),
        (["first", "tie"], "tie"),
        (["first", "first", "tie", "tie", "second"], "tie"),
        (["first", "second", "tie"], "tie"),
        (["first", "first", "second", "second", "tie"], "tie"),
        (["tie"], "tie"),
    ],
)
async def test_a_panel_says_what_most_say_and_else_a_tie(votes, better):
    """The order of votes and answers does not matter; the explanation is from a vote that agrees."""
    members = tuple(ScriptedJudge({PreferAnswer: Preference(explanation=vote, better=vote)}) for vote in votes)
    for chosen in (members, members[::-1]):
        reply = await Panel(chosen).perform(TASK)
        assert reply.better == better
        assert reply.explanation == ("first / second" if better == "tie" and "tie" not in votes else better)


@pytest.mark.parametrize(
    ("first", "second", "better"),
    [
        ("In 1998.", "In 2001.", "first"),
        ("I do not know.", "It was in April 1998.", "second"),
        ("In April 1998.", "In April 1998.", "tie"),
        ("In April 1998.", "It was in April 1998.", "tie"),
        ("", "In April 1998.", "second"),
    ],
)
async def test_the_offline_judge_takes_the_one_nearer_to_the_reference(first, second, better):
    """It compares each answer's own probability; a small difference is a tie."""
    judge = OfflineJudge()
    reply = await judge.perform(PreferAnswer("When?", first, second, ("In April 1998.",), language="en"))
    assert reply.better == better
    assert "overlap alone" in reply.explanation
    with pytest.raises(CannotJudge, match="no reference"):
        await judge.perform(PreferAnswer("When?", first, second, language="en"))


WORDS = st.lists(st.sampled_from(["April", "1998", "opened", "in", "Kobe", "no", "unknown", "大阪", "3"]), max_size=8)


@given(WORDS.map(" ".join), WORDS.map(" ".join), st.sampled_from(["en", "ja"]))
def test_the_offline_judge_does_not_see_the_order(first, second, language):
    """The other order gives the other side, with the same p in the explanation."""
    import asyncio

    async def both():
        judge, references = OfflineJudge(), ("It was opened in Kobe in April 1998.",)
        return [
            await judge.perform(PreferAnswer("Where?", *pair, references, language=language))
            for pair in ((first, second), (second, first))
        ]

    one, other = asyncio.run(both())
    assert other.better == OTHER[one.better]
