import pytest
import sacrebleu

from saiten.metrics.overlap import Bleu4, ChrF

PAIRS = [
    ("the cat is on the mat", ["the cat sat on the mat"]),
    ("the cat is on the mat", ["there is a cat on the mat", "the cat is sitting on a mat"]),
    ("it is a guide to action which ensures that the military always obeys the commands of the party", [
        "it is a guide to action that ensures that the military will forever heed party commands",
        "it is the guiding principle which guarantees the military forces always being under the command of the party",
        "it is the practical guide for the army always to heed the directions of the party",
    ]),
    ("restart", ["restart the server"]),
    ("restart the", ["restart the server", "the server"]),
    ("nothing shared", ["entirely other words"]),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "references"), PAIRS)
def test_bleu_is_that_of_sacrebleu(grade, answer, references):
    """On text whose words are parted by spaces, we give sacrebleu's sentence BLEU over 100."""
    theirs = sacrebleu.sentence_bleu(answer, references, smooth_method="exp", tokenize="none").score
    assert grade(Bleu4(), answer, *references).value == pytest.approx(theirs / 100, abs=1e-12)


@pytest.mark.parametrize(("answer", "references"), [*PAIRS, ("東京に行く。", ["東京都へ行く。", "京都に行った"])])
def test_chrf_is_that_of_sacrebleu(grade, answer, references):
    """On lower-case text we give sacrebleu's sentence chrF2 over 100."""
    theirs = sacrebleu.sentence_chrf(answer, references).score
    assert grade(ChrF(), answer, *references).value == pytest.approx(theirs / 100, abs=1e-12)


def test_bleu_by_hand(grade):
    """4 of 5 words, 2 of 4 pairs, 1 of 3 triples, 0 of 2 quadruples, smoothed to 1/2 of one: (0.8·0.5·⅓·¼)^¼."""
    score = grade(Bleu4(), "a b c x d", "a b c y d")
    assert score.value == pytest.approx((0.8 * 0.5 * (1 / 3) * (1 / 4)) ** 0.25)
    assert score.details["matched"] == [4, 2, 1, 0]
    assert score.details["brevity_penalty"] == 1.0


@pytest.mark.parametrize("text", ["はい", "東京です", "東京に行く", "one", "one two", "one two three"])
def test_equal_short_texts_score_one(grade, text):
    """Texts of fewer than four tokens are scored on the runs that they have."""
    assert grade(Bleu4(), text, text, language="ja").value == 1.0


def test_a_cut_answer_is_punished(grade):
    """The first half of the reference has perfect precision, and pays for being short: e^(1 - 8/4)."""
    assert grade(Bleu4(), "a b c d", "a b c d e f g h").value == pytest.approx(0.36787944117)


def test_signatures_name_sacrebleu():
    """Both figures say which version made them."""
    assert Bleu4().describe()["sacrebleu"] == ChrF().describe()["sacrebleu"] == sacrebleu.__version__
