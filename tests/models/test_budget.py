"""The budget is exact, however many calls are in flight; prices are known or reported as unknown."""

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError
from saiten.models.budget import Account, Budget, Budgeted
from saiten.models.layers import LayeredChat, Load
from saiten.models.limits import Limits, Retries
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.prices import Price, Quote
from saiten.models.scripted import ScriptedChat
from saiten.models.stack import layers, stack_chat
from saiten.protocols import ChatMessage, ChatRequest, Completion
from saiten.records import Usage
from servers import Asked, Fault, OpenAIServer, completion

ANSWERED = Usage(calls=1, prompt_tokens=1000, completion_tokens=500, unpriced=1)
LOAD = Load(prompt=10, completion=10)
PRICE = Quote(Price(1.0, 2.0))  # so ANSWERED costs 0.002


def request(number: int) -> ChatRequest:
    """A request distinguishable from others."""
    return ChatRequest((ChatMessage("user", f"hello {number}"),), {"type": "object", "properties": {}}, seed=number)


async def ask(chat: object, count: int) -> list:
    """Ask this often at once."""
    return await asyncio.gather(*(chat.complete(request(number)) for number in range(count)), return_exceptions=True)


def counted(results: list, kind: type) -> int:
    """How many of the results are of this kind."""
    return sum(isinstance(result, kind) for result in results)


@pytest.mark.parametrize("most", [0, 1, 2, 37])
async def test_max_calls_is_exact(openai_server: OpenAIServer, most):
    """With 64 in flight, retries, and dialects to find out, the server never sees more requests than allowed."""
    openai_server.latency, openai_server.structured = 0.01, "json_object_schema"
    inner_reply = openai_server.reply
    openai_server.reply = lambda asked: Fault(500, "down") if asked.number % 3 == 0 else inner_reply(asked)
    budget = Budget(max_calls=most)
    around = layers(retries=Retries(first=0.001), limits=Limits(64), budget=budget)
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), around)
    results = await ask(chat, 200)
    await chat.close()
    assert len(openai_server.requests) == budget.calls == most
    assert counted(results, BudgetSpent) + counted(results, Completion) == 200


async def test_a_call_too_many_is_refused_once_those_in_flight_have_their_replies():
    """Its error may cancel the others, whose replies are paid for."""
    replied, account = asyncio.Event(), Account()

    async def attempt() -> Completion:
        await replied.wait()
        return Completion("yes", ANSWERED)

    layer = Budgeted(PRICE, Budget(max_calls=1, account=account))
    calls = [asyncio.create_task(layer.run(attempt, LOAD)) for _ in range(2)]
    await asyncio.sleep(0.01)
    assert not any(call.done() for call in calls)
    replied.set()
    with pytest.raises(BudgetSpent):
        await calls[1]
    assert (calls[0].done(), account.usage.unanswered, account.usage.calls) == (True, 0, 1)


async def test_max_cost_is_not_exceeded():
    """Calls stop when the next one would exceed it, although 64 are waiting and no price is known beforehand."""

    async def reply(_: ChatRequest) -> Completion:
        await asyncio.sleep(0)
        return Completion("ok", ANSWERED)

    inner, budget = ScriptedChat(reply), Budget(max_cost=0.05)
    results = await ask(LayeredChat(inner, [Budgeted(PRICE, budget)]), 64)
    assert len(inner.requests) == 25
    assert budget.cost == pytest.approx(0.05)
    assert counted(results, BudgetSpent) == 64 - 25
    assert "0.05 USD" in str(next(result for result in results if isinstance(result, BudgetSpent)))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 40))
