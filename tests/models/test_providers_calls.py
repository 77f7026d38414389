"""Many calls at once, calls that are canceled, and models that are used in one event loop after another."""

import asyncio
import os
import signal
import sys
import threading
from asyncio.selector_events import BaseSelectorEventLoop

import pytest

from saiten.protocols import ChatMessage, ChatRequest
from saiten.settings import CallSettings
from saiten.wiring import Models
from stand_ins.shapes import NATIVE, NEEDS_LIBRARY, each, log_in

ONCE = CallSettings(retries=0, timeout=60)
AT_ONCE = 64


def hello(number=0):
    """A request of its own."""
    return ChatRequest((ChatMessage("user", f"hello {number}"),), max_tokens=9)


async def until(true):
    """Wait until something is true."""
    while not true():  # noqa: ASYNC110 - it becomes true in another thread
        await asyncio.sleep(0.005)


@each(NATIVE)
async def test_as_many_calls_as_allowed_are_in_flight(opened, shape):
    """Sixty-four at once, on Bedrock, too, whose SDK blocks a thread per call."""
    server, chat = opened(shape)
    await chat.complete(hello())
    go = server.hold()
    calls = [asyncio.create_task(chat.complete(hello(number))) for number in range(AT_ONCE)]
    await until(lambda: server.in_flight == AT_ONCE)
    go.set()
    answers = await asyncio.gather(*calls)
    await chat.close()
    assert {answer.text for answer in answers} == {"A plain answer."}
    assert len(server.requests) == AT_ONCE + 1


@each(NATIVE)
async def test_a_canceled_call_ends_its_request(opened, shape):
    """The connection is closed, no thread stays behind, and the next call works."""
    server, chat = opened(shape)
    await chat.complete(hello())
    go = server.hold()
    calls = [asyncio.create_task(chat.complete(hello(number))) for number in range(8)]
    await until(lambda: server.in_flight == 8)
    for call in calls:
        call.cancel()
    assert all(
        isinstance(ended, asyncio.CancelledError) for ended in await asyncio.gather(*calls, return_exceptions=True)
    )
    await until(lambda: server.in_flight == 0)
    go.set()
    assert (await chat.complete(hello(9))).text == "A plain answer."
    await chat.close()
    await until(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("bedrock")])


@each(NATIVE)
def test_a_closed_model_works_in_another_event_loop(opened, shape):
    """As a notebook does it: one loop per cell."""
    server, chat = opened(shape)

    async def once():
        try:
            return (await chat.complete(hello())).text
        finally:
            await chat.close()

    assert [asyncio.run(once()) for _ in range(3)] == ["A plain answer."] * 3
    assert len(server.requests) == 3


WAITS = """
import asyncio
from saiten.protocols import ChatMessage, ChatRequest
from saiten.settings import CallSettings
from saiten.wiring import Models

async def main():
    chat = Models(CallSettings(retries=0, timeout=600)).chat({name!r})
    try:
        asked = [ChatRequest((ChatMessage("user", str(n)),), max_tokens=9) for n in range(5)]
        await asyncio.gather(*map(chat.complete, asked))
    finally:
        await chat.close()

try:
    asyncio.run(main())
except KeyboardInterrupt:
    raise SystemExit(130) from None
"""


@NEEDS_LIBRARY
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT on this system")
@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
async def test_ctrl_c_ends_a_process_that_waits_for_a_reply(name, monkeypatch, tmp_path):
    """No thread keeps it alive until the time-out, which is ten minutes here."""
    shape = NATIVE[name]
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        server.hold()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", WAITS.format(name=shape.named(server)[0])),
            env=os.environ | dict(shape.environ),
            stderr=asyncio.subprocess.PIPE,
        )
        await until(lambda: server.in_flight or process.returncode is not None)
        process.send_signal(signal.SIGINT)
        _, said = await process.communicate()
    assert (process.returncode, said.decode()) == (130, "")


@NEEDS_LIBRARY
async def test_nothing_else_is_asked(opened, monkeypatch):
    """No telemetry, no table of prices, no list of models: only the server of the model is reached."""
    reached: set[str] = set()
    connect = BaseSelectorEventLoop.sock_connect

    def noted(loop, sock, address):
        reached.add(address[0])
        return connect(loop, sock, address)

    monkeypatch.setattr(BaseSelectorEventLoop, "sock_connect", noted)
    monkeypatch.setattr("socket.getaddrinfo", lambda *name, **_: pytest.fail(f"looks up {name}"))
    for name in ("anthropic", "gemini", "bedrock"):
        server, chat = opened(NATIVE[name])
        await chat.complete(hello())
        await chat.close()
        assert len(server.requests) == 1
    assert reached == {"127.0.0.1"}


@NEEDS_LIBRARY
async def test_models_of_one_provider_are_apart(monkeypatch, tmp_path):
    """Two models on two servers, at the same time, each with its own dialect."""
    one, other = NATIVE["anthropic"].server(), NATIVE["anthropic"].server()
    with one, other:
        log_in(one, monkeypatch, tmp_path)
        one.refuses = {"temperature"}
        one.key = other.key = None
        models = Models(ONCE, {"ANTHROPIC_API_KEY": "k"})
        chats = [models.chat(f"anthropic:claude@{server.root}") for server in (one, other)]
        await asyncio.gather(*(chat.complete(hello()) for chat in chats))
        assert ["temperature" in chat.left_out for chat in chats] == [True, False]
        await asyncio.gather(*(chat.close() for chat in chats))
