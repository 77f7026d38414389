"""Creating, resuming and opening a knowledge base, whose manifest says how it was made."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from saiten.data.hand_written import checked
from saiten.errors import ConfigurationError
from saiten.protocols import Embedder
from saiten.rag.knowledge.chunking import check_cutting
from saiten.rag.knowledge.engine import Engine
from saiten.rag.knowledge.terms import RULE
from saiten.version import __version__

KIND = "saiten knowledge base"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class KnowledgeManifest:
    """The settings of a base, fixed for its lifetime except for `interrupted`."""

    embedder: str
    """As written on the command line: `builtin:1024`, `openai:MODEL@URL`, `st:NAME`."""
    embedder_name: str
    """As used in signatures."""
    dimensions: int
    chunk_size: int
    overlap: int
    exact: bool = False
    """Whether chunks have exactly `chunk_size` characters."""
    terms: str = RULE
    """The rule for terms and their weights."""
    interrupted: bool = False
    """Whether indexing was begun and has not finished."""
    saiten: str = __version__
    """The version of saiten that made it."""

    def written(self) -> dict[str, Any]:
        """Return the manifest, ready for JSON."""
        return {"kind": KIND, "format": FORMAT, **asdict(self)}


CHUNK_SIZE, OVERLAP = 512, 0
"""Defaults for a new base, in characters."""


async def find_manifest(engine: Engine) -> KnowledgeManifest | None:
    """Return how the base was made; None if there is no base.

    Raises ConfigurationError for a manifest of another program or format, or a damaged one.
    """
    value, where = await engine.manifest(), engine.name
    if value is None:
        return None
    if value.get("kind") != KIND:
        raise ConfigurationError(f"{where} is not a knowledge base of saiten; it was left unchanged: name another one")
    if value.get("format") != FORMAT or value.get("terms") != RULE:
        raise ConfigurationError(
            f"{where} was made by saiten {value.get('saiten', '?')} in another format; use that version, or index the "
            "documents again into a new knowledge base"
        )
    known = {key: item for key, item in value.items() if key in KnowledgeManifest.__dataclass_fields__}
    try:
        return checked(KnowledgeManifest, known)
    except ValueError as error:
        raise ConfigurationError(f"{where} has a damaged manifest: {error}; index into a new knowledge base") from error


async def open_manifest(engine: Engine) -> KnowledgeManifest:
    """Return how the base was made. Raises ConfigurationError without a base, or for foreign data."""
    found = await find_manifest(engine)
    if found is None:
        raise ConfigurationError(
            f"there is no knowledge base at {engine.name}; make one with: saiten index DOCUMENTS --kb {engine.name}"
        )
    return found


async def begin(
    engine: Engine,
    embedder: Embedder,
    spec: str,
    chunk_size: int | None = None,
    overlap: int | None = None,
    *,
    exact: bool | None = None,
) -> KnowledgeManifest:
    """Create or resume the base, which counts as interrupted until `end`. None means the base's own settings.

    `spec` is how the embedder is written, so that later searches use the same one. The returned manifest's
    `interrupted` refers to the time before this call. Raises ConfigurationError for impossible or other settings, and
    CallFailed if the embedder failed.
    """
    found = await find_manifest(engine)
    if found is None:
        size, shared = chunk_size or CHUNK_SIZE, OVERLAP if overlap is None else overlap
        check_cutting(size, shared)
        tried = await embedder.embed(["How many dimensions?"])
        dimensions = int(tried.vectors.shape[1])
        await engine.create(dimensions)
        found = KnowledgeManifest(spec, embedder.name, dimensions, size, shared, exact=bool(exact))
    else:
        check_embedder(found, embedder, engine.name)
        _check_same(found, chunk_size, overlap, engine.name, exact=exact)
    await engine.write_manifest(replace(found, interrupted=True).written())
    return found


async def end(engine: Engine, manifest: KnowledgeManifest) -> None:
    """Record that indexing has finished."""
    await engine.write_manifest(replace(manifest, interrupted=False).written())


def check_embedder(manifest: KnowledgeManifest, embedder: Embedder, where: str) -> None:
    """Raise ConfigurationError unless the base was made with this embedder."""
    was, now = (name.partition("@http")[0] for name in (manifest.embedder_name, embedder.name))
    if was != now:  # wherever the model is served
        raise ConfigurationError(
            f"the knowledge base {where} was embedded by {manifest.embedder_name}, not by {embedder.name}; leave out "
            f"--embedder, or say --embedder {manifest.embedder}, or index into a new knowledge base"
        )


def _check_same(
    manifest: KnowledgeManifest, chunk_size: int | None, overlap: int | None, where: str, *, exact: bool | None
) -> None:
    if exact is not None and exact != manifest.exact:
        kinds = {True: "chunks of exactly the same length", False: "chunks that end with a sentence"}
        raise ConfigurationError(
            f"the knowledge base {where} has {kinds[manifest.exact]}, not {kinds[exact]}; leave out --exact-chunks and "
            "--sentence-chunks, or index into a new knowledge base"
        )
    was = (manifest.chunk_size, manifest.overlap)
    now = (chunk_size or was[0], was[1] if overlap is None else overlap)
    if was != now:
        raise ConfigurationError(
            f"the knowledge base {where} has chunks of {was[0]} characters with an overlap of {was[1]}, not {now[0]} "
            f"and {now[1]}; leave out --chunk-size and --overlap, or index into a new knowledge base"
        )
