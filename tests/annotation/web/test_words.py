"""The words of the pages and forms: every word used in a template exists and can be accessed."""

import re

from saiten.text.templates import templates
from saiten.words import catalog, section

TEMPLATES = templates("saiten.annotation.web")


def test_every_word_of_the_admins_pages_is_there():
    """Templates use no missing word."""
    known = section("annotation_admin", "en").keys() | section("annotation_server", "en").keys()
    for name in TEMPLATES.list_templates(filter_func=lambda each: each.startswith(("admin", "message"))):
        source, *_ = TEMPLATES.loader.get_source(TEMPLATES, name)
        assert set(re.findall(r"\bsay\.(\w+)", source)) <= known, name


def test_no_word_has_the_name_of_a_method():
    """A template would get the mapping's method instead."""
    named = [key for of, key in catalog("en") if of.startswith("annotation_")]
    assert len(named) > 200
    assert [key for key in named if hasattr(dict, key)] == []
