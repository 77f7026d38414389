"""New words: content words and numbers of a text that none of its sources has, with their places."""

import pytest

from saiten.text.new_words import new_words


def found(text, *sources):
    """The passages, after checking that each is at its offsets."""
    spans = new_words(text, sources)
    assert all(text[span.start : span.end] == span.text for span in spans)
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "sources", "new"),
    [
        ("Fees are paid yearly at the desk.", ["The fee is paid monthly.", "Ask the desk."], ["yearly"]),
        ("He studied in Basel, Zürich.", ["studies"], ["Basel, Zürich"]),
        ("It costs 1,200 euros for two.", ["1200 euro; it cost 2"], []),
        ("It costs 1,300 euros.", ["1200 euros cost"], ["1,300"]),
        ("The fee is due. Yearly.", ["due"], ["fee", "Yearly"]),
        ("", ["a"], []),
        ("And so it is.", [], []),
    ],
)
def test_english_words_without_their_endings(text, sources, new):
    """Function words are never new, endings and the spelling of numbers do not count, neighbors are one passage."""
    assert found(text, *sources) == new


@pytest.mark.parametrize(
    ("text", "sources", "new"),
    [
        ("徳川家康は１６０３年に江戸幕府を開いた。", ["徳川家光は1603年に江戸幕府を開く。"], ["徳川家康"]),
        ("会費は毎月支払うことがあります。", ["会費を支払った。"], ["毎月"]),
        ("三人で行く。", ["3人が行った"], []),
    ],
)
def test_japanese_words_by_their_dictionary_form(text, sources, new):
    """Conjugation and width do not count, and numbers are compared by their value."""
    assert found(text, *sources) == new


def test_a_long_text_without_spaces_is_read_to_its_end():
    """The dictionary takes 4,000 characters at once; a text of kanji and kana alone may be longer."""
    text = "会費を払う" * 1_000 + "渋谷"
    assert found(text, "会費を払う")[-1:] == ["渋谷"]
