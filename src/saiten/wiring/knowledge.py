"""Knowledge bases by address: a folder, or `http://HOST:6333/NAME` on a Qdrant server."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from saiten.choices import Retrieval
from saiten.errors import CallFailed, ConfigurationError
from saiten.models.vectors import RAW
from saiten.protocols import Embedder
from saiten.rag.knowledge.base import KnowledgeBase, read_contents
from saiten.rag.knowledge.engine import Engine
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.opening import check_embedder, open_manifest
from saiten.rag.knowledge.server_engine import KEY_VARIABLE, connect
from saiten.redaction import HIDDEN
from saiten.wiring.keys import Keys
from saiten.wiring.models import Models
from saiten.wiring.named_servers import notice_server

if TYPE_CHECKING:
    from saiten.testsets.asked_about import StoredDocument

BUILTIN = "builtin:1024"
"""The built-in embedder of a knowledge base: a quarter of the usual dimensions, at almost no loss."""


def open_engine(spec: str, *, writing: bool, keys: Keys | None = None) -> Engine:
    """Return the store behind `--kb`; nothing is sent to a server yet.

    Raises:
        ConfigurationError: the address is invalid, the folder is in use or not saiten's, or an extra is missing.
    """
    folder = folder_of_base(spec)
    if folder is None:
        return connect(spec, (keys or Keys(os.environ)).of(spec, variable=KEY_VARIABLE).value())
    return FolderEngine(folder, writing=writing)


def folder_of_base(spec: str) -> Path | None:
    """Return the folder of a base, where indexing it also keeps what it paid; None for one on a server."""
    return None if spec.startswith(("http://", "https://")) else Path(spec)


def embeds_here(name: str) -> bool:
    """Return whether a network in this process embeds the queries to the knowledge base with this name."""
    return re.match(rf"kb\[embedder=({RAW})?st:", name) is not None and ",retrieval=bm25-" not in name


def embedder_of_base(spec: str, models: Models, *, found: bool = False) -> tuple[Embedder, str]:
    """Return an embedder for a base, and the name stored there, which does not depend on the environment.

    The prefix `raw:` keeps the model's vector lengths. `found`: the name is the one stored in the base.

    Raises:
        ConfigurationError: the embedder does not exist, produces only unit vectors, or is at an address with a secret
            that the base does not keep.
    """
    if found and HIDDEN in spec:
        raise ConfigurationError(
            f"the knowledge base does not keep the secret in the address of its embedder {spec}; name the address "
            "with --embedder, or index again with an address whose key is in a variable"
        )
    chosen = BUILTIN if spec == "builtin" else spec
    plain = chosen.removeprefix(RAW)
    if plain != chosen and plain.startswith("builtin"):
        raise ConfigurationError(f"{RAW} is for embedders that are models; the built-in one has unit vectors only")
    embedder = models.embedder(plain, scaled=plain == chosen, found=found)
    return embedder, chosen if chosen.startswith("builtin") else embedder.name


async def open_knowledge_base(
    spec: str,
    models: Models,
    *,
    embedder: str | None = None,
    retrieval: Retrieval = "dense",
    k: int = 5,
    notify: Callable[[str], None] | None = None,
) -> KnowledgeBase:
    """Return the knowledge base, ready to be searched: a `Retriever` that the caller closes.

    `embedder` replaces the base's, for a model that is now served elsewhere; None uses the base's.

    Raises:
        ConfigurationError: it does not exist, is being indexed by another process, or was embedded by another model.
        CallFailed: the server failed.
    """
    engine = open_engine(spec, writing=False, keys=models.keys)
    try:
        manifest = await open_manifest(engine)
        if embedder is None:
            notice_server(engine.name, manifest.embedder, models)
        chosen, _ = embedder_of_base(embedder or manifest.embedder, models, found=embedder is None)
        check_embedder(manifest, chosen, engine.name)
        contents = await read_contents(engine)
    except BaseException:
        await engine.close()
        raise
    if manifest.interrupted and notify is not None:
        notify(
            f"{engine.name} is being indexed, or its indexing was interrupted; {contents.documents} documents are "
            "complete and can be found. Re-run the same `saiten index` for the others"
        )
    return KnowledgeBase(engine, chosen, manifest, contents, retrieval=retrieval, k=k)


async def documents_in(spec: str) -> "list[StoredDocument]":
    """Return the complete documents of a knowledge base, by name.

    Raises:
        ConfigurationError: it does not exist or cannot be read, or its server failed.
    """
    from saiten.testsets.asked_about import stored_documents  # noqa: PLC0415 - few commands list documents

    engine = open_engine(spec, writing=False)
    try:
        await open_manifest(engine)
        return await stored_documents(engine)
    except CallFailed as error:
        raise ConfigurationError(str(error)) from error
    finally:
        await engine.close()
