import pytest

from saiten.metrics.overlap.rouge import Rouge1, Rouge2, RougeL

# Generated with rouge-score 0.1.2: RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False).score(reference,
# answer), fmeasure. No text has an apostrophe or a number with a separator: there the tokens differ on purpose.
ROUGE_SCORE = [
    ("The cat sat on the mat.", "The cat was sitting on the mat.", 0.769231, 0.545455, 0.769231),
    ("Paris is the capital of France", "The capital of France is Paris", 1.0, 0.6, 0.666667),
    ("police killed the gunman", "police kill the gunman", 0.75, 0.333333, 0.75),
    ("the gunman kill police", "police kill the gunman", 1.0, 0.333333, 0.5),
    (
        "Restart the server after you change the port number to 50000.",
        "Change the port to 50000, then restart the database server.",
        0.761905,
        0.421053,
        0.47619,
    ),
    ("a b c d", "a b c d", 1.0, 1.0, 1.0),
    ("completely different words", "nothing shared here", 0.0, 0.0, 0.0),
    ("the the the the", "the cat", 0.333333, 0.0, 0.333333),
    (
        "It was founded in 1998 by two students at Stanford University in California, and it has grown ever since.",
        "Two students at Stanford founded it in 1998.",
        0.592593,
        0.32,
        0.37037,
    ),
]


@pytest.mark.parametrize(("reference", "answer", "expected"), [(row[0], row[1], row[2:]) for row in ROUGE_SCORE])
def test_english_scores_are_those_of_rouge_score(grade, reference, answer, expected):
    """Without stemming our figures equal those in English papers."""
    figures = [grade(metric, answer, reference).value for metric in (Rouge1(), Rouge2(), RougeL())]
    assert figures == pytest.approx(list(expected), abs=1e-6)


def test_several_references_as_in_rouge_score(grade):
    """score_multi of rouge-score 0.1.2 takes the best F per measure; so do we."""
    references = ("Paris is the capital of France", "The capital is Paris")
    figures = [
        grade(metric, "The capital of France is Paris", *references).value for metric in (Rouge1(), Rouge2(), RougeL())
    ]
    assert figures == pytest.approx([1.0, 0.6, 0.8])


@pytest.mark.parametrize(("candidate", "value"), [("police kill the gunman", 3 / 4), ("the gunman kill police", 2 / 4)])
def test_the_example_of_the_paper(grade, candidate, value):
    """Lin 2004, section 3.1: S2 and S3 against "police killed the gunman" score 3/4 and 2/4."""
    assert grade(RougeL(), candidate, "police killed the gunman").value == pytest.approx(value)


@pytest.mark.parametrize(("answer", "value"), [("Yes", 1.0), ("Yes, it does.", 0.5), ("No", 0.0), ("", 0.0)])
def test_rouge_2_against_a_single_token_counts_tokens(grade, answer, value):
    """There are no pairs to count; rouge-score gives 0 even to an equal answer, we count single tokens."""
    assert grade(Rouge2(), answer, "Yes").value == pytest.approx(value)


def test_details_hold_the_counts(grade):
    """A reader can recompute the figure from the details."""
    details = grade(RougeL(), "東京に行く", "東京都に行く", "東京に行く人", language="ja").details
    assert details["best_reference"] == 1
    assert (details["matched"], details["answer_size"], details["reference_size"]) == (3, 3, 4)
    assert (details["precision"], details["recall"]) == (1.0, 0.75)


def test_order_matters_to_rouge_l_in_japanese(grade):
    """The same words in reverse order are equal to ROUGE-1 and not to ROUGE-L."""
    turned, text = "猫が犬を追う", "犬が猫を追う"
    assert grade(Rouge1(), turned, text, language="ja").value == 1.0
    assert grade(RougeL(), turned, text, language="ja").value == pytest.approx(3 / 5)
