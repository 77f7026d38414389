"""The keys of several providers in one command: each goes to its own host, and to nobody on the way."""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from recorder import TUNNEL, Recorder, response
from saiten.errors import ConfigurationError, SaitenError
from saiten.options import Config
from saiten.protocols import ChatMessage, ChatRequest
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import SplitStatements
from saiten.wiring import Models, assemble_judge
from saiten.wiring.named_servers import servers_named
from servers import OpenAIServer
from stand_ins.anthropic import AnthropicServer
from stand_ins.bedrock import BedrockServer
from stand_ins.google import GeminiServer
from stand_ins.hosted import AzureServer, KnowsOnly
from stand_ins.shapes import NATIVE, NEEDS_LIBRARY, log_in

KEYS = {
    "ANTHROPIC_API_KEY": "sk-planted-anthropic",
    "GEMINI_API_KEY": "sk-planted-gemini",
    "AZURE_OPENAI_API_KEY": "sk-planted-azure",
    "MISTRAL_API_KEY": "sk-planted-mistral",
    "OPENAI_API_KEY": "sk-planted-openai",
    "AWS_BEARER_TOKEN_BEDROCK": "sk-planted-bedrock",
}
ONCE = CallSettings(retries=0, timeout=20)
HELLO = ChatRequest((ChatMessage("user", "hello"),), max_tokens=9)
NAMES = ("anthropic", "gemini", "bedrock", "azure", "mistral", "openai", "groq")
VARIABLES = {"bedrock": "AWS_BEARER_TOKEN_BEDROCK", "azure": "AZURE_OPENAI_API_KEY"}


def key_of(name: str) -> str:
    """The planted key of a provider."""
    return (KEYS | {"GROQ_API_KEY": "sk-planted-groq"})[variable_of(name)]


def variable_of(name: str) -> str:
    """Where it is."""
    return VARIABLES.get(name, f"{name.upper()}_API_KEY")


async def ask(spec: str, environ: Mapping[str, str], calls: CallSettings = ONCE) -> None:
    """One call."""
    chat = Models(calls, environ).chat(spec)
    try:
        await chat.complete(HELLO)
    finally:
        await chat.close()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No proxy, and no account but that of a test."""
    log_in(OpenAIServer(), monkeypatch, tmp_path)


EVERY = [pytest.param(name, marks=[NEEDS_LIBRARY] if name in NATIVE else []) for name in NAMES]


@pytest.mark.parametrize("name", EVERY)
async def test_a_proxy_sees_no_key(name, monkeypatch):
    """Everything that it receives: a CONNECT request, and then TLS."""
    with Recorder(TUNNEL) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:proxy-word@127.0.0.1:{proxy.port}")
        with suppress(SaitenError):  # no TLS comes back
            await ask(f"{name}:m@https://far.example.com", {variable_of(name): key_of(name)})
    head, _, rest = proxy.received.partition(b"\r\n\r\n")
    assert head.startswith(b"CONNECT far.example.com:443 ")
    for word in (b"api-key", b"\nauthorization", b"x-goog", b"planted"):
        assert word not in head.lower()
    assert b"planted" not in proxy.received
    assert rest.startswith(b"\x16\x03")  # a TLS handshake


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", ["vertex", "bedrock"])
async def test_a_proxy_sees_no_signature_and_no_token(name, monkeypatch, tmp_path):
    """Nor what authorizes a request without a key."""
    with NATIVE["vertex"].server() as server, Recorder(TUNNEL) as proxy:
        log_in(server, monkeypatch, tmp_path)
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with suppress(SaitenError):
            await ask(f"{name}:m@https://far.example.com", {})
        assert server.tokens == (1 if name == "vertex" else 0)
    assert proxy.received.startswith(b"CONNECT far.example.com:443 ")
    assert b"uthorization" not in proxy.received


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
@pytest.mark.parametrize("name", EVERY)
async def test_a_redirect_to_another_host_is_not_followed(name, status):
    """Nothing is sent there, a key least of all; the error says where the server wants to go."""
    with (
        Recorder() as elsewhere,
        Recorder(response(status, f"Location: {elsewhere.url}/v1")) as server,
        pytest.raises(ConfigurationError, match=f"redirects to {elsewhere.url}/v1") as error,
    ):
        await ask(f"{name}:m@{server.url}", {variable_of(name): key_of(name)})
    assert key_of(name).encode() in server.received
    assert elsewhere.received == b""
    assert "planted" not in str(error.value)


@pytest.mark.parametrize("name", EVERY)
async def test_what_is_on_this_machine_is_asked_without_a_proxy(name, monkeypatch):
    """Where the way to it is not encrypted, a proxy would read the key."""
    with Recorder(response("502 Bad Gateway")) as proxy, Recorder(response("404 Not Found")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        with suppress(SaitenError):
            await ask(f"{name}:m@{server.url}", {variable_of(name): key_of(name)})
    assert key_of(name).encode() in server.received
    assert proxy.received == b""


@pytest.mark.parametrize("name", EVERY)
async def test_key_env_names_the_key_of_any_address(name):
    """It wins over the provider's own variable, which that server then does not get."""
    with Recorder(response("404 Not Found")) as server:
        calls = CallSettings(retries=0, key_env={server.url: "GATEWAY_KEY"})
        with suppress(SaitenError):
            await ask(f"{name}:m@{server.url}", KEYS | {"GROQ_API_KEY": "k", "GATEWAY_KEY": "sk-gateway"}, calls)
    assert b"sk-gateway" in server.received
    assert b"planted" not in server.received


