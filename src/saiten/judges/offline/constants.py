"""The judge's constants, read from `constants.toml` beside this file."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("constants.toml")


@dataclass(frozen=True, slots=True)
class Constants:
    """The weights of the formulas, the undecided band and the limits; the file says what each is."""

    support: Mapping[str, float]
    correctness: Mapping[str, float]
    long_reference: Mapping[str, float]
    relevance: Mapping[str, float]
    band: Mapping[str, float]
    limits: Mapping[str, int]
    digest: str
    """Of the figures; stands in signatures."""


def read_constants(file: Path = _FILE) -> Constants:
    """The constants shipped with saiten, or those of another file of the same form."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    figures = json.dumps(tables, sort_keys=True)  # so that a reworded comment changes no signature
    return Constants(**tables, digest=hashlib.sha256(figures.encode()).hexdigest()[:12])
