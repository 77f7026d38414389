"""Names of aspects and figures in the language of the page."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import ALL_MARKS, AgreementFigure
from saiten.annotation.words import words
from saiten.records import Language

Phrases = Callable[[str, str], str | None]
"""The Japanese of a table's own words, by section (`figure`, `remarks`) and English text; None where there is none."""

_GIVEN = {"kind_": "page", "aspect_": "admin"}
"""What the keys of names begin with, in which group of words."""


def aspect_names(form: Form, language: Language) -> Mapping[str, str]:
    """Aspect → what the page calls it: the rubric's title, or our own word; one that has neither is missing."""
    found = {
        key.removeprefix(start): text
        for start, group in _GIVEN.items()
        for key, text in words(group, language).items()
        if key.startswith(start)
    }
    found[ALL_MARKS] = found.pop("all")
    return {**found, **form.aspect_titles(language)}


def named(figure: AgreementFigure, names: Mapping[str, str], phrases: Phrases) -> AgreementFigure:
    """The figure with its words as the page says them; what there is no word for stays English.

    Args:
        figure: as it was computed.
        names: of aspects, from `aspect_names`.
        phrases: of the page's language.
    """
    return replace(
        figure,
        aspect=names.get(figure.aspect, figure.aspect),
        figure=phrases("figure", figure.figure) or figure.figure,
        remark=phrases("remarks", figure.remark) or figure.remark,
    )


def no_phrases(section: str, text: str) -> str | None:
    """The phrases of a page in English."""
    return None
