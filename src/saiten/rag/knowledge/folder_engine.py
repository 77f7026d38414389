"""The store in a folder: Qdrant's engine in this process, without a server.

Searches are exact, over all vectors. There is no write-ahead log, since that admits only one process: points are
durable once `flush` returns, and indexing marks documents as complete only after that (`indexing.py`). A test kills it
at random moments, in a flush or a clean-up, and checks that nothing flushed is lost.
"""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from saiten.durable.lock import LOCK_NAME, lock_file
from saiten.durable.private import FILE_MODE, private_folder
from saiten.durable.whole_file import is_left, whole_file, writing_to
from saiten.errors import ConfigurationError
from saiten.models.budget import CALLS_NAME, PRICES_NAME
from saiten.models.vectors import Vector
from saiten.rag.knowledge.engine import DENSE, DOCUMENT, TERMS, VERSION, Hit, Point
from saiten.rag.knowledge.terms import Terms
from saiten.strict_parsing import strict_json

MANIFEST_NAME, _POINTS = "knowledge-base.json", "points"

SPARE = 128 * 2**20
"""Minimum free bytes: the engine maps files of 32 MB, and a full disk under a mapped file kills the process."""

_PAGE, _CHUNKS = 1_000, 256  # marks, and chunks with their vectors, read at once

_THREADS = 4  # concurrent calls of the engine, which releases the interpreter lock

T = TypeVar("T")


