"""Where keys go: to the server they are for, and to nobody on the way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from recorder import TUNNEL, Recorder, response
from saiten.config_file import read_config
from saiten.errors import ConfigurationError, SaitenError
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Inquiry
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import SplitStatements
from saiten.wiring import (
    Models,
    SystemSettings,
    assemble_judge,
    assemble_system,
    index_documents,
    open_knowledge_base,
)
from saiten.wiring.keys import Keys
from saiten.wiring.knowledge import open_engine
from servers import OpenAIServer

SECRET = "sk-planted-secret"
ENVIRON = {"OPENAI_API_KEY": SECRET, "SAITEN_SYSTEM_KEY": SECRET, "QDRANT_API_KEY": SECRET}
ONCE = CallSettings(retries=0, timeout=20)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """No proxy but the one that a test sets."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def closing(thing) -> AsyncIterator:
    """`thing`, closed at the end."""
    try:
        yield thing
    finally:
        await thing.close()


async def ask_judge(url):
    """One call of a chat model."""
    async with closing(Models(ONCE, ENVIRON).chat(f"openai:m@{url}/v1")) as chat:
        await chat.complete(ChatRequest((ChatMessage("user", "hello"),)))


async def ask_embedder(url):
    """One call of an embedder."""
    async with closing(Models(ONCE, ENVIRON).embedder(f"openai:m@{url}/v1")) as embedder:
        await embedder.embed(["hello"])


async def ask_system(url):
    """One question to an HTTP system, with a header of its own."""
    settings = SystemSettings(headers={"X-Api-Key": SECRET})
    async with closing(assemble_system(f"{url}/ask", settings, Models(ONCE, ENVIRON))) as system:
        await system.answer(Inquiry("hello"))


async def ask_qdrant(url):
    """One question to a Qdrant server."""
    pytest.importorskip("qdrant_client")
    async with closing(open_engine(f"{url}/kb", writing=False, keys=Keys(ENVIRON))) as engine:
        await engine.manifest()


ASK = pytest.mark.parametrize("ask", [ask_judge, ask_embedder, ask_system, ask_qdrant])


@ASK
async def test_a_proxy_sees_no_key(ask, monkeypatch):
    """Everything that it receives: the CONNECT request with the proxy's own password, and then TLS."""
    with Recorder(TUNNEL) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:proxy-word@127.0.0.1:{proxy.port}")
        with suppress(SaitenError):  # no TLS comes back
            await ask("https://far.example.azure.com")
    head, _, rest = proxy.received.partition(b"\r\n\r\n")
    assert head.startswith(b"CONNECT far.example.azure.com:443 ")
    assert b"Proxy-Authorization: Basic bWU6cHJveHktd29yZA==" in head
    assert b"api-key" not in head.lower()
    assert SECRET.encode() not in proxy.received
    assert rest.startswith(b"\x16\x03")  # a TLS handshake


