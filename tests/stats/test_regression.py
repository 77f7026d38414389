"""Least squares: compared with statsmodels, its intervals, and what cannot be determined."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from saiten.stats.regression import least_squares
from saiten.words import Message


def drawn(seed, n=60, p=3, scale=(1.0, 100.0, 0.001), shift=(0.0, 1000.0, 5.0)):
    """Columns of different magnitudes, a noisy sum of them, and clusters of four."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, p)) * scale[:p] + shift[:p]
    return list(x.T), x @ np.arange(1, p + 1) + random.normal(size=n), [f"q{i // 4}" for i in range(n)]


def figures(found):
    """The intercept, if any, and the weights."""
    return [each.value for each in ([found.intercept] if found.intercept else []) + list(found.weights)]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_statsmodels(seed, intercept):
    """They agree to nine digits, with and without an intercept, for columns of very different magnitudes."""
    columns, y, clusters = drawn(seed)
    found = least_squares(columns, y, clusters, names="abc", intercept=intercept, resamples=20)
    x = np.column_stack(columns)
    design = sm.add_constant(x) if intercept else x
    expected = sm.OLS(y, design).fit()
    assert figures(found) == pytest.approx(list(expected.params), rel=1e-9)
    assert found.predict(columns) == pytest.approx(expected.fittedvalues, rel=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
def test_each_resample_is_the_fit_of_the_rows_written_out(intercept):
    """The interval is that of numpy's least squares over the same whole clusters."""
    columns, y, clusters = drawn(1, n=40, p=2)
    found = least_squares(columns, y, clusters, names="ab", intercept=intercept, resamples=200)
    x = np.column_stack([*([np.ones(40)] if intercept else []), *columns])
    numbers = np.array(sorted(set(clusters)))
    random = np.random.default_rng(0)
    weights = []
    for chosen in random.integers(0, 10, size=(200, 10)):
        rows = np.concatenate([np.flatnonzero(np.array(clusters) == numbers[k]) for k in chosen])
        weights.append(np.linalg.lstsq(x[rows], y[rows], rcond=None)[0])
    ends = np.array([[each.low, each.high] for each in ([found.intercept] if intercept else []) + list(found.weights)])
    inside = np.quantile(weights, [0.025, 0.975], axis=0).T
    outside = np.quantile(weights, [0, 1], axis=0).T
    assert (ends[:, 0] <= inside[:, 0]).all()
    assert (ends[:, 1] >= inside[:, 1]).all()
    assert (ends[:, 0] >= outside[:, 0] - 1e-9).all()
    assert (ends[:, 1] <= outside[:, 1] + 1e-9).all()


def test_an_interval_holds_the_true_weight():
    """This holds in most of 40 random sets."""
    held = 0
    for seed in range(40):
        columns, y, clusters = drawn(seed, n=120, p=1)
        (weight,) = least_squares(columns, y, clusters, names="a", resamples=200).weights
        held += weight.low <= 1 <= weight.high
    assert held >= 34


@given(st.permutations(range(3)), st.integers(0, 5), st.booleans())
def test_the_order_of_the_columns_is_no_matter(order, seed, intercept):
    """Each column keeps its weight and its interval."""
    columns, y, clusters = drawn(seed)
    one = least_squares(columns, y, clusters, names="abc", intercept=intercept, resamples=50)
    other = least_squares([columns[at] for at in order], y, clusters, names="abc", intercept=intercept, resamples=50)
    for place, at in enumerate(order):
        assert other.weights[place].value == pytest.approx(one.weights[at].value, rel=1e-9)
        assert other.weights[place].low == pytest.approx(one.weights[at].low, rel=1e-6)


@pytest.mark.parametrize(
    ("columns", "intercept", "message"),
    [
        ([[0, 0, 0, 0], [1, 2, 3, 4]], False, "a is 0 everywhere"),
        ([[5, 5, 5, 5], [1, 2, 3, 4]], True, "a is the same everywhere (5)"),
        ([[1, 2, 3, 4], [2, 4, 6, 8]], False, "a and b are collinear"),
        ([[1, 2, 3, 4], [3, 4, 5, 6]], True, "a and b are collinear"),
        ([[1, 2, 3, 5], [1e-9, 2e-9, 3e-9, 5e-9]], False, "a and b are collinear"),
        ([[1e-200, 2e-200, 3e-200, 5e-200], [1, 2, 3, 4]], False, "a is 0 everywhere"),
        ([[1e200, 2e200, 3e200, 5e200], [1, 2, 3, 4]], False, "too large to be squared"),
        ([[1, 2, 3, 4], [1, 0, 1, 0], [0, 1, 0, 2], [2, 2, 2, 9]], False, "4 rows are too few for 4 weights"),
    ],
)
def test_columns_that_determine_no_weights_are_named(columns, intercept, message):
    """No weight is made up."""
    found = least_squares(columns, [1, 2, 3, 5], "aabb", names="abcd"[: len(columns)], intercept=intercept)
    assert message in str(found.reason)
    assert (found.weights, found.intercept) == ((), None)
    with pytest.raises(ValueError, match="no weights"):
        found.predict(columns)


def test_only_the_columns_that_say_the_same_are_named():
    """A third, unrelated one is not."""
    found = least_squares([[1, 2, 3, 4, 5], [1, -1, 1, -1, 2], [2, 4, 6, 8, 10]], [1, 2, 3, 5, 4], "abcde", names="abc")
    assert found.reason.startswith("a and c are collinear")


def test_a_column_far_from_zero_is_no_constant():
    """Years in addition to an intercept are distinguished from it."""
    years = np.arange(2000.0, 2020.0)
    found = least_squares([years], 3 + 2 * years + np.sin(years), list(range(20)), names=["year"], intercept=True)
    assert found.weights[0].value == pytest.approx(2, abs=0.1)


def test_where_there_is_no_spread_there_is_no_interval():
    """A perfect fit, a single cluster, and clusters of which most resamples determine nothing."""
    perfect = least_squares([[1, 2, 3, 4, 6, 9]], [2, 4, 6, 8, 12, 18], "abcdef", names="a").weights[0]
    assert (perfect.value, perfect.low) == (pytest.approx(2), None)
    assert "exactly" in str(perfect.note)
    alone = least_squares([[1, 2, 3]], [1, 2, 4], "aaa", names="a").weights[0]
    assert (alone.low, alone.note) == (None, Message("remark", "single_question"))
    rare = least_squares([[0, 0, 1, 0], [2, 4, 6, 8]], [1, 2, 3, 5], "abcd", names="ab").weights[0]
    assert "undefined in" in str(rare.note)


@pytest.mark.parametrize(
    ("columns", "y", "clusters", "message"),
    [
        ([[1, np.nan, 2]], [1, 2, 3], "abc", "a\\[1\\] is nan"),
        ([[1, 2, 3]], [1, np.inf, 3], "abc", "y\\[1\\] is inf"),
        ([[1, 2]], [1, 2, 3], "abc", "of one length"),
        ([[1, 2, 3]], [1, 2, 3], "ab", "of one length"),
        ([], [1, 2, 3], "abc", "no column"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(columns, y, clusters, message):
    """A NaN would hide in every weight."""
    with pytest.raises(ValueError, match=message):
        least_squares(columns, y, clusters, names="a"[: len(columns)])
