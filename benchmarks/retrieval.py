"""Quality of a knowledge base's retrieval: kinds of retrieval, and sizes of the built-in embedder.

    SAITEN_DATA=/path/to/data python benchmarks/retrieval.py

Passages of `nomiracl_ja_dev` (Japanese) and `clapnq_human` (English) in chunks of 512 characters, in real folders. Only
a question's own contexts, found by another retriever, count as relevant: a lower bound, since other passages may fit.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from saiten.choices import Retrieval
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.chunking import cut
from saiten.rag.knowledge.engine import DENSE, TERMS, Point, chunk_id
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.opening import begin
from saiten.rag.knowledge.terms import document_terms

Question = tuple[str, set[str]]
"""A question and its relevant passages."""


def rows(path: Path) -> Iterator[dict[str, object]]:
    """Read the lines of a file."""
    return map(json.loads, path.read_text("utf-8").splitlines())


def pieces(text: str) -> set[str]:
    """Return the chunks of a text."""
    return {chunk.text for chunk in cut(text)}


def japanese(data: Path) -> tuple[list[Question], set[str]]:
    """Return the questions that have a relevant passage, and the passages of all questions."""
    asked: list[Question] = []
    every: set[str] = set()
    for name in ("relevant", "non_relevant"):
        for row in rows(data / "nomiracl_ja_dev" / f"{name}.jsonl"):
            own = set().union(*map(pieces, row["contexts"]))  # type: ignore[arg-type]
            every |= own
            if name == "relevant":
                asked.append((str(row["question"]), own))
    return asked, every


def english(data: Path) -> tuple[list[Question], set[str]]:
    """Return all questions, and the passages of all."""
    asked = []
    for row in rows(data / "clapnq_human" / "questions.jsonl"):
        own = [pieces(f"{each['title']}: {each['text']}") for each in row["contexts"]]  # type: ignore[attr-defined]
        asked.append((str(row["question"]), set().union(*own)))
    return asked, set().union(*(own for _, own in asked))


async def measure(title: str, asked: list[Question], every: set[str], dimensions: int, folder: Path) -> None:
    """Measure three kinds of retrieval with one knowledge base."""
    engine, embedder, passages = FolderEngine(folder, writing=True), BuiltinEmbedder(dimensions), sorted(every)
    manifest = await begin(engine, embedder, f"builtin:{dimensions}")
    vectors = (await embedder.embed(passages)).vectors
    await engine.put(
        [
            Point(
                chunk_id("v", n, n), {"text": text, "version": "v"}, {DENSE: vector, TERMS: document_terms(text, 512)}
            )
            for n, (text, vector) in enumerate(zip(passages, vectors, strict=True))
        ]
    )
    contents = replace(await read_contents(engine), chunks=len(passages))  # stored without documents, so not counted
    kinds: tuple[Retrieval, ...] = ("dense", "bm25", "hybrid")
    for retrieval in kinds:
        base = KnowledgeBase(engine, embedder, manifest, contents, retrieval=retrieval)
        first, share = 0, 0.0
        for question, own in asked:
            found = [passage.text for passage in (await base.retrieve(question)).passages]
            first += found[0] in own
            share += len(own.intersection(found)) / min(5, len(own))
        print(
            f"{title:<9}{len(asked):>4} questions, {len(passages):>5} passages, {dimensions:>5} dimensions, "
            f"{retrieval:<7} first {first / len(asked):.3f}, share of five {share / len(asked):.3f}",
            flush=True,
        )
    await engine.close()


async def main(data: Path) -> None:
    """Measure both languages with three sizes."""
    for title, (asked, every) in {"Japanese": japanese(data), "English": english(data)}.items():
        for dimensions in (384, 1024, 4096):
            with tempfile.TemporaryDirectory() as folder:
                await measure(title, asked, every, dimensions, Path(folder) / "kb")


if __name__ == "__main__":
    if not os.environ.get("SAITEN_DATA"):
        sys.exit("SAITEN_DATA is not a folder with the data; see docs/testing.md")
    asyncio.run(main(Path(os.environ["SAITEN_DATA"])))
