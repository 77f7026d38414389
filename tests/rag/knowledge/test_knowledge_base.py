"""The store behind a knowledge base: the same requirements for a folder, qdrant-client's memory, and a real server."""

import os
import subprocess
import sys
import textwrap
from types import SimpleNamespace
from uuid import UUID, uuid4

import numpy as np
import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.engine import DENSE, TERMS, Mark, Point, version
from saiten.rag.knowledge.folder_engine import MANIFEST_NAME, FolderEngine
from saiten.rag.knowledge.opening import KnowledgeManifest, begin, end, open_manifest
from saiten.rag.knowledge.server_engine import ServerEngine, connect
from saiten.rag.knowledge.terms import document_terms
from saiten.records import Retrieved

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")

SERVER = "SAITEN_QDRANT_URL"
VECTORS = np.eye(4, dtype=np.float32)


def identity(number):
    """A point ID."""
    return str(UUID(int=number + 1))


def chunk(number, text="text", source="a", digest="1", vector=None):
    """A chunk as stored."""
    payload = {"text": text, "source": source, "start": number, "end": number + 1, "version": version(source, digest)}
    dense = VECTORS[number % 4] * (1 + number) if vector is None else np.asarray(vector, np.float32)
    return Point(identity(number), payload, {DENSE: dense, TERMS: document_terms(text, 512)})


@pytest.fixture(params=["folder", "memory", pytest.param("server", marks=pytest.mark.real_server)])
async def store(request, tmp_path):
    """An empty engine."""
    if request.param == "folder":
        engine = FolderEngine(tmp_path / "kb", writing=True)
    elif request.param == "memory":
        client = pytest.importorskip("qdrant_client").AsyncQdrantClient(":memory:")
        engine = ServerEngine(client, "kb", "memory")
    elif os.environ.get(SERVER):
        engine = connect(f"{os.environ[SERVER]}/saiten-test-{uuid4().hex}", os.environ.get("QDRANT_API_KEY"))
    else:
        pytest.skip(f"{SERVER} names no Qdrant server")
    yield engine
    if request.param == "server":
        await engine._client.delete_collection(engine._collection)
    await engine.close()


@pytest.fixture
async def engine(store):
    """An engine with room for points."""
    await store.create(4)
    return store


async def test_a_new_store_has_no_manifest_and_keeps_the_one_it_gets(store):
    """Until a manifest is written there is no base; then it is read back unchanged."""
    assert await store.manifest() is None
    await store.create(4)
    assert await store.manifest() is None
    manifest = KnowledgeManifest("builtin:4", "x", 4, 512, 0)
    await store.write_manifest(manifest.written())
    assert await open_manifest(store) == manifest


async def test_making_a_base_again_that_was_never_finished(store):
    """A process killed before the manifest was written leaves nothing in the way."""
    await store.create(4)
    await store.create(8)
    await store.put([chunk(0, vector=np.ones(8))])
    assert len(await store.search(np.ones(8, np.float32), 5)) == 1


async def test_the_highest_inner_product_comes_first(engine):
    """Not the nearest direction: a longer vector wins. Marks are never found."""
    await engine.put([Mark("a", "1", 8).point(), *map(chunk, range(8))])
    hits = await engine.search(np.array([1, 0.1, 0, 0], np.float32), 3)
    assert [(hit.id, pytest.approx(hit.score)) for hit in hits] == [
        (identity(4), 5.0),
        (identity(0), 1.0),
        (identity(5), 0.6),
    ]
    assert hits[0].payload["start"] == 4
    assert len(await engine.search(np.array([1, 0, 0, 0], np.float32), 100)) == 8


async def test_a_point_that_is_put_twice_is_there_once(engine):
    """The later one wins."""
    await engine.put([chunk(0, "old")])
    await engine.put([chunk(0, "new"), chunk(1)])
    hits = await engine.search(VECTORS[0], 9)
    assert [hit.payload["text"] for hit in hits] == ["new", "text"]
    assert await engine.present([identity(0), identity(1), identity(2)]) == {identity(0), identity(1)}


async def test_versions_are_counted_hidden_and_removed(engine):
    """A version of a document can be excluded from a search, counted and removed; other documents stay."""
    await engine.put([chunk(0, digest="1"), chunk(4, digest="2"), chunk(8, source="b")])
    old, new = version("a", "1"), version("a", "2")
    assert [await engine.count(each) for each in (old, new, "none")] == [1, 1, 0]
    assert [hit.id for hit in await engine.search(VECTORS[0], 9, [old])] == [identity(8), identity(4)]
    assert len(await engine.search(document_terms("text", 512), 9, [old, new])) == 1
    await engine.remove_version(old)
    await engine.remove([identity(8), identity(77)])
    await engine.tidy()
    assert [hit.id for hit in await engine.search(VECTORS[0], 9)] == [identity(4)]


