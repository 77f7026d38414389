"""The manifest of a knowledge base: how it was made, and what may be added to it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from saiten.errors import ConfigurationError
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
    """Characters."""
    overlap: int
    """Characters."""
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


def read_manifest(value: Mapping[str, Any], where: str) -> KnowledgeManifest:
    """Read a stored manifest.

    Raises:
        ConfigurationError: it belongs to another program, has another format, or is damaged.
    """
    if value.get("kind") != KIND:
        raise ConfigurationError(f"{where} is no knowledge base of saiten; it was left unchanged: name another one")
    if value.get("format") != FORMAT or value.get("terms") != RULE:
        raise ConfigurationError(
            f"{where} was made by saiten {value.get('saiten', '?')} in another format; use that version, or index the "
            "documents again into a new knowledge base"
        )
    try:
        return KnowledgeManifest(
            **{key: item for key, item in value.items() if key in KnowledgeManifest.__dataclass_fields__}
        )
    except TypeError as error:
        raise ConfigurationError(f"{where} has a damaged manifest: {error}; index into a new knowledge base") from error


def same_model(one: str, other: str) -> bool:
    """Return whether two embedders are the same model, regardless of where it is served."""
    return one.partition("@http")[0] == other.partition("@http")[0]
