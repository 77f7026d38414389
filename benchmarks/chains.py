"""Latency of our RAG compared with the latency of its sequential calls alone: 1, 2 or k of them.

    python benchmarks/chains.py [--k 1 3 5 10] [--at-once 1 8 32] [--questions 64] [--latency-ms 50]

A small server in a separate process answers each call after a fixed latency and counts the calls. No prompt occurs
twice, the retriever has its passages in memory, and the concurrency limit is never reached. The ideal is k latencies
for `refine`, 2 for `map_reduce` whatever k is, and 1 for `stuff`. The overhead is the latency reported in an answer
divided by the ideal: the median over the questions, with the middle 90 %.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import aiohttp
import orjson

from http_client import Answering
from saiten.choices import ChainName
from saiten.protocols import ChatRequest, Completion
from saiten.rag.chains import CHAIN_NAMES
from saiten.rag.chat_generator import ChatGenerator
from saiten.rag.system import Rag
from saiten.records import Answer, Inquiry, Passage, Retrieved, Usage
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring.rag import RagSettings, assemble_rag

DOCUMENT = ("A passage of a document, about as long as passages are. " * 10)[:512]


class Counting(Answering):
    """Answers after a fixed latency, and counts the calls."""

    def __init__(self, latency: float, calls: Any) -> None:
        super().__init__(latency)
        self.calls = calls

    def answer(self) -> None:
        """Count, then send the reply."""
        self.calls.value += 1
        super().answer()


def serve(latency: float, calls: Any, port: Connection) -> None:
    """Run the server until the process is terminated."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Counting(latency, calls), "127.0.0.1", 0, backlog=4096)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


class Memory:
    """Returns k passages immediately, different ones for each question."""

    name = "memory"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """Return made-up passages."""
        return Retrieved(tuple(Passage(f"{query} {number}: {DOCUMENT}") for number in range(k or 5)))

    async def close(self) -> None:
        """There is nothing to close."""


class BareChat:
    """A minimal client."""

    name = "bare"

    def __init__(self, url: str) -> None:
        self.url = f"{url}/chat/completions"
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def complete(self, request: ChatRequest) -> Completion:
        """Post the request and take the text from the JSON."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body = orjson.dumps({"model": "m", "messages": messages, "temperature": 0, "seed": 1, "max_tokens": 4096})
        async with self.session.post(self.url, data=body) as response:
            text = orjson.loads(await response.read())["choices"][0]["message"]["content"]
        return Completion(text, Usage(calls=1))

    async def close(self) -> None:
        """Close the connections."""
        await self.session.close()


@dataclass(frozen=True)
class Job:
    """The settings of one measurement."""

    chain: ChainName
    k: int
    at_once: int
    questions: int

    @property
    def in_a_row(self) -> int:
        """Sequential calls per answer."""
        return {"stuff": 1, "refine": self.k, "map_reduce": 2}[self.chain]

    @property
    def calls(self) -> int:
        """Calls for all questions."""
        return self.questions * {"stuff": 1, "refine": self.k, "map_reduce": self.k + 1}[self.chain]


@dataclass(frozen=True)
class Figures:
    """The results of one measurement."""

    seconds: Sequence[float]
    """Per answer."""
    calls: int
    """Calls that the server answered."""
    cpu: float
    """CPU seconds of this process."""


async def measure(url: str, job: Job, calls: Any, *, bare: bool) -> Figures:
    """Measure the answers of a job, after a warm-up that opens the connections."""
    settings = RagSettings(job.chain, k=job.k, generator=f"openai:m@{url}")
    models = Models(CallSettings(concurrency=job.at_once * job.k + 1), {})
    rag = (
        Rag(Memory(), ChatGenerator(BareChat(url)), job.chain, k=job.k)
        if bare
        else assemble_rag(Memory(), settings, models)
    )

    async def answer_all(names: Sequence[str]) -> list[Answer]:
        waiting = iter(names)

        async def asker() -> list[Answer]:
            return [await rag.answer(Inquiry(name)) for name in waiting]

        return [answer for some in await asyncio.gather(*(asker() for _ in range(job.at_once))) for answer in some]

    await answer_all([f"warm {number}" for number in range(job.at_once)])
    before, cpu = calls.value, time.process_time()
    answers = await answer_all([f"question {number}" for number in range(job.questions)])
    figures = Figures([answer.seconds or 0.0 for answer in answers], calls.value - before, time.process_time() - cpu)
    await rag.close()
    return figures


def row(job: Job, ours: Figures, bare: Figures, latency: float) -> str:
    """Format one line of the table."""
    ideal = job.in_a_row * latency
    ratios = sorted(seconds / ideal for seconds in ours.seconds)
    low, high = (ratios[round(share * (len(ratios) - 1))] for share in (0.05, 0.95))
    right = "" if ours.calls == bare.calls == job.calls else f"  EXPECTED {job.calls} CALLS"
    return (
        f"{job.chain:10} {job.k:3} {job.at_once:8} {len(ratios):4} {ideal * 1e3:9.0f} "
        f"{statistics.median(ours.seconds) * 1e3:10.1f} {statistics.median(ratios):9.3f}  {low:.3f} to {high:.3f} "
        f"{statistics.median(bare.seconds) / ideal:6.3f} {ours.calls:6} {ours.cpu / ours.calls * 1e3:12.2f} "
        f"{bare.cpu / bare.calls * 1e3:6.2f}{right}"
    )


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, nargs="+", default=[1, 3, 5, 10])
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--questions", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    options = parser.parse_args()
    latency = options.latency_ms / 1e3
    context = multiprocessing.get_context("spawn")
    calls = context.Value("q", 0)
    receiver, sender = context.Pipe(duplex=False)
    server = context.Process(target=serve, args=(latency, calls, sender), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{receiver.recv()}/v1"
        print(f"{options.latency_ms:g} ms per call; overhead = latency of an answer / ideal, with the middle 90 %")
        print("chain        k  at once    n  ideal ms  median ms  overhead  middle 90 %      bare  calls  CPU ms bare")
        for at_once in options.at_once:
            for k in options.k:
                middle: dict[str, float] = {}
                for chain in CHAIN_NAMES:
                    job = Job(chain, k, at_once, max(options.questions, 2 * at_once))
                    bare = asyncio.run(measure(url, job, calls, bare=True))
                    ours = asyncio.run(measure(url, job, calls, bare=False))
                    middle[chain] = statistics.median(ours.seconds)
                    print(row(job, ours, bare, latency), flush=True)
                print(
                    f"           map_reduce / refine {middle['map_reduce'] / middle['refine']:.3f}, ideal {2 / k:.3f}"
                )
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