def test_all_the_money_and_not_more(most, cost, calls):
    """Whatever a call costs, all affordable ones are made, and only the first, of unknown cost, may exceed it."""

    async def run() -> None:
        async def reply(_: ChatRequest) -> Completion:
            await asyncio.sleep(0)
            return Completion("ok", Usage(calls=1, prompt_tokens=cost * 10**6, unpriced=1))

        budget = Budget(max_cost=most)
        results = await ask(LayeredChat(ScriptedChat(reply), [Budgeted(Quote(Price(1.0)), budget)]), calls)
        assert budget.calls == counted(results, Completion) == max(1, min(calls, most // cost))

    asyncio.run(run())


@given(st.integers(1, 40), st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_one_surprise_at_most(most, costs):
    """Sequential calls of any cost exceed it by less than the most expensive of them."""

    async def run() -> None:
        budget = Budget(max_cost=most)
        script = [Completion("ok", Usage(calls=1, prompt_tokens=cost * 10**6, unpriced=1)) for cost in costs]
        chat = LayeredChat(ScriptedChat(script), [Budgeted(Quote(Price(1.0)), budget)])
        with contextlib.suppress(BudgetSpent):
            for number in range(len(costs)):
                await chat.complete(request(number))
        assert budget.cost < most + max(costs)

    asyncio.run(run())


async def test_unknown_cost_is_booked_at_the_guess():
    """If the server reports no tokens, the budget takes the largest cost so far, and the usage says unpriced."""
    script = [Completion("ok", ANSWERED)] + [Completion("ok", Usage(calls=1, unpriced=1))] * 9
    budget = Budget(max_cost=0.0061)
    chat = LayeredChat(ScriptedChat(script), [Budgeted(PRICE, budget)])
    usages = [(await chat.complete(request(number))).usage for number in range(3)]
    assert [usage.unpriced for usage in usages] == [0, 1, 1]
    with pytest.raises(BudgetSpent):
        await chat.complete(request(4))


async def test_canceled_and_failed_calls_are_settled():
    """An aborted call may have cost something and is booked; reserved money is released."""
    gate = asyncio.Event()

    async def reply(asked: ChatRequest) -> Completion | CallFailed:
        if asked.seed == 0:
            return Completion("ok", ANSWERED)
        if asked.seed == 1:
            return CallFailed("down", Usage(calls=1), retryable=True)
        await gate.wait()
        return Completion("late")

    budget = Budget(max_cost=0.005)
    chat = LayeredChat(ScriptedChat(reply), [Budgeted(PRICE, budget)])
    await chat.complete(request(0))
    with pytest.raises(CallFailed):
        await chat.complete(request(1))
    assert budget.cost == pytest.approx(0.002)
    hanging = asyncio.create_task(chat.complete(request(2)))
    await asyncio.sleep(0)
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert budget.cost == pytest.approx(0.004)
    with pytest.raises(BudgetSpent):
        await chat.complete(request(3))


async def test_failed_calls_are_priced():
    """An answer without text still has a cost."""
    error = CallFailed("empty", ANSWERED)
    with pytest.raises(CallFailed) as raised:
        await LayeredChat(ScriptedChat([error]), [Budgeted(PRICE)]).complete(request(0))
    assert (raised.value.usage.cost, raised.value.usage.unpriced) == (pytest.approx(0.002), 0)


@pytest.mark.parametrize(
    ("quote", "in_flight", "answered"),
    [
        (Quote(Price(0.0)), Usage(1), Usage(1, 1000, 500)),
        (PRICE, Usage(1, unpriced=1, unanswered=1), Usage(1, 1000, 500, 0.002)),
        (Quote(), Usage(1, unpriced=1), Usage(1, 1000, 500, unpriced=1)),
    ],
    ids=["free", "known", "unknown"],
)
async def test_a_call_in_flight_is_booked_for_what_is_known_of_its_cost(quote, in_flight, answered):
    """A free one costs nothing; one with a price is counted apart until its reply comes, which an interrupted one never
    does; refused calls and those without a reply leave nothing open unless they may be charged.
    """
    gate = asyncio.Event()

    async def reply(asked: ChatRequest) -> Completion | CallFailed:
        if asked.seed == 1:
            return CallFailed("refused", Usage(calls=1))
        if asked.seed == 2:
            return CallFailed("timed out", Usage(calls=1, unpriced=1))
        await gate.wait()
        return Completion("ok", ANSWERED)

    budget = Budget()
    chat = LayeredChat(ScriptedChat(reply), [Budgeted(quote, budget)])
    asking, hanging = (asyncio.create_task(chat.complete(request(0))) for _ in range(2))
    await asyncio.sleep(0)
    assert budget.account.usage == in_flight + in_flight
    hanging.cancel()
    gate.set()
    await asking
    assert budget.account.usage == in_flight + answered
    for number in (1, 2):
        with pytest.raises(CallFailed):
            await chat.complete(request(number))
    timed_out = Usage(1, unpriced=0 if quote.price and quote.price.free else 1)
    assert budget.account.usage == in_flight + answered + Usage(1) + timed_out


def test_cost_needs_a_price():
    """A bound on the cost of a model without a price is refused before the first call, and says how to set one."""
    with pytest.raises(ConfigurationError, match=r"saiten\.toml"):
        layers(budget=Budget(max_cost=1.0))
    layers(budget=Budget(max_calls=1))


@pytest.mark.parametrize("settings", [{"max_calls": -1}, {"max_cost": -0.1}, {"max_cost": float("nan")}])
def test_bad_budget(settings):
    """A budget is a number of at least 0."""
    with pytest.raises(ConfigurationError):
        Budget(**settings)


async def test_whole_stack_counts_what_the_server_counts(openai_server: OpenAIServer):
    """Calls, tokens and cost add up over retries and probing, and equal what the server saw."""
    openai_server.structured = "json_object"
    seen: list[int] = []

    def reply(asked: Asked):
        if asked.number % 4 == 0:
            return Fault(503, "busy", {"Retry-After": "0"})
        seen.append(100)
        return completion(asked, "{}") | {"usage": {"prompt_tokens": 100, "completion_tokens": 0}}

    openai_server.reply = reply
    around = layers(retries=Retries(first=0.001), quote=Quote(Price(10.0)))
    chat = stack_chat(OpenAICompatibleChat("m", openai_server.base_url), around)
    results = await ask(chat, 40)
    await chat.close()
    total = sum((result.usage for result in results), Usage())
    assert total.calls == len(openai_server.requests)
    assert total.prompt_tokens == sum(seen)
    assert total.cost == pytest.approx(sum(seen) * 10e-6)
