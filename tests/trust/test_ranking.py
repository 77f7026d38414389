"""Which metric is closest to people: ranks, letters, and tests that match them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from saiten.stats.auroc import auroc
from saiten.stats.classification import balanced_accuracy, cohen_kappa
from saiten.stats.correlation import kendall, pearson, spearman, standard
from saiten.stats.dependent_correlations import swap_tests
from saiten.stats.estimate import Estimate
from saiten.stats.ranks import ranks
from saiten.trust.meta_evaluation.ranking import FIGURES, NAMES, compact_letters, rank

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


def test_metrics_that_do_not_differ_share_a_rank():
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


def test_a_check_next_to_the_metrics_corrects_none_of_them():
    """The leak check of dialogues has a row and its tests, and the others' p-values are as if it were absent."""
    noise = np.random.default_rng(5)
    columns = {"fair": COLUMNS["fair"], "near": PEOPLE + 1.6 * noise.normal(size=N), "poor": COLUMNS["poor"]}
    with_check = ranked(columns=columns | {"leak": PEOPLE + 5 * noise.normal(size=N)})
    alone = {(one.first, one.second): one.corrected for one in ranked(columns=columns).comparisons}
    checked = {(one.first, one.second): one.corrected for one in with_check.comparisons}
    assert len(checked) == 6
    for pair, p in alone.items():
        assert checked[pair] == pytest.approx(p, abs=1e-12)


def test_people_have_a_row_of_their_own():
    """It is sorted by value, without a rank."""
    found = ranked(ceiling=pearson(COLUMNS["fair"] + 0.01, PEOPLE))
    assert [place.people for place in found.places].count(True) == 1
    (people,) = [place for place in found.places if place.people]
    assert (people.rank, people.letters) == (None, "")


def test_every_comparison_is_there_with_both_tests():
    """Six pairs of four metrics; Holm's correction never lowers a p-value; Williams' test agrees on the clear ones."""
    found = ranked()
    assert len(found.comparisons) == 6
    for one in found.comparisons:
        assert one.corrected >= one.p_value
        assert one.difference == pytest.approx(
            pearson(COLUMNS[one.first], PEOPLE).value - pearson(COLUMNS[one.second], PEOPLE).value, abs=1e-9
        )
        assert (one.williams.p_value < 0.01) == one.apart


def test_two_metrics_are_tested_on_the_items_that_both_measured():
    """A metric without a figure is last, without a rank."""
    half = np.where(np.arange(N) < 100, np.nan, COLUMNS["fair"])
    found = ranked(columns={"good": COLUMNS["good"], "half": half, "constant": np.ones(N)})
    assert [one.n for one in found.comparisons] == [200]
    assert (found.places[-1].metric, found.places[-1].rank) == ("constant", None)
    assert "constant" in str(found.places[-1].figure.reason)


def test_an_easier_half_does_not_lift_a_metric():
    """A metric measured only on easy items ranks below one that beats it on the same items."""
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
SIGNS = {metric: np.sign(x) for metric, x in GRADES.items()}
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
        ("macro_f1", lambda x, y: Estimate(sk.f1_score(y, x, average="macro"), N), DECISIONS, TRUTH),
        ("macro_f1", lambda x, y: Estimate(sk.f1_score(y, x, average="macro"), N), SIGNS, np.sign(GRADED)),
    ],
)
def test_the_tested_difference_is_that_of_the_figures(by, figure, columns, people):
    """As functions of sums or recounted, they are the same figures; each finds the clear order."""
    found = ranked(by, figure, columns, people)
    for one in found.comparisons:
        expected = figure(columns[one.first], people).value - figure(columns[one.second], people).value
        assert one.difference == pytest.approx(expected, abs=1e-9)
    assert found.places[-1].metric == "poor"
    assert found.places[-1].rank == 4


