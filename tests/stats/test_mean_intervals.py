import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from saiten.stats.clusters import CHUNK, DEALT, dealt, draws
from saiten.stats.estimate import _student, bootstrap_mean


def coverage(clusters, size, *, labeled=True, runs=300):
    """How often the interval contains the true mean 0, for values that share half their variance within a cluster."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(runs):
        values = (rng.normal(size=(clusters, 1)) + rng.normal(size=(clusters, size))).ravel()
        labels = np.repeat(np.arange(clusters), size).tolist() if labeled else None
        interval = bootstrap_mean(values, labels, resamples=500)
        hits += interval.low <= 0 <= interval.high
    return hits / runs


@pytest.mark.parametrize("clusters", [8, 15, 40])
def test_the_interval_holds_the_truth_as_often_as_it_says(clusters):
    """Simulated coverage of a 95 % interval is near 95 %, from 8 clusters on; 300 runs leave ±2.5 %."""
    assert 0.92 <= coverage(clusters, 4) <= 0.98


def test_without_clusters_the_interval_would_be_far_too_narrow():
    """Four answers to one question are not four questions: resampled one by one they promise too much."""
    assert coverage(15, 4, labeled=False) < 0.85


def test_it_agrees_with_the_textbook_where_that_is_right():
    """For 400 independent values the interval is mean ± 1.97 standard errors."""
    values = np.random.default_rng(0).normal(3, 2, size=400)
    interval = bootstrap_mean(values, resamples=4_000)
    half = 1.966 * values.std(ddof=1) / 20
    assert interval.value == pytest.approx(values.mean())
    assert [interval.low, interval.high] == pytest.approx([values.mean() - half, values.mean() + half], abs=0.02)
    assert (interval.n, interval.clusters, interval.note) == (400, 400, None)


@given(
    rows=st.lists(st.tuples(st.floats(0, 1), st.sampled_from("pqrstuvw")), min_size=2, max_size=30), order=st.randoms()
)
def test_neither_order_nor_labels_matter(rows, order):
    """The same values in another order, with other names for the clusters, give the same bits."""
    shuffled = list(rows)
    order.shuffle(shuffled)
    one = bootstrap_mean([v for v, _ in rows], [c for _, c in rows], resamples=50)
    other = bootstrap_mean([v for v, _ in shuffled], [ord(c) for _, c in shuffled], resamples=50)
    assert one == other


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9)), min_size=1, max_size=40))
def test_the_interval_stays_within_the_values(rows):
    """A share never gets an interval below 0 or above 1, and the mean is inside."""
    values, clusters = zip(*rows, strict=True)
    interval = bootstrap_mean(values, clusters, resamples=200)
    if interval.low is None:
        assert interval.high is None
        assert interval.note
    else:
        assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


def test_a_larger_cluster_weighs_more():
    """The mean is over values, not over clusters."""
    assert bootstrap_mean([1, 1, 1, 0], ["a", "a", "a", "b"]).value == 0.75


def test_the_seed_decides():
    """The same seed repeats the interval, another one shifts it a little."""
    values = np.random.default_rng(3).random(50)
    assert bootstrap_mean(values) == bootstrap_mean(values)
    assert bootstrap_mean(values).low != bootstrap_mean(values, seed=1).low


@pytest.mark.parametrize(
    ("values", "clusters", "mean", "note"),
    [
        ([], None, None, "no values"),
        ([0.5], None, 0.5, "single question"),
        ([0.1, 0.9], ["q", "q"], 0.5, "single question"),
        ([1, 1, 1], None, 1.0, "same mean"),
        ([0, 1, 1, 0], ["a", "a", "b", "b"], 0.5, "same mean"),
        ([0.1 + 0.2, 0.3], None, 0.3, "same mean"),
    ],
)
def test_no_interval_is_made_up(values, clusters, mean, note):
    """One cluster, or clusters that do not differ, say nothing about spread: no interval, and a note."""
    interval = bootstrap_mean(values, clusters)
    assert (interval.low, interval.high) == (None, None)
    assert interval.value == pytest.approx(mean) if mean is not None else interval.value is None
    assert note in str(interval.reason or interval.note)


def test_few_clusters_are_said_to_be_few():
    """Below six clusters no resampling reaches 95 %, so the interval comes with a warning."""
    assert "too narrow" in str(bootstrap_mean([0.1, 0.5, 0.9]).note)
    assert bootstrap_mean([0.1, 0.5, 0.9, 0.2, 0.3, 0.4]).note is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [0.1, float("nan")]}, r"values\[1\] is nan"),
        ({"values": [0.1, float("inf")]}, r"values\[1\] is inf"),
        ({"values": [0.1, 0.2], "clusters": ["a"]}, "2 values but 1 cluster"),
        ({"values": [0.1], "resamples": 0}, "resamples is 0"),
        ({"values": [[0.1, 0.2]]}, "flat sequence"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    """What cannot be averaged is named, not hidden in a NaN."""
    with pytest.raises(ValueError, match=message):
        bootstrap_mean(**arguments)


def test_memory_is_bounded():
    """For any number of clusters and resamples, the draws come in chunks."""
    shapes = [drawn.shape for drawn in draws(10_000, 1_000, seed=0)]
    assert sum(rows for rows, _ in shapes) == 1_000
    assert max(rows * columns for rows, columns in shapes) <= CHUNK


@pytest.mark.parametrize("freedom", [5, 7, 10, 30, 1000])
@pytest.mark.parametrize("z", [1.644854, 1.959964, 2.575829])
def test_students_quantile(freedom, z):
    """The expansion is within 1 % of SciPy's from 5 degrees of freedom on, for intervals up to 99 %."""
    tail = {1.644854: 0.95, 1.959964: 0.975, 2.575829: 0.995}[z]
    assert _student(z, freedom) == pytest.approx(student.ppf(tail, freedom), rel=1e-2)


def test_many_clusters_are_drawn_in_heaps_and_the_interval_is_as_wide():
    """For 70,000 questions with one to three answers the interval is that of the textbook, whatever their order."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 4, size=70_000)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.exponential(size=len(sizes))[labels] + rng.normal(size=len(labels))
    interval = bootstrap_mean(values, labels)
    sums = np.bincount(labels, values - values.mean())
    half = 1.96 * np.sqrt((sums**2).sum()) / len(values)
    assert (interval.high - interval.low) / 2 == pytest.approx(half, rel=0.06)
    assert (interval.high + interval.low) / 2 == pytest.approx(values.mean(), abs=half / 10)
    assert interval.clusters == 70_000
    order = rng.permutation(len(values))
    again = bootstrap_mean(values[order], 100_000 - labels[order])
    assert (again.low, again.high) == (interval.low, interval.high)


def test_dealing_changes_no_total_and_leaves_few_clusters_alone():
    """Heaps hold every cluster once."""
    count = 2 * DEALT + 5
    columns = np.arange(3.0 * count).reshape(3, count)
    heaps = np.array(dealt(columns, count, 0))
    assert heaps.shape == (3, DEALT)
    assert heaps.sum(axis=1) == pytest.approx(columns.sum(axis=1))
    assert np.array_equal(dealt(columns[:, :DEALT], DEALT, 0), columns[:, :DEALT])