@ASK
async def test_the_password_of_a_proxy_is_not_shown(ask, monkeypatch):
    """Where the proxy refuses, and where it is not there."""
    with Recorder(response("407 Proxy Authentication Required")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:proxy-word@127.0.0.1:{proxy.port}")
        with pytest.raises(SaitenError) as refused:
            await ask("https://far.example.azure.com")
    with pytest.raises(SaitenError) as gone:
        await ask("https://far.example.azure.com")
    assert "proxy-word" not in f"{refused.value}{gone.value}"


@ASK
async def test_what_is_on_this_machine_is_asked_without_a_proxy(ask, monkeypatch):
    """Where the way to it is not encrypted, a proxy would read the key."""
    with Recorder(response("502 Bad Gateway")) as proxy, Recorder(response("404 Not Found")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        with suppress(SaitenError):
            await ask(server.url)
    assert SECRET.encode() in server.received
    assert proxy.received == b""


@ASK
@pytest.mark.parametrize("status", ["301 Moved", "303 See Other", "307 Temporary Redirect"])
async def test_a_redirect_to_another_host_is_not_followed(ask, status):
    """Nothing is sent there, a key least of all."""
    with Recorder() as elsewhere, Recorder(response(status, f"Location: {elsewhere.url}/v1")) as server:
        with pytest.raises(SaitenError, match=status[:3]):
            await ask(server.url)
        assert SECRET.encode() in server.received
        assert elsewhere.received == b""


# ------------------------------------------------------------------------------------------- several servers


@pytest.fixture
def servers(openai_server):
    """Two servers that speak OpenAI's protocol."""
    with OpenAIServer() as other:
        yield openai_server, other


async def grade(settings, environ, calls=ONCE):
    """Let judge and embedder be asked, the embedder first."""
    judge = assemble_judge(settings, calls, environ)
    try:
        await judge.perform(MeasureSimilarity("one", ("another",), language="en"))
        await judge.perform(SplitStatements("q", "t", language="en"))
    finally:
        await judge.close()


def sent_to(server):
    """What was sent as keys, each once."""
    return {asked.headers.get("Authorization") for asked in server.requests}


async def test_a_key_goes_to_the_judge_and_not_to_an_embedder_elsewhere(servers):
    """Without an address of its own it is the judge's; on the judge's server the embedder has it too."""
    one, other = servers
    await grade(JudgeSettings(f"openai:m@{one.base_url}", f"openai:e@{other.base_url}"), ENVIRON)
    assert sent_to(one) == {f"Bearer {SECRET}"}
    assert sent_to(other) == {None}
    other.requests.clear()
    await grade(JudgeSettings(f"openai:m@{other.base_url}", f"openai:e@{other.base_url}"), ENVIRON)
    assert sent_to(other) == {f"Bearer {SECRET}"}


async def test_a_key_goes_to_the_address_that_it_was_set_with(servers):
    """`OPENAI_BASE_URL` is asked for embeddings only: its key is not the judge's."""
    one, other = servers
    environ = {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": other.base_url}
    await grade(JudgeSettings(f"openai:m@{one.base_url}", "openai:e"), environ)
    assert sent_to(one) == {None}
    assert sent_to(other) == {f"Bearer {SECRET}"}


async def test_each_server_has_the_key_that_the_configuration_names(servers, tmp_path, monkeypatch):
    """By `[key_env]` in saiten.toml, of which the longest path wins."""
    one, other = servers
    (tmp_path / "saiten.toml").write_text(
        f'[key_env]\n"{other.base_url}" = "OTHER_KEY"\n"{other.base_url}/x" = "NONE"\n'
    )
    monkeypatch.chdir(tmp_path)
    calls = read_config().settings(CallSettings, {"retries": 0}).kept_in(tmp_path)
    settings = JudgeSettings(f"openai:m@{one.base_url}", f"openai:e@{other.base_url}")
    await grade(settings, ENVIRON | {"OTHER_KEY": "sk-other"}, calls)
    assert (sent_to(one), sent_to(other)) == ({f"Bearer {SECRET}"}, {"Bearer sk-other"})
    with pytest.raises(ConfigurationError, match="is in OTHER_KEY, and OTHER_KEY is not set"):
        await grade(settings, ENVIRON, calls)


async def test_a_server_that_gets_no_key_is_told_how_it_would(servers):
    """Where the key goes instead, and what to write in saiten.toml."""
    one, other = servers
    other.key = "sk-other"
    with pytest.raises(ConfigurationError) as error:
        await grade(JudgeSettings(f"openai:m@{one.base_url}", f"openai:e@{other.base_url}"), ENVIRON)
    origin = other.base_url.removesuffix("/v1")
    expected = f"OPENAI_API_KEY goes to {one.base_url.removesuffix('/v1')} only; name the variable that has this"
    assert expected in str(error.value)
    assert f'[key_env] "{origin}" = "VARIABLE"' in str(error.value)
    assert SECRET not in str(error.value)


async def test_a_key_goes_to_one_of_several_systems(servers):
    """That of an HTTP system to the first; a user and a password in an address are its key already."""
    with Recorder() as one, Recorder() as other, Recorder() as third:
        models = Models(ONCE, ENVIRON)
        third_url = third.url.replace("//", "//me:word@")
        for url in (third_url, one.url, other.url):
            async with closing(assemble_system(f"{url}/ask", SystemSettings(), models)) as system:
                with suppress(SaitenError):  # nothing comes back
                    await system.answer(Inquiry("hello"))
        async with closing(models.chat(f"openai:m@{third_url}/v1")) as chat:
            with suppress(SaitenError):
                await chat.complete(ChatRequest((ChatMessage("user", "hello"),)))
    assert SECRET.encode() in one.received
    assert SECRET.encode() not in other.received + third.received
    assert third.received.count(b"Authorization: Basic bWU6d29yZA==") == 2


async def test_a_password_in_an_address_is_sent_in_the_place_of_a_key(servers):
    """Also where the key goes to the same server, for another model."""
    one, _ = servers
    await grade(
        JudgeSettings(f"openai:m@{one.base_url}", f"openai:e@{one.base_url.replace('//', '//me:word@')}"), ENVIRON
    )
    assert sent_to(one) == {f"Bearer {SECRET}", "Basic bWU6d29yZA=="}


@pytest.mark.parametrize(
    ("key_env", "said"),
    [
        ({"gpu1:8000": "GPU1_KEY"}, "names servers by their addresses"),
        ({"http://gpu1": "sk-planted-secret"}, "not a key; look at 'http://gpu1'"),
    ],
)
def test_an_entry_that_names_no_key_is_refused(key_env, said):
    """A key that was written there is not repeated."""
    with pytest.raises(ConfigurationError, match=said) as error:
        Models(CallSettings(key_env=key_env), {})
    assert SECRET not in str(error.value)


async def test_a_planned_model_keeps_its_key(servers):
    """Where an embedder is asked before the judge is put together."""
    one, other = servers
    models = Models(ONCE, ENVIRON)
    models.expect(f"openai:m@{one.base_url}", "judge")
    async with closing(models.embedder(f"openai:e@{other.base_url}")) as embedder:
        await embedder.embed(["hello"])
    async with closing(models.without_store().chat(f"openai:m@{one.base_url}")) as chat:
        await chat.complete(ChatRequest((ChatMessage("user", "hello"),)))
    assert (sent_to(one), sent_to(other)) == ({f"Bearer {SECRET}"}, {None})


async def test_a_server_that_only_a_knowledge_base_names_gets_no_key(servers, tmp_path):
    """The folder may be somebody else's. Its provider's own server, a server in `key_env`, and one that the user names
    get theirs.
    """
    one, other = servers
    (tmp_path / "a.txt").write_text("Some text.")
    kb = str(tmp_path / "kb")
    near = f"openai:e@{one.base_url}"

    async def search(environ, embedder=None, key_env=None):
        models = Models(replace(ONCE, key_env=key_env or {}), environ)
        base = await open_knowledge_base(kb, models, embedder=embedder)
        async with closing(base):
            await base.retrieve("text")

    await index_documents([tmp_path / "a.txt"], kb, Models(ONCE, ENVIRON), embedder=near)
    assert sent_to(one) == {f"Bearer {SECRET}"}
    one.requests.clear()
    await search(ENVIRON)
    assert sent_to(one) == {None}
    one.requests.clear()
    await search(ENVIRON | {"OPENAI_BASE_URL": one.base_url})
    await search(ENVIRON, embedder=near)
    await search({"ONE_KEY": SECRET}, key_env={one.base_url: "ONE_KEY"})
    assert sent_to(one) == {f"Bearer {SECRET}"}
    one.key = SECRET
    with pytest.raises(
        ConfigurationError, match=r"only a knowledge base names gets no key by itself; name the variable"
    ):
        await search(ENVIRON)
    assert not other.requests