# --------------------------------------------------------------------------------------- several at once


def texts_of(server: OpenAIServer) -> str:
    """All that arrived at a server."""
    return "\n".join(f"{dict(asked.headers)} {asked.query} {asked.body} {asked.native}" for asked in server.requests)


@NEEDS_LIBRARY
@pytest.mark.parametrize("backwards", [False, True])
async def test_four_providers_get_four_keys(monkeypatch, backwards):
    """A judge, an embedder, a system and a generator, each of another provider, in any order."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as stack:
        anthropic, mistral, gemini, azure = (
            stack.enter_context(kind()) for kind in (AnthropicServer, KnowsOnly, GeminiServer, AzureServer)
        )
        for server, key in ((anthropic, "anthropic"), (mistral, "mistral"), (gemini, "gemini"), (azure, "azure")):
            server.key = key_of(key)
        models = Models(ONCE, KEYS)
        settings = JudgeSettings(f"anthropic:claude@{anthropic.root}", f"mistral:embed@{mistral.base_url}")
        judge = assemble_judge(settings, models=models)
        system = models.chat(f"gemini:gemini-x@{gemini.root}", what="system")
        generator = models.chat(f"azure:deployed@{azure.base_url.removesuffix('/v1')}", what="generator")
        steps = [
            judge.perform(MeasureSimilarity("one", ("another",), language="en")),
            judge.perform(SplitStatements("q", "t", language="en")),
            system.complete(HELLO),
            generator.complete(HELLO),
        ]
        for step in reversed(steps) if backwards else steps:
            await step
        for each in (judge, system, generator):
            await each.close()
    for server, name in ((anthropic, "anthropic"), (mistral, "mistral"), (gemini, "gemini"), (azure, "azure")):
        text = texts_of(server)
        assert [variable for variable, value in KEYS.items() if value in text] == [variable_of(name)]
        assert text.count(key_of(name)) == len(server.requests)


@NEEDS_LIBRARY
@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [(AnthropicServer, "anthropic", ""), (GeminiServer, "gemini", ""), (OpenAIServer, "openai", "/v1")],
)
async def test_a_second_address_of_a_provider_gets_no_key(kind, name, path, monkeypatch):
    """The first role's server has it; the other's error says how to give it one."""
    monkeypatch.setenv(variable_of(name), key_of(name))
    with kind() as one, kind() as other:
        one.key = other.key = key_of(name)
        urls = [server.base_url.removesuffix("/v1") + path for server in (one, other)]
        models = Models(ONCE, KEYS)
        judge, system = (
            models.chat(f"{name}:m@{url}", what=what) for url, what in zip(urls, ("judge", "system"), strict=True)
        )
        await judge.complete(HELLO)
        with pytest.raises(ConfigurationError, match=r"goes to http://127.0.0.1:\d+ only; name the variable"):
            await system.complete(HELLO)
        await judge.close()
        await system.close()
    assert "planted" in texts_of(one)
    assert "planted" not in texts_of(other)


@NEEDS_LIBRARY
async def test_a_bearer_token_goes_to_one_address_of_bedrock(monkeypatch):
    """The SDK would read it from the environment for any; the second is asked with a signature instead."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", key_of("bedrock"))
    with BedrockServer() as one, BedrockServer() as other:
        one.key = key_of("bedrock")
        models = Models(ONCE, KEYS)
        for server, what in ((one, "judge"), (other, "system")):
            chat = models.chat(f"bedrock:m-v1:0@{server.root}", what=what)
            await chat.complete(HELLO)
            await chat.close()
    assert one.requests[0].headers.getall("Authorization") == [f"Bearer {key_of('bedrock')}"]
    assert "planted" not in texts_of(other).replace("AKIAPLANTED", "")
    assert other.requests[0].headers["Authorization"].startswith("AWS4-HMAC-SHA256 ")


@pytest.mark.parametrize(
    ("judge", "gets"),
    [
        ("anthropic:m@https://far.example", "the data and the key in ANTHROPIC_API_KEY"),
        ("vertex:m@https://far.example", "the data and an access token of your account in Google's cloud"),
        ("bedrock:m@https://far.example", "the data and the key in AWS_BEARER_TOKEN_BEDROCK"),
    ],
)
def test_a_server_that_a_file_names_is_reported_with_what_it_gets(judge, gets):
    """A saiten.toml may come from somebody else."""
    (said,) = servers_named(Config({"judge": judge}, Path("saiten.toml")), {"judge": None}, KEYS)
    assert said == f"saiten.toml names the server of the judge, https://far.example: it gets {gets} when it is asked"
    headers = {"judge_headers": {"X-A": "env:HOME", "X-B": "plain", "X-C": "env:PATH"}}
    (said,) = servers_named(Config({"judge": judge, **headers}, Path("saiten.toml")), {"judge": None}, KEYS)
    assert f"it gets {gets} and the value of HOME, PATH when it is asked" in said


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "kind"), [("anthropic", AnthropicServer), ("gemini", GeminiServer)])
async def test_the_sdks_own_variables_are_not_sent(name, kind, monkeypatch):
    """Keys and addresses that only the SDK would read from the environment."""
    for variable in ("ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, "sk-planted-elsewhere")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    with kind() as server:
        server.key = None
        await ask(f"{name}:m@{server.root}", {})
    assert "planted" not in texts_of(server)
