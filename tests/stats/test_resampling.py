"""Figures over many resamples at once: the same as for each resample spelled out, and as in other libraries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from saiten.stats.auroc import auroc_each
from saiten.stats.correlation import kendall, kendall_each, moments, pearson_of, spearman_each
from saiten.stats.estimate import Estimate, bootstrap_mean, bootstrap_statistic
from saiten.stats.ranks import concordance_each
from saiten.stats.resampling import Resamples

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=40).round(1)
GRADES = np.clip(np.round(X + RANDOM.normal(size=40)) + 2, 0, 4)
FINE = X + RANDOM.normal(size=40)
VERDICTS = (FINE > 0).astype(float)
QUESTIONS = [f"q{i // 3}" for i in range(40)]

small = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=14)


def written_out(resamples, *columns):
    """The rows of each resample, each as often as it was drawn."""
    for counts in resamples.counts():
        for row in counts[:, resamples.groups].astype(int):
            yield tuple(np.repeat(column, row) for column in columns)


@pytest.mark.parametrize("y", [GRADES, FINE, VERDICTS], ids=["grades", "fine", "verdicts"])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda r, x, y: r.each(kendall_each(x, y)), stats.kendalltau),
        (lambda r, x, y: r.each(spearman_each(x, y)), stats.spearmanr),
        (lambda r, x, y: pearson_of(r.sums(moments(x, y))), stats.pearsonr),
    ],
    ids=["kendall", "spearman", "pearson"],
)
def test_each_resample_has_the_figure_that_scipy_gives_it(ours, theirs, y):
    """Weighting rows by how often they were drawn equals spelling them out, to 1e-9."""
    resamples = Resamples.of(QUESTIONS, resamples=60)
    expected = [theirs(a, b).statistic for a, b in written_out(resamples, X, y)]
    np.testing.assert_allclose(ours(resamples, X, y), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours(resamples, y, X), expected, rtol=0, atol=1e-9)


def test_each_resample_has_scikit_learns_auroc():
    """This includes ties among the scores."""
    resamples = Resamples.of(QUESTIONS, resamples=60)
    expected = [roc_auc_score(labels, scores) for labels, scores in written_out(resamples, VERDICTS, X)]
    np.testing.assert_allclose(resamples.each(auroc_each(VERDICTS, X)), expected, rtol=0, atol=1e-9)


@given(small)
def test_concordance_is_the_count_over_all_pairs(rows):
    """Concordant minus discordant pairs, each as often as its rows were drawn."""
    x, y, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    expected = sum(
        weights[i] * weights[j] * np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(len(x)) for j in range(i)
    )
    assert concordance_each(x, y)(weights[None, :])[0] == expected


@given(small)
def test_a_figure_is_defined_exactly_if_both_columns_vary(rows):
    """A resample with a constant column has no correlation: NaN here, which an interval leaves out."""
    x, y, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    drawn = weights > 0
    varies = len(set(x[drawn])) > 1 and len(set(y[drawn])) > 1
    for figure in (kendall_each(x, y), spearman_each(x, y)):
        assert np.isfinite(figure(weights[None, :])[0]) == varies
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert np.isfinite(pearson_of((weights @ moments(x, y))[None, :])[0]) == varies


def test_the_order_of_the_rows_is_without_effect():
    """The clusters are known by name: a shuffled table has the same interval."""
    order = np.random.default_rng(0).permutation(40)

    def made(rows):
        resamples = Resamples.of([QUESTIONS[i] for i in rows], resamples=200)
        return resamples.interval(Estimate(0.5, 40), resamples.each(kendall_each(X[rows], GRADES[rows])))

    one, other = made(np.arange(40)), made(order)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_the_interval_is_that_of_the_slow_bootstrap():
    """The same percentile rule over other draws: the ends agree with `bootstrap_statistic` to the noise of 1,000 draws."""
    resamples = Resamples.of(QUESTIONS)
    fast = resamples.interval(kendall(X, FINE), resamples.each(kendall_each(X, FINE)))
    slow = bootstrap_statistic(kendall, X, FINE, QUESTIONS)
    assert (fast.value, fast.n, fast.clusters) == (slow.value, slow.n, slow.clusters)
    assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high), abs=0.06)


def test_sums_by_cluster_give_the_interval_of_a_mean():
    """A mean is a ratio of sums."""
    resamples = Resamples.of(QUESTIONS, resamples=2_000)
    sums = resamples.sums(np.stack([np.ones(40), FINE], axis=1))
    found = resamples.interval(Estimate(float(FINE.mean()), 40), sums[:, 1] / sums[:, 0])
    usual = bootstrap_mean(FINE, QUESTIONS)
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high), abs=0.05)


@pytest.mark.parametrize(
    ("labels", "values", "note"),
    [
        (["q", "q"], [1.0, 2.0], "single question"),
        (["a", "b"], [np.nan, np.nan, 1.0], "undefined in 2 of 3"),
        (["a", "b"], [1.0, 1.0, 1.0], "no spread"),
    ],
)
def test_no_interval_is_said_with_its_reason(labels, values, note):
    """One cluster, too many resamples without a figure, all resamples alike."""
    found = Resamples.of(labels).interval(Estimate(1.0, 2), np.array(values))
    assert (found.low, found.high) == (None, None)
    assert note in str(found.note)


def test_what_is_undefined_stays_so():
    """An estimate without a value gets no interval."""
    found = Resamples.of(["a", "b"]).interval(Estimate(None, 2, "why"), np.array([1.0, 2.0]))
    assert (found.value, found.reason, found.low, found.clusters) == (None, "why", None, 2)


def test_a_setting_that_makes_no_interval_is_refused():
    """As everywhere."""
    with pytest.raises(ValueError, match="resamples is 0"):
        Resamples.of(["a"], resamples=0)
