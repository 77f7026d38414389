"""Tests of the difference of two figures over the same items: published values, exact counts, error rates."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

from saiten.stats.classification import macro_f1_each, weighted_kappa_each
from saiten.stats.correlation import kendall_each, moments, pearson_of
from saiten.stats.dependent_correlations import SummedPair, bootstrap_test, swap_tests, williams, williams_test
from saiten.stats.resampling import Resamples


@pytest.fixture
def random():
    """The same draws in any order of the tests."""
    return np.random.default_rng(11)


def p_values_of(pairs, **settings):
    """The p-values of the swap tests of Pearson's correlation of (first, second, people, groups)."""
    summed, groups = [], []
    for first, second, people, *of in pairs:
        a, b, y = (np.asarray(column, dtype=float) for column in (first, second, people))
        summed.append(SummedPair(moments(a, y), moments(b, y), pearson_of))
        groups.append(np.asarray(of[0] if of else np.arange(len(y))))
    clusters = max(int(each.max()) + 1 for each in groups)
    return [p for _, p in swap_tests(summed, groups, clusters, **settings)]


def test_williams_has_the_published_value():
    """The example in the documentation of R's `psych::r.test`: "t value -0.89 with probability < 0.37"."""
    found = williams_test(0.4, 0.5, 0.1, 103)
    assert (found.t, found.p_value) == pytest.approx((-0.89, 0.37), abs=0.01)


def test_williams_is_the_formula_on_the_columns(random):
    """It uses the columns' three correlations, and Student's distribution with n - 3 degrees of freedom, to 1e-9."""
    people = random.normal(size=50)
    first, second = people + random.normal(size=50), people + 2 * random.normal(size=50)
    table = np.corrcoef([people, first, second])
    r12, r13, r23 = table[0, 1], table[0, 2], table[1, 2]
    below = 2 * 49 / 47 * np.linalg.det(table) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    t = (r12 - r13) * np.sqrt(49 * (1 + r23) / below)
    found = williams(first, second, people)
    assert found.t == pytest.approx(t, abs=1e-9)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 47), abs=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "people", "reason"),
    [
        ([1, 2, 3], [1, 3, 2], [1, 2, 3], "3 items are too few"),
        ([1, 1, 1, 1], [1, 3, 2, 4], [1, 2, 3, 4], "constant"),
        ([1, 2, 3, 5], [2, 4, 6, 10], [1, 2, 3, 4], "the same except for their scale"),
    ],
)
def test_what_williams_cannot_say_is_said(first, second, people, reason):
    """Too few, constant, or the same metric twice: a reason and no number."""
    found = williams(first, second, people)
    assert (found.t, found.p_value) == (None, None)
    assert reason in str(found.reason)


def test_the_swap_test_counts_what_all_swaps_would():
    """On seven items the p-value comes close to the one over all 128 swaps."""
    people = np.array([1.0, 2, 3, 4, 5, 6, 7])
    first, second = np.array([1.0, 2, 3, 4, 5, 7, 6]), np.array([4.0, 1, 2, 7, 3, 6, 5])

    def difference(swapped):
        a, b = np.where(swapped, second, first), np.where(swapped, first, second)
        return abs(np.corrcoef(a, people)[0, 1] - np.corrcoef(b, people)[0, 1])

    seen = difference(np.zeros(7, dtype=bool))
    exact = np.mean([difference(np.array(swap)) >= seen - 1e-9 for swap in product([False, True], repeat=7)])
    (found,) = p_values_of([(first, second, people)], permutations=20_000)
    assert found == pytest.approx(exact, abs=0.012)


def test_swapping_by_question_keeps_a_question_together():
    """Five copies of every item in one question add no information: the p-value stays, which by item would fall."""
    random = np.random.default_rng(0)  # a world in which chance makes such a difference in one of five
    people = random.normal(size=20)
    first, second = people + random.normal(size=20), people + 1.6 * random.normal(size=20)
    (once,) = p_values_of([(first, second, people)])
    many = [np.repeat(column, 5) for column in (first, second, people)]
    (kept,) = p_values_of([(*many, np.repeat(np.arange(20), 5))])
    (torn,) = p_values_of([many])
    assert kept == pytest.approx(once, abs=1e-12)
    assert torn < 0.05 < once


