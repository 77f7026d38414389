"""Indexing: documents → chunks → embeddings → store. Only changes are read; an interrupted run can be resumed.

A document goes through these steps, and a kill between any two leaves a valid base:

1. its mark names the version being stored (`pending`);
2. its chunks are embedded and stored, in batches shared with other documents;
3. after a flush, its mark says that this version is complete, and names the previous one (`stale`);
4. after another flush, the chunks of the previous version are removed.

Chunk ids follow from content and place, so that storing a chunk again replaces it; a resumed document's existing chunks
are neither embedded nor stored again.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import groupby

from saiten.errors import CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.models.vectors import Vector
from saiten.protocols import Embedder
from saiten.rag.knowledge.chunking import Chunk, cut
from saiten.rag.knowledge.documents import Document, FoundFile, Unread
from saiten.rag.knowledge.engine import DENSE, TERMS, Engine, Mark, Point, chunk_id, mark_id, version
from saiten.rag.knowledge.finding import digest_of
from saiten.rag.knowledge.opening import KnowledgeManifest
from saiten.rag.knowledge.reading import Reader
from saiten.rag.knowledge.terms import document_terms
from saiten.text.normalization import without_surrogates


@dataclass(slots=True)
class Indexed:
    """Counters, updated during the run."""

    total: int = 0
    """Files found, as far as known beforehand."""
    read: int = 0
    """Documents new in the base."""
    unchanged: int = 0
    """Documents already in the base: neither read nor embedded."""
    replaced: int = 0
    removed: int = 0
    """Documents removed since they were no longer given."""
    absent: int = 0
    """Documents that were not given, but stay."""
    chunks: int = 0
    """Chunks embedded and stored."""
    kept_chunks: int = 0
    """Chunks of an interrupted run, which were not embedded again."""
    skipped: int = 0
    """Files of unsupported kinds in the folders."""
    unread: list[Unread] = field(default_factory=list)
    """Documents without text, with the reason."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Documents with notes on their text."""

    @property
    def files(self) -> int:
        """The number of files processed so far."""
        return self.read + self.unchanged + self.replaced + self.skipped + len(self.unread)

    def leave_out(self, unread: Unread) -> None:
        """Count a file without text."""
        if unread.skipped:
            self.skipped += 1
        else:
            self.unread.append(unread)


_BATCH = 128  # chunks embedded and stored per batch
_CHECKPOINT_CHUNKS, _CHECKPOINT_SECONDS = 4_096, 10.0
"""Flush after this many chunks or seconds; a kill loses only what came after."""


@dataclass(slots=True, eq=False)
class _Task:
    """A document being stored."""

    mark: Mark
    """Its mark, with this version as pending."""
    version: str
    resumed: bool
    """Whether some of its chunks may exist."""
    cut: int = 0
    stored: int = 0
    read_out: bool = False
    """Whether all chunks have been cut."""
    failed: bool = False


_TaskChunk = tuple[_Task, Chunk]


