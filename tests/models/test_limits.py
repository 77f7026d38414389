"""Limits: in flight, per minute, and fewer when the server says that it is too much. Time is virtual here."""

import asyncio

import pytest
import virtual_time

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.layers import LayeredChat
from saiten.models.limits import Limiter, Limits
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatMessage, ChatRequest, Completion
from saiten.records import Usage


def request(number: int = 0, text: str = "hello", max_tokens: int | None = None) -> ChatRequest:
    """A request distinguishable from others."""
    return ChatRequest((ChatMessage("user", text),), seed=number, max_tokens=max_tokens)


class Server:
    """Answers after a second, refuses what exceeds its capacity, and records what came when."""

    def __init__(self, capacity: int = 10**9, retry_after: float | None = None, usage: Usage | None = None) -> None:
        self.capacity = capacity
        self.retry_after = retry_after
        self.usage = usage or Usage(calls=1)
        self.in_flight = self.peak = self.refused = 0
        self.came: list[tuple[float, int]] = []

    async def reply(self, asked: ChatRequest) -> Completion | CallFailed:
        """One second of work, or HTTP 429 after a tenth."""
        loop = asyncio.get_running_loop()
        self.came.append((loop.time(), asked.seed))
        if self.in_flight >= self.capacity:
            self.refused += 1
            await asyncio.sleep(0.1)
            return CallFailed("busy", Usage(calls=1), retryable=True, status=429, retry_after=self.retry_after)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(1.0)
        finally:
            self.in_flight -= 1
        return Completion("ok", self.usage)

    def chat(self, limiter: Limiter) -> LayeredChat:
        """A chat model at this server, behind a limiter."""
        return LayeredChat(ScriptedChat(self.reply), [limiter])


async def ask(chat: LayeredChat, count: int, **settings: object) -> list:
    """Ask this often at once."""
    return await asyncio.gather(*(chat.complete(request(n, **settings)) for n in range(count)), return_exceptions=True)


def test_in_flight_and_in_order():
    """Never more in flight than allowed, always as many as there is work for, first come first served."""
    server = Server()
    virtual_time.run(ask(server.chat(Limiter(Limits(concurrency=4))), 20))
    assert server.peak == 4
    assert [number for _, number in server.came] == list(range(20))
    assert server.came[-1][0] == pytest.approx(4.0)


@pytest.mark.parametrize("rate", [6, 60, 600])
def test_requests_per_minute(rate):
    """No minute holds more requests than allowed, and none is wasted."""
    server = Server()
    virtual_time.run(ask(server.chat(Limiter(Limits(1000, requests_per_minute=rate))), 2 * rate))
    times = [time for time, _ in server.came]
    assert max(sum(start <= time < start + 60 for time in times) for start in times) <= rate * (1 + 1 / 600) + 1e-9
    assert times[-1] == pytest.approx(120 - 60 / rate, rel=0.01)


def test_tokens_per_minute_are_corrected_by_what_is_reported():
    """A request counts with its estimate, and the server's report corrects it for the next ones."""
    server = Server(usage=Usage(calls=1, prompt_tokens=90, completion_tokens=10))
    limiter = Limiter(Limits(1, tokens_per_minute=600))
    virtual_time.run(ask(server.chat(limiter), 7, text="x" * 4, max_tokens=1))  # estimated at 3 tokens
    assert server.came[-1][0] == pytest.approx(60.0, rel=0.05)


def test_japanese_counts_a_token_a_character():
    """For the same number of characters, Japanese text has four times as many tokens."""
    for text, seconds in (("あ" * 99, 10.0), ("a" * 396, 10.0), ("a" * 99, 2.5)):
        server = Server()
        virtual_time.run(ask(server.chat(Limiter(Limits(1, tokens_per_minute=600))), 2, text=text))
        assert server.came[1][0] == pytest.approx(seconds, rel=0.03)


