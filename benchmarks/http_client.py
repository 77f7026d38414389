"""Cost of the whole stack around a chat model compared with a bare aiohttp client: CPU per call and efficiency.

    python benchmarks/http_client.py [--calls 4000] [--in-flight 64] [--latency-ms 50] [--rounds 3]

A server in a separate process (`fast_server.py`) answers after a fixed latency. The whole stack is cache on disk,
single flight, retries, limits, price and budget. Every prompt is new, so every call misses the cache, is sent and is
stored. As in a run, there are more callers than calls allowed in flight, which a gate limits (a semaphore, or the
stack's limiter).
Efficiency is the ideal time (calls / in flight x latency) divided by the time taken. Figures are medians of the rounds.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import orjson

from fast_server import FastServer
from saiten.models.budget import Budget
from saiten.models.limits import Limits
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.prices import Price, Quote
from saiten.models.sqlite_store import SQLiteStore
from saiten.models.stack import layers, stack_chat
from saiten.protocols import Chat, ChatMessage, ChatRequest

SCHEMA = {
    "title": "Verdicts",
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": {"type": "string"}}},
    "required": ["verdicts"],
}
PROMPT = "The contexts of a sample, about as long as they usually are. " * 40

ASKERS = 2
"""Number of callers per call allowed in flight."""

Ask = Callable[[int], Awaitable[object]]
Figures = tuple[float, float]
"""Seconds and CPU seconds."""


async def ask_all(ask: Ask, calls: int, askers: int) -> Figures:
    """Make this number of calls with this number of concurrent callers."""
    numbers = iter(range(calls))

    async def asker() -> None:
        for number in numbers:
            await ask(number)

    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(asker() for _ in range(askers)))
    return time.perf_counter() - started, time.process_time() - cpu


def request(number: int) -> ChatRequest:
    """Return a request with a unique prompt."""
    return ChatRequest((ChatMessage("system", PROMPT), ChatMessage("user", f"Sample {number}")), SCHEMA, seed=0)


async def bare(base_url: str, calls: int, in_flight: int) -> Figures:
    """Measure a minimal client: it posts a request and takes the answer from the JSON."""
    gate = asyncio.Semaphore(in_flight)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(number: int) -> None:
            messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": f"Sample {number}"}]
            body = orjson.dumps({"model": "m", "messages": messages, "temperature": 0, "seed": 0})
            async with gate, session.post(f"{base_url}/chat/completions", data=body) as response:
                orjson.loads(await response.read())["choices"][0]["message"]["content"]

        await ask_all(ask, in_flight, in_flight)  # opens the connections
        return await ask_all(ask, calls, ASKERS * in_flight)


async def stacked(chat: Chat, calls: int, in_flight: int) -> Figures:
    """Measure a chat as it is used."""

    async def ask(number: int) -> None:
        await chat.complete(request(number))

    await ask_all(lambda number: ask(-1 - number), in_flight, in_flight)  # opens the connections
    figures = await ask_all(ask, calls, ASKERS * in_flight)
    await chat.close()
    return figures


def whole_stack(base_url: str, in_flight: int, folder: str) -> Chat:
    """Return a chat with everything that is around it in a run."""
    around = layers(limits=Limits(in_flight), quote=Quote(Price(0.15, 0.6)), budget=Budget(10**9, 10**9))
    return stack_chat(OpenAICompatibleChat("m", base_url), around, SQLiteStore(Path(folder) / "answers.sqlite"))


def measure(base_url: str, calls: int, in_flight: int) -> dict[str, Figures]:
    """Measure one round of each."""
    with tempfile.TemporaryDirectory() as folder:
        return {
            "bare aiohttp": asyncio.run(bare(base_url, calls, in_flight)),
            "whole stack": asyncio.run(stacked(whole_stack(base_url, in_flight, folder), calls, in_flight)),
            "whole stack, all in the cache": asyncio.run(
                stacked(whole_stack(base_url, in_flight, folder), calls, in_flight)
            ),
        }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    with FastServer() as server:
        server.restart(options.latency_ms / 1e3)
        rounds = [measure(server.base_url, options.calls, options.in_flight) for _ in range(options.rounds)]
    ideal = options.calls / options.in_flight * options.latency_ms / 1e3
    print(f"{options.calls} calls, {options.in_flight} in flight, {options.latency_ms:g} ms: ideal {ideal:.2f} s")
    print(f"{'':30} {'seconds':>8} {'of ideal':>9} {'CPU ms/call':>12} {'x bare':>7}")
    middle = {
        name: tuple(statistics.median(one[name][part] for one in rounds) for part in (0, 1)) for name in rounds[0]
    }
    for name, (seconds, cpu) in middle.items():
        share = "" if name.endswith("cache") else f"{ideal / seconds:.3f}"
        times = cpu / middle["bare aiohttp"][1]
        print(f"{name:30} {seconds:8.2f} {share:>9} {cpu / options.calls * 1e3:12.3f} {times:7.2f}")


if __name__ == "__main__":
    main()
