"""An HTTP service as the retriever of evidence: one POST per query, as specified in `retrieval.py`."""

from collections.abc import Sequence
from functools import partial

from saiten.models.layers import Layer
from saiten.rag.systems.http_address import HttpAddress
from saiten.rag.systems.http_service import HttpService
from saiten.rag.systems.retrieval import find, query_object, read_retrieved
from saiten.records import Retrieved


class HttpRetriever:
    """Sends queries to an HTTP service; a `Retriever`. Retrieving changes nothing, so that any failure is retried."""

    def __init__(self, address: HttpAddress, *, k: int, timeout: float = 120.0, around: Sequence[Layer] = ()) -> None:
        """`k`: passages by default; `timeout`: seconds per request; `around`: layers around each request."""
        self._service = HttpService(
            address, timeout=timeout, repeatable=True, accepts="queries", header_option="--retriever-header"
        )
        self._k = k
        self._around = around

    @property
    def name(self) -> str:
        """The address and its query, without possible secrets, and k; headers are never stored."""
        query = self._service.address.query
        return f"{self._service.name}{'?' if query else ''}{query}[k={self._k}]"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        wanted = self._k if k is None else k
        return await find(self._around, partial(self._attempt, query, wanted), query, self._service.name)

    async def close(self) -> None:
        await self._service.close()

    async def _attempt(self, query: str, k: int) -> Retrieved:
        reply = await self._service.post(query_object(query, k), {})
        return self._service.read(reply, lambda value: read_retrieved(value, k))
