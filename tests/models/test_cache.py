"""The cache: complete answers are kept immediately, requested once, and can be forgotten."""

import asyncio

import numpy as np
import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.answer_store import AnswerStore
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.cache import CachedChat, CachedEmbedder, key_of
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.scripted import ScriptedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.protocols import ChatMessage, ChatRequest, Completion, Embeddings
from saiten.records import Usage
from saiten.wiring.stores import open_store
from servers import OpenAIServer, completion

PLAIN = ChatRequest((ChatMessage("user", "こんにちは"),))
REUSED = Usage(reused=1)


async def test_hit(store: AnswerStore, store_name):
    """The second time, even from another process, an answer comes from disk and costs nothing."""
    inner = ScriptedChat([Completion("はい\ud83d", Usage(calls=1, prompt_tokens=5), "stop")])
    assert (await CachedChat(inner, store).complete(PLAIN)).usage == Usage(calls=1, prompt_tokens=5)
    await store.close()
    again = CachedChat(ScriptedChat([]), open_store(store_name, pytest.fail))
    assert await again.complete(PLAIN) == Completion("はい\ufffd", REUSED, "stop")
    await again.close()


async def test_key_is_everything_the_answer_depends_on(store: AnswerStore):
    """Whatever changes the answer changes the key: model, address, roles, texts, parameters, schema and its order."""
    a, b = {"type": "object", "title": "A"}, {"title": "A", "type": "object"}
    user = (ChatMessage("user", "x"),)
    requests = [
        ChatRequest(user),
        ChatRequest((ChatMessage("system", "x"),)),
        ChatRequest((ChatMessage("user", "x"), ChatMessage("user", ""))),
        ChatRequest(user, temperature=None),
        ChatRequest(user, temperature=1.0),
        ChatRequest(user, seed=0),
        ChatRequest(user, seed=1),
        ChatRequest(user, max_tokens=1),
        ChatRequest(user, a),
        ChatRequest(user, b),
    ]
    names = ["openai:m", "openai:n", "openai:m@http://h/v1"]
    for name in names:
        chat = CachedChat(ScriptedChat(lambda _: "ok", name), store)
        for request in requests:
            assert (await chat.complete(request)).usage.calls == 1


@pytest.mark.parametrize(
    "answer",
    [Completion("half", Usage(calls=1), "length"), Completion("half", finish_reason="content_filter"), Completion("")],
)
async def test_incomplete_answers_are_not_kept(store: AnswerStore, answer):
    """An answer that was cut off is passed on, not kept."""
    chat = CachedChat(ScriptedChat([answer, "whole"]), store)
    assert await chat.complete(PLAIN) == answer
    assert (await chat.complete(PLAIN)).text == "whole"


async def test_errors_are_not_kept(store: AnswerStore):
    """After a failure, the request is sent again."""
    chat = CachedChat(ScriptedChat([CallFailed("down"), "ok"]), store)
    with pytest.raises(CallFailed):
        await chat.complete(PLAIN)
    assert (await chat.complete(PLAIN)).text == "ok"


async def test_forget(store: AnswerStore):
    """An answer that proved unreadable is dropped."""
    chat = CachedChat(ScriptedChat(["rubbish", "good"]), store)
    for _ in range(2):
        assert (await chat.complete(PLAIN)).text == "rubbish"
    chat.forget(PLAIN)
    assert (await chat.complete(PLAIN)).text == "good"
    chat.forget(PLAIN)
    with pytest.raises(ConfigurationError, match="the script has 2"):
        await chat.complete(PLAIN)


async def test_damaged_entry_is_asked_anew(store: AnswerStore):
    """An unreadable value is replaced, not trusted."""
    chat = CachedChat(ScriptedChat(["one", "two"]), store)
    await chat.complete(PLAIN)
    await store.put("scripted", {key_of(chat.name, PLAIN): b"{{"})
    assert (await chat.complete(PLAIN)).text == "two"
    assert (await chat.complete(PLAIN)).usage == REUSED


async def test_single_flight(openai_server: OpenAIServer, store: AnswerStore):
    """Equal requests in flight are sent once; the first asker pays."""
    openai_server.latency = 0.05
    chat = CachedChat(OpenAICompatibleChat("m", openai_server.base_url), store)
    answers = await asyncio.gather(*(chat.complete(PLAIN) for _ in range(20)))
    await chat.close()
    assert len(openai_server.requests) == 1
    assert sum((answer.usage for answer in answers), Usage()).calls == 1
    assert sum(answer.usage.reused for answer in answers) == 19


async def test_canceled_first_asker(openai_server: OpenAIServer, store: AnswerStore):
    """The first asker is canceled: the others get the answer of the one request."""
    go_on = openai_server.hold()
    chat = CachedChat(OpenAICompatibleChat("m", openai_server.base_url), store)
    askers = [asyncio.create_task(chat.complete(PLAIN)) for _ in range(5)]
    while not openai_server.requests:  # noqa: ASYNC110 - the server is another thread
        await asyncio.sleep(0.005)
    askers[0].cancel()
    askers[3].cancel()
    go_on.set()
    answers = await asyncio.gather(*askers, return_exceptions=True)
    await chat.close()
    assert [isinstance(answer, Completion) for answer in answers] == [False, True, True, False, True]
    assert len(openai_server.requests) == 1
    assert sum(answer.usage.calls for answer in answers if isinstance(answer, Completion)) == 1


