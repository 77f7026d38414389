"""Retries: waits grow, follow the server's request, and all costs are counted."""

from random import Random

import pytest

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError
from saiten.models.layers import LayeredChat
from saiten.models.limits import Retries, Retrying
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage

PLAIN = ChatRequest((ChatMessage("user", "hello"),))


def passing(**more: object) -> CallFailed:
    """A transient failure."""
    return CallFailed("broke", Usage(calls=1, prompt_tokens=5), retryable=True, **more)


def retrying(script: list, retries: Retries | None = None) -> tuple[LayeredChat, ScriptedChat, list[float]]:
    """A chat with retries, the inner script, and the waits."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    inner = ScriptedChat(script)
    return LayeredChat(inner, [Retrying(retries or Retries(), Random(1), sleep)]), inner, waits


async def test_asks_until_it_works():
    """The final answer includes the cost of the earlier attempts."""
    chat, inner, waits = retrying([passing(), passing(), "ok"])
    answer = await chat.complete(PLAIN)
    assert (answer.text, answer.usage) == ("ok", Usage(calls=3, prompt_tokens=10))
    assert len(inner.requests) == 3
    assert len(waits) == 2


async def test_gives_up():
    """After the last attempt, the error has their number and their cost."""
    chat, inner, _ = retrying([passing(status=503)] * 3, Retries(attempts=3))
    with pytest.raises(CallFailed, match=r"broke \(given up after 3 attempts\)") as error:
        await chat.complete(PLAIN)
    assert error.value.usage == Usage(calls=3, prompt_tokens=15)
    assert error.value.status == 503
    assert len(inner.requests) == 3


@pytest.mark.parametrize("error", [ConfigurationError("no key"), BudgetSpent("spent"), CallFailed("refused")])
async def test_what_is_never_retried(error):
    """Permanent errors are not retried."""
    chat, inner, _ = retrying([error, "ok"])
    with pytest.raises(type(error)):
        await chat.complete(PLAIN)
    assert len(inner.requests) == 1


@pytest.mark.parametrize(("asked", "least"), [(7.0, 7.0), (1000.0, 20.0), (None, 0.0)])
async def test_retry_after(asked, least):
    """The server's requested wait is observed, up to a bound."""
    chat, _, waits = retrying([passing(retry_after=asked), "ok"], Retries(longest=20.0))
    await chat.complete(PLAIN)
    assert least <= waits[0] <= 20.0


def test_jitter():
    """Waits are random in the upper half below a bound that doubles; the same seed gives the same waits."""
    retries = Retries(first=1.0, longest=10.0)
    for failures, bound in ((1, 1.0), (2, 2.0), (4, 8.0), (9, 10.0), (5000, 10.0)):
        waits = [retries.wait(failures, None, Random(seed)) for seed in range(300)]
        assert max(waits) <= bound
        assert 0.5 * bound <= min(waits) < 0.55 * bound
        assert max(waits) > 0.95 * bound
    assert retries.wait(3, None, Random(7)) == retries.wait(3, None, Random(7))


@pytest.mark.parametrize("seed", range(20))
async def test_an_outage_of_half_a_minute_is_outlasted(seed):
    """By default nobody gives up on a server that refuses everything for 30 seconds, whatever the jitter."""
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    def script(_: ChatRequest) -> str:
        if now < 30.0:
            raise passing(status=429)
        return "ok"

    chat = LayeredChat(ScriptedChat(script), [Retrying(Retries(), Random(seed), sleep)])
    assert (await chat.complete(PLAIN)).text == "ok"


@pytest.mark.parametrize("settings", [{"attempts": 0}, {"first": -1}, {"longest": -1}])
def test_bad_settings(settings):
    """Nonsensical settings are refused."""
    with pytest.raises(ConfigurationError):
        Retries(**settings)


async def test_a_time_out_before_anything_came_back_is_final():
    """A server that hangs from the start does not take its time-out once per attempt; one that has answered may."""
    late = lambda: passing(kind="timeout")  # noqa: E731
    chat, inner, _ = retrying([late(), "ok", late(), "ok"])
    with pytest.raises(CallFailed, match="broke"):
        await chat.complete(PLAIN)
    assert len(inner.requests) == 1
    assert (await chat.complete(PLAIN)).text == "ok"
    assert (await chat.complete(PLAIN)).text == "ok"
    assert len(inner.requests) == 4


async def test_a_gateway_that_reports_a_time_out_has_answered():
    """Its HTTP status is an answer, so the request is repeated."""
    chat, inner, _ = retrying([passing(kind="timeout", status=504), "ok"])
    assert (await chat.complete(PLAIN)).text == "ok"
    assert len(inner.requests) == 2
