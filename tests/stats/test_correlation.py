import dataclasses
import json
from functools import partial
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from saiten.stats.auroc import auroc
from saiten.stats.classification import agreement, balanced_accuracy, cohen_kappa
from saiten.stats.correlation import kendall, pearson, spearman
from saiten.stats.estimate import bootstrap_statistic

correlations = pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
grades = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=40)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(pearson, scipy.stats.pearsonr), (spearman, scipy.stats.spearmanr), (kendall, scipy.stats.kendalltau)],
)
@given(rows=grades)
def test_correlations_are_scipys(ours, theirs, rows):
    """Even with ties, each equals SciPy's, and is None exactly if a column is constant."""
    x, y = map(list, zip(*rows, strict=True))
    estimate = ours(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert estimate.value is None
        assert "constant" in str(estimate.reason)
    else:
        assert estimate.value == pytest.approx(theirs(x, y).statistic, abs=1e-12)
        assert -1 <= estimate.value <= 1


@correlations
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 pairs are too few"),
        ([1, 2], [2, 1], "2 pairs are too few"),
        ([1, 1, 1], [1, 2, 3], "first column is constant"),
        ([1, 2, 3], [0.3, 0.1 + 0.2, 0.3], "second column is constant"),
        ([0, 0, 0], [0, 0, 0], "constant"),
    ],
)
def test_no_correlation_is_made_up(statistic, x, y, reason):
    """Too few pairs, or a constant up to rounding: None and the reason."""
    estimate = statistic(x, y)
    assert estimate.value is None
    assert reason in str(estimate.reason)


def test_large_and_small_numbers_do_not_overflow():
    """Scale does not matter to Pearson's correlation."""
    assert pearson([1e200, 2e200, 3e200], [1e-200, 2e-200, 3e-200]).value == pytest.approx(1)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=40))
def test_auroc_counts_pairs(rows):
    """The share of positive-negative pairs in the right order, ties half; None if a class is missing."""
    labels, scores = zip(*rows, strict=True)
    positives = [s for label, s in rows if label]
    negatives = [s for label, s in rows if not label]
    estimate = auroc(labels, scores)
    if not (positives and negatives):
        assert estimate.value is None
        assert "both 0 and 1 are needed" in str(estimate.reason)
        return
    right = sum((p > n) + (p == n) / 2 for p, n in product(positives, negatives))
    assert estimate.value == pytest.approx(right / (len(positives) * len(negatives)))


def test_balanced_accuracy():
    """9 of 10 positives and 1 of 2 negatives: 0.7, where plain accuracy says 0.83."""
    labels, decisions = [1] * 10 + [0] * 2, [1] * 9 + [0] + [0, 1]
    assert balanced_accuracy(labels, decisions).value == pytest.approx(0.7)
    assert agreement(labels, decisions).value == pytest.approx(10 / 12)
    assert balanced_accuracy([1, 1], [1, 0]).value is None


