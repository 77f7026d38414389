"""Indexing: changes are replaced, the rest stays, and a kill at any moment leaves a correct base."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError
from saiten.models.budget import Budget
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.limits import Retries
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.stack import layers, stack_embedder
from saiten.protocols import Embeddings
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.indexing import Indexing
from saiten.rag.knowledge.opening import begin, end, open_manifest
from saiten.rag.knowledge.reading import Reader
from saiten.rag.knowledge.server_engine import ServerEngine
from servers import OpenAIServer

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")


class Counting:
    """The built-in embedder with few dimensions, counting the texts it was given."""

    def __init__(self):
        self._inner = BuiltinEmbedder(64)
        self.name = self._inner.name
        self.texts: Counter[str] = Counter()

    async def embed(self, texts) -> Embeddings:
        self.texts.update(texts)
        return await self._inner.embed(texts)

    async def close(self):
        """Has nothing to close."""


class Place:
    """A knowledge base that each step opens anew, as a new process would, and the documents next to it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.documents = folder / "documents"
        self.documents.mkdir()
        self._folder = folder / "kb"
        self._client = pytest.importorskip("qdrant_client").AsyncQdrantClient(":memory:") if kind == "memory" else None
        self.embedder = Counting()

    def write(self, **files):
        """Documents by name; None removes one."""
        for name, text in files.items():
            path = self.documents / f"{name}.md"
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text, "utf-8")

    def engine(self, *, writing=True):
        """The store; a server's memory outlives the engine."""
        if self._client is None:
            return FolderEngine(self._folder, writing=writing)
        engine = ServerEngine(self._client, "kb", "memory")
        engine.close = _nothing
        return engine

    async def index(self, embedder=None, *, size=20, **settings):
        """Index; the embedder's count restarts."""
        embedder = embedder or self.embedder
        if embedder is self.embedder:
            embedder.texts.clear()
        engine = self.engine()
        try:
            manifest = await begin(engine, embedder, "builtin:64", size)
            with Reader() as reader:
                work = Indexing(engine, embedder, manifest, reader, **settings)
                done = await work.run(find_documents([self.documents]))
            await end(engine, manifest)
            return done
        finally:
            await engine.close()

    async def found(self, query="文", k=10_000):
        """Everything that dense retrieval finds."""
        engine = self.engine(writing=False)
        try:
            base = KnowledgeBase(engine, self.embedder, await open_manifest(engine), await read_contents(engine))
            return (await base.retrieve(query, k)).passages
        finally:
            await engine.close()

    async def check(self):
        """Check that every document is there once and complete; returns the number of chunks."""
        by_source = {}
        for passage in await self.found():
            by_source.setdefault(passage.source, []).append(passage)
        texts = {
            path.relative_to(self.documents).as_posix(): path.read_text("utf-8")
            for path in self.documents.rglob("*.md")
        }
        assert sorted(by_source) == sorted(texts)
        for source, passages in by_source.items():
            passages.sort(key=lambda passage: passage.start)
            assert all(passage.text == texts[source][passage.start : passage.end] for passage in passages)
            assert "".join(passage.text for passage in passages).split() == texts[source].split()
        return sum(map(len, by_source.values()))


async def _nothing():
    pass


@pytest.fixture(params=["folder", pytest.param("memory", marks=pytest.mark.slow)])
def place(request, tmp_path):
    """A folder of documents, and a base that does not exist yet."""
    return Place(tmp_path, request.param)


@pytest.mark.witness
async def test_only_what_changed_is_embedded(place):
    """New, changed, unchanged and deleted documents are distinguished by their bytes, not by their timestamps."""
    place.write(a="猫が好きです。" * 9, b="犬が好きです。" * 9, c="鳥が好きです。" * 9)
    done = await place.index()
    assert (done.read, done.unchanged, done.replaced) == (3, 0, 0)
    assert done.chunks == sum(place.embedder.texts.values()) - 1 == await place.check()
    for path in place.documents.iterdir():
        os.utime(path, (1, 1))
    done = await place.index()
    assert (done.read, done.unchanged, done.replaced, done.chunks) == (0, 3, 0, 0)
    assert not place.embedder.texts
    place.write(b="馬が好きです。" * 5, c=None, d="文書です。")
    done = await place.index()
    assert (done.read, done.unchanged, done.replaced, done.removed, done.absent) == (1, 1, 1, 0, 1)
    assert {text[0] for text in place.embedder.texts} == {"馬", "文"}
    assert {passage.source for passage in await place.found()} == {"a.md", "b.md", "c.md", "d.md"}
    done = await place.index(prune=True)
    assert (done.unchanged, done.removed, done.absent) == (3, 1, 0)
    await place.check()


