"""A knowledge base by its address: a folder, or `http://HOST:6333/NAME` on a Qdrant server."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from saiten.assembly.models import Models
from saiten.knowledge.base import KnowledgeBase, Retrieval, read_contents
from saiten.knowledge.engine import Engine
from saiten.knowledge.folder_engine import FolderEngine
from saiten.knowledge.opening import check_embedder, open_manifest
from saiten.knowledge.server_engine import KEY_VARIABLE, connect
from saiten.protocols import Embedder

BUILTIN = "builtin:1024"
"""The built-in embedder of a knowledge base: a quarter of the usual dimensions, and next to nothing lost by it."""


def open_engine(spec: str, *, writing: bool, environ: Mapping[str, str] | None = None) -> Engine:
    """The store behind `--kb`; nothing is sent to a server yet.

    Raises:
        ConfigurationError: the address makes no sense, the folder is in use or is not ours, or an extra is missing.
    """
    if spec.startswith(("http://", "https://")):
        return connect(spec, (os.environ if environ is None else environ).get(KEY_VARIABLE) or None)
    return FolderEngine(Path(spec), writing=writing)


def embedder_of_base(spec: str, models: Models) -> tuple[Embedder, str]:
    """An embedder for a base, and how it is written there: so that it is found again whatever the environment says."""
    chosen = BUILTIN if spec == "builtin" else spec
    embedder = models.embedder(chosen)
    return embedder, chosen if chosen.startswith("builtin") else embedder.name


async def open_knowledge_base(
    spec: str,
    models: Models,
    *,
    embedder: str | None = None,
    retrieval: Retrieval = "dense",
    k: int = 5,
    tell: Callable[[str], None] | None = None,
) -> KnowledgeBase:
    """The knowledge base, ready to be searched; a `Retriever` that is closed by `close`.

    `embedder` is for a model that is served elsewhere than when the base was made; None takes what the base names.

    Raises:
        ConfigurationError: there is none, it is being indexed by another process, or another model embedded it.
        CallFailed: the server failed.
    """
    engine = open_engine(spec, writing=False, environ=models.environ)
    try:
        manifest = await open_manifest(engine)
        chosen, _ = embedder_of_base(embedder or manifest.embedder, models)
        check_embedder(manifest, chosen, engine.name)
        contents = await read_contents(engine)
    except BaseException:
        await engine.close()
        raise
    if manifest.interrupted and tell is not None:
        tell(
            f"the indexing of {engine.name} is under way or was cut off; {contents.documents} documents are whole and "
            "are found. The same `saiten index` again goes on with the others"
        )
    return KnowledgeBase(engine, chosen, manifest, contents, retrieval=retrieval, k=k)
