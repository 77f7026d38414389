"""The LLM judge over the real answer store: useful replies are kept, others are requested again."""

import asyncio

import pytest

from saiten.errors import Unreadable
from saiten.judges.first_request import first_request
from saiten.judges.llm import LLMJudge
from saiten.models.cache import CachedChat, key_of
from saiten.models.sqlite_store import SQLiteStore
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.similarity import WriteQuestions

TASK = JudgeContext("q", "c", "r", language="en")
GOOD = '{"reason": "x", "useful": true}'


class Says:
    """A chat with these replies in turn."""

    name = "test:says"
    left_out = frozenset()

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    async def complete(self, request: ChatRequest) -> Completion:
        return Completion(self.lines.pop(0), Usage(calls=1), "stop")

    async def close(self) -> None:
        pass


async def test_an_unreadable_answer_is_not_served_for_ever(tmp_path):
    """After two useless replies the next attempt asks the model again, and a good reply is then kept."""
    chat = CachedChat(Says("?", "??", GOOD), SQLiteStore(tmp_path / "answers.db"))
    judge = LLMJudge(chat, forget=chat.forget)
    with pytest.raises(Unreadable):
        await judge.perform(TASK)
    assert (await judge.perform(TASK)).usage == Usage(calls=1)
    assert (await judge.perform(TASK)).usage == Usage(reused=1)
    await judge.close()


async def test_a_repaired_answer_is_kept_with_its_repair(tmp_path):
    """What was paid for once, the bad reply and the good one, is read from disk the next time."""
    chat = CachedChat(Says("?", GOOD), SQLiteStore(tmp_path / "answers.db"))
    judge = LLMJudge(chat, forget=chat.forget)
    assert (await judge.perform(TASK)).usage == Usage(calls=2)
    assert (await judge.perform(TASK)).usage == Usage(reused=2)
    await judge.close()


async def test_the_preflight_asks_the_model_however_often_it_asked_before(tmp_path):
    """A key revoked since then is detected, although the same call was answered yesterday."""
    says = Says("ok", "ok")
    chat = CachedChat(says, SQLiteStore(tmp_path / "answers.db"))
    judge = LLMJudge(chat, forget=chat.forget, uncached=chat.uncached)
    await judge.preflight()
    await judge.preflight()
    assert says.lines == []
    await judge.close()


async def test_the_preflight_waits_for_no_other_process(tmp_path):
    """Processes that begin together with one cache make their first small calls at the same time."""
    other = SQLiteStore(tmp_path / "answers.db")
    says = Says("ok")
    chat = CachedChat(says, SQLiteStore(tmp_path / "answers.db"))
    judge = LLMJudge(chat, forget=chat.forget, uncached=chat.uncached)
    first = key_of(says.name, first_request(judge.temperature, judge.seed, judge.max_tokens, None, {}))
    assert (await other.claim([first])).ours
    await asyncio.wait_for(judge.preflight(), 20)
    assert (says.lines, len(other)) == ([], 0)
    await judge.close()
    await other.close()


async def test_each_draw_is_kept_by_itself(tmp_path):
    """Three draws are three calls, and three answers on disk."""
    replies = [f'{{"questions": ["{n}"], "noncommittal": false}}' for n in range(3)]
    chat = CachedChat(Says(*replies), SQLiteStore(tmp_path / "answers.db"))
    judge = LLMJudge(chat, forget=chat.forget)
    tasks = [WriteQuestions("a", count=1, draw=draw, language="en") for draw in range(3)]
    for usage in (Usage(calls=1), Usage(reused=1)):
        replies = [await judge.perform(task) for task in tasks]
        assert [reply.questions for reply in replies] == [["0"], ["1"], ["2"]]
        assert [reply.usage for reply in replies] == [usage] * 3
    await judge.close()
