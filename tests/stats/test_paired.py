import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from saiten.stats.estimate import bootstrap_mean
from saiten.stats.paired import compare_paired, holm, sign_flip


def test_the_difference_is_second_minus_first():
    """The second run's gain; its wins, ties and losses add up; the interval is that of the differences."""
    first, second = [0.2, 0.5, 0.5, 0.9, 0.1, 0.3, 0.4], [0.4, 0.5, 0.8, 0.7, 0.6, 0.9, 0.5]
    result = compare_paired(first, second)
    differences = [b - a for a, b in zip(first, second, strict=True)]
    assert result.difference == pytest.approx(1.5 / 7)
    assert (result.wins, result.ties, result.losses) == (5, 1, 1)
    assert (result.low, result.high) == (bootstrap_mean(differences).low, bootstrap_mean(differences).high)
    json.dumps(dataclasses.asdict(result))


@pytest.mark.parametrize("n", [4, 8, 12])
def test_the_exact_test_is_scipys(n):
    """Up to 12 clusters all signs are tried, as in scipy.stats.permutation_test."""
    sums = np.random.default_rng(n).normal(0.4, 1, size=n)
    theirs = permutation_test((sums,), lambda x, axis: x.sum(axis), permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(sums) == pytest.approx(theirs.pvalue)


def test_random_flips_come_near_the_exact_figure():
    """Beyond 12 clusters 10,000 random flips approximate all; for yes/no the figure is McNemar's exact one."""
    sums = np.array([1.0] * 14 + [-1.0] * 5)
    assert sign_flip(sums) == pytest.approx(binomtest(5, 19).pvalue, abs=0.01)


@pytest.mark.parametrize("questions", [10, 40])
def test_runs_that_do_not_differ_are_called_different_as_rarely_as_it_says(questions):
    """Five metrics, no true difference, 300 times: after Holm's correction at most 5 % (± 3) raise an alarm."""
    random = np.random.default_rng(questions)
    alarms = 0
    for _ in range(300):
        first, second = (
            np.where(random.random((5, questions)) < 0.6, 1, random.beta(2, 2, (5, questions))) for _ in "ab"
        )
        alarms += min(holm([sign_flip(row, permutations=400) for row in second - first])) < 0.05
    assert alarms / 300 <= 0.08


def test_five_questions_cannot_show_a_difference():
    """With n differing clusters p is at least 2 / 2ⁿ, here 0.0625."""
    assert sign_flip(np.ones(5)) == 0.0625


def test_a_p_value_is_never_zero():
    """100 random flips cannot show more than 1 in 101."""
    assert sign_flip(np.ones(40), permutations=100) == pytest.approx(1 / 101)


def test_mcnemar_by_hand():
    """Six wins, one loss, some ties: 2·(1 + 7)/2⁷ = 0.125; ties change nothing."""
    first = [0, 0, 0, 0, 0, 0, 1, 1, 1, 0]
    second = [1, 1, 1, 1, 1, 1, 0, 1, 1, 0]
    result = compare_paired(first, second)
    assert result.p_value == pytest.approx(0.125)
    assert result.p_value == pytest.approx(binomtest(1, 7).pvalue)


def test_answers_to_one_question_are_flipped_together():
    """Ten copies of two questions are two clusters, however many pairs: the p-value cannot get below 1/2."""
    result = compare_paired([0.0] * 20, [1.0] * 20, ["a"] * 10 + ["b"] * 10)
    assert (result.p_value, result.n, result.clusters) == (0.5, 20, 2)


def test_false_alarms_are_as_rare_as_promised():
    """Two equal systems are found to differ at the 5 % level in about 5 % of 400 comparisons."""
    rng = np.random.default_rng(5)
    alarms = [sign_flip(rng.normal(size=20), permutations=300) <= 0.05 for _ in range(400)]
    assert 0.02 <= np.mean(alarms) <= 0.085


@given(
    rows=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from("pqrs")), min_size=1, max_size=25),
    order=st.randoms(),
)
def test_order_does_not_matter_and_swapping_changes_the_sign(rows, order):
    """The same pairs in any order give the same bits; swapping changes only signs and roles."""

    def compare(table, *, swapped=False):
        first, second, clusters = zip(*table, strict=True)
        pair = (second, first) if swapped else (first, second)
        return compare_paired(*pair, clusters, resamples=50, permutations=50)

    shuffled = list(rows)
    order.shuffle(shuffled)
    result, again, swapped = compare(rows), compare(shuffled), compare(rows, swapped=True)
    assert result == again
    assert swapped.difference == pytest.approx(-result.difference)
    assert (swapped.wins, swapped.losses) == (result.losses, result.wins)
    assert 0 < result.p_value <= 1


def test_equal_runs_do_not_differ():
    """Without any difference: 0, p = 1, and no interval of width 0."""
    result = compare_paired([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (result.difference, result.low, result.p_value, result.ties) == (0.0, None, 1.0, 3)
    assert result.note


def test_nothing_to_compare():
    """Without pairs there is no figure, and the note says so."""
    result = compare_paired([], [])
    assert (result.difference, result.p_value, str(result.note)) == (None, None, "no pairs")


def test_runs_of_different_length_are_refused():
    """Pairs need both values."""
    with pytest.raises(ValueError, match="first has 1 values and second has 2"):
        compare_paired([1], [1, 2])


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ((0.01, 0.04, 0.03, 0.005), (0.03, 0.06, 0.06, 0.02)),
        ((0.5, None, 0.04), (0.5, None, 0.08)),
        ((0.9, 0.8), (1.0, 1.0)),
        ((), ()),
    ],
)
def test_holm(p_values, corrected):
    """Smallest times n, next times n-1, …, never falling, never above 1; a missing p-value is not counted."""
    assert holm(p_values) == tuple(pytest.approx(p) if p is not None else None for p in corrected)


def test_what_does_not_compete_corrects_nobody_and_is_not_corrected():
    """A check next to the metrics: the others are as if it were absent."""
    assert holm([0.01, 0.02, 0.04], competing=[True, False, True]) == (0.02, 0.02, 0.04)


def test_holm_refuses_what_is_no_probability():
    """A figure outside 0 to 1 is named."""
    with pytest.raises(ValueError, match=r"p_values\[1\] is 1.5"):
        holm([0.1, 1.5])
