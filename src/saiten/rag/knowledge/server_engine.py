"""The store on a Qdrant server, through its own client."""

import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.address import on_this_machine
from saiten.models.vectors import Vector
from saiten.rag.knowledge.engine import DENSE, DOCUMENT, TERMS, VERSION, Hit, Point
from saiten.rag.knowledge.terms import Terms
from saiten.redaction import Secrets, redact, secret_parts

KEY_VARIABLE = "QDRANT_API_KEY"

_MANIFEST = str(uuid5(NAMESPACE_URL, "saiten:manifest"))
"""The point that stores how the base was made: a payload without vectors, supported by every version of Qdrant."""
_MANIFEST_FIELD = "manifest"
_PAGE, _CHUNKS = 1_000, 256  # points without and with their vectors, per request
_READ, _SHOWN = 10_000, 300  # characters of a server's message that are read, and shown in an error
_NONE = Secrets()
_REFUSED = frozenset({401, 403})
_LATER = frozenset({408, 425, 429})


class ServerEngine:
    """A base that is a collection on a server. Any number of processes may search it, even during indexing."""

    def __init__(self, client: Any, collection: str, address: str, secrets: Secrets = _NONE) -> None:
        """`client`: an AsyncQdrantClient; see `connect`. `secrets`: hidden in what the server says."""
        self._client = client
        self._secrets = secrets
        self._collection = collection
        self._address = address

    @property
    def name(self) -> str:
        return f"{self._address}/{self._collection}"

    async def manifest(self) -> Mapping[str, Any] | None:
        if not await self._ask(self._client.collection_exists, first=True):
            return None
        records = await self._ask(self._client.retrieve, [_MANIFEST], with_payload=True)
        if records:
            value = (records[0].payload or {}).get(_MANIFEST_FIELD)
            return value if isinstance(value, dict) else {}
        empty = (await self._ask(self._client.count, exact=True)).count == 0
        return None if empty else {}  # empty: its creator was killed before writing the manifest

    async def create(self, dimensions: int) -> None:
        m = _models()
        if await self._ask(self._client.collection_exists):  # empty, as `manifest` found
            await self._ask(self._client.delete_collection)
        await self._ask(
            self._client.create_collection,
            vectors_config={DENSE: m.VectorParams(size=dimensions, distance=m.Distance.DOT)},
            sparse_vectors_config={TERMS: m.SparseVectorParams(modifier=m.Modifier.IDF)},
        )
        for field in (VERSION, DOCUMENT):
            await self._ask(self._client.create_payload_index, field, m.PayloadSchemaType.KEYWORD)

    async def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        await self.put([Point(_MANIFEST, {_MANIFEST_FIELD: dict(manifest)})])

    async def put(self, points: Sequence[Point]) -> None:
        await self._ask(self._client.upsert, [_point(point) for point in points], wait=True)

    async def present(self, ids: Sequence[str]) -> set[str]:
        found = await self._ask(self._client.retrieve, list(ids), with_payload=False, with_vectors=False)
        return {str(record.id) for record in found}

    async def search(self, query: Vector | Terms, k: int, without: Sequence[str] = ()) -> list[Hit]:
        m = _models()
        hidden = [m.FieldCondition(key=VERSION, match=m.MatchAny(any=list(without)))] if without else None
        answer = await self._ask(
            self._client.query_points,
            query=_vector(query),
            using=TERMS if isinstance(query, Terms) else DENSE,
            query_filter=m.Filter(must_not=hidden) if hidden else None,
            limit=k,
            with_payload=True,
        )
        return [Hit(str(point.id), point.score, point.payload or {}) for point in answer.points]

    async def marks(self) -> AsyncIterator[Mapping[str, Any]]:
        only = _models().Filter(must_not=[_lacks(DOCUMENT)])
        async for record in self._scrolled(_PAGE, scroll_filter=only):
            yield record.payload

    async def chunks(self, without: Sequence[str] = ()) -> AsyncIterator[Point]:
        m = _models()
        hidden = [m.FieldCondition(key=VERSION, match=m.MatchAny(any=list(without)))] if without else []
        only = m.Filter(must_not=[_lacks(VERSION), *hidden])
        async for record in self._scrolled(_CHUNKS, scroll_filter=only, with_vectors=[DENSE]):
            vector = np.asarray(record.vector[DENSE], np.float32)
            yield Point(str(record.id), record.payload, {DENSE: vector})

    async def count(self, version: str) -> int:
        answer = await self._ask(self._client.count, count_filter=_of(version), exact=True)
        return int(answer.count)

    async def remove_version(self, version: str) -> None:
        await self._ask(self._client.delete, _models().FilterSelector(filter=_of(version)), wait=True)

    async def remove(self, ids: Sequence[str]) -> None:
        await self._ask(self._client.delete, _models().PointIdsList(points=list(ids)), wait=True)

    async def flush(self) -> None:
        """Do nothing: the server answers once its log is written."""

    async def tidy(self) -> None:
        """Do nothing: the server does this by itself."""

    async def close(self) -> None:
        await self._client.close()

    async def _scrolled(self, page: int, **options: Any) -> AsyncIterator[Any]:
        offset = None
        while True:
            records, offset = await self._ask(
                self._client.scroll, limit=page, offset=offset, with_payload=True, **options
            )
            for record in records:
                yield record
            if offset is None:
                return

    async def _ask(
        self, method: Callable[..., Awaitable[Any]], *arguments: Any, first: bool = False, **named: Any
    ) -> Any:
        """Call a method for the collection, explaining errors. `first`: an unreachable server means a wrong setup."""
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse  # noqa: PLC0415 - an extra

        try:
            return await method(self._collection, *arguments, **named)
        except UnexpectedResponse as error:
            status = error.status_code or 0
            said = self._secrets.hide(error.content.decode("utf-8", "replace")[:_READ])[:_SHOWN]
            if status in _REFUSED:
                raise ConfigurationError(
                    f"the Qdrant server {self._address} refused with HTTP {status}; is {KEY_VARIABLE} set and right?"
                ) from error
            if status == 404:
                raise ConfigurationError(f"{self.name} is not there: {said}") from error
            later = status in _LATER or status >= 500
            message = f"the Qdrant server {self._address} answered HTTP {status}: {said}"
            raise CallFailed(message, retryable=later, status=status) from error
        except (ApiException, OSError) as error:
            cause = self._secrets.hide(str(error.args[0] if error.args else error))
            message = f"the Qdrant server {self._address} cannot be reached: {cause}"
            if first:
                raise ConfigurationError(f"{message}; is it running, and is the address right?") from error
            raise CallFailed(message, retryable=True) from error


