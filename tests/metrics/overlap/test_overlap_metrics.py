import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.metrics.overlap.bleu4 import Bleu4
from saiten.metrics.overlap.chrf import ChrF
from saiten.metrics.overlap.context_overlap import ContextOverlap
from saiten.metrics.overlap.length import Length
from saiten.metrics.overlap.rouge import Rouge1, Rouge2, RougeL
from saiten.metrics.overlap.squad import ExactMatch, TokenF1
from saiten.metrics.overlap.word_recall import WordRecall

AGAINST_REFERENCES = [WordRecall(), Rouge1(), Rouge2(), RougeL(), Bleu4(), ChrF(), TokenF1(), ExactMatch()]
ALL = [*AGAINST_REFERENCES, Length(), ContextOverlap()]

each = pytest.mark.parametrize("metric", AGAINST_REFERENCES, ids=lambda metric: metric.name)
every = pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
both = pytest.mark.parametrize("language", ["ja", "en"])

words = st.lists(
    st.sampled_from(["東京", "大阪", "サーバー", "停止", "server", "port", "12", "1,200", "x"]), max_size=12
)
tokens = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


def test_names_are_those_of_the_design():
    """Each metric has the name that users type."""
    names = "word_recall rouge_1 rouge_2 rouge_l bleu4 chrf token_f1 exact_match length context_overlap"
    assert [metric.name for metric in ALL] == [
        *names.split()[:6],
        "token_f1",
        "exact_match",
        "length",
        "context_overlap",
    ]


@every
def test_a_metric_says_how_it_was_made_and_asks_no_judge(metric):
    """Its part of the signature names a tokenizer or rule with a number; there are no tasks; settings are frozen."""
    described = metric.describe()
    assert described
    assert any(any(map(str.isdigit, value)) for value in described.values())
    assert metric.tasks == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.title = "other"


EQUAL = ["今日は東京都に行きました。", "はい。", "売上は1,200円です。", "Db2のポート番号は50000です。", "10:30", "選挙管理委員会", "犬が、猫を、追う。犬が、猫を、追う。"]  # fmt: skip


@each
@both
def test_equal_texts_score_exactly_one(grade, metric, language):
    """Two equal Japanese sentences score 1, however short, even if the language is set wrongly."""
    assert [grade(metric, text, text, language=language).value for text in EQUAL] == [1.0] * len(EQUAL)


@each
@given(text=st.text(max_size=40))
@both
def test_any_text_equals_itself(grade, metric, language, text):
    """A text compared with itself scores 1, or is undefined if there is nothing to count."""
    score = grade(metric, text, text, language=language)
    assert (score.status, score.value) in [("ok", 1.0), ("undefined", None)]


@each
def test_width_and_case_are_no_difference(grade, metric):
    """２頭 is 2頭, and ＤＢ２ is db2."""
    assert grade(metric, "ＤＢ２に牛が２頭いる", "db2に牛が2頭いる。", language="ja").value > 0.8


SAME = [
    ("２０２４年５月に開業した。", "2024年5月に開業した。"),
    ("ﾃﾞｰﾀﾍﾞｰｽを更新する。", "データベースを更新する。"),
    ("㈱日立の㌔数", "(株)日立のキロ数"),
    ("10～20人です。", "10〜20人です。"),
    ("が\u3099", "が\u3099"),
    ("か\u3099っこう", "がっこう"),
]


@each
def test_what_reads_the_same_in_japanese_scores_exactly_one(grade, metric):
    """Full and half width, half-width katakana, composition and the two wave dashes make no difference."""
    assert [grade(metric, one, other, language="ja").value for one, other in SAME] == [1.0] * len(SAME)


@pytest.mark.parametrize(
    ("one", "other"), [("犬が、猫を追う。", "犬が、猫を追う"), ("「はい」と答えた。", "はいと答えた！")]
)
@each
def test_punctuation_is_a_difference_to_chrf_alone(grade, metric, one, other):
    """Words are compared without it; chrF does not use words, and keeps it."""
    assert (grade(metric, one, other, language="ja").value == 1.0) == (metric.name != "chrf")


@pytest.mark.parametrize(("one", "other"), [("学校", "學校"), ("サーバ", "サーバー"), ("20%", "20パーセント")])
@each
def test_another_spelling_is_another_word(grade, metric, one, other):
    """Old kanji, long vowels and spelled-out units are not assumed to be the same."""
    assert grade(metric, one, other, language="ja").value < 1.0


@each
def test_sharing_only_a_number_is_not_agreement(grade, metric):
    """Two Japanese sentences with one number in common stay far from 1."""
    score = grade(metric, "会議は3階の部屋で開きます。", "猫を3匹飼っていると聞いた。", language="ja")
    assert score.value < 0.5


@each
@both
def test_japanese_with_something_in_common_is_never_zero(grade, metric, language):
    """Japanese never silently scores 0, whatever language the sample states; only the strict match may."""
    score = grade(metric, "東京都の人口は増えた", "東京都の人口は減った", language=language)
    assert score.value > 0.3 or metric.name == "exact_match"


