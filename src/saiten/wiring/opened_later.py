"""A knowledge base that is opened later, so that synchronous code can assemble and describe a system."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from saiten.choices import Retrieval
from saiten.errors import CallFailed, ConfigurationError
from saiten.protocols import Retriever
from saiten.records import Retrieved
from saiten.wiring.knowledge import open_knowledge_base
from saiten.wiring.models import Models


class OpenedLater:
    """A `Retriever` that opens another one: by `open`, or at the first query."""

    def __init__(self, name: str, opening: Callable[[], Awaitable[Retriever]]) -> None:
        """`name`: the name of the retriever that `opening` opens."""
        self.name = name
        self._opening = opening
        self._lock = asyncio.Lock()
        self._opened: Retriever | None = None

    async def open(self) -> Retriever:
        """Return the retriever; open it the first time.

        Raises:
            ConfigurationError: it cannot be opened, or its name has changed since.
        """
        async with self._lock:
            if self._opened is None:
                opened = await self._opening()
                if opened.name != self.name:
                    await opened.close()
                    raise ConfigurationError(
                        f"the knowledge base changed while the run started: it was {self.name} and is now "
                        f"{opened.name}; start again when no process is indexing it"
                    )
                self._opened = opened
            return self._opened

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        return await (await self.open()).retrieve(query, k)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()


def knowledge_base_later(kb: str, models: Models, *, retrieval: Retrieval = "dense", k: int = 5) -> OpenedLater:
    """Return the knowledge base at an address, opened by `open` or at the first query; its name is read at once.

    Raises:
        ConfigurationError: the knowledge base does not exist, or cannot be opened.
    """
    opening = partial(open_knowledge_base, kb, retrieval=retrieval, k=k)

    async def named() -> str:
        opened = await opening(models.without_store())  # a cache would be closed with the base
        try:
            return opened.name
        finally:
            await opened.close()

    try:
        with ThreadPoolExecutor(1) as thread:  # since this one may have a running loop
            name = thread.submit(lambda: asyncio.run(named())).result()
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base cannot be opened: {error}") from error
    return OpenedLater(name, partial(opening, models))
