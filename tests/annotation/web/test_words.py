"""What stands on the pages: the same in both languages, and found by its name."""

import re
from typing import get_args

import pytest

from saiten.annotation.web.pages import templates
from saiten.annotation.web.words import Group, words_of


@pytest.mark.parametrize("group", get_args(Group))
def test_both_languages_have_the_same_words(group):
    """Key by key, with the same gaps to be filled; and none whose name a template would take for a method."""
    english, japanese = words_of(group, "en"), words_of(group, "ja")
    assert english.keys() == japanese.keys()
    gaps = re.compile(r"{\w*}")
    assert [key for key in english if set(gaps.findall(english[key])) != set(gaps.findall(japanese[key]))] == []
    assert [key for key in english if hasattr(dict, key)] == []
    assert all(english.values())
    assert all(japanese.values())


def test_every_word_of_the_admins_pages_is_there():
    """A template names none that is missing."""
    known = words_of("admin_words", "en").keys() | words_of("server_words", "en").keys()
    for name in templates().list_templates(filter_func=lambda each: each.startswith(("admin", "message"))):
        source, *_ = templates().loader.get_source(templates(), name)
        assert set(re.findall(r"\bsay\.(\w+)", source)) <= known, name
