"""Every error says what happened, where, and what to do; no error reveals a secret."""

import asyncio
import pickle
import socket
import traceback

import pytest

from saiten.errors import CallFailed, ConfigurationError, SystemFailed, Unreadable
from saiten.models.endpoint import Endpoint
from saiten.models.faults import retry_after
from saiten.models.limits import Retries
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.stack import layers, stack_chat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from servers import Fault, OpenAIServer, refusal

PLAIN = ChatRequest((ChatMessage("user", "hello"),))
KEY = "sk-very-secret-key"


async def error_of(base_url: str, **settings: object) -> Exception:
    """The error of one call, after checking that it reveals no secret."""
    chat = OpenAICompatibleChat("gpt-4o-mini", base_url, **{"timeout": 20.0, **settings})
    try:
        with pytest.raises((CallFailed, ConfigurationError)) as error:
            await chat.complete(PLAIN)
    finally:
        await chat.close()
    assert KEY not in "".join(traceback.format_exception(error.value)) + repr(chat) + repr(vars(error.value))
    return error.value


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(401, {"error": {"message": f"bad key {KEY}", "code": "invalid_api_key"}}), ["MY_KEY", "***"]),
        (Fault(403, {"error": {"message": "no access"}}), ["MY_KEY", "gpt-4o-mini", "no access"]),
        (Fault(404, "404 page not found"), ["/v1", "base URL", "/chat/completions"]),
        (Fault(405, "Method not allowed"), ["base URL"]),
        (Fault(301, "", {"Location": "https://elsewhere/v1"}), ["https://elsewhere/v1"]),
        (refusal(400, "Unknown model: gpt-4o-mini"), ["no model 'gpt-4o-mini'"]),
        (refusal(429, "You exceeded your current quota", code="insufficient_quota"), ["quota", "MY_KEY"]),
        (Fault(402, {"error": {"message": "Insufficient Balance"}}), ["credit"]),
        (refusal(400, "something is odd"), ["something is odd"]),
    ],
)
async def test_configuration(openai_server: OpenAIServer, fault, words):
    """A permanent error stops the run, and says what to do."""
    openai_server.reply = lambda _: fault
    error = await error_of(openai_server.base_url, api_key=KEY, key_variable="MY_KEY")
    assert isinstance(error, ConfigurationError)
    assert all(word in str(error) for word in words), error


async def test_missing_key(openai_server: OpenAIServer):
    """Without a key, the error names the variable to set; servers that need no key do not require one."""
    openai_server.key = "other"
    error = await error_of(openai_server.base_url)
    assert "set OPENAI_API_KEY" in str(error)
    assert "Authorization" not in openai_server.requests[0].headers


async def test_near_models_are_named(openai_server: OpenAIServer):
    """Models on the server with a similar name are listed."""
    openai_server.models = ["gpt-4o-mini-2024", "llama"]
    assert "'gpt-4o-mini-2024'" in str(await error_of(openai_server.base_url))


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/v1",
        "http://no-such-host.invalid/v1",
        "http://user:" + KEY + "@127.0.0.1:{port}/v1?sig=" + KEY,
    ],
)
async def test_no_server(address):
    """An absent server is a setup error."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        error = await error_of(address.format(port=unused.getsockname()[1]))
    assert isinstance(error, ConfigurationError)
    assert "no server at http://" in str(error)


async def test_server_that_went_away(openai_server: OpenAIServer):
    """A server that has answered before may come back: that is a failure, not a setup error."""
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await chat.complete(PLAIN)
    openai_server.close()
    with pytest.raises(CallFailed) as error:
        await chat.complete(PLAIN)
    with pytest.raises(CallFailed, match="can no longer be reached"):
        await chat.complete(PLAIN)
    await chat.close()
    assert error.value.retryable


async def test_tls(openai_server: OpenAIServer):
    """Asking a server that speaks plain HTTP for https says so."""
    error = await error_of(openai_server.base_url.replace("http:", "https:"))
    assert isinstance(error, ConfigurationError)
    assert "http://" in str(error)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(drop=True), "broke off"),
        (Fault(500, "down"), "HTTP 500: down"),
        (Fault(529, "overloaded"), "HTTP 529"),
        (Fault(408, "time-out"), "HTTP 408"),
    ],
)
async def test_passing(openai_server: OpenAIServer, fault, words):
    """Dropped connections and HTTP 5xx may be transient."""
    openai_server.reply = lambda _: fault
    error = await error_of(openai_server.base_url)
    assert isinstance(error, CallFailed)
    assert error.retryable
    assert words in str(error)


async def test_a_reply_that_the_server_itself_cannot_read_is_not_asked_for_again(openai_server: OpenAIServer):
    """llama.cpp's HTTP 500 about what its model wrote, which it would write again; it may have cost something."""
    said = "The model produced output that does not match the expected peg-native format"
    openai_server.reply = lambda _: Fault(500, {"error": {"code": 500, "message": said, "type": "server_error"}})
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), layers())
    with pytest.raises(CallFailed, match="cannot read what its model wrote") as error:
        await chat.complete(PLAIN)
    await chat.close()
    assert len(openai_server.requests) == 1
    assert (error.value.usage.calls, error.value.usage.unpriced) == (1, 1)


