import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.language import detect_language


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (("How many days off are there?",), "en"),
        (("有給休暇は何日ですか。",), "ja"),
        (("ありがとう",), "ja"),
        (("ｶﾀｶﾅ ﾀﾞｹ",), "ja"),
        (("東京都",), "ja"),
        (("",), "en"),
        ((), "en"),
        (("12,345.67 %",), "en"),
        (("🙂🙂",), "en"),
        (("https://example.com/a/very/long/path を参照してください",), "ja"),
        (("`pip install foo` を実行してから Python を再起動する。",), "ja"),
        (("The word 寿司 (すし) is known as sushi in every country of the world.",), "en"),
        (("for i in range(10):\n    print(i)",), "en"),
        (("What is it?", "それは犬です。とても大きな犬で、庭を走り回っています。"), "ja"),
        (("Größe und Maß",), "en"),
        (("２０２４",), "en"),
        (("Ｈｅｌｌｏ　Ｗｏｒｌｄ",), "en"),
    ],
)
def test_language(texts, language):
    """The script of the prose decides; addresses, numbers and code do not count, and an empty text is English."""
    assert detect_language(*texts) == language


@given(st.lists(st.text()))
def test_any_text(texts):
    """Any text has one of the two languages."""
    assert detect_language(*texts) in ("ja", "en")


@given(st.text(alphabet="あいうアイウ漢字、。 12"))
def test_white_space(text):
    """White space around a text changes nothing."""
    assert detect_language(text) == detect_language(f"\n  {text}\t")
