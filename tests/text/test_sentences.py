import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.sentences import split_sentences

JAPANESE = [
    ("今日は晴れ。明日は雨！本当？はい。", ["今日は晴れ。", "明日は雨！", "本当？", "はい。"]),
    ("「はい。」と答えた。次へ。", ["「はい。」と答えた。", "次へ。"]),
    ("彼は「行く。すぐ行く。」と言った。終わり", ["彼は「行く。すぐ行く。」と言った。", "終わり"]),
    ("「行くよ。」「うん。」", ["「行くよ。」", "「うん。」"]),
    ("『本。「題。」です。』を読んだ。次。", ["『本。「題。」です。』を読んだ。", "次。"]),
    ("重い（詳細は後述。）と思う。次。", ["重い（詳細は後述。）と思う。", "次。"]),
    ("え？と言った。", ["え？と言った。"]),
    ("閉じない「括弧。次の文。", ["閉じない「括弧。", "次の文。"]),
    ("円周率は３．１４である。終わり。", ["円周率は３．１４である。", "終わり。"]),
    ("円周率は3.14である。終わり。", ["円周率は3.14である。", "終わり。"]),
    ("学術文である．次の文である．", ["学術文である．", "次の文である．"]),
    ("文である.次の文である.", ["文である.", "次の文である."]),
    ("津波となる[12]。大きい[3]。", ["津波となる[12]。", "大きい[3]。"]),
    ("見出し\n・項目一\n・項目二。\n1. 項目三", ["見出し", "・項目一", "・項目二。", "1. 項目三"]),
    ("すごい！！！本当…そうか", ["すごい！！！", "本当…そうか"]),
    ("行一\r\n行二", ["行一", "行二"]),
    ("１．保存\n２．切って保存", ["１．保存", "２．切って保存"]),
    ("圧力は２．次に進む．", ["圧力は２．", "次に進む．"]),
    ("A社(東京都。5名)が発表した。次。", ["A社(東京都。5名)が発表した。", "次。"]),
    ("1) 一つ目。2) 二つ目。", ["1) 一つ目。", "2) 二つ目。"]),
    ("𠮷野家です。😀笑う。", ["𠮷野家です。", "😀笑う。"]),
]
ENGLISH = [
    ("It rains. It pours! Why? Yes.", ["It rains.", "It pours!", "Why?", "Yes."]),
    ("Dr. Smith met Mrs. Jones at St. Mary's. They left.", ["Dr. Smith met Mrs. Jones at St. Mary's.", "They left."]),
    ("It costs 3.5 million. See v1.2.3 too.", ["It costs 3.5 million.", "See v1.2.3 too."]),
    ("J. R. R. Tolkien wrote it. I read it.", ["J. R. R. Tolkien wrote it.", "I read it."]),
    ("The U.S. Army came. He lives in the U.S. The end.", ["The U.S. Army came.", "He lives in the U.S.", "The end."]),
    ("Go to www.example.com/a.b?c=d. Then stop.", ["Go to www.example.com/a.b?c=d.", "Then stop."]),
    ('He said "Go away." Then he left.', ['He said "Go away."', "Then he left."]),
    ('"Really?" he asked. "Yes," she said.', ['"Really?" he asked.', '"Yes," she said.']),
    ("Fruit, e.g. apples, i.e. food, etc. is good. Fine.", ["Fruit, e.g. apples, i.e. food, etc. is good.", "Fine."]),
    ("Bring apples, pears, etc. We eat them.", ["Bring apples, pears, etc.", "We eat them."]),
    ("Is it No. 5? The answer is no. We go.", ["Is it No. 5?", "The answer is no.", "We go."]),
    ("In 1999. The year after.", ["In 1999.", "The year after."]),
    ("# Title\n\n- one\n- two\n1. Do this. Then that.\n2) End", ["# Title", "- one", "- two", "1. Do this.", "Then that.", "2) End"]),
    ("This line is\nwrapped. Next", ["This line is\nwrapped.", "Next"]),
    ("A heading\n\nand a paragraph", ["A heading", "and a paragraph"]),
    ("One.\r\nTwo.", ["One.", "Two."]),
    ("It stands here [4]. So does this.[5] And this (see p. 7).", ["It stands here [4].", "So does this.[5]", "And this (see p. 7)."]),
    ("Wait... what? Hmm... No.", ["Wait... what?", "Hmm...", "No."]),
    ("He left at 5 p.m. The train came.", ["He left at 5 p.m.", "The train came."]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language", "sentences"), [(t, "ja", s) for t, s in JAPANESE] + [(t, "en", s) for t, s in ENGLISH]
)
def test_table(text, language, sentences):
    """Sentences end where a reader would end them."""
    assert [sentence.text for sentence in split_sentences(text, language)] == sentences


@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t　"])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_nothing(text, language):
    """A text with only white space has no sentence."""
    assert split_sentences(text, language) == []


PIECES = st.lists(
    st.sampled_from(
        [
            *"。！？!?.．…「」『』（）()[]\"'”-・#|1aA漢か \n\r\t　\u2028\x85\ud800😀𠮷",
            "\r\n",
            "Mr.",
            "e.g.",
            "U.S. ",
            "3.5",
            "1. ",
        ]
    )
).map("".join)


@given(st.one_of(PIECES, st.text()), st.sampled_from(["ja", "en"]))
def test_spans(text, language):
    """Spans are exact, in order and disjoint, and only white space lies outside them."""
    at = 0
    for sentence in split_sentences(text, language):
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip() != ""
        assert at <= sentence.start < sentence.end
        assert not text[at : sentence.start].strip()
        at = sentence.end
    assert not text[at:].strip()


@given(PIECES, st.sampled_from(["ja", "en"]))
def test_white_space_around(text, language):
    """White space around the text shifts the spans and changes nothing else."""
    plain = [sentence.text for sentence in split_sentences(text.strip(), language)]
    assert [sentence.text for sentence in split_sentences(f"  {text.strip()} ", language)] == plain