def test_every_figure_has_a_name_that_can_be_asked_for():
    """The names are those that `--by` accepts."""
    assert set(NAMES) == {"pearson", "spearman", "kendall", "auroc", "agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "linear_kappa", "quadratic_kappa", "accuracy"}  # fmt: skip


@given(st.integers(1, 7), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_a_letter_is_shared_exactly_by_those_that_do_not_differ(size, pairs):
    """This holds for any pattern of differences, transitive or not."""
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


@pytest.mark.parametrize("by", ["auroc", "agreement", "kappa", "balanced_accuracy"])
def test_the_p_value_does_not_depend_on_which_class_is_called_1(by):
    """Flipped labels with flipped scores are the same question, even if nine of ten items are in one class."""
    low = np.quantile(PEOPLE, 0.1)
    truth = (low < PEOPLE).astype(float)
    columns = {name: COLUMNS[name] for name in ("good", "fair", "poor")}
    if by != "auroc":
        columns = {name: (x > np.quantile(x, 0.1)).astype(float) for name, x in columns.items()}
    figure = {"auroc": lambda x, y: auroc(y, x), "kappa": cohen_kappa}.get(by, lambda x, y: balanced_accuracy(y, x))
    same = ranked(by, figure, columns, truth)
    flipped = ranked(by, figure, {name: x.max() - x for name, x in columns.items()}, 1 - truth)
    assert [one.p_value for one in same.comparisons] == [one.p_value for one in flipped.comparisons]
    assert [one.difference for one in same.comparisons] == pytest.approx(
        [one.difference for one in flipped.comparisons], abs=1e-9
    )


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_clearly_better_auroc_is_found_whatever_the_share_of_yes(share):
    """True AUROCs of .88 and .66 on 200 items are distinguished in most worlds, equal ones in about one of twenty."""
    random = np.random.default_rng(round(100 * share))
    found = alarms = 0
    for _ in range(60):
        truth = (random.random(200) < share).astype(float)
        # normal scores whose means are √2·Φ⁻¹(AUROC) apart
        good, equal, poor = (random.normal(size=200) + apart * truth for apart in (1.662, 1.662, 0.583))
        pairs = [FIGURES["auroc"](good, x, truth) for x in (poor, equal)]
        (_, better), (_, alike) = swap_tests(pairs, [np.arange(200)] * 2, 200, permutations=200)
        found += better < 0.05
        alarms += alike < 0.05
    assert found >= 45
    assert alarms <= 8


@pytest.mark.parametrize(
    ("by", "plain"),
    [
        ("pearson", lambda x, y: np.corrcoef(x, y)[0, 1]),
        ("spearman", lambda x, y: np.corrcoef(x, y)[0, 1]),
        ("auroc", lambda x, y: 0.5 + (x[y == 1].mean() - x[y == 0].mean()) / len(x)),
        ("agreement", sk.accuracy_score),
        ("kappa", sk.cohen_kappa_score),
        ("f1", sk.f1_score),
        ("balanced_accuracy", lambda x, y: sk.balanced_accuracy_score(y, x)),
        ("quadratic_kappa", lambda x, y: sk.cohen_kappa_score(x, y, weights="quadratic", labels=range(-3, 4))),
        ("accuracy", sk.accuracy_score),
    ],
)
def test_after_a_swap_every_figure_is_that_of_the_swapped_columns(by, plain):
    """Nothing that only holds before the swap, such as the sum of all ranks, is reused."""
    graded = by == "quadratic_kappa"
    whole = by in ("pearson", "spearman", "auroc")
    x, z = (COLUMNS[name] if whole else (GRADES if graded else DECISIONS)[name] for name in ("fair", "poor"))
    truth = GRADED if graded else PEOPLE if by in ("pearson", "spearman") else (PEOPLE > -1).astype(float)
    pair = FIGURES[by](x, z, truth)
    swapped = np.random.default_rng(8).random(N // 2)[GROUPS] < 0.3
    sums = np.where(swapped[:, None], pair.second, pair.first).sum(axis=0)
    scaled = {"pearson": standard, "spearman": lambda column: standard(ranks(column)), "auroc": ranks}
    prepared = scaled.get(by, lambda column: column)
    mixed = np.where(swapped, prepared(z), prepared(x))
    people = prepared(truth) if by in ("pearson", "spearman") else truth
    assert float(pair.figure(sums)) == pytest.approx(plain(mixed, people), abs=1e-9)
