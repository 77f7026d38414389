"""The weights and limits of the offline judge, from `constants.toml`."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("constants.toml")


@dataclass(frozen=True, slots=True)
class Constants:
    """The weights of the formulas, the undecided band and the limits, as explained in the file."""

    support: Mapping[str, float]
    correctness: Mapping[str, float]
    long_reference: Mapping[str, float]
    relevance: Mapping[str, float]
    band: Mapping[str, float]
    limits: Mapping[str, int]
    digest: str
    """Digest of the figures, for signatures."""


def read_constants() -> Constants:
    """Read the constants shipped with saiten."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    figures = json.dumps(tables, sort_keys=True)  # comments do not change the digest
    return Constants(**tables, digest=hashlib.sha256(figures.encode()).hexdigest()[:12])
