"""The Japanese of finished English sentences, for tables that are not made of messages yet, from japanese.toml."""

from functools import cache
from importlib.resources import files

from saiten.text.phrases import Catalogue


def in_japanese(section: str, text: str) -> str | None:
    """Return the Japanese of the text by this section of the catalogue; None where it is not known of all of it."""
    return _catalogue().look_up(section, text) if section in _catalogue().sections else None


@cache
def _catalogue() -> Catalogue:
    return Catalogue.read(files(__package__) / "japanese.toml")
