"""A sentence with another number or a negation is a new version of the old one, and says otherwise."""

import pytest

from saiten.testsets.items import SetPassage
from saiten.testsets.upkeep.rewritten import rewritten

OLD = {
    "en": "A page holds 500 rows. It costs 8 euros. Dogs are welcome on board.",
    "ja": "1ページは500行です。料金は8ユーロです。犬を連れて乗船できます。",
}


def found(language, text, *quoted):
    """What became of the passage, of which these words are quoted."""
    old = OLD[language]
    quotes = tuple((old.index(each), old.index(each) + len(each)) for each in quoted)
    return rewritten([SetPassage(old, quotes=quotes)], ["Up to 500 copies. 500部まで。", text], language)


@pytest.mark.parametrize(
    ("language", "quote", "now"),
    [
        ("en", "500 rows", "A page holds 750 rows."),
        ("en", "8", "It costs 9.50 euros."),
        ("en", "welcome", "Dogs are not welcome on board."),
        ("ja", "500行", "1ページは750行です。"),
        ("ja", "8ユーロ", "料金は9ユーロです。"),
        ("ja", "犬", "犬を連れて乗船できません。"),
    ],
)
def test_the_new_version_is_shown_with_the_old_one(language, quote, now):
    """Though the old number is elsewhere; of a passage without quotes, every sentence counts."""
    for quotes in ((quote,), ()):
        before, after = found(language, f"Preface. {now}", *quotes)
        assert quote in before
        assert after == now


@pytest.mark.parametrize(
    ("language", "quote", "text"),
    [
        ("en", "500 rows", OLD["en"]),
        ("en", "500 rows", "It costs 9 euros. A page holds 500 rows."),
        ("en", "500 rows", "Each page holds 500 rows."),
        ("en", "500 rows", "A page holds 500 rows, or 1 picture."),
        ("en", "500 rows", "The tower has 750 steps."),
        ("en", "500 rows", ""),
        ("ja", "500行", "料金は9ユーロです。1ページは500行です。"),
        ("ja", "500行", "塔の段数は750段です。"),
    ],
)
def test_what_is_still_there_or_about_something_else_is_no_new_version(language, quote, text):
    """Other sentences may change; one that only got longer, or other words, says nothing else."""
    assert found(language, text, quote) is None
