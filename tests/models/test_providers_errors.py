"""What providers complain of becomes saiten's errors: the right kind, and advice that names the right variables."""

import asyncio

import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.limits import Retries
from saiten.protocols import ChatMessage, ChatRequest
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring import models as wiring_models
from servers import Fault, refusal
from stand_ins.anthropic import AnthropicServer, anthropic_error
from stand_ins.bedrock import BedrockServer, bedrock_error
from stand_ins.google import GeminiServer, google_error
from stand_ins.hosted import FILTERED, AzureServer, KnowsOnly, OllamaServer, inside
from stand_ins.native import KEY
from stand_ins.shapes import CHAT_ONLY, HOSTED, NATIVE, NEEDS_LIBRARY, log_in

ONCE = CallSettings(retries=0, timeout=20)
HELLO = ChatRequest((ChatMessage("user", "hello"),), max_tokens=9)
SHAPES = NATIVE | HOSTED | CHAT_ONLY


@pytest.fixture
def ask(monkeypatch, tmp_path):
    """A function that asks a shape's server once, as set up, and returns what came of it, and what arrived."""

    async def run(name, setup=lambda _: None, *, environ=None, calls=ONCE, times=1):
        shape = SHAPES[name]
        with shape.server() as server:
            setup(server)
            log_in(server, monkeypatch, tmp_path)
            chat = Models(calls, shape.environ if environ is None else environ).chat(shape.named(server)[0])
            found = None
            for _ in range(times):
                try:
                    found = await chat.complete(HELLO)
                except (CallFailed, ConfigurationError) as error:
                    found = error
            await chat.close()
        return found, server.requests

    return run


def models(server):
    """Serve another model only."""
    server.models = ["other"]


def key(server):
    """Want another key."""
    server.key = "sk-another"


SETUP = [
    # shape, what is wrong, words of the error
    ("anthropic", key, ["does not accept the key from ANTHROPIC_API_KEY", "invalid x-api-key"]),
    ("gemini", key, ["does not accept the key from GEMINI_API_KEY", "API key not valid"]),
    ("azure", key, ["does not accept the key from AZURE_OPENAI_API_KEY"]),
    ("mistral", key, ["does not accept the key from MISTRAL_API_KEY"]),
    ("groq", key, ["does not accept the key from GROQ_API_KEY"]),
    ("anthropic", models, ["has no model 'claude-x'", "model: claude-x"]),
    ("gemini", models, ["has no model 'gemini-x'", "is not found for API version v1beta"]),
    ("vertex", models, ["has no model 'gemini-x'"]),
    ("bedrock", models, ["has no model 'anthropic.claude-x-v1:0'", "model identifier is invalid"]),
    ("azure", models, ["has no model 'm/x'", "API deployment for this resource does not exist"]),
    ("ollama", models, ["has no model 'm/x'", "try pulling it first", "the server has 'other'"]),
    ("openai", models, ["has no model 'm/x'", "the server has 'other'"]),
]


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "setup", "words"), SETUP)
async def test_a_wrong_setup_stops_the_run(ask, name, setup, words):
    """At the first request, with advice, and without the key."""
    error, requests = await ask(name, setup, calls=CallSettings(retries=3, timeout=20))
    assert isinstance(error, ConfigurationError), error
    for word in words:
        assert word in str(error)
    assert KEY not in str(error)
    assert len(requests) == 1


