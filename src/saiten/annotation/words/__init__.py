"""Words of the annotation pages and forms: one catalogue per language, `en.toml` and `ja.toml`, with the same keys."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from saiten.records import Language


def words(section: str, language: Language) -> Mapping[str, Any]:
    """Return a section of the catalogue: `page`, `admin`, `server`, `wrong`, or that of a form."""
    section_words: Mapping[str, Any] = _catalogue(language)[section]
    return section_words


@cache
def _catalogue(language: Language) -> Mapping[str, Any]:
    return tomllib.loads((files(__package__) / f"{language}.toml").read_text("utf-8"))