async def test_marks_come_back_whatever_their_number(engine):
    """They fill more than one page; chunks and the manifest are not among them."""
    await engine.write_manifest({"kind": "x"})
    marks = [Mark(f"文書/{n}.md", "d", n, "p" if n % 2 else None) for n in range(1_234)]
    await engine.put([chunk(0), *(mark.point() for mark in marks)])
    found = [Mark.read(payload) async for payload in engine.marks()]
    assert sorted(found, key=lambda mark: mark.chunks) == marks
    contents = await read_contents(engine)
    assert (contents.documents, contents.chunks) == (1_234, sum(range(1_234)))
    assert len(contents.hidden) == 617
    await engine.remove([marks[0].point().id])
    assert len([1 async for _ in engine.marks()]) == 1_233


async def test_every_chunk_comes_with_its_embedding(engine):
    """They fill more than one page; marks, the manifest and excluded versions are not among them."""
    await engine.write_manifest({"kind": "x"})
    await engine.put([Mark("a", "1", 300).point(), *map(chunk, range(300)), chunk(900, digest="2")])
    found = [point async for point in engine.chunks([version("a", "2")])]
    assert sorted(point.payload["start"] for point in found) == list(range(300))
    assert all(point.id == identity(point.payload["start"]) for point in found)
    for point in found:
        start = point.payload["start"]
        np.testing.assert_array_equal(point.vectors[DENSE], VECTORS[start % 4] * (1 + start))
    assert len([1 async for _ in engine.chunks()]) == 301


async def test_an_empty_store_has_no_chunks(engine):
    """The iterator ends at once."""
    assert [point async for point in engine.chunks()] == []


async def test_terms_find_by_bm25(engine):
    """A rare term weighs more than one in every chunk, and hashes over all 32 bits are accepted."""
    await engine.put([chunk(n, f"printer ink {'RX-7800B' if n == 5 else n}", source=str(n)) for n in range(20)])
    hits = await engine.search(document_terms("printer ＲＸ－７８００Ｂ", 512), 3)
    assert hits[0].id == identity(5)
    assert hits[0].score > 3 * hits[1].score


async def japanese_manual(store, embedder):
    """A base of a manual: a short page on each model's standby power, and one long page that says more."""
    manifest = await begin(store, embedder, "builtin:256")
    pages = [f"TK-{n}の待機時の消費電力は{n % 7}ワットです。" for n in range(20)]
    pages[2] = (
        "RX-7800Bを長く使わないときは電源を切ってください。給紙トレイの用紙を取り出し、カバーを閉めて、乾いた布でほこりを"
        "拭き取ります。節電の設定は操作パネルの共通メニューから選びます。待機時の電力は三ワットです。"
    )
    vectors = (await embedder.embed(pages)).vectors
    await store.put(
        [chunk(n, page, str(n), vector=vector) for n, (page, vector) in enumerate(zip(pages, vectors, strict=True))]
    )
    await store.put([Mark(str(n), "1", 1).point() for n in range(len(pages))])
    await end(store, manifest)
    return manifest


@pytest.mark.parametrize("code", ["RX-7800B", "ＲＸ－７８００Ｂ", "rx7800b"])
async def test_hybrid_finds_the_product_code_that_dense_misses(store, code):
    """However the code is written, hybrid retrieval ranks its page among the first; dense retrieval does not."""
    embedder = BuiltinEmbedder(256)
    manifest = await japanese_manual(store, embedder)
    contents = await read_contents(store)
    found = {}
    for retrieval in ("dense", "hybrid", "bm25"):
        base = KnowledgeBase(store, embedder, manifest, contents, retrieval=retrieval)
        passages = (await base.retrieve(f"{code}の待機時の消費電力は？")).passages
        found[retrieval] = any(passage.source == "2" for passage in passages)
    assert found == {"dense": False, "hybrid": True, "bm25": True}