SAID = [
    ("together", Fault(404, {"error": {"message": "Unable to access model m/x.", "code": "model_not_available"}}), "has no model"),
    ("openrouter", inside(400, "m/x is not a valid model ID"), "has no model"),
    ("deepseek", Fault(400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}), "has no model"),
    ("mistral", Fault(400, {"object": "error", "message": "Invalid model: m/x", "type": "invalid_model", "code": "1500"}), "has no model"),
    ("cohere", Fault(404, {"message": "model 'm/x' not found, make sure the correct model ID was used"}), "has no model"),
    ("groq", refusal(404, "The model `m/x` does not exist or you do not have access to it.", code="model_not_found"), "has no model"),
    ("cohere", Fault(401, {"message": "invalid api token"}), "does not accept the key from CO_API_KEY"),
    ("openrouter", inside(401, "User not found."), "does not accept the key from OPENROUTER_API_KEY"),
    ("openrouter", inside(402, "Insufficient credits"), "the account behind OPENROUTER_API_KEY has no quota"),
    ("deepseek", Fault(402, {"error": {"message": "Insufficient Balance"}}), "the account behind DEEPSEEK_API_KEY has no"),
    ("anthropic", anthropic_error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "credit balance is too low"),
    ("gemini", google_error(400, "API key expired. Please renew the API key."), "does not accept the key from GEMINI_API_KEY"),
    ("gemini", google_error(403, "Permission denied on resource project p.", "PERMISSION_DENIED"), "does not accept the key from GEMINI_API_KEY"),
    ("bedrock", bedrock_error(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."), "check them, or set AWS_ACCESS_KEY_ID"),
    ("bedrock", bedrock_error(403, "ExpiredTokenException", "The security token included in the request is expired"), "does not accept your credentials"),
    ("bedrock", bedrock_error(404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier."), "has no model"),
    ("vertex", google_error(403, "Permission 'aiplatform.endpoints.predict' denied", "PERMISSION_DENIED"), "or set GOOGLE_APPLICATION_CREDENTIALS"),
]  # fmt: skip


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "said", "expected"), SAID)
async def test_each_provider_is_understood(ask, name, said, expected):
    """In the words of its documents."""
    error, requests = await ask(name, lambda server: setattr(server, "reply", lambda _: said))
    assert isinstance(error, ConfigurationError), error
    assert expected in str(error)
    assert len(requests) == 1


THIS_ONE = [
    ("anthropic", anthropic_error(413, "request_too_large", "Request exceeds the maximum size"), "too long"),
    ("anthropic", anthropic_error(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), "too long"),
    ("gemini", google_error(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), "too long"),
    ("bedrock", bedrock_error(400, "ValidationException", "Input is too long for requested model."), "too long"),
    ("azure", Fault(400, FILTERED), "content filter refused"),
    ("openrouter", inside(403, "m/x requires moderation. Your input was flagged"), "content filter refused"),
    ("anthropic", anthropic_error(400, "invalid_request_error", "Output blocked by content filtering policy"), "content filter refused"),
]  # fmt: skip


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "said", "expected"), THIS_ONE)
async def test_an_error_of_one_prompt_is_one_failed_call(ask, name, said, expected):
    """It fails alone, and is not sent again."""
    error, requests = await ask(
        name, lambda server: setattr(server, "reply", lambda _: said), calls=CallSettings(retries=3)
    )
    assert isinstance(error, CallFailed), error
    assert (expected in str(error), error.retryable, len(requests)) == (True, False, 1)


def _stopped(reason, content):
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 2}}  # fmt: skip


def _candidate(reason, parts):
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}


def _converse(reason, content):
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason, "usage": {}}


EMPTY = [
    ("anthropic", _stopped("max_tokens", [{"type": "thinking", "thinking": "…", "signature": "s"}]), "ran out of tokens"),
    ("anthropic", _stopped("refusal", []), "content filter"),
    ("anthropic", _stopped("end_turn", []), "gave an empty answer"),
    ("gemini", _candidate("MAX_TOKENS", []), "ran out of tokens"),
    ("gemini", _candidate("SAFETY", []), "content filter"),
    ("gemini", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5}}, "content filter"),
    ("vertex", {"promptFeedback": {"blockReason": "SAFETY"}}, "content filter"),
    ("bedrock", _converse("max_tokens", []), "ran out of tokens"),
    ("bedrock", _converse("guardrail_intervened", []), "content filter"),
]  # fmt: skip


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "reply", "expected"), EMPTY)
async def test_a_reply_without_an_answer_says_why(ask, name, reply, expected):
    """Refused, filtered or out of tokens: one failed call, which would end the same way again."""
    error, requests = await ask(
        name, lambda server: setattr(server, "reply", lambda _: reply), calls=CallSettings(retries=3)
    )
    assert isinstance(error, CallFailed), error
    assert (expected in str(error), error.retryable, len(requests)) == (True, False, 1)


CUT_SHORT = [
    ("anthropic", _stopped("max_tokens", [{"type": "text", "text": "half an ans"}])),
    ("gemini", _candidate("MAX_TOKENS", [{"text": "half an ans"}])),
    ("bedrock", _converse("max_tokens", [{"text": "half an ans"}])),
]


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "reply"), CUT_SHORT)
async def test_a_reply_that_was_cut_off_is_known_to_be(ask, name, reply):
    """So that the judge asks for a shorter one, and nothing keeps it."""
    answer, _ = await ask(name, lambda server: setattr(server, "reply", lambda _: reply))
    assert (answer.text, answer.cut_off) == ("half an ans", True)


# --------------------------------------------------------------------------------------------------- retries

