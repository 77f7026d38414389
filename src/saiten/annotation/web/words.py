"""What stands on the pages beside the forms: one TOML file a language and group, read once."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from saiten.records import Language

Words = Mapping[str, str]

Group = Literal["words", "server_words", "admin_words"]
"""Of the annotators' pages · what the server says when it refuses something · of the admin's pages."""


@cache
def words_of(group: Group, language: Language) -> Words:
    """Key → text."""
    return tomllib.loads((files(__package__) / f"{group}.{language}.toml").read_text("utf-8"))
