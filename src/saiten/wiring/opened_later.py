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

Opening = Callable[[], Awaitable[Retriever]]


class OpenedLater:
    """A `Retriever` that opens another one: by `open`, or at the first query."""

    def __init__(self, name: str, opening: Opening) -> None:
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


def name_of(opening: Opening) -> str:
    """Open the retriever, return its name and close it; in a thread, since this one may have a running loop.

    Raises:
        ConfigurationError: it cannot be opened.
    """

    async def named() -> str:
        opened = await opening()
        try:
            return opened.name
        finally:
            await opened.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(named())).result()


def knowledge_base_later(kb: str, models: Models, *, retrieval: Retrieval = "dense", k: int = 5) -> OpenedLater:
    """Return the knowledge base at an address, opened by `open` or at the first query; its name is read at once.

    Raises:
        ConfigurationError: the knowledge base does not exist, or cannot be opened.
    """

    async def opened(with_models: Models) -> Retriever:
        return await open_knowledge_base(kb, with_models, retrieval=retrieval, k=k)

    try:
        name = name_of(partial(opened, models.without_store()))  # closed afterwards, including any cache
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base cannot be opened: {error}") from error
    return OpenedLater(name, partial(opened, models))