def test_cohens_kappa_by_hand():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement 0.7, by chance 0.5, kappa 0.4."""
    x, y = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(x, y).value == pytest.approx(0.4)
    assert cohen_kappa(x, x).value == 1.0


@pytest.mark.parametrize(("weights", "power"), [("linear", 1), ("quadratic", 2)])
@given(rows=grades)
def test_weighted_kappa_by_its_definition(weights, power, rows):
    """1 - (mean distance within pairs) / (mean distance over all combinations), distances to the power."""
    x, y = map(list, zip(*rows, strict=True))
    chance = np.mean([abs(a - b) ** power for a, b in product(x, y)])
    estimate = cohen_kappa(x, y, weights=weights)
    if chance == 0:
        assert estimate.value is None
        assert "corrected for chance" in str(estimate.reason)
    else:
        expected = 1 - np.mean([abs(a - b) ** power for a, b in rows]) / chance
        assert estimate.value == pytest.approx(expected, abs=1e-12)


def test_kappa_is_not_for_measurements():
    """10,000 different values are not grades; a table of their combinations would fill the memory."""
    x = np.arange(10_000) / 7
    assert "different values" in str(cohen_kappa(x, x[::-1]).reason)


def test_high_agreement_may_be_worth_nothing():
    """96 % agreement on rare events with kappa below 0: both figures are needed."""
    x, y = [0] * 96 + [1, 1, 0, 0], [0] * 96 + [0, 0, 1, 1]
    assert agreement(x, y).value == 0.96
    assert cohen_kappa(x, y).value < 0


def test_labels_must_be_zero_or_one():
    """A grade among the labels is named instead of being taken for a class."""
    with pytest.raises(ValueError, match="labels must be 0 or 1, but there is 3"):
        auroc([0, 1, 3], [1, 2, 3])


@correlations
def test_columns_must_be_pairs(statistic):
    """Columns of different length, or with NaN, are refused."""
    with pytest.raises(ValueError, match="x has 2 values and y has 3"):
        statistic([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"y\[1\] is nan"):
        statistic([1, 2, 3], [1, float("nan"), 3])


# ----------------------------------------------------------------------------------------------------- intervals


@pytest.mark.slow
def test_the_interval_holds_the_true_correlation():
    """Simulated coverage for Pearson, 30 questions of three answers, true correlation 0.5: near 95 % in 150 runs."""
    rng = np.random.default_rng(2)
    questions = np.repeat(np.arange(30), 3).tolist()
    hits = 0
    for _ in range(150):
        shared = rng.normal(size=(30, 1))
        x = (0.7 * shared + rng.normal(size=(30, 3)) * np.sqrt(1 - 0.49)).ravel()
        y = 0.5 * x + np.sqrt(0.75) * rng.normal(size=90)
        estimate = bootstrap_statistic(pearson, x, y, questions, resamples=300)
        hits += estimate.low <= 0.5 <= estimate.high
    assert 0.89 <= hits / 150 <= 0.99


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from("pqrstu")), max_size=20),
    order=st.randoms(),
)
def test_order_and_labels_do_not_move_the_interval(rows, order):
    """The same pairs in another order, with other names for the clusters, give the same interval."""
    shuffled = list(rows)
    order.shuffle(shuffled)
    one, other = (
        bootstrap_statistic(agreement, [r[0] for r in t], [r[1] for r in t], [name(r[2]) for r in t], resamples=40)
        for t, name in ((rows, str), (shuffled, ord))
    )
    assert one == other


@pytest.mark.parametrize(
    "statistic", [pearson, spearman, kendall, agreement, cohen_kappa, partial(cohen_kappa, weights="quadratic")]
)
def test_any_statistic_gets_an_interval_around_its_value(statistic):
    """The value is inside, and everything is JSON-ready."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 6, size=60)
    y = np.clip(x + rng.integers(-1, 2, size=60), 0, 5)
    estimate = bootstrap_statistic(statistic, x, y, (np.arange(60) // 3).tolist(), resamples=200)
    assert estimate.low < estimate.value < estimate.high
    assert (estimate.n, estimate.clusters, estimate.note) == (60, 20, None)
    json.dumps(dataclasses.asdict(estimate))


@pytest.mark.parametrize(
    ("x", "y", "clusters", "note"),
    [
        ([1, 2, 3], [1, 3, 2], ["q"] * 3, "single question"),
        ([0, 0, 0, 0, 0, 0, 0, 1], [1, 2, 3, 4, 5, 6, 7, 8], None, "resamples, so no interval"),
        ([1, 2, 3, 4, 5, 6, 7], [2, 4, 6, 8, 10, 12, 14], None, "no spread"),
        ([1, 2, 4, 3], [1, 2, 3, 4], ["a", "a", "b", "b"], "only 2 questions"),
    ],
)
def test_what_is_wrong_with_an_interval_is_said(x, y, clusters, note):
    """One cluster, a statistic that most resamples leave undefined, no spread, few clusters."""
    estimate = bootstrap_statistic(pearson, x, y, clusters, resamples=200)
    assert estimate.value is not None
    assert note in str(estimate.note)


def test_what_has_no_value_gets_no_interval():
    """The reason is passed on; no pairs are no clusters."""
    estimate = bootstrap_statistic(pearson, [1, 1, 1], [1, 2, 3])
    assert (estimate.value, estimate.low, estimate.clusters) == (None, None, 3)
    assert "constant" in str(estimate.reason)
    assert bootstrap_statistic(pearson, [], []).clusters == 0
