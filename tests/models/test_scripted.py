"""The scripted chat: a test double shipped to users."""

import pytest

from saiten.errors import CallFailed, ConfigurationError, Unreadable
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatMessage, ChatRequest, Completion
from saiten.records import Usage

PLAIN = ChatRequest((ChatMessage("user", "hello"),))


async def test_list():
    """Texts, completions and errors come in order; after the last, the error says how many there were."""
    whole = Completion("b", Usage(calls=1, prompt_tokens=3), "length")
    chat = ScriptedChat(["a", whole, CallFailed("down"), Unreadable("bad", "raw")], name="mine")
    assert await chat.complete(PLAIN) == Completion("a", Usage(calls=1), "stop")
    assert await chat.complete(PLAIN) == whole
    with pytest.raises(CallFailed, match="down"):
        await chat.complete(PLAIN)
    with pytest.raises(Unreadable) as error:
        await chat.complete(PLAIN)
    assert error.value.raw == "raw"
    with pytest.raises(ConfigurationError, match="4 replies, but got request 5: 'hello'"):
        await chat.complete(PLAIN)
    assert (chat.name, chat.requests) == ("mine", [PLAIN] * 5)
    await chat.close()


async def test_function():
    """A function of the request, or a coroutine function, may return whatever a list may contain."""

    async def later(request: ChatRequest) -> str:
        return request.messages[0].content.upper()

    assert (await ScriptedChat(lambda request: request.messages[0].content).complete(PLAIN)).text == "hello"
    assert (await ScriptedChat(later).complete(PLAIN)).text == "HELLO"