def connect(url: str, key: str | None, *, timeout: float = 60.0) -> ServerEngine:
    """Return the engine for `http://HOST:6333/NAME` or `https://…`; the path's last part names the collection.

    Raises ConfigurationError if the address is malformed, or qdrant-client is not installed.
    """
    parts = urlsplit(url)
    before, _, collection = parts.path.rstrip("/").rpartition("/")
    if parts.username or parts.password:
        raise ConfigurationError(f"the address of a knowledge base may not contain a password; set {KEY_VARIABLE}")
    if not collection or not parts.hostname or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{url!r} does not name a knowledge base on a Qdrant server; expected http://HOST:6333/NAME"
        )
    address = f"{parts.scheme}://{parts.netloc}{before}"
    _models()
    from qdrant_client import AsyncQdrantClient  # noqa: PLC0415 - an extra

    try:
        port = parts.port or (443 if parts.scheme == "https" else 6333)
    except ValueError:
        raise ConfigurationError(
            f"the port of {url!r} is not a number up to 65535; expected http://HOST:6333/NAME"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a key over http, which is common in private networks
        client = AsyncQdrantClient(
            url=f"{parts.scheme}://{parts.hostname if ':' not in parts.hostname else f'[{parts.hostname}]'}",
            port=port,
            prefix=before or None,
            api_key=key,
            timeout=int(timeout),
            check_compatibility=False,
            trust_env=not on_this_machine(parts.hostname),
        )
    return ServerEngine(client, collection, redact(address), Secrets.of([key or "", *secret_parts(url)]))


def _models() -> Any:
    try:
        from qdrant_client import models  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigurationError(
            'a knowledge base on a Qdrant server needs qdrant-client; install it with: pip install "saiten[qdrant]"; '
            "or name a folder, which needs nothing more"
        ) from error
    return models


def _point(point: Point) -> Any:
    vectors = {name: _vector(vector) for name, vector in point.vectors.items()}
    return _models().PointStruct(id=point.id, vector=vectors, payload=dict(point.payload))


def _vector(vector: Vector | Terms) -> Any:
    if isinstance(vector, Terms):
        return _models().SparseVector(indices=list(vector.indices), values=list(vector.weights))
    return vector.tolist()


def _lacks(field: str) -> Any:
    m = _models()
    return m.IsEmptyCondition(is_empty=m.PayloadField(key=field))


def _of(version: str) -> Any:
    m = _models()
    return m.Filter(must=[m.FieldCondition(key=VERSION, match=m.MatchValue(value=version))])
