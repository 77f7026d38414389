import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.metrics.ragas.answer_relevancy import read_questions
from saiten.metrics.ragas.context_entity_recall import entity_recall
from saiten.metrics.ragas.context_precision import average_precision
from saiten.metrics.ragas.summarization_score import conciseness
from saiten.metrics.ragas.verdicts import quoted, verdict_details
from saiten.stats.f_measure import f_beta
from saiten.tasks.similarity import Questions
from saiten.tasks.verdicts import Verdict

COUNTS = st.integers(0, 50)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([0, 1, 1], 0.5833333333333333),
        ([1, 1, 0], 1.0),
        ([1, 0, 1], (1 + 2 / 3) / 2),
        ([0, 0, 1], 1 / 3),
        ([0, 0, 0], 0.0),
        ([1], 1.0),
        ([], 0.0),
    ],
)
def test_average_precision_of_worked_examples(verdicts, expected):
    """Σ precision@k · v_k / Σ v_k, as in textbooks; 0 if nothing is useful."""
    assert average_precision([bool(v) for v in verdicts]) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.booleans(), max_size=30))
def test_average_precision_stays_in_bounds_and_rewards_early_ranks(verdicts):
    """The value is in [0, 1], and no order is better than useful contexts first."""
    value = average_precision(verdicts)
    assert 0 <= value <= average_precision(sorted(verdicts, reverse=True)) <= 1


@pytest.mark.parametrize(
    ("tp", "fp", "fn", "beta", "expected"),
    [
        (2, 1, 1, 1.0, 2 / 3),
        (1, 0, 3, 1.0, 0.4),
        (1, 0, 3, 2.0, 5 / 17),
        (1, 3, 0, 2.0, 0.625),
        (0, 2, 2, 1.0, 0.0),
        (0, 0, 2, 1.0, 0.0),
        (3, 0, 0, 1.0, 1.0),
    ],
)
def test_f_beta_of_worked_examples(tp, fp, fn, beta, expected):
    """F-beta on counts; with beta above 1 missing items weigh more than wrong ones."""
    assert f_beta(tp, fp, fn, beta) == pytest.approx(expected, abs=1e-12)


@given(COUNTS.filter(bool), COUNTS, COUNTS, st.sampled_from([0.5, 1.0, 2.0]))
def test_f_beta_is_the_weighted_harmonic_mean_of_precision_and_recall(tp, fp, fn, beta):
    """The formula on counts equals the one on precision and recall, and lies between the two."""
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    expected = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert f_beta(tp, fp, fn, beta) == pytest.approx(expected)
    assert min(precision, recall) - 1e-12 <= expected <= max(precision, recall) + 1e-12


def test_entity_recall_counts_the_entities_of_the_reference():
    """|C ∩ R| / |R|; entities that only the contexts have count for nothing."""
    assert entity_recall({"a", "b", "c"}, {"b", "c", "x", "y"}) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("summary", "text", "expected"), [(25, 100, 0.75), (0, 10, 1.0), (10, 10, 0.0), (30, 10, 0.0)])
def test_conciseness_is_never_negative(summary, text, expected):
    """1 - length ratio, and 0 for a summary as long as its sources or longer."""
    assert conciseness(summary, text) == expected


@pytest.mark.parametrize(
    ("replies", "exact", "expected"),
    [
        ([(["a", "b", "c"], False)], False, (("a", "b", "c"), False)),
        ([(["a", " "], True)], False, (("a",), True)),
        ([([], True)], False, ((), True)),
        ([([], False)], False, ((), False)),
        ([(["a"], True), (["b"], False)], True, (("a", "b"), False)),
        ([(["a"], True), ([""], False)], True, (("a",), True)),
        ([([""], True)], True, ((), False)),
    ],
)
def test_questions_and_commitment_are_read_together(replies, exact, expected):
    """A reply without a question does not affect whether the answer is noncommittal, unless no reply has one."""
    read = [Questions(questions=questions, noncommittal=flag) for questions, flag in replies]
    assert read_questions(read, exact=exact) == expected


def test_details_of_verdicts_keep_everything_in_the_order_of_the_numbers():
    """Verdicts are sorted by number; the lowest probability is kept; undecided verdicts are counted."""
    verdicts = [
        Verdict(number=2, reason="no such number", verdict=False, p=0.2),
        Verdict(number=1, reason="found", verdict=True, p=0.6, unclear=True, evidence=((0, 3, 9),)),
    ]
    details = verdict_details(verdicts)
    assert [verdict["number"] for verdict in details["verdicts"]] == [1, 2]
    assert details["verdicts"][0]["evidence"] == [[0, 3, 9]]
    assert details["weakest"] == 0.2
    assert details["unclear"] == 1


def test_verdicts_without_probabilities_have_no_weakest():
    """A judge without probabilities produces no keys with None."""
    details = verdict_details([Verdict(number=1, reason="so", verdict=True)])
    assert set(details) == {"verdicts"}
    assert "p" not in details["verdicts"][0]


def test_a_reason_stays_short():
    """However many statements are refused and however long they are, a reason quotes three, shortened."""
    text = quoted(["あ" * 1000] * 50)
    assert len(text) < 300
    assert text.endswith("and 47 more")