class FolderEngine:
    """A base in a folder, searched by many processes at once or indexed by one."""

    def __init__(self, folder: Path, *, writing: bool, spare: int = SPARE) -> None:
        """Lock the folder; raises ConfigurationError if it is missing, foreign, not writable, or in use."""
        self._edge = import_module("qdrant_edge")  # 35 MB that only a knowledge base needs
        self._folder = folder
        self._spare = spare
        self._writing = writing
        self._shard: Any = None
        self._opening = Lock()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="knowledge-base")
        self._fd: int | None = None
        _check_folder(folder, writing=writing)
        self._fd = hold(folder, writing=writing)

    @property
    def name(self) -> str:
        return str(self._folder)

    async def manifest(self) -> Mapping[str, Any] | None:
        path = self._folder / MANIFEST_NAME
        try:
            value = strict_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{path} cannot be read: {error}; index into a new folder") from error
        return value if isinstance(value, dict) else {}

    async def create(self, dimensions: int) -> None:
        await self._run(lambda: self._create(dimensions))

    async def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        text = json.dumps(dict(manifest), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        with self._explained(), whole_file(self._folder / MANIFEST_NAME) as file:
            file.write(text.encode("utf-8", "backslashreplace"))

    async def put(self, points: Sequence[Point]) -> None:
        def put() -> None:
            self._check_space()
            self._update("upsert_points", [self._point(point) for point in points])

        await self._run(put)

    async def present(self, ids: Sequence[str]) -> set[str]:
        records = await self._run(lambda: self._open().retrieve(list(ids), with_payload=False, with_vector=False))
        return {str(record.id) for record in records}

    async def search(self, query: Vector | Terms, k: int, without: Sequence[str] = ()) -> list[Hit]:
        edge = self._edge
        nearest = edge.Query.Nearest(self._vector(query), using=TERMS if isinstance(query, Terms) else DENSE)
        hidden = edge.Filter(must_not=[edge.FieldCondition(VERSION, edge.MatchAny(list(without)))]) if without else None
        request = edge.QueryRequest(limit=k, query=nearest, filter=hidden, with_payload=True)
        points = await self._run(lambda: self._open().query(request))
        return [Hit(str(point.id), point.score, point.payload or {}) for point in points]

    async def marks(self) -> AsyncIterator[Mapping[str, Any]]:
        only = self._edge.Filter(must_not=[self._edge.IsEmptyCondition(DOCUMENT)])
        async for record in self._scrolled(_PAGE, filter=only):
            yield record.payload

    async def chunks(self, without: Sequence[str] = ()) -> AsyncIterator[Point]:
        edge = self._edge
        no_chunk = [edge.IsEmptyCondition(VERSION)]
        hidden = [edge.FieldCondition(VERSION, edge.MatchAny(list(without)))] if without else []
        only = edge.Filter(must_not=no_chunk + hidden)
        async for record in self._scrolled(_CHUNKS, filter=only, with_vector=[DENSE]):
            vector = np.asarray(record.vector[DENSE], np.float32)
            yield Point(str(record.id), record.payload, {DENSE: vector})

    async def count(self, version: str) -> int:
        request = self._edge.CountRequest(exact=True, filter=self._of(version))
        return int(await self._run(lambda: self._open().count(request)))

    async def remove_version(self, version: str) -> None:
        await self._run(lambda: self._update("delete_points_by_filter", self._of(version)))

    async def remove(self, ids: Sequence[str]) -> None:
        await self._run(lambda: self._update("delete_points", list(ids)))

    async def flush(self) -> None:
        await self._run(lambda: self._open().flush())

    async def tidy(self) -> None:
        await self._run(lambda: self._open().optimize())
        await self.flush()

    async def close(self) -> None:
        fd, self._fd = self._fd, None
        try:
            await asyncio.to_thread(self._close)
        finally:
            if fd is not None:
                os.close(fd)

    async def _scrolled(self, page: int, **options: Any) -> AsyncIterator[Any]:
        offset = None
        while True:
            request = self._edge.ScrollRequest(offset=offset, limit=page, with_payload=True, **options)
            records, offset = await self._run(partial(self._scroll, request))
            for record in records:
                yield record
            if offset is None:
                return

    # ------------------------------------------------------------------------ in a thread, to keep the loop free

    async def _run(self, work: Callable[[], T]) -> T:
        with self._explained():
            if self._fd is None:
                raise ConfigurationError(f"the knowledge base {self._folder} is closed")
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _close(self) -> None:
        self._pool.shutdown()  # canceled calls still run in their threads
        shard, self._shard = self._shard, None
        if shard is not None:
            with self._explained():
                if self._writing:
                    shard.flush()
                shard.close()

    def _open(self) -> Any:
        with self._opening:
            if self._shard is None:
                self._shard = self._edge.EdgeShard.load(str(self._folder / _POINTS))
            return self._shard

    def _create(self, dimensions: int) -> None:
        edge, path = self._edge, self._folder / _POINTS
        if path.exists():  # without a manifest: a process was killed between creating the two
            shutil.rmtree(path)
        self._check_space()
        # at sizes that fit a folder, searching all vectors is fast enough and exact
        no_graph = edge.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)
        config = edge.EdgeConfig(
            vectors={DENSE: edge.EdgeVectorParams(dimensions, edge.Distance.Dot, hnsw_config=no_graph)},
            sparse_vectors={TERMS: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=0),
            wal_enabled=False,
        )
        private_folder(path)  # the engine makes its files as the umask allows
        self._shard = edge.EdgeShard.create(str(path), config)
        for field in (VERSION, DOCUMENT):
            self._update("create_field_index", field, edge.PayloadSchemaType.Keyword)
        self._shard.flush()

    def _point(self, point: Point) -> Any:
        vectors = {name: self._vector(vector) for name, vector in point.vectors.items()}
        return self._edge.Point(point.id, vectors, dict(point.payload))

    def _vector(self, vector: Vector | Terms) -> Any:
        if isinstance(vector, Terms):
            return self._edge.SparseVector(list(vector.indices), list(vector.weights))
        return vector.tolist()

    def _update(self, operation: str, *arguments: Any) -> None:
        self._open().update(getattr(self._edge.UpdateOperation, operation)(*arguments))

    def _scroll(self, request: Any) -> tuple[list[Any], Any]:
        found: tuple[list[Any], Any] = self._open().scroll(request)
        return found

    def _of(self, version: str) -> Any:
        return self._edge.Filter(must=[self._edge.FieldCondition(VERSION, self._edge.MatchValue(version))])

    def _check_space(self) -> None:
        free = shutil.disk_usage(self._folder).free
        if free < self._spare:
            raise ConfigurationError(
                f"the disk of {self._folder} is full: {free // 2**20} MiB are free, {self._spare // 2**20} are needed "
                "to continue; make room, and re-run the command to continue"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except ConfigurationError:
            raise
        except BaseException as error:  # the engine has no error types of its own, and its panics are no Exception
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise ConfigurationError(
                f"the knowledge base {self._folder} cannot be used: {error}; it needs a writable folder on a local "
                "disk with free space. If it is damaged, index the documents again into a new folder"
            ) from error


def _check_folder(folder: Path, *, writing: bool) -> None:
    if (folder / MANIFEST_NAME).is_file():
        return
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; a knowledge base is a folder, or http://HOST:6333/NAME")
    if not writing:
        raise ConfigurationError(
            f"there is no knowledge base at {folder}; make one with: saiten index DOCUMENTS --kb {folder}"
        )
    try:
        private_folder(folder)
        names = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made a knowledge base: {error.strerror}") from error
    names = {name.removesuffix(".torn") for name in names if not is_left(name, MANIFEST_NAME)}
    if names - {LOCK_NAME, _POINTS, CALLS_NAME, PRICES_NAME} or (names and LOCK_NAME not in names):
        raise ConfigurationError(
            f"{folder} contains other files and is not a knowledge base; it was left unchanged: name a new or "
            "empty folder"
        )


def hold(folder: Path, *, writing: bool) -> int:
    """Lock the folder for many readers or one writer; return a descriptor, whose `os.close` releases the lock.

    The system releases it when the process ends. On drives without locks nothing is held. Raises ConfigurationError if
    another process holds it in a way that excludes this one, or access is denied.
    """
    otherwise = "name another folder" if writing else "the engine needs that to search, too: copy it to where it can be"
    with writing_to(folder, otherwise):
        fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        lock_file(fd, shared=not writing)
    except BlockingIOError as error:
        os.close(fd)
        who = "searched or indexed" if writing else "indexed"
        raise ConfigurationError(
            f"the knowledge base {folder} is being {who} by another process; wait for it or stop it. Many processes "
            "can search a folder at once, but none while it is indexed; a Qdrant server allows both at once: "
            "--kb http://HOST:6333/NAME"
        ) from error
    except OSError:
        pass  # some network drives have no locks; there the user is responsible
    return fd
