"""Knowledge bases in folders for the tests of plans: real documents, chunks and vectors."""

import asyncio
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.indexing import Indexing
from saiten.rag.knowledge.opening import begin, end, open_manifest
from saiten.rag.knowledge.reading import Reader


async def index_into(folder: Path, paths: list[Path], size: int | None = None, overlap: int | None = None) -> None:
    """Index documents into the base in a folder."""
    engine, embedder = FolderEngine(folder, writing=True), BuiltinEmbedder(512)
    manifest = await begin(engine, embedder, "builtin:512", size, overlap)
    with closing(Reader()) as reader:
        await Indexing(engine, embedder, manifest, reader).run(find_documents(paths))
    await end(engine, manifest)
    await engine.close()


async def open_folder(folder: Path) -> KnowledgeBase:
    """Open the base in a folder for searches."""
    engine = FolderEngine(folder, writing=False)
    return KnowledgeBase(engine, BuiltinEmbedder(512), await open_manifest(engine), await read_contents(engine))


def base_of_files(folder: Path, paths: list[Path], size: int | None = None, overlap: int | None = None):
    """Index documents and open the base."""

    async def made() -> KnowledgeBase:
        await index_into(folder, paths, size, overlap)
        return await open_folder(folder)

    return asyncio.run(made())


def base_of_texts(folder: Path, texts: Mapping[str, str], size: int | None = None, overlap: int | None = None):
    """Write documents by name, index them and open the base."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in texts.items():
        (documents / name).parent.mkdir(parents=True, exist_ok=True)
        (documents / name).write_text(text, encoding="utf-8")
    return base_of_files(folder / "kb", [documents], size, overlap)