async def test_a_document_that_becomes_shorter_leaves_nothing_behind(place):
    """Nor does one that changes and changes back."""
    long, short = "".join(f"第{n}文です。" for n in range(50)), "短い文です。"
    for text in (long, short, long, short):
        place.write(a=text)
        assert (await place.index()).unread == []
        await place.check()


async def test_documents_that_cannot_be_read_are_named_and_stop_nothing(place):
    """Binary junk, an empty document, a duplicate name, and one that has become unreadable."""
    place.write(a="文書です。", b="もう一つの文書です。")
    await place.index()
    (place.documents / "b.md").write_bytes(b"\x00\x01\x02" * 400)
    (place.documents / "empty.md").write_bytes(b"")
    done = await place.index(prune=True)
    assert {unread.source for unread in done.unread} == {"b.md", "empty.md"}
    assert {passage.source for passage in await place.found()} == {"a.md", "b.md"}  # its earlier content stays
    assert done.removed == 0


async def test_two_documents_of_one_name(place, tmp_path):
    """The second is reported, since it would replace the first."""
    place.write(a="文書です。")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("別の文書です。", "utf-8")
    engine = place.engine()
    manifest = await begin(engine, place.embedder, "builtin:64")
    with Reader() as reader:
        work = Indexing(engine, place.embedder, manifest, reader)
        done = await work.run(find_documents([place.documents, tmp_path / "other"]))
    await engine.close()
    assert [unread.reason for unread in done.unread] == [
        "another document of this run has the same name; index them from a folder above"
    ]
    await place.check()


class Failing(Counting):
    """Fails in a given way at a text that contains a mark."""

    def __init__(self, mark, error):
        super().__init__()
        self._mark, self._error = mark, error

    async def embed(self, texts) -> Embeddings:
        if any(self._mark in text for text in texts):
            raise self._error
        return await super().embed(texts)


async def test_a_text_that_the_embedder_refuses_costs_its_own_document_only(place):
    """The document is named with the reason and not partly indexed; its earlier version stays."""
    text = "".join(f"第{n}文です。" for n in range(30))
    place.write(a=text, b=text.replace("文", "章"), c=text.replace("文", "節"))
    await place.index()
    place.write(b=text.replace("文", "章").replace("第20", "爆弾"), d="新しい爆弾です。")
    done = await place.index(Failing("爆弾", CallFailed("too long", status=400)))
    assert [(unread.source, unread.reason) for unread in done.unread] == [
        ("b.md", "the embedder refused a chunk: too long"),
        ("d.md", "the embedder refused a chunk: too long"),
    ]
    assert Counter(passage.source for passage in await place.found()).keys() == {"a.md", "b.md", "c.md"}
    assert not any("爆弾" in passage.text for passage in await place.found())
    place.write(b=text, d="新しい文です。")
    done = await place.index()
    assert (done.replaced, done.read) == (1, 1)
    await place.check()


@pytest.mark.parametrize(
    "error", [CallFailed("server down", retryable=True), BudgetSpent("spent"), ConfigurationError("no")]
)
async def test_a_run_that_is_stopped_goes_on_without_embedding_again(place, error):
    """Whatever stops it: stored parts stay, half a document is not found, and the rest is embedded once."""
    texts = {f"d{n:02}": "".join(f"{n}の第{m}文です。" for m in range(60)) for n in range(12)}
    texts["d10"] += "爆弾です。"
    place.write(**texts)
    failing = Failing("爆弾", error)
    with pytest.raises(type(error)):
        await place.index(failing, in_flight=1)
    engine = place.engine(writing=False)
    contents = await read_contents(engine)
    await engine.close()
    assert 0 < contents.documents < 12
    assert len({passage.source for passage in await place.found()}) == contents.documents
    done = await place.index()
    assert not (set(failing.texts) & set(place.embedder.texts))
    assert done.kept_chunks > 0
    assert done.chunks + sum(failing.texts.values()) - 1 == await place.check()


async def test_a_budget_stops_an_index_cleanly(place, openai_server: OpenAIServer):
    """With a real server; what was paid for is not paid for again."""
    place.write(**{f"d{n}": "".join(f"{n}の第{m}文です。" for m in range(200)) for n in range(6)})
    asked = Counter()
    openai_server.reply = lambda request: asked.update(request.body["input"])

    def embedder(most):
        inner = OpenAICompatibleEmbedder("e", openai_server.base_url)
        return stack_embedder(inner, layers(retries=Retries(attempts=1), budget=Budget(most, None)))

    poor, rich = embedder(3), embedder(100)
    with pytest.raises(BudgetSpent):
        await place.index(poor, in_flight=1)
    await place.index(rich)
    await poor.close()
    await rich.close()
    assert asked.pop("How many dimensions?", 0) == 1
    assert max(asked.values()) == 1


