import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.normalization import bare, normalize


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＡＢＣ１２３", "abc123"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("㌔", "キロ"),
        ("㍿", "株式会社"),
        ("Straße", "STRASSE"),
        ("葛\U000e0100飾区", "葛飾区"),
        ("zero\u200bwidth", "zerowidth"),
        ("\ufeffbom", "BOM"),
        ("か\u3099", "が"),
        ("10〜20", "10～20"),
        ("\u22125", "－5"),
    ],
)
def test_texts_that_read_the_same_are_one(one, other):
    """Width, case, composition and invisible characters make no difference."""
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(("one", "other"), [("は", "ば"), ("は", "ハ"), ("1.5", "15"), ("a b", "ab"), ("○", "×")])
def test_texts_that_read_differently_stay_apart(one, other):
    """Voicing marks, the two kana, decimal points, spaces and symbols are not normalized away."""
    assert normalize(one) != normalize(other)


@given(st.text(alphabet=st.characters(codec=None), max_size=20))
def test_normalizing_twice_changes_nothing_more(text):
    """The normalized form is a fixed point, for every text, and can be encoded."""
    once = normalize(text)
    assert normalize(once) == once
    once.encode()


def test_half_a_surrogate_pair_does_not_stop_anything():
    """Broken JSON brings lone surrogates; they become U+FFFD."""
    assert normalize("あ\ud800い") == "あ\ufffdい"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「はい。」", "はい"),
        ("1,200 円", "1200円"),
        ("1.5", "1.5"),
        ("1,2", "1,2"),
        ("10:30", "10:30"),
        ("-5", "-5"),
        ("a-5", "a5"),
        ("○", "○"),
        ("〇", "○"),
        ("◯。", "○"),
        ("二〇二四年", "二○二四年"),
        ("50％", "50%"),
        ("%", ""),
        ("Ｃ＃", "c#"),
        ("# 見出し", "見出し"),
        ("東 京 都", "東京都"),
        ("…。", ""),
    ],
)
def test_the_bare_text_keeps_what_makes_an_answer_another_answer(text, expected):
    """Punctuation and spaces are removed; marks inside numbers and symbols that may be the answer stay."""
    assert bare(text) == expected