async def test_what_a_passage_carries(store):
    """Text, source, position and score; as many as the base's setting or as requested; nothing for an empty query."""
    embedder = BuiltinEmbedder(256)
    manifest = await japanese_manual(store, embedder)
    base = KnowledgeBase(store, embedder, manifest, await read_contents(store), k=4)
    passages = (await base.retrieve("TK-19の消費電力")).passages
    assert len(passages) == 4
    assert (passages[0].source, passages[0].start, passages[0].end) == ("19", 19, 20)
    assert passages[0].score == max(passage.score for passage in passages) <= 1
    assert len((await base.retrieve("TK-19", 99)).passages) == 20
    assert (await base.retrieve("TK-19", 0)).passages == ()
    for retrieval in ("dense", "hybrid", "bm25"):
        base = KnowledgeBase(store, embedder, manifest, await read_contents(store), retrieval=retrieval)
        assert [(await base.retrieve(query)).passages for query in ("", " ", "…！？", "\ud800")] == [()] * 4
    assert "retrieval=bm25-terms-1,k=5,content=20-" in base.name


async def test_a_blank_query_is_not_embedded(store):
    """It is near to nothing, whatever a model makes of white space, and costs no call."""

    class AsksNobody(BuiltinEmbedder):
        async def embed(self, texts):
            raise AssertionError(f"asked for {texts}")

    manifest = await japanese_manual(store, BuiltinEmbedder(256))
    base = KnowledgeBase(store, AsksNobody(256), manifest, await read_contents(store))
    assert [await base.retrieve(query) for query in ("", " ", "　\n")] == [Retrieved(())] * 3


async def test_the_name_follows_what_the_base_holds(store):
    """The same documents in another order give the same name; another document gives another."""
    names = []
    for digests in ("12", "21", "13"):
        await store.create(4)
        await store.put([Mark(str(n), digest, 1).point() for n, digest in enumerate(digests)])
        base = KnowledgeBase(
            store, BuiltinEmbedder(), KnowledgeManifest("b", "b", 4, 512, 0), await read_contents(store)
        )
        names.append(base.describe()["content"])
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"embedder": BuiltinEmbedder(512)}, "embedded by builtin-ngrams-256, not by builtin-ngrams-512"),
        ({"chunk_size": 100}, "chunks of 512 characters with an overlap of 0, not 100 and 0"),
        ({"overlap": 8}, "not 512 and 8"),
        ({"exact": True}, "chunks that end with a sentence, not chunks of exactly the same length"),
    ],
)
async def test_other_settings_on_an_existing_base_are_refused(store, settings, said):
    """The message has the existing value, the new one, and what to do."""
    await begin(store, BuiltinEmbedder(256), "builtin:256")
    with pytest.raises(ConfigurationError, match=said) as caught:
        await begin(store, **({"embedder": BuiltinEmbedder(256), "spec": "b"} | settings))
    assert "into a new knowledge base" in str(caught.value)


@pytest.mark.parametrize(("size", "overlap"), [(512, 512), (10, 11), (4, -1)])
async def test_chunks_that_would_never_end_are_refused(store, size, overlap):
    """The overlap must be smaller than a chunk."""
    with pytest.raises(ConfigurationError, match="are impossible"):
        await begin(store, BuiltinEmbedder(256), "b", size, overlap)


# ---------------------------------------------------------------------------------------------------- folders


async def test_a_folder_of_other_files_is_left_alone(tmp_path):
    """It is neither indexed into nor opened."""
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(ConfigurationError, match="contains other files"):
        FolderEngine(tmp_path, writing=True)
    with pytest.raises(ConfigurationError, match="make one with: saiten index"):
        FolderEngine(tmp_path, writing=False)
    with pytest.raises(ConfigurationError, match="is a file"):
        FolderEngine(tmp_path / "letter.txt", writing=True)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "not a knowledge base of saiten"),
        ("[1]", "not a knowledge base of saiten"),
        ("{", "cannot be read"),
        ('{"kind": "saiten knowledge base", "format": 99, "saiten": "9.1"}', "saiten 9.1 in another format"),
        ('{"kind": "saiten knowledge base", "format": 1, "terms": "terms-1"}', "damaged manifest"),
    ],
)
async def test_a_manifest_that_cannot_be_used_is_named(tmp_path, text, said):
    """Another program's, a later format's, a damaged one."""
    (tmp_path / MANIFEST_NAME).write_text(text)
    engine = FolderEngine(tmp_path, writing=False)
    with pytest.raises(ConfigurationError, match=said):
        await open_manifest(engine)
    await engine.close()