@pytest.mark.parametrize("body", ["<html>rubbish</html>", '{"pages": ["rubbish"]}'])
async def test_another_kind_of_server(openai_server: OpenAIServer, body):
    """A server whose first replies are all unreadable is a setup error: where, what it said, what to do."""
    openai_server.reply = lambda _: Fault(200, body)
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), layers())
    with pytest.raises(ConfigurationError) as error:
        await chat.complete(PLAIN)
    await chat.close()
    assert len(openai_server.requests) == 3
    assert all(word in str(error.value) for word in (openai_server.base_url, "rubbish", "check the base URL"))


async def test_a_garbled_reply_among_good_ones(openai_server: OpenAIServer):
    """One unreadable reply is retried, whether first or later; so are several after a good one."""
    garbled = Fault(200, "<html>rubbish</html>")
    said = iter([garbled, "one", garbled, garbled, garbled, "two"])
    openai_server.reply = lambda _: next(said)
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), layers(retries=Retries(first=0.01)))
    assert [(await chat.complete(PLAIN)).text for _ in range(2)] == ["one", "two"]
    await chat.close()


@pytest.mark.parametrize(
    "fault",
    [
        Fault(200, "x" * 10_000, drip=0.02),
        Fault(200, "late", delay=60),
        Fault(200, '{"choices"', {"Content-Length": "100"}),
    ],
    ids=["trickling", "silent", "cut"],
)
async def test_too_slow(openai_server: OpenAIServer, fault):
    """A reply that is incomplete at the timeout, of any kind, may come another time."""
    openai_server.reply = lambda _: fault
    error = await error_of(openai_server.base_url, timeout=2.0)
    assert isinstance(error, CallFailed)
    assert error.retryable
    assert "within 2 s" in str(error) or "broke off" in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:30 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"}, 30.0),
        ({"Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    """Retry-After may be seconds, a date, or milliseconds; nonsense is ignored."""
    assert retry_after(headers) == seconds


async def test_429_carries_retry_after(openai_server: OpenAIServer):
    """The wait that the server requests reaches the layers."""
    openai_server.reply = lambda _: Fault(429, "slow", {"Retry-After": "12"})
    error = await error_of(openai_server.base_url)
    assert (error.status, error.retry_after, error.retryable) == (429, 12.0, True)


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:8000/v1"},
        {"base_url": "http://"},
        {"base_url": "http://[::"},
        {"api_key": KEY + "\nX: y"},
        {"api_key": "ｓｋ" + KEY},
        {"headers": {"X": "a\r\nb"}},
        {"model": " "},
        {"timeout": 0},
    ],
)
def test_bad_settings(settings):
    """Impossible settings are refused before the first call, without showing the key."""
    with pytest.raises(ConfigurationError) as error:
        OpenAICompatibleChat(**{"model": "m", **settings})
    assert KEY not in str(error.value)


async def test_azure(openai_server: OpenAIServer):
    """An address with a query, as on Azure, is kept without being part of the name; its key is a header."""
    base = openai_server.base_url.replace("/v1", "/openai/deployments/d") + "?api-version=2024-06-01"
    chat = OpenAICompatibleChat("gpt", base, headers={"api-key": KEY})
    await chat.complete(PLAIN)
    await chat.close()
    asked = openai_server.requests[0]
    assert asked.path == "/openai/deployments/d/chat/completions"
    assert (asked.query["api-version"], asked.headers["api-key"]) == ("2024-06-01", KEY)
    assert "Authorization" not in asked.headers
    headers = Endpoint("gpt", "https://x.openai.azure.com/openai/deployments/d", KEY).all_headers()
    assert headers["api-key"] == KEY
    assert "Authorization" not in headers
    assert chat.name == f"openai:gpt@{base.partition('?')[0]}"


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions"])
async def test_forms_of_the_base_url(openai_server: OpenAIServer, tail):
    """A trailing slash, or the whole path, is understood."""
    chat = OpenAICompatibleChat("m", openai_server.base_url + tail, "key-123")
    await chat.complete(PLAIN)
    await chat.close()
    assert openai_server.requests[0].path == "/v1/chat/completions"
    assert openai_server.requests[0].headers["Authorization"] == "Bearer key-123"
    assert chat.name == f"openai:m@{openai_server.base_url}"


def test_one_object_in_successive_loops(openai_server: OpenAIServer):
    """A chat works in successive event loops if it is closed in between, and otherwise says so."""
    chat = OpenAICompatibleChat("m", openai_server.base_url)

    async def use(*, close: bool) -> None:
        await chat.complete(PLAIN)
        if close:
            await chat.close()

    asyncio.run(use(close=True))
    asyncio.run(use(close=True))
    with asyncio.Runner() as first:
        first.run(use(close=False))
        with pytest.raises(RuntimeError, match="close"), asyncio.Runner() as second:
            second.run(use(close=True))
        first.run(chat.close())


async def test_large_request(openai_server: OpenAIServer):
    """A prompt of several megabytes is sent without problems."""
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await chat.complete(ChatRequest((ChatMessage("user", "長い" * 500_000),)))
    await chat.close()
    assert len(openai_server.requests[0].text) == 1_000_000


@pytest.mark.parametrize(
    "error",
    [
        CallFailed("c", Usage(calls=1), kind="timeout", retryable=True, status=503),
        Unreadable("u", "the reply", Usage(calls=2)),
        SystemFailed("s", "timeout", Usage(calls=3)),
    ],
)
def test_errors_travel_between_processes(error):
    """Everything that an error carries survives pickling."""
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    assert (type(copied), str(copied), vars(copied)) == (type(error), str(error), vars(error))
