"""A worker process: asks a server for answers through a shared store, so many at a time, and prints what it paid for."""

import asyncio
import random
import sys

from saiten.models.cache import CachedChat, CachedEmbedder
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.protocols import ChatMessage, ChatRequest
from saiten.wiring.stores import open_store

IN_FLIGHT = 8


async def main(store_name: str, base_url: str, seed: int, count: int) -> None:
    """Ask the same questions and embed the same texts as all other workers, in another order."""
    store = open_store(store_name, lambda _: None)
    chat = CachedChat(OpenAICompatibleChat("m", base_url), store)
    embedder = CachedEmbedder(OpenAICompatibleEmbedder("e", base_url), store)
    questions = list(range(count))
    random.Random(seed).shuffle(questions)
    free = asyncio.Semaphore(IN_FLIGHT)

    async def ask(number: int) -> int:
        async with free:
            answer = await chat.complete(ChatRequest((ChatMessage("user", f"Question {number}?"),)))
            vectors = await embedder.embed([f"Text {(number + k) % count}" for k in range(3)])
        assert answer.text
        assert vectors.vectors.shape == (3, 16)
        return answer.usage.calls

    sys.stdout.write("begun\n")
    sys.stdout.flush()
    paid = await asyncio.gather(*(ask(number) for number in questions))
    await chat.close()
    await embedder.close()
    sys.stdout.write(f"{sum(paid)}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
