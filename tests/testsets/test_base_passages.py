"""The passages of a base: all chunks of complete documents, in order, with section, digest, language and topic."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planned_bases import base_of_files, base_of_texts, index_into, open_folder

from saiten.demo.samples import corpus
from saiten.rag.knowledge.engine import DENSE, TERMS, Mark, Point, chunk_id, version
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.terms import document_terms
from saiten.testsets.plan.askable import notes_on
from saiten.testsets.plan.clusters import clusters_of
from saiten.testsets.plan.passages import read_passages


def read(base):
    """Read the passages and close the base."""

    async def reading():
        found = await read_passages(base)
        await base.close()
        return found

    return asyncio.run(reading())


def test_the_passages_of_the_demo_are_those_of_its_documents(tmp_path):
    """Each is the text at its place, in order of documents and places, with the digest that `index` gave the document."""
    base = base_of_files(tmp_path / "kb", [corpus()])
    digests = asyncio.run(digests_of(base))
    found = read(base)
    places = [(each.passage.source, each.passage.start) for each in found.passages]
    assert places == sorted(places)
    assert len(places) == base.contents.chunks == len(found.words) == len(found.clusters)
    assert found.documents == 4
    assert found.left_out == {}
    for each in found.passages:
        text = (corpus() / each.passage.source).read_text("utf-8")
        assert text[each.passage.start : each.passage.end] == each.passage.text
        assert each.passage.document == digests[each.passage.source]
        assert each.language == each.passage.source[:2]
        assert each.written
    sections = {each.section for each in found.passages if each.passage.source == "en/handbook.md"}
    assert "Tarnwick Instruments office handbook > 2. Sick leave" in sections
    assert len(sections) == 10


async def digests_of(base):
    """The digests of the documents' complete versions, by name."""
    marks = [Mark.read(payload) async for payload in base.engine.marks()]
    return {mark.source: mark.digest for mark in marks}


def test_versions_that_are_not_complete_are_not_read(tmp_path):
    """A document that is being replaced has its previous version; one begun for the first time has none."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.md").write_text("The old bridge was opened in 1998 by the mayor.", "utf-8")
    asyncio.run(index_into(tmp_path / "kb", [documents]))

    async def interrupt():
        engine = FolderEngine(tmp_path / "kb", writing=True)
        (mark,) = [Mark.read(payload) async for payload in engine.marks()]
        points = [replace(mark, pending="new").point(), Mark("b.md", pending="first").point()]
        for source, digest in (("a.md", "new"), ("b.md", "first")):
            payload = {"text": "The new bridge is not finished yet, they say.", "source": source, "start": 0, "end": 45}
            payload["version"] = version(source, digest)
            vectors = {DENSE: np.ones(512, np.float32), TERMS: document_terms("x", 512)}
            points.append(Point(chunk_id(payload["version"], 0, 45), payload, vectors))
        await engine.put(points)
        await engine.close()

    asyncio.run(interrupt())
    found = read(asyncio.run(open_folder(tmp_path / "kb")))
    assert [each.passage.text for each in found.passages] == ["The old bridge was opened in 1998 by the mayor."]


def test_chunks_that_overlap_have_the_sections_of_their_places(tmp_path):
    """Text shared by two chunks is read once, so a heading in it begins one section."""
    text = "# A\n\n" + "All about the first thing. " * 12 + "\n\n# B\n\n" + "All about the second thing. " * 12
    found = read(base_of_texts(tmp_path, {"a.md": text}, 200, 80))
    for each in found.passages:
        most = max("AB", key=lambda name: each.passage.text.count({"A": "first", "B": "second"}[name]))
        assert each.section == most


def test_a_base_of_junk_has_no_passages_and_says_why(tmp_path):
    """Every chunk is counted by the reason."""
    found = read(
        base_of_texts(
            tmp_path,
            {
                "code.md": "```\nimport saiten\nprint(saiten.evaluate(rows))\n```\n",
                "figures.txt": "12 34 56 78\n" * 20,
                "menu.html": "<ul><li>Home<li>Products<li>About us<li>Contact<li>Imprint<li>Privacy</ul>",
                "title.md": "# A title and nothing else",
                "toc.md": "1. Introduction ........ 3\n2. Safety instructions ...... 5\n3. Installation ...... 12\n",
            },
        )
    )
    assert list(found.passages) == []
    assert found.documents == 0
    assert found.left_out == {"code": 1, "short": 2, "links": 2}
    assert len(found.clusters) == len(found.words) == 0
    assert notes_on(found.left_out) == [
        "passages with nothing to ask about: 1 (code without an explanation)",
        "passages with nothing to ask about: 2 (tables of contents, and lists of links or titles)",
        "passages with nothing to ask about: 2 (next to nothing besides headings)",
    ]


def test_a_document_that_is_there_twice_is_asked_about_once(tmp_path):
    """The copy's passages are left out."""
    text = (corpus("en") / "manual.md").read_text("utf-8")
    found = read(base_of_texts(tmp_path, {"a.md": text, "b.md": text.replace("; ", ";\n")}))
    assert found.documents == 1
    assert found.left_out["copy"] >= len(found.passages) - 1


@pytest.mark.parametrize("folder", ["docs", "docs/ja"])
def test_this_projects_pages_are_mostly_askable(tmp_path, folder):
    """Some chunks are code, tables of figures and lists of links; few others are left out."""
    pages = sorted((Path(__file__).parents[2] / folder).glob("*.md"))[:16]
    found = read(base_of_files(tmp_path / "kb", pages))
    languages = Counter(each.language for each in found.passages)
    assert len(found.passages) > 0.85 * (len(found.passages) + sum(found.left_out.values()))
    assert languages["ja" if folder == "docs/ja" else "en"] >= 0.95 * len(found.passages)
    assert sum(bool(each.section) for each in found.passages) >= 0.95 * len(found.passages)


def test_clusters_group_passages_by_topic():
    """Vectors around a few centers fall into clusters that do not mix them."""
    random = np.random.default_rng(0)
    centers = random.standard_normal((5, 64)).astype(np.float32) * 3
    topics = random.integers(0, 5, 400)
    vectors = (centers[topics] + random.standard_normal((400, 64))).astype(np.float32)
    found = clusters_of(vectors)
    assert len(found) == 400
    assert max(found) < 15
    mixed = [len(set(topics[found == each])) for each in set(found.tolist())]
    assert mixed == [1] * len(mixed)
    assert (clusters_of(vectors) == found).all()


@pytest.mark.parametrize("rows", [0, 1, 39])
def test_a_tiny_base_has_one_cluster(rows):
    """Its documents and sections are topics enough."""
    assert clusters_of(np.eye(64, dtype=np.float32)[:rows]).tolist() == [0] * rows


def test_equal_vectors_are_in_one_cluster():
    """Also if there are fewer different ones than clusters."""
    assert set(clusters_of(np.ones((100, 8), np.float32)).tolist()) == {0}
