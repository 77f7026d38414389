"""How a knowledge base was made, and what may go on with it."""

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
    """What stays the same as long as the base lives, `interrupted` apart."""

    embedder: str
    """As it is written on the command line: `builtin:1024`, `openai:MODEL@URL`, `st:NAME`."""
    embedder_name: str
    """As it stands in signatures."""
    dimensions: int
    chunk_size: int
    """In characters."""
    overlap: int
    """In characters."""
    exact: bool = False
    """Chunks have exactly `chunk_size` characters, wherever that falls."""
    terms: str = RULE
    """The rule by which terms are cut and weighted."""
    interrupted: bool = False
    """Indexing was begun and has not come to its end."""
    saiten: str = __version__
    """The version that made it."""

    def written(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"kind": KIND, "format": FORMAT, **asdict(self)}


def read_manifest(value: Mapping[str, Any], where: str) -> KnowledgeManifest:
    """The manifest out of what was stored.

    Raises:
        ConfigurationError: it is another program's, of another format, or damaged.
    """
    if value.get("kind") != KIND:
        raise ConfigurationError(f"{where} is no knowledge base of saiten; it was left as it is: name another one")
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
    """Whether two embedders are the same model; where it is served does not count."""
    return one.partition("@http")[0] == other.partition("@http")[0]
