"""A model that refuses to judge: recognized, and asked again with other seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from saiten.errors import CallFailed, ModelRefused, Unreadable
from saiten.judges.llm import LLMJudge
from saiten.judges.model_refusals import RefusalRetries, refuses
from saiten.judges.panel import Panel
from saiten.models.cache import CachedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.correctness import GradeAnswer

TASK = JudgeContext("q", "c", "r", language="en")
GRADE = GradeAnswer("q", "a", "r", (), language="ja")
GOOD = '{"reason": "x", "useful": true}'
NO = "I'm sorry, but I can't assist with that request."
CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost=0.5)


@dataclass
class Says:
    """A chat whose reply is a function of the request."""

    reply: Callable[[ChatRequest], str | Exception]
    asked: list[ChatRequest] = field(default_factory=list)
    name: str = "test:says"
    left_out: frozenset[str] = frozenset()

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked.append(request)
        said = self.reply(request)
        if isinstance(said, Exception):
            raise said
        return Completion(said, CALL, "stop")

    async def close(self) -> None:
        pass


def in_turn(*lines: str | Exception) -> Says:
    """Return a chat with these replies in turn."""
    left = iter(lines)
    return Says(lambda _: next(left))


@pytest.mark.parametrize(
    "text",
    [
        NO,
        "I’m sorry, but I can’t help with that.",
        "Sorry, I cannot comply with this request.",
        "I am unable to evaluate this content.",
        "As an AI language model, I'm not able to provide a grade for such material.",
        "I must decline to grade this answer.",
        "I won't engage with this topic.",
        "This request violates our content policy.",
        "申し訳ありませんが、そのご質問にはお答えできません。",
        "申し訳ございませんが、この内容の評価はいたしかねます。",
        "恐れ入りますが、ご要望にはお応えできません。",
        "この依頼には応じられません。",
        "すみませんが、そのリクエストには対応できません。",
        "その内容については回答を控えさせていただきます。",
        "お手伝いすることができません。",
        "この依頼は利用規約に違反するため、対応できません。",
    ],
)
def test_words_that_refuse(text):
    """A model that will not do what it is asked is recognized, in both languages."""
    assert refuses(Completion(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hm",
        "The answer is good. Grade: unclear.",
        "{'useful': maybe}",
        "The context is about the cafeteria and gives its opening hours.",
        "回答は正例と一致しています。",
        "根拠となる文書が見つかりました。",
        "I can see that the answer is right.",
        "x" * 5_000 + NO,
    ],
)
def test_other_unreadable_replies_are_no_refusals(text):
    """Rubbish, prose without a verdict and long texts get a repair, not another seed."""
    assert not refuses(Completion(text))


def test_a_filter_refuses_whatever_was_written():
    """The finish reason is enough."""
    assert refuses(Completion("The answer is", finish_reason="content_filter"))


async def test_a_refusal_is_asked_again_with_other_seeds_until_there_is_a_verdict():
    """Each further request differs in seed and temperature alone; all are paid for, and no repair is needed."""
    says = in_turn(NO, ModelRefused("refused", CALL), GOOD)
    reply = await LLMJudge(says, seed=7, retries=RefusalRetries(3, 0.7)).perform(TASK)
    assert reply.useful
    assert reply.usage == CALL + CALL + CALL
    first, second, third = says.asked
    assert len({request.seed for request in says.asked}) == 3
    assert [request.temperature for request in says.asked] == [0.0, 0.7, 0.7]
    assert replace(second, seed=7, temperature=0.0) == replace(third, seed=7, temperature=0.0) == first


async def test_by_default_a_refusal_gets_a_repair_and_nothing_else():
    """Two calls, as for every unreadable reply; the reason says that the model refused, and in what words."""
    says = in_turn(NO, NO)
    with pytest.raises(
        Unreadable, match=r"`judge_context` .* refuses to judge: “I'm sorry, but I can't assist"
    ) as error:
        await LLMJudge(says).perform(TASK)
    assert (len(says.asked), error.value.usage, error.value.raw) == (2, CALL + CALL, NO)
    rubbish = in_turn("hm", "hm")
    with pytest.raises(Unreadable, match="could not be read, even after one repair"):
        await LLMJudge(rubbish, retries=RefusalRetries(3)).perform(TASK)
    assert len(rubbish.asked) == 2


async def test_a_model_that_always_refuses_is_asked_a_bounded_number_of_times():
    """Two retries: three requests with seeds of their own and one repair, all of it in the usage of the error."""
    says = Says(lambda _: NO)
    with pytest.raises(Unreadable, match="the model refuses") as error:
        await LLMJudge(says, retries=RefusalRetries(2)).perform(TASK)
    assert len(says.asked) == error.value.usage.calls == 4
    withheld = Says(lambda _: ModelRefused("withheld", CALL))
    with pytest.raises(ModelRefused) as error:
        await LLMJudge(withheld, retries=RefusalRetries(2)).perform(TASK)
    assert len(withheld.asked) == error.value.usage.calls == 3


async def test_a_failure_after_a_refusal_keeps_what_was_paid():
    """The refused request was answered and charged, whatever happened to the next one."""
    for retries, calls in ((1, 2), (2, 2)):
        with pytest.raises(CallFailed, match="gone") as error:
            await LLMJudge(in_turn(NO, CallFailed("gone", CALL)), retries=RefusalRetries(retries)).perform(TASK)
        assert error.value.usage.calls == calls


async def test_words_of_refusal_in_a_readable_reply_are_a_verdict():
    """A judge may quote an answer that refuses; its verdict counts, and nothing is asked again."""
    says = in_turn(f"Feedback: The answer says “{NO}” and no more. [RESULT] 1")
    reply = await LLMJudge(says, retries=RefusalRetries(3)).perform(replace(GRADE, language="en"))
    assert (reply.grade, len(says.asked)) == (1, 1)


async def test_votes_and_retries_never_share_a_request():
    """A vote that retries must not take the reply that another vote has drawn."""

    def reply(request: ChatRequest) -> str:
        return NO if (request.seed or 0) < 100 else f"根拠。[RESULT] {(request.seed or 0) % 6}"

    says = Says(reply)
    judge = LLMJudge(says, seed=1, temperature=0.7, retries=RefusalRetries(1))
    await Panel(tuple(judge.with_seed(seed) for seed in range(1, 6))).perform(GRADE)
    assert len({request.seed for request in says.asked}) == len(says.asked) == 10


async def test_a_cache_serves_what_was_paid_for_and_no_refusal_for_ever(tmp_path):
    """A verdict after a refusal costs nothing the next time; a judge that only refused is asked again from the start.

    Without a seed, equal requests are sent again nevertheless.
    """

    def cached(name: str, *lines: str) -> tuple[LLMJudge, Says]:
        says = in_turn(*lines)
        chat = CachedChat(says, SQLiteStore(tmp_path / name))
        return LLMJudge(chat, forget=chat.forget, retries=RefusalRetries(1)), says

    judge, _ = cached("willing", NO, GOOD)
    assert (await judge.perform(TASK)).usage.calls == 2
    assert (await judge.perform(TASK)).usage == Usage(reused=2)
    await judge.close()
    judge, says = cached("unwilling", NO, NO, NO, GOOD)
    with pytest.raises(Unreadable):
        await judge.perform(TASK)
    assert (await judge.perform(TASK)).useful
    assert says.asked[0] == says.asked[3]
    await judge.close()
    judge, says = cached("unseeded", NO, GOOD)
    assert (await replace(judge, seed=None).perform(TASK)).useful
    assert says.asked[0] == says.asked[1]
    await judge.close()


def test_the_signature_says_that_refusals_are_asked_again():
    """Figures depend on it; without it, signatures are as they were."""
    judge = LLMJudge(Says(lambda _: NO))
    assert "refusals" not in judge.describe([JudgeContext])
    assert replace(judge, retries=RefusalRetries(2)).describe([JudgeContext])["refusals"] == "retried(2)"


def lines_of(requests: Sequence[ChatRequest]) -> list[int]:
    """Return the number of messages of each request."""
    return [len(request.messages) for request in requests]


async def test_the_repair_comes_last():
    """A model is shown its own refusal only when no seed is left, since it tends to repeat it."""
    says = in_turn(NO, NO, GOOD)
    await LLMJudge(says, retries=RefusalRetries(1)).perform(TASK)
    first, second, third = lines_of(says.asked)
    assert first == second < third
