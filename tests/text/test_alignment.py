"""Alignment: each unit is located, whatever characters the text has; what cannot be found is kept."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saiten.text.alignment import THRESHOLD, place
from saiten.text.folding import fold

"""The same examples on every run, and no clock."""

SIGNS = st.sampled_from(
    list("aAbé e\u0301漢字かなｶﾞガｱ1１2２ 　\r\n.,。、「」『』()（）😀👨\u200d👩ßİﬁ①㈱゛¨\u0323\u0301-–〜~’'\ufeff\xad")
)
TEXTS = st.text(SIGNS, max_size=60) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("source", "unit", "found", "how"),
    [
        ("It is open. It is free.", "It is free.", "It is free.", "exact"),
        ("It is open. It is free.", "  It is free.\n", "It is free.", "exact"),
        ("It is open. It is free.", "IT IS FREE.", "It is free.", "normalised"),
        ("😀😀 税込１，０００円です。", "税込1,000円です。", "税込１，０００円です。", "normalised"),
        ("前置き。ｶﾞｲﾄﾞを見る。", "ガイドを見る。", "ｶﾞｲﾄﾞを見る。", "normalised"),
        ("前置き。ガイドを見る。", "ｶﾞｲﾄﾞを見る", "ガイドを見る", "normalised"),
        ("une cafe\u0301 noir", "café", "cafe\u0301", "normalised"),
        ("un café noir", "CAFE\u0301 NOIR", "café noir", "normalised"),
        ("a\r\nlong\r\nline", "a long line", "a\r\nlong\r\nline", "normalised"),
        ("改行が\r\n入る文。", "改行が入る文。", "改行が\r\n入る文。", "normalised"),
        ("彼は「はい」と言った、と。", "彼は『はい』と言った", "彼は「はい」と言った", "fuzzy"),
        ("It’s “new” – really", 'It\'s "new" - really', "It’s “new” – really", "normalised"),
        ("Zero\u200bwidth and so\xadft", "zerowidth and soft", "Zero\u200bwidth and so\xadft", "normalised"),
        ("Straße 5, ﬁne", "STRASSE 5, FINE", "Straße 5, ﬁne", "normalised"),
        ("The contracts are signed.", "The contract is signed.", "The contracts are signed.", "fuzzy"),
        ("- 旅費は十日までに申請します。", "・旅費は10日までに申請します。", "旅費は十日までに申請します。", "fuzzy"),
        ("𠮷野家𩸽定食", "𩸽定食", "𩸽定食", "exact"),
    ],
)
def test_a_unit_is_found_in_the_words_of_the_text(source, unit, found, how):
    """Code points are counted, so the text at the offsets is the unit as written there."""
    (one,) = place(source, [unit])
    assert (source[one.start : one.end], one.how) == (found, how)


@pytest.mark.parametrize(
    ("source", "unit"),
    [
        ("It opened in 1998.", "19"),
        ("A party", "art"),
        ("カ\u3099", "カ"),
        ("Nothing of the kind.", "Etwas ganz anderes steht hier."),
        ("", "anything"),
        ("なし", "あり"),
        ("abc", "   "),
        ("①", "1"[:0]),
    ],
)
def test_what_is_not_there_has_no_place_and_keeps_its_words(source, unit):
    """Neither part of a word, of a number or of a letter and its mark, nor something else is taken for the unit."""
    (one,) = place(source, [unit])
    assert (one.text, one.start, one.end, one.how) == (unit.strip(), None, None, None)


@pytest.mark.parametrize(
    ("source", "units", "starts"),
    [
        ("同じ。別。同じ。", ["同じ。", "別。", "同じ。"], [0, 3, 5]),
        ("同じ。別。同じ。", ["別。", "同じ。"], [3, 5]),
        ("同じ。別。同じ。", ["別。", "同じ。", "同じ。"], [3, 5, 0]),
        ("東京都庁の東京", ["東京", "東京都庁"], [5, 0]),
        ("yes no yes", ["yes", "yes", "yes"], [0, 7, 0]),
        ("Yes no yes", ["YES", "yes"], [0, 7]),
    ],
)
def test_of_several_places_a_unit_gets_a_free_one_in_order(source, units, starts):
    """The next after the previous unit, else the first free one, else one that is taken."""
    assert [one.start for one in place(source, units)] == starts


@given(TEXTS, TEXTS, TEXTS)
def test_any_piece_of_a_text_is_found_again(before, piece, after):
    """However odd the characters: the piece is found, unless a letter, a word or a mark continues at its ends."""
    source = f"{before}。{piece.strip()}。{after}"
    (one,) = place(source, [piece])
    if fold(piece).text and not unicodedata.combining(fold(piece).text[0]):
        assert one.how in {"exact", "normalised"}
    if one.how in {"exact", "normalised"}:
        assert fold(source[one.start : one.end]).text == fold(one.text).text


@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_a_place_holds_the_unit(source, units):
    """Found verbatim: the same words. Normalized: the same up to form. Fuzzy: near. Not found: no offsets."""
    placed = place(source, units)
    assert [one.text for one in placed] == [unit.strip() for unit in units]
    for one in placed:
        if one.how is None:
            assert (one.start, one.end) == (None, None)
            continue
        assert 0 <= one.start < one.end <= len(source)
        there = source[one.start : one.end]
        assert one.how != "exact" or there == one.text
        assert one.how != "normalised" or fold(there).text == fold(one.text).text


@given(TEXTS)
def test_folding_is_as_unicode_says(text):
    """A folded text is its own folding; its positions rise except for marks on one letter; the form does not matter."""
    folded = fold(text)
    assert fold(folded.text).text == folded.text
    assert len(folded.places) == len(folded.text)
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)).text == folded.text


@given(st.text("abcdefgh ", min_size=30, max_size=60), st.integers(5, 20))
def test_one_wrong_letter_does_not_lose_a_long_unit(text, at):
    """A copy with a slip is above the threshold, and overlaps with the intended place."""
    unit = " ".join(text.split())
    assume(len(unit) > 24)
    slipped = f"{unit[:at]}Q{unit[at + 1 :]}"
    source = f"Erster Satz davor. {unit}. Und ein zweiter danach."
    (one,) = place(source, [slipped.strip()])
    assert one.how is not None
    assert one.start < 19 + len(unit)
    assert one.end > 19
    assert THRESHOLD == 75


def test_what_is_many_times_as_long_as_the_text_is_not_looked_for():
    """An endless reply costs nothing: beyond 20 times the text's length a unit has no place, whatever it says."""
    source = "pay cash"
    within, beyond = (f"pay{' ' * spaces}cash" for spaces in (20 * len(source) - 7, 20 * len(source) - 6))
    assert [one.start for one in place(source, [within, beyond])] == [0, None]


