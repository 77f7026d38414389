"""The catalogues of the pages and forms: the same in both languages, with every word that a template names."""

import re
import tomllib
from importlib.resources import files

import pytest

from saiten.annotation.web.pages import templates
from saiten.annotation.words import words

ENGLISH, JAPANESE = (
    tomllib.loads((files("saiten.annotation.words") / f"{language}.toml").read_text("utf-8"))
    for language in ("en", "ja")
)


def flat(section):
    """Path → text, or another value."""
    if isinstance(section, list):
        section = {str(place): value for place, value in enumerate(section)}
    if not isinstance(section, dict):
        return {"": section}
    return {f"{key}.{rest}": value for key, part in section.items() for rest, value in flat(part).items()}


def test_both_languages_have_the_same_sections():
    """One catalogue per language."""
    assert list(ENGLISH) == list(JAPANESE)


@pytest.mark.parametrize("section", ENGLISH)
def test_both_languages_have_the_same_words(section):
    """Key by key, with the same gaps to be filled; and none whose name a template would take for a method."""
    english, japanese = flat(ENGLISH[section]), flat(JAPANESE[section])
    assert english.keys() == japanese.keys()
    gaps = re.compile(r"{\w*(?::[^}]*)?}")
    assert [
        key for key in english if set(gaps.findall(str(english[key]))) != set(gaps.findall(str(japanese[key])))
    ] == []
    assert [key for key in ENGLISH[section] if hasattr(dict, key)] == []
    assert "" not in [*english.values(), *japanese.values()]


def test_every_word_of_the_admins_pages_is_there():
    """A template names none that is missing."""
    known = words("admin", "en").keys() | words("server", "en").keys()
    for name in templates().list_templates(filter_func=lambda each: each.startswith(("admin", "message"))):
        source, *_ = templates().loader.get_source(templates(), name)
        assert set(re.findall(r"\bsay\.(\w+)", source)) <= known, name
