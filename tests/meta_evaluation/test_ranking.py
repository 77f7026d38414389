"""Which metric is closest to people: ranks, letters, and tests that match them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.meta_evaluation.ranking import NAMES, compact_letters, rank
from saiten.stats import auroc, balanced_accuracy, cohen_kappa, kendall, pearson, spearman

RANDOM = np.random.default_rng(2)
N = 300
PEOPLE = RANDOM.normal(size=N)
GROUPS = np.arange(N) // 2
COLUMNS = {
    "poor": PEOPLE + 6 * RANDOM.normal(size=N),
    "good": PEOPLE + RANDOM.normal(size=N) / 2,
    "twin": None,
    "fair": PEOPLE + 1.5 * RANDOM.normal(size=N),
}
COLUMNS["twin"] = COLUMNS["good"] + RANDOM.normal(size=N) / 50


def ranked(by="pearson", figure=pearson, columns=COLUMNS, people=PEOPLE, **settings):
    """The ranking of columns."""
    figures = {metric: figure(x[~np.isnan(x)], people[~np.isnan(x)]) for metric, x in columns.items()}
    return rank(by, figures, columns, people, GROUPS, **settings)


def test_metrics_that_are_not_apart_share_a_rank():
    """The best and its twin are first, the next is third."""
    found = ranked()
    assert {place.metric: place.rank for place in found.places} == {"good": 1, "twin": 1, "fair": 3, "poor": 4}
    assert {place.metric: place.letters for place in found.places} == {
        "good": "a",
        "twin": "a",
        "fair": "b",
        "poor": "c",
    }
    assert [place.figure.value for place in found.places] == sorted(
        (p.figure.value for p in found.places), reverse=True
    )


def test_people_have_a_row_of_their_own():
    """Placed by value, without a rank."""
    found = ranked(ceiling=pearson(COLUMNS["fair"] + 0.01, PEOPLE))
    assert [place.people for place in found.places].count(True) == 1
    (people,) = [place for place in found.places if place.people]
    assert (people.rank, people.letters) == (None, "")


def test_every_comparison_is_there_with_both_tests():
    """Six pairs of four metrics, Holm's correction never lowers a p-value, and Williams' test agrees about the clear ones."""
    found = ranked()
    assert len(found.comparisons) == 6
    for one in found.comparisons:
        assert one.corrected >= one.p_value
        assert one.difference == pytest.approx(
            pearson(COLUMNS[one.first], PEOPLE).value - pearson(COLUMNS[one.second], PEOPLE).value, abs=1e-9
        )
        assert (one.williams.p_value < 0.01) == one.apart


def test_two_metrics_are_tested_on_the_items_that_both_measured():
    """And a metric without a figure is last, without a rank."""
    half = np.where(np.arange(N) < 100, np.nan, COLUMNS["fair"])
    found = ranked(columns={"good": COLUMNS["good"], "half": half, "constant": np.ones(N)})
    assert [one.n for one in found.comparisons] == [200]
    assert (found.places[-1].metric, found.places[-1].rank) == ("constant", None)
    assert "constant" in found.places[-1].figure.reason


def test_an_easier_half_does_not_lift_a_metric():
    """A metric that was measured only where it is easy stands below one that beats it on the same items."""
    random = np.random.default_rng(0)
    hard = random.random(N) < 0.5
    people = np.where(hard, 0.2, 3.0) * random.normal(size=N)
    lucky = np.where(hard, np.nan, people + random.normal(size=N))
    solid = people + random.normal(size=N) * np.where(hard, 4.0, 0.3)
    found = ranked(columns={"lucky": lucky, "solid": solid}, people=people)
    first, second = found.places
    assert (first.metric, first.rank, second.metric, second.rank) == ("solid", 1, "lucky", 2)
    assert first.figure.value < second.figure.value


DECISIONS = {metric: (x > 0).astype(float) for metric, x in COLUMNS.items()}
TRUTH = (PEOPLE > 0).astype(float)
GRADES = {metric: np.clip(np.round(x), -3, 3) for metric, x in COLUMNS.items()}
GRADED = np.clip(np.round(PEOPLE), -3, 3)


@pytest.mark.parametrize(
    ("by", "figure", "columns", "people"),
    [
        ("spearman", spearman, COLUMNS, PEOPLE),
        ("kendall", kendall, COLUMNS, PEOPLE),
        ("linear_kappa", lambda x, y: cohen_kappa(x, y, weights="linear"), GRADES, GRADED),
        ("quadratic_kappa", lambda x, y: cohen_kappa(x, y, weights="quadratic"), GRADES, GRADED),
        ("auroc", lambda x, y: auroc(y, x), COLUMNS, TRUTH),
        ("kappa", cohen_kappa, DECISIONS, TRUTH),
        ("balanced_accuracy", lambda x, y: balanced_accuracy(y, x), DECISIONS, TRUTH),
    ],
)
def test_the_tested_difference_is_that_of_the_figures(by, figure, columns, people):
    """As functions of sums, or recounted, they are the same figures; the clear order is found by each."""
    found = ranked(by, figure, columns, people)
    for one in found.comparisons:
        expected = figure(columns[one.first], people).value - figure(columns[one.second], people).value
        assert one.difference == pytest.approx(expected, abs=1e-9)
    assert found.places[-1].metric == "poor"
    assert found.places[-1].rank == 4


def test_every_figure_has_a_name_that_can_be_asked_for():
    """The names are what `--by` takes."""
    assert set(NAMES) == {"pearson", "spearman", "kendall", "auroc", "agreement", "kappa", "f1", "balanced_accuracy", "linear_kappa", "quadratic_kappa", "accuracy"}  # fmt: skip


@given(st.integers(1, 7), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_a_letter_is_shared_exactly_by_those_that_are_not_apart(size, pairs):
    """For any pattern of differences, transitive or not."""
    names = [f"m{i}" for i in range(size)]
    different = {frozenset((f"m{a}", f"m{b}")) for a, b in pairs if a != b}
    letters = compact_letters(names, lambda a, b: frozenset((a, b)) in different)
    assert all(letters[name] for name in names)
    for a, b in combinations(names, 2):
        assert bool(set(letters[a]) & set(letters[b])) == (frozenset((a, b)) not in different)


def test_one_metric_is_first():
    """There is nothing to compare it with."""
    found = ranked(columns={"good": COLUMNS["good"]})
    assert [(place.rank, place.letters) for place in found.places] == [(1, "a")]
    assert found.comparisons == ()
