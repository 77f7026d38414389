import pytest

from saiten.judges.offline.splitting import statements_of


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("①丸のまま保存します。\n②切って保存します。", ["丸のまま保存します。", "切って保存します。"]),
        ("１．丸のまま保存\n２．切って保存", ["丸のまま保存", "切って保存"]),
        ("（１）丸のまま。\n(2) 切る。", ["丸のまま。", "切る。"]),
        ("【特徴】\n軽くて丈夫です。", ["軽くて丈夫です。"]),
        ("【特徴】軽くて丈夫です。", ["【特徴】軽くて丈夫です。"]),
        ("・安い\n・**速い**", ["安い", "速い"]),
        ("彼は「行くよ。」と言った。", ["彼は「行くよ。」と言った。"]),
    ],
)
def test_the_marks_of_japanese_lists_are_no_part_of_a_statement(text, statements):
    """The ① of an item is not a claim about the number 1, and a heading in 【】 claims nothing."""
    assert statements_of(text, "ja") == statements
