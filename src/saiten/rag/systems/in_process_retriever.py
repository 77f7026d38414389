"""Something in this process as the retriever of evidence: a function, or a retriever of a framework."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from saiten.errors import CallFailed
from saiten.models.layers import Layer
from saiten.rag.systems.retrieval import find, read_retrieved
from saiten.rag.systems.user_code import UserCode, UserEntry
from saiten.records import FREE, Retrieved


class PassageSource(UserEntry, Protocol):
    """The documented way to ask a function or an object for passages."""

    def call(self, query: str, k: int) -> Callable[[], Any]:
        """Return the call for this query."""

    def passages(self, value: Any) -> Any:
        """Return the list of passages in what the call returned; raises ValueError if there is none."""


class InProcessRetriever:
    """Asks a source; a `Retriever`. Synchronous calls run in threads, so they must allow concurrent calls."""

    def __init__(
        self,
        source: PassageSource,
        *,
        k: int,
        timeout: float = 120.0,
        concurrency: int = 8,
        around: Sequence[Layer] = (),
    ) -> None:
        """`k`: passages by default; `timeout`: seconds per query; `concurrency`: threads; `around`: layers."""
        self._source = source
        self._k = k
        self._code = UserCode(source.name, source.file, timeout=timeout, concurrency=concurrency)
        self._around = around

    @property
    def name(self) -> str:
        return f"{self._source.name}[k={self._k}]"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        wanted = self._k if k is None else k
        return await find(self._around, partial(self._attempt, query, wanted), query, self._source.name)

    async def close(self) -> None:
        self._code.close()

    async def _attempt(self, query: str, k: int) -> Retrieved:
        value, _ = await self._code.run(self._source.call(query, k), is_async=self._source.is_async)
        try:
            return read_retrieved(self._source.passages(value), k)
        except ValueError as error:
            raise CallFailed(f"it did not return passages: {error}", FREE, kind="unreadable") from error
