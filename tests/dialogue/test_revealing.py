import pytest

from saiten.dialogue.revealing import revealed
from saiten.text.common_words import is_common

PARKING = "How long may visitors park?"
PARKED = "On the north side, for up to two hours, with card EH-200. Registered drivers pay 3 euros by 31 March."
FILTER = "加湿フィルターの水あかはどのように取りますか。"
CLEANED = "ぬるま湯3Lにクエン酸20gを溶かし、2時間浸してからすすぎます。部長の承認を得て、VPNで1か月前までに申請します。"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is it limited to two hours?", ("two hours",)),
        ("Is it limited to 2 hours?", ("2 hours",)),
        ("May they use the card EH-200?", ("eh-200", "card")),
        ("Do they have to be registered?", ("registered",)),
        ("Do they pay by March?", ("March",)),
        ("May drivers park on the north side?", ("drivers", "north")),
        ("What else should visitors know about parking?", ()),
        ("Is there a limit to how long visitors may park?", ()),
        ("On which side may they park, and with what card?", ("card",)),
        ("Do visitors pay for their first two visits?", ()),
        ("May they park by 5 April?", ()),
    ],
)
def test_numbers_names_codes_and_rare_words_that_only_the_reference_has_are_found(question, words):
    """Everyday words are not, nor numbers and names that the reference does not have."""
    found = revealed(question, PARKED, [PARKING, "Visitors park in front of the building."])
    assert found == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("クエン酸を使いますか。", ("クエン", "酸")),
        ("20グラムでよいですか。", ("20 g",)),
        ("二時間でよいですか。", ("二時間",)),
        ("何時間浸しますか。", ("何時間浸",)),
        ("部長が決めますか。", ("部長",)),
        ("VPNは必要ですか。", ("VPN",)),
        ("1か月前までですか。", ("1か月",)),
        ("1日に何回行いますか。", ()),
        ("水あかを取る手順を教えてください。", ()),
        ("申請するときの条件や例外はありますか。", ()),
    ],
)
def test_japanese_words_are_found_by_kanji_and_katakana(question, words):
    """A rate such as 1日に何回 names no number."""
    assert revealed(question, CLEANED, [FILTER, "白い粉は一部の水道水のミネラル分です。"]) == words


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Drivers with a card pay 3 euros.", "Do drivers pay 3 euros?"),
        ("They need to register.", "Where do they get registered?"),
        ("They stay for two hours.", "Is it really two hours?"),
    ],
)
def test_what_was_said_may_be_used_in_any_form(said, question):
    """The question of a pair counts too, and so do related words."""
    assert revealed(question, PARKED, [PARKING, said]) == ()


@pytest.mark.parametrize("word", ["電話番号", "あ電", "アイ", "ab1-", "two "])
def test_long_and_odd_texts_are_read_at_once(word):
    """A model can be led to write anything; the time must not explode with the length."""
    revealed(word * 2_000 + "犬", word * 2_000 + "猫", [word * 500])


def test_a_number_that_was_said_with_another_unit_gives_itself_away():
    """2 euros do not say 2 hours."""
    assert revealed("Is it 2 hours?", PARKED, [PARKING, "It costs 2 euros."]) == ("2 hours",)
    assert revealed("2時間ですか。", "2時間までです。", ["いつまでですか。", "2人までです。"]) == ("2時間",)


@pytest.mark.parametrize(
    ("word", "common"),
    [("conditions", True), ("kept", True), ("fee", True), ("duplicate", False), ("membrane", False),
     ("必要書類", True), ("申請書", True), ("必要", True), ("使", True), ("領収書", False), ("入社", False), ("浸", False),
     ("メッセージ", True), ("トナー", False)],
)  # fmt: skip
def test_everyday_words_are_common_and_so_are_their_compounds(word, common):
    """Two single kanji in a row are a word of their own: 入社 is not 入 and 社."""
    assert is_common(word) is common
