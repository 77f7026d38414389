"""The texts in the code have Japanese words, and what is shown finds them again."""

import re

import pytest
from text_catalogs import AREAS, FOLDER, translations_in, values_in, written_catalogs
from texts_in_code import texts_in_code

from saiten.words.templates import Template

CATALOGS = ["help", "parser", "prompts", *AREAS]
MARKUP = re.compile(r"\[/?(?:bold|dim|yellow|red|green|cyan)?(?: \w+)?\]")
CODE = re.compile(r"`[^`]*`|(?<![\w-])--?[a-zA-Z][\w-]*|https?://[^\s,;?)。、）]*[^\s,;?)。、）.:]")
"""What is the same in both languages: code, options, addresses."""
ENGLISH = re.compile(r"(?:(?<![\w./-])[a-z']{2,} ){3,}[a-z']{2,}")


def entries(name):
    """The English and the Japanese texts of a catalog."""
    from babel.messages.pofile import read_po

    with (FOLDER / f"{name}.ja.po").open("rb") as file:
        return [(str(entry.id), str(entry.string)) for entry in read_po(file) if entry.id]


@pytest.fixture(scope="module")
def written():
    """All catalogs as `make words` would write them."""
    return written_catalogs(translations_in())


@pytest.mark.parametrize("name", CATALOGS)
def test_a_catalog_has_exactly_the_texts_of_the_code(written, name):
    """None is missing, none is left over: after a change, `make words` writes the entries, and the new ones are translated."""
    assert (FOLDER / f"{name}.ja.po").read_text("utf-8") == written[name], "run `make words`"


@pytest.mark.parametrize("name", CATALOGS)
def test_every_text_is_translated(name):
    """An empty one would be shown in English."""
    assert [english for english, japanese in entries(name) if not japanese] == []


@pytest.mark.parametrize("name", CATALOGS)
def test_a_translation_has_the_values_the_code_and_the_markup_of_its_english(name):
    """A command in it can be copied, an option typed, and no value is lost."""
    wrong = []
    for english, japanese in entries(name):
        if not japanese:
            continue
        wrong += [
            (english, japanese, what(english), what(japanese))
            for what in (values_in, MARKUP.findall, CODE.findall)
            if sorted(set(what(english))) != sorted(set(what(japanese)))
        ]
    assert wrong == []


@pytest.mark.parametrize("name", CATALOGS)
def test_no_translation_shows_an_escape(name):
    """A new line is one, not a backslash and an n."""
    assert [japanese for english, japanese in entries(name) if "\\n" in japanese and "\\n" not in english] == []


@pytest.mark.parametrize("name", CATALOGS)
def test_no_sentence_stays_english(name):
    """Four English words in a row, outside of code, were forgotten."""
    assert [
        japanese
        for _, japanese in entries(name)
        if ENGLISH.search(CODE.sub("", re.sub(r"\{\w+\}|\[.*?\]", "", japanese)))
    ] == []


def test_the_texts_of_the_code_are_found_again():
    """Each template recognizes a text that was made of it."""
    for text in texts_in_code():
        template = Template.of(text.template, "")
        made = text.template.format_map({name: f"‹{name}›" for name in values_in(text.template)})
        assert template.values_in(made) == ["".join(f"‹{name}›" for name in names) for names in template.names], text
