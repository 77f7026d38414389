import pytest

from saiten.judges.offline import OfflineJudge
from saiten.tasks.statements import VerifyStatements
from saiten.text.measures import one_spelling
from saiten.text.words import normalize

SAME = [
    ("標高は3,776メートル。", "標高は3,776 m。"),
    ("標高は3,776ｍ。", "標高は3,776㍍。"),
    ("面積は50㎡です。", "面積は50平方メートルです。"),
    ("面積は50平米です。", "面積は50 m²です。"),
    ("30パーセント増。", "30％増。"),
    ("2ヶ月後。", "２カ月後。"),
    ("3箇所ある。", "3か所ある。"),
    ("容量は500ミリリットル。", "容量は500mL。"),
    ("10才です。", "10歳です。"),
    ("二〇二四年です。", "2024年です。"),
    ("約二十メートル。", "約二十m。"),
    ("5～10分。", "5〜10分。"),
]
OTHER = [
    ("5キロの米。", "5 kmの米。"),
    ("3ミリの雨。", "3 mlの雨。"),
    ("100メートルリレー。", "100 mリレー。"),
    ("10才能です。", "10歳能です。"),
    ("メートル法。", "m法。"),
    ("三月三日年。", "33年。"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_measure_has_one_spelling(one, other):
    """Units after a number, spelled out or as a symbol, and years in kanji or digits, become the same words."""
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_only_looks_like_a_measure_is_left_alone(one, other):
    """Ambiguous units, words that begin like a unit, and units without a number stay as they are."""
    assert normalize(one) != normalize(other)


@pytest.mark.parametrize("text", [pair[0] for pair in SAME + OTHER])
def test_the_spelling_is_a_fixed_point(text):
    """Applying it twice changes nothing more."""
    once = one_spelling(normalize(text))
    assert one_spelling(once) == once


async def test_a_unit_written_out_is_no_name_that_the_contexts_lack():
    """メートル is a run of katakana as names are, and yet 3776メートル is supported by 3,776 m."""
    contexts = ("富士山は日本の最高峰である。標高は3,776 mである。",)
    task = VerifyStatements(
        ("富士山の高さは3776メートルです。", "富士山の高さは3676メートルです。"), contexts, language="ja"
    )
    right, wrong = (await OfflineJudge().perform(task)).verdicts
    assert right.verdict
    assert "名称" not in right.reason
    assert "数値 3676" in wrong.reason
    assert not wrong.verdict