def test_the_swap_test_keeps_its_level(random):
    """Two equally good metrics are found to differ in about one of twenty worlds, even with copies in a question."""
    false_alarms = 0
    for _ in range(200):
        people = np.repeat(random.normal(size=40), 2)
        noise = np.repeat(random.normal(size=(2, 40)), 2, axis=1)
        pair = (people + noise[0], people + noise[1], people, np.arange(80) // 2)
        (p,) = p_values_of([pair], permutations=200)
        false_alarms += p <= 0.05
    assert 2 <= false_alarms <= 20


def test_the_same_metric_twice_does_not_differ(random):
    """Without any difference the p-value is 1, and the smallest possible one is never 0."""
    people = random.normal(size=30)
    far = (people, random.normal(size=30), people)
    same, apart = p_values_of([(people, people, people), far], permutations=500)
    assert same == 1
    assert apart == pytest.approx(1 / 501)


FIGURES = {
    "kendall": (kendall_each, lambda x, y: stats.kendalltau(x, y).statistic),
    "linear kappa": (
        partial(weighted_kappa_each, weights="linear"),
        lambda x, y: cohen_kappa_score(x.astype(int), y.astype(int), weights="linear"),
    ),
    "macro F1": (partial(macro_f1_each, kinds=np.arange(1.0, 6)), lambda x, y: f1_score(y, x, average="macro")),
}


def graded(random, n, *noise):
    """Human grades, and those of judges that err by up to this many steps."""
    people = random.integers(1, 6, n).astype(float)
    return people, *(np.clip(people + random.integers(-most, most + 1, n), 1, 5) for most in noise)


@pytest.mark.parametrize("name", FIGURES)
def test_the_bootstrap_test_is_that_of_the_rows_written_out(name, random):
    """Each resample's rows repeated, the figure by scipy or scikit-learn, the spread of the difference, Student's t."""
    people, first, second = graded(random, 30, 1, 2)
    resamples = Resamples.of([n // 2 for n in range(30)], resamples=60, seed=5)
    each, plain = FIGURES[name]
    drawn = [resamples.each(each(x, people)) for x in (first, second)]
    apart = []
    for weights in np.concatenate([counts[:, resamples.groups] for counts in resamples.counts()]).astype(int):
        x, y, z = (np.repeat(column, weights) for column in (first, second, people))
        apart.append(plain(x, z) - plain(y, z))
    assert drawn[0] - drawn[1] == pytest.approx(np.array(apart), abs=1e-9)
    difference = plain(first, people) - plain(second, people)
    t = difference / (np.std(apart, ddof=1) * np.sqrt(15 / 14))
    assert bootstrap_test(difference, *drawn, 15) == pytest.approx(2 * stats.t.sf(abs(t), 14), abs=1e-9)


@pytest.mark.parametrize("clusters", [12, 40])
@pytest.mark.parametrize("name", FIGURES)
def test_the_bootstrap_test_keeps_its_level_and_finds_what_is_there(name, clusters):
    """Equally good judges are found to differ in about one of twenty worlds; how often a much better one is found
    depends on the number of questions.
    """
    random, (each, _) = np.random.default_rng(clusters), FIGURES[name]
    resamples = Resamples.of([n // 2 for n in range(2 * clusters)], resamples=200)
    alarms, found = 0, 0
    for _ in range(150):
        people, first, second, poor = graded(random, 2 * clusters, 1, 1, 4)
        values = [each(x, people) for x in (first, second, poor)]
        whole = [float(value(np.ones((1, 2 * clusters)))[0]) for value in values]
        drawn = [resamples.each(value) for value in values]
        alarms += (bootstrap_test(whole[0] - whole[1], drawn[0], drawn[1], clusters) or 0) <= 0.05
        found += (bootstrap_test(whole[0] - whole[2], drawn[0], drawn[2], clusters) or 1) <= 0.05
    assert 1 <= alarms <= 15
    few, many = (40, 110) if name == "macro F1" else (95, 145)  # equality carries less information
    assert found >= {12: few, 40: many}[clusters]


def test_the_bootstrap_test_says_nothing_where_there_is_nothing_to_say():
    """One cluster, figures that are mostly undefined; the same metric twice does not differ."""
    same = np.linspace(0, 1, 100)
    assert bootstrap_test(0.0, same, same, 20) == 1.0
    assert bootstrap_test(0.1, same, same[::-1], 1) is None
    assert bootstrap_test(0.1, np.where(same < 0.2, np.nan, same), same[::-1], 20) is None
    assert bootstrap_test(0.1, np.empty(0), np.empty(0), 20) is None
    assert bootstrap_test(0.1, same, same, 20) is None


def test_an_undefined_figure_has_no_p_value():
    """A constant metric."""
    assert p_values_of([([1, 1, 1], [1, 2, 3], [1, 2, 3])]) == [None]


def test_columns_of_different_items_are_refused():
    """They must be about the same items."""
    with pytest.raises(ValueError, match="must be of the same items"):
        swap_tests([SummedPair(np.ones((3, 6)), np.ones((2, 6)), pearson_of)], [np.arange(3)], 3)