@dataclass(slots=True, eq=False)
class Indexing:
    """One run over the documents. Not frozen, since it counts. Call `run` once, then read `done`."""

    engine: Engine
    embedder: Embedder
    manifest: KnowledgeManifest
    reader: Reader
    _: KW_ONLY
    in_flight: int = 4
    """Concurrent batches of 128 chunks."""
    prune: bool = False
    """Whether to remove documents that are not given."""
    watch: Callable[[Indexed], None] | None = None
    done: Indexed = field(default_factory=Indexed, init=False)
    _known: dict[str, Mark] = field(default_factory=dict, init=False)
    _seen: set[str] = field(default_factory=set, init=False)
    _begun: list[Mark] = field(default_factory=list, init=False)
    _finished: list[_Task] = field(default_factory=list, init=False)

    async def run(self, found: Iterable[FoundFile | Unread]) -> Indexed:
        """Index the files.

        Raises:
            ConfigurationError: the store or the embedder is unusable.
            CallFailed: the server or the embedder failed permanently; the next run resumes.
            BudgetSpent: likewise.
        """
        self._known = {(mark := Mark.read(payload)).source: mark async for payload in self.engine.marks()}
        await self._remove_stale()
        try:
            await self._put_all(found)
        finally:
            await asyncio.shield(self._checkpoint())
        await self._prune_absent()
        await self.engine.flush()
        if self.done.replaced or self.done.removed:
            await self.engine.tidy()
        return self.done

    async def _put_all(self, found: Iterable[FoundFile | Unread]) -> None:
        chunks, since = 0, time.monotonic()
        async with (
            aclosing(self._batches(found)) as batches,
            aclosing(LocalExecutor(self.in_flight).run(self._store, batches)) as stored,
        ):
            async for count in stored:
                chunks += count
                self._show_progress()
                if chunks >= _CHECKPOINT_CHUNKS or time.monotonic() - since >= _CHECKPOINT_SECONDS:
                    await self._checkpoint()
                    chunks, since = 0, time.monotonic()

    # ------------------------------------------------------------------------------------- from files to batches

    async def _batches(self, found: Iterable[FoundFile | Unread]) -> AsyncGenerator[list[_TaskChunk]]:
        """Yield batches of chunks across documents; marks of new documents are stored before their chunks."""
        batch: list[_TaskChunk] = []
        async with aclosing(self._tasks(found)) as tasks:
            async for task, text in tasks:
                for chunk in cut(text, self.manifest.chunk_size, self.manifest.overlap, exact=self.manifest.exact):
                    if task.failed:
                        break
                    task.cut += 1
                    batch.append((task, chunk))
                    if len(batch) == _BATCH:
                        await self._put_begun()
                        yield batch
                        batch = []
                task.read_out = True
                self._finish_if_whole(task)
        await self._put_begun()
        if batch:
            yield batch

    async def _tasks(self, found: Iterable[FoundFile | Unread]) -> AsyncGenerator[tuple[_Task, str]]:
        for file in found:
            document = file if isinstance(file, Unread) else await self._read(file)
            if isinstance(document, Unread):
                self._seen.add(without_surrogates(document.source))
                self.done.leave_out(document)
            elif document is not None:
                if document.note:
                    self.done.notes.append((document.source, document.note))
                task = await self._begin(without_surrogates(document.source), document.digest)
                self._begun.append(task.mark)
                yield task, without_surrogates(document.text)
            self._show_progress()

    async def _read(self, file: FoundFile) -> Document | Unread | None:
        source = without_surrogates(file.source)
        if source in self._seen:
            return Unread(file.source, "another document of this run has the same name; index them from a folder above")
        self._seen.add(source)
        try:
            digest = await asyncio.to_thread(digest_of, file)
        except OSError as error:
            return Unread(file.source, f"cannot be read: {error.strerror or error}")
        if await self._is_whole(self._known.get(source), digest):
            self.done.unchanged += 1
            return None
        return await asyncio.to_thread(self.reader.read, file)

    async def _is_whole(self, mark: Mark | None, digest: str) -> bool:
        """Return whether this version is complete; after an interruption, count its chunks, since some may be lost."""
        if mark is None or mark.digest != digest:
            return False
        if self.manifest.interrupted and await self.engine.count(version(mark.source, digest)) != mark.chunks:
            return False
        if mark.pending is not None:  # another version was begun, and the document has changed back
            await self.engine.remove_version(version(mark.source, mark.pending))
            await self._keep(replace(mark, pending=None))
        return True

    async def _begin(self, source: str, digest: str) -> _Task:
        mark = self._known.get(source, Mark(source))
        if mark.pending is not None and mark.pending != digest:  # changed since it was begun
            await self.engine.remove_version(version(source, mark.pending))
        resumed = digest in {mark.pending, mark.digest}
        if mark.digest == digest:  # marked as complete, but it is not
            mark = replace(mark, digest=None, chunks=0)
        return _Task(replace(mark, pending=digest), version(source, digest), resumed)

    async def _put_begun(self) -> None:
        begun, self._begun = self._begun, []
        await self._keep(*begun)

    # -------------------------------------------------------------------------------------- from batches to store

    async def _store(self, batch: Sequence[_TaskChunk]) -> int:
        """Embed and store a batch; a text refused by the embedder costs only its own document."""
        try:
            return await self._embed_and_put(batch)
        except _EmbeddingRefused as error:
            by_task = [list(chunks) for _, chunks in groupby(batch, key=lambda each: id(each[0]))]
            if len(by_task) > 1:
                return sum([await self._store(chunks) for chunks in by_task])
            task = batch[0][0]
            if not task.failed:
                task.failed = True
                self.done.leave_out(Unread(task.mark.source, f"the embedder refused a chunk: {error}"))
            return 0

    async def _embed_and_put(self, batch: Sequence[_TaskChunk]) -> int:
        named = [(chunk_id(task.version, chunk.start, chunk.end), task, chunk) for task, chunk in batch]
        uncertain = [name for name, task, _ in named if task.resumed]
        there = await self.engine.present(uncertain) if uncertain else set()
        new = [(name, task, chunk) for name, task, chunk in named if name not in there and not task.failed]
        if new:
            vectors = await self._embed([chunk.text for _, _, chunk in new])
            await self.engine.put([self._point(*each, vector) for each, vector in zip(new, vectors, strict=True)])
        self.done.chunks += len(new)
        self.done.kept_chunks += len(there)
        for task, _ in batch:
            task.stored += 1
            self._finish_if_whole(task)
        return len(new)

    async def _embed(self, texts: Sequence[str]) -> Vector:
        try:
            answer = await self.embedder.embed(texts)
        except CallFailed as error:
            if error.retryable:
                raise
            raise _EmbeddingRefused(str(error)) from error
        if answer.vectors.shape[1] != self.manifest.dimensions:
            raise ConfigurationError(
                f"{self.embedder.name} gave {answer.vectors.shape[1]} dimensions, the knowledge base has "
                f"{self.manifest.dimensions}: the model behind the name has changed; index into a new knowledge base"
            )
        return answer.vectors

    def _point(self, name: str, task: _Task, chunk: Chunk, vector: Vector) -> Point:
        payload = {
            "text": chunk.text,
            "source": task.mark.source,
            "start": chunk.start,
            "end": chunk.end,
            "version": task.version,
        }
        return Point(name, payload, {DENSE: vector, TERMS: document_terms(chunk.text, self.manifest.chunk_size)})

    def _finish_if_whole(self, task: _Task) -> None:
        if task.read_out and task.stored == task.cut and not task.failed:
            self._finished.append(task)

    # ------------------------------------------------------------------------------------------- what is whole

    async def _checkpoint(self) -> None:
        """Flush, mark finished documents as complete, and remove the versions they replace."""
        finished, self._finished = self._finished, []
        await self.engine.flush()
        whole = []
        for task in finished:
            old, digest = task.mark.digest, task.mark.pending
            whole.append(replace(task.mark, digest=digest, chunks=task.cut, pending=None, stale=old))
            replaced = old is not None
            self.done.replaced += replaced
            self.done.read += not replaced
        await self._keep(*whole)
        self._show_progress()
        if any(mark.stale for mark in whole):
            await self.engine.flush()
            await self._remove_stale()

    async def _remove_stale(self) -> None:
        stale = [mark for mark in self._known.values() if mark.stale is not None]
        for mark in stale:
            await self.engine.remove_version(version(mark.source, mark.stale or ""))
        await self._keep(*(replace(mark, stale=None) for mark in stale))

    async def _prune_absent(self) -> None:
        """Count the base's documents that were not given, and remove them if requested."""
        absent = [mark for source, mark in self._known.items() if source not in self._seen]
        self.done.absent = 0 if self.prune else len(absent)
        for mark in absent if self.prune else ():
            for digest in {mark.digest, mark.pending, mark.stale} - {None}:
                await self.engine.remove_version(version(mark.source, str(digest)))
            await self.engine.remove([mark_id(mark.source)])
            del self._known[mark.source]
            self.done.removed += 1
            self._show_progress()

    async def _keep(self, *marks: Mark) -> None:
        if marks:
            await self.engine.put([mark.point() for mark in marks])
            self._known |= {mark.source: mark for mark in marks}

    def _show_progress(self) -> None:
        if self.watch is not None:
            self.watch(self.done)


class _EmbeddingRefused(Exception):
    """The embedder permanently rejects a text."""
