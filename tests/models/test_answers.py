"""A server's reply becomes an answer, or an error that says why there is none."""

import pytest

from saiten.errors import CallFailed
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from servers import Asked, Fault, OpenAIServer, completion

PLAIN = ChatRequest((ChatMessage("user", "こんにちは \ud83d"),))


def changed(asked: Asked, finish_reason: str = "stop", **message: object) -> dict:
    """A completion with these fields in its message."""
    body = completion(asked, "", **message)
    body["choices"][0]["finish_reason"] = finish_reason
    return body


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "はい"}, "はい"),
        ({"content": [{"type": "text", "text": "は"}, {"type": "image_url"}, {"type": "text", "text": "い"}]}, "はい"),
        ({"content": "<think>うーん</think>はい"}, "<think>うーん</think>はい"),
        ({"content": "はい", "reasoning_content": "うーん"}, "はい"),
        ({"content": "はい", "refusal": None, "tool_calls": []}, "はい"),
    ],
)
async def test_text(openai_server: OpenAIServer, message, text):
    """The text is the content, in either form; separate reasoning is left out, reasoning inside it stays."""
    openai_server.reply = lambda asked: changed(asked, **message)
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    assert (await chat.complete(PLAIN)).text == text
    await chat.close()


@pytest.mark.parametrize(
    ("finish_reason", "message", "words"),
    [
        ("length", {"content": None, "reasoning_content": "long thoughts"}, "ran out of tokens"),
        ("length", {"content": ""}, "ran out of tokens"),
        ("stop", {"content": None, "refusal": "I will not"}, "refused to answer: I will not"),
        ("stop", {"content": None, "refusal": {"why": "no"}}, 'refused to answer: {"why":"no"}'),
        ("content_filter", {"content": None}, "content filter"),
        ("tool_calls", {"content": None, "tool_calls": [{"id": "1"}]}, "called a tool"),
        ("stop", {"content": " \n"}, "empty answer"),
    ],
)
async def test_no_answer(openai_server: OpenAIServer, finish_reason, message, words):
    """An answer without text gives the reason, is not retried, and costs what the server says."""
    openai_server.reply = lambda asked: changed(asked, finish_reason, **message)
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed, match=words) as error:
        await chat.complete(PLAIN)
    await chat.close()
    assert not error.value.retryable
    assert error.value.usage.calls == 1


@pytest.mark.parametrize(
    "body",
    [
        "<html><body>502 from the proxy</body></html>",
        "",
        "null",
        "[]",
        '{"choices": []}',
        '{"choices": [{"text": "old"}]}',
        '{"choices": {"0": 1}}',
        '{"choices": [{"message": "はい"}]}',
        "[" * 100_000,
        '{"choices": ' + "[" * 500 + "]" * 500 + "}",
        '{"choices": ' + "[" * 950 + "]" * 950 + "}",
        '{"id": 100000000000000000000000000000000}',
        '{"error": ' + "[" * 500 + "]" * 500 + "}",
        '{"error": {"message": "upstream", "code": 502}}',
        '{"error": "upstream"}',
    ],
)
async def test_odd_bodies(openai_server: OpenAIServer, body):
    """Anything with HTTP 200 that is not a completion is a transient failure, and the error shows it."""
    openai_server.reply = lambda _: Fault(200, body)
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed) as error:
        await chat.complete(PLAIN)
    await chat.close()
    assert error.value.retryable
    assert len(str(error.value)) < 600
    assert all(word in str(error.value) for word in ("502 from the proxy",) if word in body)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage(calls=1, unpriced=1)),
        ({}, Usage(calls=1, unpriced=1)),
        ({"prompt_tokens": "7", "completion_tokens": -1}, Usage(calls=1, unpriced=1)),
        ({"prompt_tokens": True, "completion_tokens": 10**18}, Usage(calls=1, unpriced=1)),
        (
            {"prompt_tokens": 7, "completion_tokens": 2},
            Usage(calls=1, prompt_tokens=7, completion_tokens=2, unpriced=1),
        ),
    ],
)
async def test_usage(openai_server: OpenAIServer, usage, expected):
    """Tokens are those reported by the server; missing or impossible counts are not estimated."""
    openai_server.reply = lambda asked: completion(asked, "ok") | {"usage": usage}
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    assert (await chat.complete(PLAIN)).usage == expected
    await chat.close()


@pytest.mark.parametrize(
    ("reported", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 80}}, 80),
        ({"prompt_tokens_details": {"cached_tokens": 100, "audio_tokens": 0}}, 100),
        ({"prompt_token_details": {"cached_tokens": 80}}, 80),
        ({"num_cached_tokens": 80, "prompt_tokens_details": None}, 80),
        ({"cached_tokens": 80}, 80),
        ({"prompt_cache_hit_tokens": 80, "prompt_cache_miss_tokens": 20}, 80),
        ({"prompt_tokens_details": {"cached_tokens": 80}, "prompt_cache_hit_tokens": 80}, 80),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": None}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": "80"}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": -80}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": True}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": 101}}, 0),
        ({"prompt_tokens_details": [80]}, 0),
        ({"cache_read_input_tokens": 80}, 0),
    ],
)
async def test_tokens_in_the_servers_cache(openai_server: OpenAIServer, reported, cached):
    """They are read under the names in use, and never are more than the prompt's; impossible counts are none."""
    usage = {"prompt_tokens": 100, "completion_tokens": 2} | reported
    openai_server.reply = lambda asked: completion(asked, "ok") | {"usage": usage}
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    assert (await chat.complete(PLAIN)).usage == Usage(1, 100, 2, unpriced=1, cached_tokens=cached)
    await chat.close()


async def test_half_a_surrogate_pair(openai_server: OpenAIServer):
    """Invalid Unicode is repaired in requests and in answers."""
    openai_server.reply = lambda _: Fault(
        200, '{"choices":[{"message":{"content":"a\\ud83db"},"finish_reason":"stop"}]}'
    )
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    assert (await chat.complete(PLAIN)).text == "a\ufffdb"
    await chat.close()
    assert openai_server.requests[0].text == "こんにちは \ufffd"


async def test_size_is_bounded(openai_server: OpenAIServer):
    """An endless reply is cut off, not read into memory."""
    openai_server.reply = lambda _: Fault(200, " " * (65 * 2**20))
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed, match="more than 64 MB"):
        await chat.complete(PLAIN)
    await chat.close()
