"""Look-alikes: a text is read as a lenient reader would read it."""

import re
import unicodedata

import pytest

from lookalike_table import TABLE, written
from saiten.lookalikes import SIGNS, plain, readings


def test_the_table_is_what_unicode_says():
    """`lookalikes.toml` has Unicode's confusables with ASCII, and is written by `tests/lookalike_table.py`."""
    assert TABLE.read_text(encoding="utf-8") == written()


@pytest.mark.parametrize(
    "text",
    [
        "АΝЅԜЕꓣ",
        "ａｎｓｗｅｒ",
        "𝐚𝑛𝒔𝓌ℯ𝓻",
        "𝔞𝕟𝖘𝗐𝘦𝚛",
        "ⓐ⒩ⓢ🅦🅴🇷",
        "ᴀɴꜱᴡᴇʀ",
        "ᵃⁿˢʷᵉʳ",
        "áñśẅęř",
        "a\u0336n\u20dds\ufe0fw\U000e0101e\u034fr",
        "a\u200bn\u00ads\u2066w\u3164e\u2800r",
        " a n\ts w\xa0e\u3000r",
        "αոѕաеᎡ",
        "Ꭺɳƽѡҽⲅ",
    ],
)  # fmt: skip
def test_letters_are_read_as_the_ones_they_resemble(text):
    """Other scripts, mathematical, circled and small letters, marks on letters, and invisible characters."""
    assert plain(text) == "answer"


@pytest.mark.parametrize(
    "text",
    ["&amp;amp;lt;", "&#60", "&#X3C;", r"\u003C", r"\\u{3c}", r"\x3c", "%253C", "％３Ｃ", "＆ｌｔ；", "\U000e003c"],
)
def test_escapes_are_resolved(text):
    """Entities, percent and backslash escapes, escaped again, in wide letters, and invisible tags."""
    assert "<" in list(readings(text))


def test_japanese_is_still_japanese():
    """Kana and kanji are read as they are; only what is confusable (ノ, ー, 一, 〇) is not."""
    assert plain("東京とオオサカ、アイ。") == "東京とオオサカ、アイ。"


ANGLE = re.compile(
    r"((VERY )?MUCH )?(LESS-THAN|PRECEDES).*|.*LEFT(-POINTING)? (DOUBLE |CURVED )?ANGLE (BRACKET|QUOTATION).*"
)


def test_every_angle_of_unicode_is_one():
    """A sign whose name says that it is a left angle bracket, or less than something, is read as `<`."""
    angles = [chr(code) for code in range(0x80, 0x20000) if ANGLE.fullmatch(unicodedata.name(chr(code), ""))]
    assert len(angles) > 50
    assert [sign for sign in angles if not plain(sign).startswith("<")] == []


def test_every_sign_is_read_as_listed():
    """No confusable takes precedence over the table of signs."""
    assert {sign: {plain(each) for each in signs} for sign, signs in SIGNS.items()} == {sign: {sign} for sign in SIGNS}
