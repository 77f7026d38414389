import pytest

from saiten.metrics.overlap.squad import ExactMatch, TokenF1


@pytest.mark.parametrize(
    ("answer", "references", "exact", "f1"),
    [
        # the example of the SQuAD metric's documentation
        ("1976", ["1976"], 1, 1),
        ("1999", ["1976"], 0, 0),
        # the normalization of SQuAD's script: case, punctuation, articles, spaces
        ("the Denver   Broncos!", ["Denver Broncos", "The Denver Broncos"], 1, 1),
        ("Denver", ["Denver Broncos"], 0, 2 / 3),
        ("a cat", ["The cat."], 1, 1),
        ("1,200", ["1200"], 1, 1),
        ("don't", ["dont"], 1, 1),
        ("It was Denver Broncos who won", ["Denver Broncos", "Carolina Panthers"], 0, 4 / 8),
        ("to be or not to be", ["to be to be"], 0, 8 / 10),
        # where we differ: Unicode punctuation, single articles, Japanese in English
        ("“Hamlet”", ["Hamlet"], 1, 1),
        ("A", ["a"], 1, 1),
        ("東京 Tower", ["東京tower"], 1, 1),
        ("東京", ["東京都"], 0, 4 / 5),
    ],
)
def test_english_as_squad_reads_it(grade, answer, references, exact, f1):
    """Exact match and F1 are those of SQuAD's script, the best over the references."""
    assert grade(ExactMatch(), answer, *references).value == exact
    assert grade(TokenF1(), answer, *references).value == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "reference", "exact"),
    [
        ("「東京都」です。", "東京都です", 1),
        ("１，２００円", "1200円", 1),
        ("1.5倍", "15倍", 0),
        ("-5度", "5度", 0),
        ("○", "×", 0),
        ("○", "○", 1),
        ("New York", "newyork", 1),
        ("東京", "東京都", 0),
        ("ﾃﾞｰﾀ", "データ", 1),
    ],
)
def test_japanese_exact_match(grade, answer, reference, exact):
    """Width, case, punctuation and spaces do not matter; numbers and symbols do."""
    assert grade(ExactMatch(), answer, reference, language="ja").value == exact


def test_japanese_token_f1(grade):
    """Tokens by Sudachi: 東京/に/行く against 京都/に/行く share two of three."""
    score = grade(TokenF1(), "東京に行く。", "京都に行く。", language="ja")
    assert score.value == pytest.approx(2 / 3)
    assert (score.details["matched"], score.details["answer_size"], score.details["reference_size"]) == (2, 3, 3)