async def test_a_damaged_folder_is_named(tmp_path):
    """There is no stack trace."""
    engine = FolderEngine(tmp_path / "kb", writing=True)
    await begin(engine, BuiltinEmbedder(256), "builtin:256")
    await engine.close()
    for path in (tmp_path / "kb" / "points").rglob("segment.json"):
        path.write_text("{")
    engine = FolderEngine(tmp_path / "kb", writing=False)
    with pytest.raises(ConfigurationError, match="index the documents again into a new folder"):
        await read_contents(engine)
    await engine.close()
    await engine.close()
    with pytest.raises(ConfigurationError, match="is closed"):
        await read_contents(engine)


async def test_a_full_disk_is_reported_before_it_hurts(tmp_path):
    """The message has the free and the needed space; here the need exceeds any disk."""
    engine = FolderEngine(tmp_path / "kb", writing=True, spare=1 << 60)
    with pytest.raises(ConfigurationError, match=r"is full: .* MiB are free, .* needed"):
        await begin(engine, BuiltinEmbedder(256), "builtin:256")
    await engine.close()


HOLDER = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from saiten.rag.knowledge.base import read_contents
    from saiten.rag.knowledge.folder_engine import FolderEngine
    async def hold():
        engine = FolderEngine(Path(sys.argv[1]), writing=sys.argv[2] == "writing")
        await read_contents(engine)
        print("open", flush=True)
        sys.stdin.read()
        await engine.close()
    asyncio.run(hold())
""")


def holder(folder, how):
    """A process that has the base open until it is killed."""
    command = [sys.executable, "-c", HOLDER, folder, how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no shared locks")
async def test_many_read_or_one_writes(tmp_path):
    """Two processes search at once, while none can index; while one indexes, no other can do anything."""
    folder = tmp_path / "kb"
    engine = FolderEngine(folder, writing=True)
    await begin(engine, BuiltinEmbedder(256), "builtin:256")
    with pytest.raises(ConfigurationError, match="being indexed by another process"):
        FolderEngine(folder, writing=False)
    with pytest.raises(ConfigurationError, match="searched or indexed by another process"):
        FolderEngine(folder, writing=True)
    await engine.close()

    with holder(folder, "reading") as one, holder(folder, "reading") as two:
        assert one.stdout.readline() == two.stdout.readline() == b"open\n"
        reader = FolderEngine(folder, writing=False)
        assert (await read_contents(reader)).documents == 0
        await reader.close()
        with pytest.raises(ConfigurationError, match="searched or indexed by another process"):
            FolderEngine(folder, writing=True)
        one.kill()
        two.kill()
    with holder(folder, "writing") as one:
        assert one.stdout.readline() == b"open\n"
        with pytest.raises(ConfigurationError, match="being indexed by another process"):
            FolderEngine(folder, writing=False)
        one.kill()
    await FolderEngine(folder, writing=True).close()


# ---------------------------------------------------------------------------------------------------- servers


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://localhost:6333", "does not name a knowledge base"),
        ("http://localhost:6333/", "does not name a knowledge base"),
        ("http://me:secret@localhost:6333/kb", "QDRANT_API_KEY"),
        ("http://localhost:6333/kb?x=1", "expected http://HOST:6333/NAME"),
        ("http://localhost:99999999/kb", "not a number up to 65535"),
    ],
)
def test_an_address_that_names_no_base(url, said):
    """The message says what was expected; a password is not repeated."""
    pytest.importorskip("qdrant_client")
    with pytest.raises(ConfigurationError, match=said) as caught:
        connect(url, None)
    assert "secret" not in str(caught.value)


async def test_a_server_that_is_not_there(unused_tcp_port):
    """It is a wrong setup if it happens first, a failed call later."""
    pytest.importorskip("qdrant_client")
    engine = connect(f"http://127.0.0.1:{unused_tcp_port}/kb", "key")
    with pytest.raises(ConfigurationError, match="is it running"):
        await open_manifest(engine)
    with pytest.raises(CallFailed, match="cannot be reached") as caught:
        await engine.count("x")
    assert caught.value.retryable
    await engine.close()


async def test_a_panic_of_the_engine_is_an_error_that_names_the_folder(tmp_path):
    """A damaged file can make the engine panic, which is no Exception."""

    class PanicException(BaseException):
        pass

    def panics(_path):
        raise PanicException("index out of bounds")

    engine = FolderEngine(tmp_path / "kb", writing=True)
    engine._edge = SimpleNamespace(EdgeShard=SimpleNamespace(load=panics))
    with pytest.raises(ConfigurationError, match=r"kb cannot be used: index out of bounds"):
        await engine.present(["a"])
    await engine.close()