def test_halves_once_per_round_trip():
    """Sixty refusals in one round trip are one reason to halve, not sixty."""
    server, limiter = Server(capacity=4), Limiter(Limits(64))
    virtual_time.run(ask(server.chat(limiter), 64))
    assert server.refused == 60
    assert limiter.allowed == 32


def test_comes_down_to_what_the_server_bears_and_goes_up_again():
    """After a storm the limiter works near the server's capacity, and returns to the maximum when possible."""
    server, limiter = Server(capacity=8), Limiter(Limits(64))

    async def run() -> None:
        chat = server.chat(limiter)
        await ask(chat, 400)
        refused = server.refused
        await ask(chat, 400)
        assert server.refused - refused < 100
        assert limiter.allowed <= 16
        server.capacity = 1000
        for _ in range(10):
            await ask(chat, 400)
        assert limiter.allowed == 64

    virtual_time.run(run())


def test_retry_after_pauses_everybody():
    """If the server refuses repeatedly and requests a wait, nobody sends anything until then."""
    server, limiter = Server(capacity=1, retry_after=30.0), Limiter(Limits(8))
    virtual_time.run(ask(server.chat(limiter), 24))
    late = [time for time, _ in server.came[8 + 3 :]]  # three replace the first three refused
    assert late
    assert all(time >= 30.0 for time in late)


def test_a_refusal_now_and_then_holds_back_nobody_else():
    """One refusal in ten, each requesting a wait of 30 s, neither pauses the others nor lowers the number in flight."""
    came = []

    async def reply(asked: ChatRequest) -> Completion | CallFailed:
        came.append(asyncio.get_running_loop().time())
        await asyncio.sleep(1.0)
        if asked.seed % 10 == 0:
            return CallFailed("busy", Usage(calls=1), retryable=True, status=429, retry_after=30.0)
        return Completion("ok")

    limiter = Limiter(Limits(20))
    virtual_time.run(ask(LayeredChat(ScriptedChat(reply), [limiter]), 200))
    assert max(came) == pytest.approx(9.0)
    assert limiter.allowed == 20


def test_canceled_waiters_lose_nothing():
    """A canceled waiter frees its place, whether still queued or just admitted; the others proceed in order."""
    server, limiter = Server(), Limiter(Limits(concurrency=1))

    async def run() -> None:
        chat = server.chat(limiter)
        tasks = [asyncio.create_task(chat.complete(request(number))) for number in range(6)]
        await asyncio.sleep(0.5)
        tasks[1].cancel()  # at the head of the queue
        tasks[3].cancel()  # within it
        await tasks[0]
        tasks[2].cancel()  # in flight
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.in_flight == 0

    virtual_time.run(run())
    assert [number for _, number in server.came] == [0, 2, 4, 5]


def test_let_in_and_canceled_in_the_same_turn():
    """A waiter that is admitted and canceled before it runs passes its place on."""
    limiter = Limiter(Limits(concurrency=1))

    async def run() -> None:
        gate = asyncio.Event()

        async def reply(_: ChatRequest) -> str:
            await gate.wait()
            return "ok"

        chat = LayeredChat(ScriptedChat(reply), [limiter])

        async def first() -> None:
            await chat.complete(request(0))
            tasks[1].cancel()  # its place was assigned in this very turn

        tasks = [asyncio.create_task(call) for call in (first(), chat.complete(request(1)), chat.complete(request(2)))]
        await asyncio.sleep(0)
        gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(result, asyncio.CancelledError) for result in results] == [False, True, False]
        assert limiter.in_flight == 0

    virtual_time.run(run())


def test_successive_loops():
    """The limiter continues in another event loop."""
    limiter = Limiter(Limits(2, requests_per_minute=60))
    for _ in range(2):
        server = Server()
        virtual_time.run(ask(server.chat(limiter), 4))
        assert len(server.came) == 4


@pytest.mark.parametrize(
    "settings", [{"concurrency": 0}, {"requests_per_minute": 0}, {"tokens_per_minute": float("nan")}]
)
def test_bad_settings(settings):
    """Nonsensical settings are refused."""
    with pytest.raises(ConfigurationError):
        Limits(**settings)