BUSY = [
    ("anthropic", anthropic_error(429, "rate_limit_error", "Slow down", {"retry-after": "0.07"}), 0.07),
    ("anthropic", anthropic_error(529, "overloaded_error", "Overloaded"), None),
    ("anthropic", anthropic_error(500, "api_error", "Internal server error"), None),
    (
        "gemini",
        google_error(
            429,
            "You exceeded your current quota",
            "RESOURCE_EXHAUSTED",
            [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.345s"}],
        ),
        0.345,
    ),
    ("gemini", google_error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"), None),
    ("bedrock", bedrock_error(429, "ThrottlingException", "Too many requests, please wait."), None),
    ("bedrock", bedrock_error(503, "ServiceUnavailableException", "Try again"), None),
    ("openrouter", inside(429, "m/x is temporarily rate-limited upstream"), None),
    ("openrouter", inside(502, "Provider returned error"), None),
    ("groq", Fault(429, {"error": {"message": "Rate limit reached", "type": "tokens"}}, {"retry-after": "0.02"}), 0.02),
]  # fmt: skip


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "said", "wait"), BUSY)
async def test_a_busy_provider_is_asked_again_by_saiten_only(ask, name, said, wait, monkeypatch):
    """As often as asked for, not as often as its SDK would; its wish to wait is known."""
    error, requests = await ask(name, lambda server: setattr(server, "reply", lambda _: said))
    assert (error.retryable, error.retry_after, len(requests)) == (True, wait, 1)
    monkeypatch.setattr(wiring_models, "Retries", lambda attempts: Retries(attempts, 0.0, 0.0))
    error, requests = await ask(
        name, lambda server: setattr(server, "reply", lambda _: said), calls=CallSettings(retries=2, timeout=20)
    )
    assert "given up after 3 attempts" in str(error)
    assert len(requests) == 3


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", NATIVE)
async def test_trouble_that_passes_is_survived(ask, name, monkeypatch):
    """A connection that breaks off, and an overloaded server: the third attempt succeeds, and counts as three calls."""
    monkeypatch.setattr(wiring_models, "Retries", lambda attempts: Retries(attempts, 0.0, 0.0))
    faults = {1: Fault(drop=True), 2: Fault(503, {"error": {"message": "later"}})}
    answer, requests = await ask(
        name,
        lambda server: setattr(server, "reply", lambda asked: faults.get(asked.number)),
        calls=CallSettings(retries=5, timeout=20),
    )
    assert (answer.text, answer.usage.calls, len(requests)) == ("A plain answer.", 3, 3)


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", NATIVE)
async def test_a_reply_that_does_not_come_is_a_time_out(ask, name):
    """After the seconds of the settings, whatever the SDK would wait."""
    error, _ = await ask(
        name, lambda server: setattr(server, "latency", 60), calls=CallSettings(retries=0, timeout=0.3)
    )
    assert isinstance(error, CallFailed), error
    assert (error.kind, error.retryable) == ("timeout", True)
    assert "did not answer in full within 0.3 s" in str(error)


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("page", ["<html>Please log in</html>", '{"ok": true}', "[]"])
async def test_something_else_at_the_address_is_a_wrong_setup(ask, name, page):
    """A login page with HTTP 200 is an unreadable reply; the third one stops the run."""
    error, requests = await ask(
        name,
        lambda server: setattr(server, "reply", lambda _: Fault(200, page, {"Content-Type": "text/html"})),
        times=3,
    )
    assert isinstance(error, ConfigurationError), error
    assert f"does not answer as {name} does (3 tries)" in str(error)
    assert len(requests) == 3


# ------------------------------------------------------------------------------------------ what is missing


@NEEDS_LIBRARY
@pytest.mark.parametrize(
    ("name", "gone", "said"),
    [
        (
            "bedrock",
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
            "needs credentials.*set AWS_ACCESS_KEY_ID and AWS_SEC",
        ),
        ("bedrock", ["AWS_REGION"], "needs a region.*set AWS_REGION"),
        ("vertex", ["GOOGLE_APPLICATION_CREDENTIALS"], "needs credentials.*gcloud auth application-default login"),
    ],
)
async def test_missing_credentials_are_named(name, gone, said, monkeypatch, tmp_path):
    """Nothing is sent, and the error says what to set."""
    shape = NATIVE[name]
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("NO_GCE_CHECK", "true")
        for variable in (*gone, "GOOGLE_CLOUD_PROJECT"):
            monkeypatch.delenv(variable, raising=False)
        chat = Models(ONCE, {}).chat(shape.named(server)[0])
        with pytest.raises(ConfigurationError, match=said):
            await chat.complete(HELLO)
        await chat.close()
    assert server.requests == []


@pytest.mark.parametrize("name", ["anthropic", "gemini", "vertex", "bedrock"])
def test_a_provider_without_its_extra_says_what_to_install(name, monkeypatch):
    """When the model is named, not at the first call."""
    monkeypatch.setattr("saiten.models.networks.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r'needs any_llm; install with: pip install "saiten\[providers\]"'):
        Models(ONCE, {"ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}).chat(f"{name}:m@http://127.0.0.1:9")


@pytest.mark.parametrize("server", [AnthropicServer, GeminiServer, BedrockServer, AzureServer, KnowsOnly, OllamaServer])
def test_a_stand_in_refuses_what_is_not_of_its_shape(server):
    """So that a test cannot pass because a stand-in takes everything."""
    import aiohttp

    async def post(url):
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, json={"messages": [], "model": "m", "foo": 1}) as got,
        ):
            return got.status

    with server() as running:
        root = running.base_url.removesuffix("/v1")
        assert asyncio.run(post(f"{root}/model/m/elsewhere")) in (404, 422)
