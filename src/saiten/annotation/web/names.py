"""Names of aspects, figures and remarks in the language of the page."""

from collections.abc import Callable, Mapping

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import ALL_MARKS, AgreementFigure
from saiten.annotation.words import words
from saiten.records import Language
from saiten.words import in_language

Phrases = Callable[[str, str], str | None]
"""Looks up the Japanese of an English text by section (`remarks`); None if missing."""

_PREFIXES = {"kind_": "page", "aspect_": "admin"}
"""Prefixes of keys that name aspects → section of the catalogue."""


def aspect_names(form: Form, language: Language) -> Mapping[str, str]:
    """Map aspects to their names: the rubric's title, or the catalogue's word; aspects with neither are missing."""
    found = {
        key.removeprefix(prefix): text
        for prefix, section in _PREFIXES.items()
        for key, text in words(section, language).items()
        if key.startswith(prefix)
    }
    found[ALL_MARKS] = found.pop("all")
    return {**found, **form.aspect_titles(language)}


def figure_name(figure: AgreementFigure, language: Language) -> str:
    """Return the name of a figure."""
    return in_language(figure.figure, language)


def remark_of(figure: AgreementFigure, language: Language, phrases: Phrases) -> str:
    """Return the remark on a figure; one without a translation stays English."""
    english = in_language(figure.remark, "en")
    return (phrases("remarks", english) if language == "ja" else None) or in_language(figure.remark, language)


def no_phrases(section: str, text: str) -> str | None:
    """Translate nothing."""
    return None