def test_a_long_text_with_many_units_is_no_trouble():
    """40,000 characters, 200 units, none of them verbatim; and a single unit of half of the text."""
    source = "".join(f"第{n}条では、部署{n * 7 % 1000}の費用は{n * 13}円までとする。" for n in range(1_600))[:40_000]
    pieces = [source[at : at + 60] for at in range(0, 40_000, 200)]
    placed = place(source, [piece[:20] + "※" + piece[22:] for piece in pieces])
    assert sum(abs(one.start - at) < 40 for one, at in zip(placed, range(0, 40_000, 200), strict=True)) > 195
    (half,) = place(source, [source[1_000:21_000].replace("費用", "経費")])
    assert half.how == "fuzzy"
    assert abs(half.start - 1_000) < 40 > abs(half.end - 21_000)


@pytest.mark.parametrize(
    ("source", "units"),
    [
        ("a" * 50_000, ["aaaa"] * 100),
        ("ab " * 20_000, ["ab ab"] * 100),
        ("あい" * 30_000, ["あい"] * 100),
        ("e" + "\u0301\u0323" * 20_000, ["e\u0301"] * 50),
        (" \n" * 30_000, ["x"] * 10),
        ("\ud800" * 1_000 + "x", ["\ud800x", "x"]),
    ],
)
def test_a_text_that_repeats_itself_is_no_trouble_either(source, units):
    """Attempts are bounded, whatever the text."""
    assert len(place(source, units)) == len(units)
