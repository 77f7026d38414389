"""Which chunks of the documents the questions of a test set are about."""

import asyncio

import pytest

from saiten.cli import main
from saiten.testsets.asked_about import StoredChunk, StoredDocument, asked_about, stored_documents
from saiten.testsets.items import SetItem, SetPassage
from saiten.wiring import open_engine

CHUNKS = tuple(StoredChunk(100 * n, 100 * n + 100, f"chunk {n} " + "x" * 92) for n in range(5))
DOCUMENTS = [StoredDocument("a.md", "new", CHUNKS), StoredDocument("b.md", "b", CHUNKS[:2])]


def item(identity, *passages):
    """A question about these passages."""
    return SetItem(identity, "What?", "That.", "single", passages=passages)


def touched(*passages):
    """The numbers of the chunks of `a.md` that a question about these passages is about, and what has no place."""
    base = asked_about([item("q", *passages)], DOCUMENTS)
    return [number for number, chunk in enumerate(base.documents[0].chunks) if chunk.items], dict(base.unplaced)


@pytest.mark.parametrize(
    ("start", "end", "numbers"),
    [
        (100, 200, [1]),
        (90, 210, [1]),
        (150, 250, [1, 2]),
        (120, 130, [1]),
        (0, 500, [0, 1, 2, 3, 4]),
        (160, 260, [2]),
        (199, 201, [1, 2]),
        (400, 900, [4]),
    ],
)
def test_a_passage_is_about_the_chunks_it_shares_half_of_the_shorter_text_with(start, end, numbers):
    """A passage that is a chunk is about that chunk alone; neighbors that it merely touches do not count."""
    assert touched(SetPassage("", "a.md", start, end)) == (numbers, {})


def test_a_passage_spread_too_thinly_is_about_the_chunk_with_most_of_it():
    """40 of 120 characters in each of three chunks: the first of them would be chance, all three have the same part."""
    chunks = tuple(StoredChunk(40 * n, 40 * n + 200, "") for n in range(3))
    base = asked_about([item("q", SetPassage("", "a.md", 0, 30))], [StoredDocument("a.md", "", chunks)])
    assert [bool(chunk.items) for chunk in base.documents[0].chunks] == [True, False, False]


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        (SetPassage("chunk 3  " + "x" * 92, "a.md", 0, 100, "old"), ([3], {})),
        (SetPassage("gone", "a.md", 0, 100, "old"), ([], {"changed_text": 1})),
        (SetPassage("gone", "a.md", 700, 800, "new"), ([], {"changed_text": 1})),
        (SetPassage("chunk 2", "a.md"), ([2], {})),
        (SetPassage("any", "c.md", 0, 100), ([], {"other_document": 1})),
        (SetPassage("chunk 0 " + "x" * 92), ([0], {})),
        (SetPassage("of another base"), ([], {"unknown_text": 1})),
        (SetPassage("", "a.md"), ([], {"changed_text": 1})),
        (SetPassage("chunk 1", "a.md", 50, 50), ([1], {})),
    ],
)
def test_a_passage_without_a_valid_place_is_found_by_its_text_or_counted(passage, found):
    """A place is valid while the document is the same; nothing is dropped silently."""
    assert touched(passage) == found


def test_questions_are_counted_once_per_document_and_chunk():
    """Two passages of one question in one chunk; a question about two documents; one without a passage."""
    first, other = SetPassage("", "a.md", 0, 100), SetPassage("", "b.md", 0, 100)
    base = asked_about([item("q", first, first), item("r", first, other), item("s")], DOCUMENTS)
    a, b = base.documents
    assert (a.chunks[0].items, a.questions, a.asked, a.length) == (("q", "r"), 2, 1, 500)
    assert (b.questions, b.asked) == (1, 1)
    assert (base.questions, base.unplaced) == (2, {"no_passage": 1})
    assert (base.asked_documents, base.asked_chunks, base.chunks) == (2, 2, 7)


def test_the_documents_are_read_from_a_real_base_in_order(tmp_path):
    """With the places of all chunks; a replaced version is not among them."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "one.md").write_text("First sentence here. " * 60, encoding="utf-8")
    (docs / "zwei.md").write_text("橋は1998年に開通した。" * 80, encoding="utf-8")
    for _ in "ab":
        with pytest.raises(SystemExit):
            main(["index", str(docs), "--kb", str(tmp_path / "kb"), "-q"])
        (docs / "one.md").write_text("Another sentence here. " * 90, encoding="utf-8")

    async def read():
        engine = open_engine(str(tmp_path / "kb"), writing=False)
        try:
            return await stored_documents(engine)
        finally:
            await engine.close()

    one, two = asyncio.run(read())
    assert (one.source, two.source) == ("one.md", "zwei.md")
    assert all(chunk.text.startswith("Another") for chunk in one.chunks)
    for document in (one, two):
        assert [chunk.start for chunk in document.chunks] == sorted(chunk.start for chunk in document.chunks)
        assert all(len(chunk.text) == chunk.end - chunk.start for chunk in document.chunks)
