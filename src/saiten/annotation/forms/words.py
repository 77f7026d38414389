"""What the page says about each form: `texts.toml`, read once."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from saiten.records import Language


def words(part: str, language: Language) -> dict[str, Any]:
    """What stands there under a form's name, or another heading of the file."""
    return dict(_texts()[part][language])


@cache
def _texts() -> Mapping[str, Any]:
    return tomllib.loads((files(__package__) / "texts.toml").read_text("utf-8"))
