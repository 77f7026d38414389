"""The Japanese of finished English sentences, for tables not yet made of messages, from japanese.toml."""

from functools import cache
from importlib.resources import files

from saiten.text.phrases import Catalogue


def in_japanese(section: str, text: str) -> str | None:
    """Return the Japanese of the text by this section of the catalogue; None unless all of it is known."""
    return _catalogue().look_up(section, text) if section in _catalogue().sections else None


@cache
def _catalogue() -> Catalogue:
    return Catalogue.read(files(__package__) / "japanese.toml")