@each
@both
def test_an_empty_answer_is_wrong_not_missing(grade, metric, language):
    """It was given and is wrong: 0 with status ok."""
    for empty in ("", "。", " \n"):
        score = grade(metric, empty, "東京 is the capital", language=language)
        assert (score.value, score.status) == (0.0, "ok"), empty


@each
@both
def test_without_a_reference_there_is_nothing_to_measure(grade, metric, language):
    """An empty reference gives no score, and a reason."""
    for references in (("",), (" ", ""), ()):
        score = grade(metric, "東京", *references, language=language)
        assert (score.value, score.status) == (None, "undefined"), references
        assert "reference" in score.reason


@every
def test_without_an_answer_there_is_no_score(grade, metric):
    """None is no answer at all: undefined, not 0."""
    assert grade(metric, None, "東京", contexts=("東京",)).status == "undefined"


@each
def test_the_best_reference_counts(grade, metric):
    """Each reference is correct on its own; an empty one among them does no harm."""
    score = grade(metric, "大阪です", "", "東京です", "大阪です", language="ja")
    assert score.value == 1.0
    assert score.details.get("best_reference", 2) == 2


@each
@given(answer=words, reference=words.filter(bool))
@both
def test_bounds(grade, metric, language, answer, reference):
    """Every value is in [0, 1] and a plain float, and the details are JSON-ready."""
    score = grade(metric, " ".join(answer), " ".join(reference), language=language)
    assert type(score.value) is float
    assert 0 <= score.value <= 1
    json.dumps(dict(score.details))


@pytest.mark.parametrize("metric", [Rouge1(), RougeL(), TokenF1()], ids=lambda metric: metric.name)
@given(one=tokens, other=tokens)
def test_f_is_symmetric(metric, one, other):
    """F1 is symmetric in the two texts; so is ROUGE-2 unless one has a single token."""
    assert metric.compare(one, other)[0] == metric.compare(other, one)[0]
    if min(len(one), len(other)) > 1:
        assert Rouge2().compare(one, other)[0] == Rouge2().compare(other, one)[0]


@given(answer=st.lists(st.sampled_from("abcdef"), max_size=12), reference=tokens, data=st.data())
def test_a_further_matching_token_never_lowers_recall(answer, reference, data):
    """Recall grows, or stays, if the answer gains a token of the reference."""
    token = data.draw(st.sampled_from(reference))
    before, after = WordRecall().compare(answer, reference)[0], WordRecall().compare([*answer, token], reference)[0]
    assert before <= after


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("the cat sat", "the cat sat on the mat", 3 / 6),
        ("the the the", "the cat", 1 / 2),
        ("mat the on sat cat the", "the cat sat on the mat", 1.0),
    ],
)
def test_word_recall_counts_each_token_as_often_as_both_have_it(grade, answer, reference, value):
    """Repeating a word three times does not count three times; order does not matter."""
    assert grade(WordRecall(), answer, reference).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("answer", "tokens", "language"), [("", 0, "en"), ("Two words.", 2, "en"), ("東京に行った。", 4, "ja")]
)
def test_length_counts_tokens_and_prefers_none(grade, answer, tokens, language):
    """Length has no upper bound and no better direction; an empty answer has length 0."""
    score = grade(Length(), answer, language=language)
    assert (score.value, score.status) == (float(tokens), "ok")
    assert (Length.bounds, Length.higher_is_better) == ((0.0, math.inf), None)


@pytest.mark.parametrize(
    ("answer", "contexts", "value"),
    [
        ("the server restarts", ("The server restarts.",), 1.0),
        ("the server restarts", ("The server", "restarts daily"), 1.0),
        ("the server explodes", ("The server restarts.",), 2 / 3),
        ("no no no", ("no",), 1 / 3),
        ("unrelated", ("The server",), 0.0),
    ],
)
def test_context_overlap_is_the_share_of_the_answer_found(grade, answer, contexts, value):
    """All contexts count together; a token counts as often as they have it."""
    assert grade(ContextOverlap(), answer, contexts=contexts).value == pytest.approx(value)


@pytest.mark.parametrize("contexts", [(), ("", "。")])
def test_context_overlap_with_contexts_without_a_word_is_0(grade, contexts):
    """A retrieval that found nothing contains none of the answer's words."""
    score = grade(ContextOverlap(), "東京", contexts=contexts, language="ja")
    assert (score.value, score.reason) == (0.0, "no context has a word in it")


@pytest.mark.parametrize(
    ("answer", "contexts", "reason"),
    [("東京", None, "contexts"), ("。", ("東京",), "answer"), ("。", (), "answer")],
)
def test_context_overlap_without_words_is_undefined(grade, answer, contexts, reason):
    """Missing contexts, or an answer that claims nothing: no score, and the reason names which."""
    score = grade(ContextOverlap(), answer, contexts=contexts, language="ja")
    assert score.status == "undefined"
    assert reason in score.reason
