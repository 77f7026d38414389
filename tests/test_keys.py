"""Where keys go: to the server they are for, and to nobody on the way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from recorder import TUNNEL, Recorder, response
from saiten.assembly import CallSettings, Models, SystemSettings, assemble_system
from saiten.assembly.knowledge import open_engine
from saiten.errors import SaitenError
from saiten.protocols import ChatRequest, Message
from saiten.records import Inquiry

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
        await chat.complete(ChatRequest((Message("user", "hello"),)))


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
    async with closing(open_engine(f"{url}/kb", writing=False, environ=ENVIRON)) as engine:
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