async def test_canceled_last_asker_ends_the_call(store: AnswerStore):
    """A call that nobody waits for is ended, and the next asker begins a new one."""
    ended: list[int] = []

    async def reply(_: ChatRequest) -> str:
        number = len(inner.requests)
        try:
            await asyncio.sleep(0 if number > 1 else 1000)
        except asyncio.CancelledError:
            ended.append(number)
            raise
        return "ok"

    inner = ScriptedChat(reply)
    chat = CachedChat(inner, store)
    asker = asyncio.create_task(chat.complete(PLAIN))
    while not inner.requests:  # noqa: ASYNC110 - the double tells nobody that it was asked
        await asyncio.sleep(0)
    asker.cancel()
    await asyncio.sleep(0)  # the asker has left, its call has not yet ended
    assert (await chat.complete(PLAIN)).text == "ok"
    assert ended == [1]


async def test_a_failure_is_shared_and_paid_once(store: AnswerStore):
    """All who waited see the failure; only one of them gets its cost."""

    async def reply(_: ChatRequest) -> CallFailed:
        await asyncio.sleep(0)
        return CallFailed("down", Usage(calls=3), retryable=True, status=503)

    chat = CachedChat(ScriptedChat(reply), store)
    errors = await asyncio.gather(*(chat.complete(PLAIN) for _ in range(4)), return_exceptions=True)
    assert [str(error) for error in errors] == ["down"] * 4
    assert sorted(error.usage.calls for error in errors) == [0, 0, 0, 3]
    assert all(error.retryable and error.status == 503 for error in errors)


class Counting(BuiltinEmbedder):
    """The built-in embedder with a cost, counting its requests."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    async def embed(self, texts) -> Embeddings:
        self.asked.append(list(texts))
        await asyncio.sleep(0.01)
        return Embeddings((await super().embed(texts)).vectors, Usage(calls=1))


async def test_embeddings(store: AnswerStore):
    """Each text is requested once, whatever texts it is combined with, and is read back to the last bit."""
    inner = Counting()
    embedder = CachedEmbedder(inner, store)
    first = await embedder.embed(["犬", "猫", "犬", ""])
    second = await embedder.embed(["鳥", "猫"])
    third = await embedder.embed(["猫", "鳥", ""])
    assert inner.asked == [["犬", "猫", ""], ["鳥"], [""]]  # nothing is kept for a text without content
    assert [result.usage.calls for result in (first, second, third)] == [1, 1, 1]
    expected = (await BuiltinEmbedder().embed(["犬", "猫", "犬", "", "鳥"])).vectors
    assert np.array_equal(first.vectors, expected[:4])
    assert np.array_equal(third.vectors, expected[[1, 4, 3]])
    assert (await embedder.embed(["犬"])).usage == REUSED
    assert (await embedder.embed([])).vectors.shape[0] == 0


async def test_embeddings_under_way_are_shared(tmp_path):
    """A text in flight for somebody else is not requested again, even if the other is canceled."""
    inner = Counting()
    embedder = CachedEmbedder(inner, SQLiteStore(tmp_path / "answers.sqlite"))
    first = asyncio.create_task(embedder.embed(["a b c", "d e f"]))
    await asyncio.sleep(0)
    second = asyncio.create_task(embedder.embed(["d e f", "g h i"]))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).vectors.shape == (2, 4096)
    assert inner.asked == [["a b c", "d e f"], ["g h i"]]


async def test_changed_embedding_model(openai_server: OpenAIServer, store: AnswerStore):
    """Vectors of another size under the same name are an error with a remedy, not a wrong similarity."""
    embedder = CachedEmbedder(OpenAICompatibleEmbedder("e", openai_server.base_url), store)
    await embedder.embed(["a"])
    openai_server.reply = lambda _: {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
    with pytest.raises(ConfigurationError, match="2 and 16 dimensions"):
        await embedder.embed(["a", "b"])
    await embedder.close()


async def test_no_key_in_the_file(openai_server: OpenAIServer, tmp_path):
    """Neither the key, nor a header, nor the query of the address is written to disk."""
    openai_server.reply = lambda asked: completion(asked, "ok")
    chat = CachedChat(
        OpenAICompatibleChat(
            "m", openai_server.base_url + "?sig=query-secret", "sk-secret", headers={"X": "header-secret"}
        ),
        SQLiteStore(tmp_path / "answers.sqlite"),
    )
    await chat.complete(PLAIN)
    await chat.close()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"openai:m" in written
    assert b"secret" not in written


async def test_an_answer_whose_asker_left_is_stored(tmp_path):
    """It was paid for: an asker that is canceled just as the answer arrives loses nothing."""
    store = SQLiteStore(tmp_path / "answers.sqlite")

    async def answered(_):
        asker.cancel()
        return Completion("paid")

    chat = CachedChat(ScriptedChat(answered), store)
    asker = asyncio.create_task(chat.complete(PLAIN))
    with pytest.raises(asyncio.CancelledError):
        await asker
    await chat.close()
    assert len(store) == 1
