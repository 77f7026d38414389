import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from saiten.api.evaluation import aevaluate
from saiten.metrics.overlap.bleu4 import Bleu4
from saiten.metrics.overlap.chrf import ChrF
from saiten.records import Sample
from saiten.runs import read_run
from saiten.stats.corpus_bleu import corpus_bleu
from saiten.text.tokenizers import tokenizer_for
from saiten.views.tables.run import summary_of

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
    """On text whose words are separated by spaces, we give sacrebleu's sentence BLEU over 100."""
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
    """Texts of fewer than four tokens are scored on the n-grams that they have."""
    assert grade(Bleu4(), text, text, language="ja").value == 1.0


def test_a_cut_answer_is_punished(grade):
    """The first half of the reference has perfect precision, and pays the brevity penalty: e^(1 - 8/4)."""
    assert grade(Bleu4(), "a b c d", "a b c d e f g h").value == pytest.approx(0.36787944117)


JAPANESE = [
    ("東京都に行きました。", ["東京都へ行った。"]),
    ("会議は三階で開かれる。", ["会議は3階で開かれます。"]),
    ("", ["有給休暇は10日です。"]),
    ("有給休暇は10日です。", ["有給休暇は10日です。"]),
]


@pytest.mark.parametrize(
    ("pairs", "language"),
    [
        ([pair for pair in PAIRS if len(pair[1]) == 1], "en"),
        (JAPANESE, "ja"),
        (PAIRS, "en"),
        (PAIRS[3:4], "en"),
        (PAIRS[5:], "en"),
    ],
)
async def test_corpus_bleu_is_that_of_sacrebleu(pairs, language):
    """The counts kept with each score give sacrebleu's corpus BLEU and signature, over the metric's own tokens."""
    samples = [
        Sample(str(n), f"q{n}", answer, reference=first, alternatives=tuple(others), language=language)
        for n, (answer, (first, *others)) in enumerate(pairs)
    ]
    figure = (await aevaluate(samples, metrics=["bleu4"])).summary.overall("bleu4")
    cut = [
        [" ".join(tokenizer_for(language).tokens(text)) for text in (answer, *references)]
        for answer, references in pairs
    ]
    most = max(map(len, cut)) - 1
    streams = [[row[1 + at] if len(row) > 1 + at else None for row in cut] for at in range(most)]
    theirs = BLEU(tokenize="none")
    assert figure.corpus.value == pytest.approx(
        theirs.corpus_score([row[0] for row in cut], streams).score / 100, abs=1e-12
    )
    assert figure.corpus_signature == str(theirs.get_signature())
    assert figure.corpus.n == len(pairs)


async def test_corpus_bleu_is_broken_down_with_the_same_counts(tmp_path):
    """Each system has its own, the interval contains the figure, and data read back from disk give the same."""
    samples = [
        Sample(f"{n}/{system}", f"q{n}", answer, reference=references[0], system=system)
        for n, (answer, references) in enumerate(PAIRS)
        for system, answer in (("good", references[0]), ("bad", answer))
    ]
    result = await aevaluate(samples, metrics=["bleu4", "rouge_l"], run=tmp_path / "run")
    by = {figure.system: figure for figure in result.summary.figures if figure.metric == "bleu4"}
    assert by["good"].corpus.value == pytest.approx(1.0)
    assert by["bad"].corpus.value < by[None].corpus.value < 1
    assert by["bad"].corpus.low <= by["bad"].corpus.value <= by["bad"].corpus.high
    assert by["bad"].corpus.value != pytest.approx(by["bad"].mean)
    assert all(figure.corpus is None for figure in result.summary.figures if figure.metric == "rouge_l")
    assert summary_of(read_run(tmp_path / "run")).overall("bleu4").corpus == by[None].corpus
    (table,) = [table for table in result.summary.tables() if table.key == "corpus_bleu"]
    assert [str(row[1]) for row in table.rows] == ["all", "bad", "good"]
    assert "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:" in table.in_language("en").caption
    assert "BLEU of the whole data set" in str(result.compare(result))
    japanese = table.in_language("ja")
    assert (japanese.title, japanese.columns[2]) == ("データ全体の BLEU", "コーパス BLEU")
    assert japanese.caption.startswith("論文と同じく")


def test_corpus_bleu_depends_neither_on_order_nor_on_the_names_of_questions():
    """The same counts give the same interval, in any order."""
    counts = [(3, 2, 1, 0, 5, 4, 3, 2, 5, 6), (1, 0, 0, 0, 4, 3, 2, 1, 4, 3), (2, 1, 0, 0, 2, 1, 0, 0, 2, 2)] * 3
    names = [f"q{n}" for n in range(len(counts))]
    assert corpus_bleu(counts, names) == corpus_bleu(counts[::-1], names)
    assert corpus_bleu(counts[:1], names[:1]).low is None


def test_signatures_name_sacrebleu():
    """Both figures name the version that computed them."""
    assert Bleu4().describe()["sacrebleu"] == ChrF().describe()["sacrebleu"] == sacrebleu.__version__
