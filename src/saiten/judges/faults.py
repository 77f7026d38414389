"""Why a reply cannot be used, in the language of its prompt: readers say it in English, faults.toml in Japanese."""

from functools import cache
from importlib.resources import files

from saiten.records import Language
from saiten.text.phrases import Catalogue

_SOMETHING = "指定された形の返答ではありません"
"""For a fault that the catalogue does not know: vague is better than a mix of languages."""


def fault_in(language: Language, fault: str) -> str:
    """The fault as the model is told it."""
    return fault if language == "en" else _catalogue().look_up("fault", fault) or _SOMETHING


@cache
def _catalogue() -> Catalogue:
    return Catalogue.read(files(__package__) / "faults.toml")
