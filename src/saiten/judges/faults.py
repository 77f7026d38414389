"""Reasons why a reply is unusable, in the prompt's language: readers say it in English, faults.toml in Japanese."""

from functools import cache
from importlib.resources import files

from saiten.records import Language
from saiten.text.phrases import Catalogue

_UNKNOWN = "指定された形の返答ではありません"
"""Used if the catalogue lacks a fault: vague is better than a mix of languages."""


def fault_in(language: Language, fault: str) -> str:
    """Return the fault in the language of the prompt."""
    return fault if language == "en" else _catalogue().look_up("fault", fault) or _UNKNOWN


@cache
def _catalogue() -> Catalogue:
    return Catalogue.read(files(__package__) / "faults.toml")
