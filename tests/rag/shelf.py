"""Shared helpers of the RAG tests: a retriever over a list, and ways to inspect what a model was asked."""

import re
from collections.abc import Callable
from itertools import count

from saiten.protocols import ChatRequest
from saiten.records import Passage, Retrieved, Usage


class Shelf:
    """Finds its first k documents for every query, and records the queries; an error in their place is raised."""

    name = "shelf"

    def __init__(self, *documents: str, error: Exception | None = None) -> None:
        self.passages = tuple(
            Passage(text, f"doc{number}", 1 / number) for number, text in enumerate(documents, start=1)
        )
        self.error = error
        self.queries: list[tuple[str, int | None]] = []
        self.closed = False

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        self.queries.append((query, k))
        if self.error is not None:
            raise self.error
        return Retrieved(self.passages[:k], Usage(calls=1, prompt_tokens=3))

    async def close(self) -> None:
        self.closed = True


def shown(request: ChatRequest) -> str:
    """The message with the inputs."""
    return request.messages[-1].content


def blocks(request: ChatRequest) -> list[str]:
    """The names of its blocks, in order."""
    return re.findall(r"^<([a-z]+)(?:-\d+)?>$", shown(request), re.MULTILINE)


def ticking() -> Callable[[], float]:
    """A clock that advances by a second at each reading."""
    seconds = count(100)
    return lambda: float(next(seconds))