async def test_another_model_behind_the_same_name_is_found(place, openai_server: OpenAIServer):
    """Its vectors have another number of dimensions; nothing is mixed."""
    place.write(a="文書です。")
    one = OpenAICompatibleEmbedder("e", openai_server.base_url)
    await place.index(one)
    place.write(b="もう一つの文書です。")
    openai_server.reply = lambda request: {
        "data": [{"index": n, "embedding": [1.0] * 8} for n in range(len(request.body["input"]))]
    }
    with pytest.raises(ConfigurationError, match="gave 8 dimensions, the knowledge base has 16"):
        await place.index(one)
    await one.close()


async def test_half_a_surrogate_pair_is_stored(place):
    """It is stored as a replacement character; the positions of all others stay."""
    place.write(a="文書です。")
    (place.documents / "b.md").write_bytes("前".encode() + b"\xed\xa0\x80" + "後の文書です。".encode())
    done = await place.index()
    assert done.read + len(done.unread) == 2


# ------------------------------------------------------------------------------------------------------- kills

INDEXER = textwrap.dedent("""
    import asyncio, os, sys
    from pathlib import Path
    from saiten.rag.knowledge import indexing
    from saiten.rag.knowledge.finding import find_documents
    from saiten.rag.knowledge.folder_engine import FolderEngine
    from saiten.rag.knowledge.opening import begin, end
    from saiten.rag.knowledge.reading import Reader
    from saiten.models.builtin_embedder import BuiltinEmbedder

    indexing._CHECKPOINT_CHUNKS = 300  # many flushes, so that many kills hit one

    async def main(folder):
        engine, embedder = FolderEngine(folder / "kb", writing=True), BuiltinEmbedder(64)
        manifest = await begin(engine, embedder, "builtin:64", 20)
        os.write(1, b"begun\\n")
        with Reader() as reader:
            work = indexing.Indexing(engine, embedder, manifest, reader, prune=True)
            await work.run(find_documents([folder / "documents"]))
        await end(engine, manifest)
        await engine.close()
        os.write(1, b"done %d %d\\n" % (work.done.chunks, work.done.kept_chunks))

    asyncio.run(main(Path(sys.argv[1])))
""")


def run_for(folder, seconds):
    """Index in a process that is killed after so many seconds, if given; its final output, if it got there."""
    with subprocess.Popen([sys.executable, "-c", INDEXER, folder], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        if seconds is not None:
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
        return process.stdout.read()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
async def test_a_run_that_is_killed_again_and_again_ends_up_right(tmp_path):
    """SIGKILL at random moments while documents are added, replaced and removed: no partial one is ever found, and in
    the end every document is there, once and complete.
    """
    place, dice = Place(tmp_path, "folder"), random.Random(20261121)
    versions = set()
    for generation in range(2):
        texts = {
            f"d{n:02}": "".join(f"{generation if n % 3 else 0}版{n}の第{m}文です。" for m in range(40 + 10 * (n % 5)))
            for n in range(40)
        }
        place.write(**texts | ({"d07": None, "d14": None} if generation else {}))
        versions |= set(texts.values())
        for attempt in range(9):
            said = run_for(tmp_path, dice.random() * 0.4 if attempt < 3 else None)
            by_source = {}
            for each in sorted(await place.found(), key=lambda each: each.start):
                by_source[each.source] = by_source.get(each.source, "") + each.text
            assert set(by_source.values()) <= versions  # complete, and of one version, the old or the new
            if said:
                break
        await place.check()
    engine = place.engine()
    assert (await read_contents(engine)).hidden == ()
    await engine.close()


async def test_a_power_cut_that_costs_chunks_is_mended(tmp_path):
    """After an interruption chunks are counted, and only the missing ones of a document are added."""
    place = Place(tmp_path, "folder")
    place.write(a="".join(f"第{n}文です。" for n in range(30)), b="文書です。")
    await place.index()
    engine = place.engine()
    await begin(engine, place.embedder, "builtin:64")  # and never finished
    hits = await engine.search(np.ones(64, np.float32), 9)
    lost = [hit.id for hit in hits if hit.payload["source"] == "a.md"][:2]
    await engine.remove(lost)
    await engine.close()
    done = await place.index()
    assert (done.unchanged, done.chunks, done.kept_chunks > 0) == (1, len(lost), True)
    await place.check()
