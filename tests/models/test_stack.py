"""The whole stack against a server that misbehaves."""

import asyncio
from random import Random

from saiten.models.budget import Budgeted
from saiten.models.cache import CachedChat
from saiten.models.limits import Limiter, Limits, Retries, Retrying
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.scripted import ScriptedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.models.stack import layers, stack_chat
from saiten.protocols import ChatMessage, ChatRequest, Completion
from saiten.records import Usage
from servers import Asked, Fault, OpenAIServer

FAST = Retries(attempts=20, first=0.005, longest=0.05)


async def ask(chat: object, count: int) -> list:
    """Ask this often at once, each time something else."""
    requests = (ChatRequest((ChatMessage("user", f"number {number}"),)) for number in range(count))
    return await asyncio.gather(*(chat.complete(request) for request in requests), return_exceptions=True)


async def test_storm_of_429(openai_server: OpenAIServer):
    """A server with a capacity of 4, asked by 64: every answer comes, and the limiter settles at 4."""
    openai_server.latency = 0.01
    openai_server.reply = lambda _: Fault(429, "slow down") if openai_server.in_flight > 4 else None
    limiter = Limiter(Limits(64))
    around = [Retrying(FAST, Random(0)), limiter, Budgeted()]
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), around)
    answers = await ask(chat, 150)
    await chat.close()
    assert all(isinstance(answer, Completion) for answer in answers)
    assert sum((answer.usage for answer in answers), Usage()).calls == len(openai_server.requests)
    assert len(openai_server.requests) < 3 * 150
    assert limiter.allowed <= 16
    assert limiter.in_flight == 0


async def test_faults_of_every_kind(openai_server: OpenAIServer, tmp_path):
    """With every third request failing in one way or another, every answer comes, and is kept."""
    faults = [Fault(500, "down"), Fault(drop=True), Fault(200, "<html>"), Fault(429, "", {"Retry-After": "0.01"})]
    rng = Random(3)
    openai_server.reply = lambda _: rng.choice(faults) if rng.random() < 1 / 3 else None
    store = SQLiteStore(tmp_path / "answers.sqlite")
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), layers(retries=FAST), store)
    answers = await ask(chat, 100)
    before = len(openai_server.requests)
    again = await ask(chat, 100)
    await chat.close()
    assert [answer.text for answer in answers] == ["A plain answer."] * 100
    assert all(answer.usage == Usage(reused=1) for answer in again)
    assert len(openai_server.requests) == before


async def test_wrong_set_up_is_asked_once(openai_server: OpenAIServer):
    """Of many first calls with a wrong key, one is sent before the run can be stopped."""
    openai_server.key, openai_server.latency = "right", 0.05
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url, "wrong-key"), layers())
    calls = [asyncio.create_task(chat.complete(ChatRequest((ChatMessage("user", str(n)),)))) for n in range(50)]
    done, others = await asyncio.wait(calls, return_when=asyncio.FIRST_EXCEPTION)
    for call in others:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await chat.close()
    assert len(done) == 1
    assert len(openai_server.requests) <= 2


async def test_any_chat_can_be_stacked(tmp_path):
    """A custom chat gets the same layers and the same cache."""
    inner = ScriptedChat(lambda _: "ok")
    chat = stack_chat(inner, layers(), SQLiteStore(tmp_path / "answers.sqlite"))
    assert isinstance(chat, CachedChat)
    assert chat.name == "scripted"
    await ask(chat, 3)
    await ask(chat, 3)
    await chat.close()
    assert len(inner.requests) == 3


def test_server_says_what_was_asked(openai_server: OpenAIServer):
    """The server records requests unchanged, so that other tests can rely on it."""

    async def run() -> None:
        chat = OpenAICompatibleChat("m", openai_server.base_url, "key-1")
        await chat.complete(ChatRequest((ChatMessage("user", "hello"),)))
        await chat.close()

    asyncio.run(run())
    asked: Asked = openai_server.requests[0]
    assert (asked.number, asked.text, asked.body["model"]) == (1, "hello", "m")
