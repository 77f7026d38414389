"""Agreement among any number of annotators, compared with packages and papers."""

import warnings
from dataclasses import fields
from functools import partial

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from saiten.stats.classification import cohen_kappa as cohen_kappa_of_two
from saiten.stats.estimate import Estimate
from saiten.stats.interrater.agreement import agreement_among
from saiten.words import Message

close = partial(pytest.approx, abs=1e-9)

NAN = np.nan
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T

FLEISS_1971 = (
    "0 0 0 6 0|0 3 0 0 3|0 1 4 0 1|0 0 0 0 6|0 3 0 3 0|2 0 4 0 0|0 0 4 0 2|2 0 3 1 0|2 0 0 4 0|0 0 0 0 6|1 0 0 5 0|"
    "1 1 0 4 0|0 3 3 0 0|1 0 0 5 0|0 2 0 3 1|0 0 5 0 1|3 0 0 1 2|5 1 0 0 0|0 2 0 4 0|1 0 2 0 3|0 0 0 0 6|0 1 0 5 0|"
    "0 2 0 1 3|2 0 0 4 0|1 0 0 4 1|0 5 0 1 0|4 0 0 0 2|0 2 0 4 0|1 0 5 0 0|0 0 0 0 6"
)
"""30 patients × depression, personality disorder, schizophrenia, neurosis, other: how many of 6 psychiatrists said so."""


def tables(elements, *, least=2):
    """Tables items × annotators of these elements."""
    shapes = st.tuples(st.integers(least, 12), st.integers(2, 5))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=elements))


def among(table, clusters=None, *, named=True, **settings):
    """The figures of a table items × annotators, in which NaN is a missing cell."""
    item, annotator = np.nonzero(~np.isnan(table))
    return agreement_among(
        item.tolist(),
        table[item, annotator],
        annotator.tolist() if named else None,
        None if clusters is None else [clusters[each] for each in item],
        **({"resamples": 0} | settings),
    )


def theirs(table, level):
    """Alpha by the package, None if it has none."""
    pairable = table[(~np.isnan(table)).sum(axis=1) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) <= 1:
        return None
    return float(krippendorff.alpha(table.T, level_of_measurement=level))


@given(table=tables(st.sampled_from([NAN, NAN, 0.0, 1.0, 2.0, 4.0, 7.5])))
def test_alpha_is_that_of_the_package(table):
    """On tables with missing cells, alpha of every level is the package's; None exactly if it has none."""
    found = among(table)
    pairable = (~np.isnan(table)).sum(axis=1) >= 2
    assert found.items == pairable.sum()
    for level in ("nominal", "ordinal", "interval"):
        figure = getattr(found, level)
        if pairable.sum() < 2 or theirs(table, level) is None:
            assert figure.value is None
            assert figure.reason
        else:
            assert figure.value == close(theirs(table, level))
            assert figure.reason is None


@given(table=tables(st.integers(0, 4).map(float)))
def test_fleiss_kappa_is_that_of_statsmodels(table):
    """With equally many labels on every item, Fleiss' kappa is that of statsmodels; None for a constant table."""
    figure = among(table).fleiss
    if len(np.unique(table)) == 1:
        assert figure == Estimate(None, len(table), Message("remark", "equal_labels"), clusters=len(table))
    else:
        assert figure.value == close(float(fleiss_kappa(aggregate_raters(table)[0])))


@given(table=tables(st.sampled_from([NAN, 0.0, 1.0, 2.0, 3.0])))
def test_kappa_of_each_two_is_that_of_scikit_learn(table):
    """Cohen's kappa of each pair of annotators on the items they share, unweighted and weighted, and its mean."""
    found = among(table)
    means = {None: [], "linear": [], "quadratic": []}
    for pair in found.pairs:
        both = table[:, [pair.first, pair.second]]
        a, b = both[~np.isnan(both).any(axis=1)].T
        assert pair.kappa.n == len(a)
        assert pair.percent == close((a == b).mean())
        for weights, figure in {None: pair.kappa, "linear": pair.linear, "quadratic": pair.quadratic}.items():
            if len(a) < 2 or len({*a, *b}) == 1:
                assert figure.value is None
                assert figure.reason
            else:
                assert figure.value == close(cohen_kappa_score(a, b, labels=[0, 1, 2, 3], weights=weights))
                means[weights].append(figure.value)
    for weights, figure in {
        None: found.kappa,
        "linear": found.kappa_linear,
        "quadratic": found.kappa_quadratic,
    }.items():
        if means[weights] and found.items > 1:
            assert figure.value == close(np.mean(means[weights]))
        else:
            assert figure.value is None


@given(table=tables(st.sampled_from([-2.0, -1.0, 0.5, 1e6, 3.25])))
def test_kappa_is_that_of_two_columns(table):
    """Values of any size and distance: the same as `cohen_kappa` of two columns, which also weights by the values."""
    for pair in among(table).pairs:
        for weights, figure in {None: pair.kappa, "linear": pair.linear, "quadratic": pair.quadratic}.items():
            other = cohen_kappa_of_two(table[:, pair.first], table[:, pair.second], weights=weights)
            assert figure.value == (None if other.value is None else close(other.value))


@given(table=tables(st.sampled_from([NAN, 0.0, 1.0, 2.0]), least=3))
def test_percent_is_the_mean_over_items_of_equal_pairs(table):
    """Percent agreement, counted by hand."""
    shares = []
    for row in table:
        said = row[~np.isnan(row)]
        if len(said) > 1:
            equal = (said[:, None] == said[None, :]).sum() - len(said)
            shares.append(equal / (len(said) * (len(said) - 1)))
    found = among(table).percent
    assert found.value == (close(np.mean(shares)) if shares else None)
    assert (found.reason is None) == bool(shares)


def test_krippendorffs_four_observers():
    """Krippendorff 2011, section E: nominal .743, ordinal .815, interval .849, over 40 pairable values of 11 units."""
    found = among(KRIPPENDORFF_2011)
    assert found.items == 11
    assert [round(getattr(found, level).value, 3) for level in ("nominal", "ordinal", "interval")] == [
        0.743,
        0.815,
        0.849,
    ]
    assert "2 to 4" in str(found.fleiss.reason)


def test_fleiss_psychiatrists():
    """Fleiss 1971: 30 patients, 6 psychiatrists each, possibly others each time: kappa .430, percent .556."""
    rows = [list(map(int, row.split())) for row in FLEISS_1971.split("|")]
    table = np.array([np.repeat(np.arange(5), row) for row in rows], dtype=float)
    found = among(table, named=False)
    assert round(found.fleiss.value, 3) == 0.430
    assert round(found.percent.value, 3) == 0.556
    assert found.kappa.value is None
    assert "do not name any" in str(found.kappa.reason)
    assert found.pairs == ()


def test_the_paradox_is_visible():
    """Feinstein and Cicchetti 1990: 85 % agreement twice, kappa .70 for even and .32 for uneven base rates."""

    def two(both_yes, first_only, second_only, both_no):
        return np.repeat(
            [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [both_yes, first_only, second_only, both_no], axis=0
        )

    even, uneven = among(two(40, 9, 6, 45)), among(two(80, 10, 5, 5))
    assert even.percent.value == uneven.percent.value == close(0.85)
    assert round(even.kappa.value, 2) == 0.70
    assert round(uneven.kappa.value, 2) == 0.32
    assert uneven.by_chance.value > 0.75 > even.by_chance.value


@pytest.mark.parametrize(
    ("table", "reason", "percent"),
    [
        ([[1, NAN], [NAN, 2], [3, NAN]], "no item has labels from two annotators", None),
        (np.empty((0, 2)), "no item has labels from two annotators", None),
        ([[1, 2], [3, NAN]], "a single item", 0.0),
        ([[1, 1], [1, 1], [1, 1]], "all labels are the same", 1.0),
        ([[1, 1], [1, 1], [2, NAN]], "all labels are the same", 1.0),
    ],
)
def test_undefined_is_said(table, reason, percent):
    """Nobody to compare, one item, constant values: None and the reason, for every figure that corrects for chance."""
    found = among(np.array(table, dtype=float), resamples=50)
    assert found.percent.value == percent
    for name in ("kappa", "kappa_linear", "kappa_quadratic", "fleiss", "nominal", "ordinal", "interval"):
        figure = getattr(found, name)
        assert (figure.value, figure.low, figure.high) == (None, None, None)
        assert reason in str(figure.reason)


def test_too_many_values_are_no_categories():
    """With hundreds of different values only percent and the interval alpha are given."""
    table = np.random.default_rng(1).normal(size=(70, 1)) + np.random.default_rng(2).normal(size=(70, 3))
    found = among(table, resamples=20)
    assert found.interval.value == close(float(krippendorff.alpha(table.T, level_of_measurement="interval")))
    assert found.interval.low < found.interval.value < found.interval.high
    for figure in (found.nominal, found.ordinal, found.fleiss, found.kappa):
        assert figure.value is None
        assert "210 different values" in str(figure.reason)


def test_too_many_pairs_are_not_compared():
    """If comparing all pairs of annotators would take hours, kappa says so and alpha is there."""
    table = np.random.default_rng(4).integers(0, 3, size=(3, 4000)).astype(float)
    found = among(table)
    assert found.kappa.value is None
    assert "pairs of labels to compare" in str(found.kappa.reason)
    assert found.pairs == ()
    assert found.fleiss.value == close(float(fleiss_kappa(aggregate_raters(table)[0])))


def figures(found):
    """All estimates by name."""
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    return {name: value for name, value in values.items() if isinstance(value, Estimate)}


def test_intervals_hold_the_figure_and_come_from_the_items():
    """Every figure of a medium-sized table is within its interval; more items make it narrower."""
    random = np.random.default_rng(3)

    def table(items):
        truth = random.integers(0, 4, size=(items, 1))
        return np.where(random.random((items, 3)) < 0.6, truth, random.integers(0, 4, size=(items, 3))).astype(float)

    few, many = among(table(40), resamples=400), among(table(1000), resamples=400)
    for name, figure in figures(many).items():
        if name != "by_chance":
            assert figure.low < figure.value < figure.high
            assert figures(few)[name].high - figures(few)[name].low > 2 * (figure.high - figure.low)
    assert many.by_chance.low is None


@pytest.mark.parametrize("clustered", [False, True])
def test_the_order_of_the_rows_is_without_effect(clustered):
    """The same labels in another order give the same figures and intervals, to nearly the last bit."""
    table = np.random.default_rng(5).integers(1, 6, size=(60, 3)).astype(float)
    item, annotator = np.nonzero(~np.isnan(table))
    rows = [(f"i{i}", table[i, a], f"a{a}", f"q{i // 3}") for i, a in zip(item, annotator, strict=True)]
    turned = [rows[at] for at in np.random.default_rng(6).permutation(len(rows))]

    def run(these):
        items, values, people, questions = zip(*these, strict=True)
        found = agreement_among(items, values, people, questions if clustered else None, resamples=100)
        return [(each.value, each.low, each.high) for each in figures(found).values()]

    for one, other in zip(run(rows), run(turned), strict=True):
        assert one == tuple(None if each is None else close(each) for each in other)


def test_drawing_kinds_of_items_is_drawing_items():
    """Items with equal labels count once with a multiplicity; resampled one by one they give the same interval."""
    random = np.random.default_rng(7)
    truth = random.random((400, 1)) < 0.3
    table = (truth ^ (random.random((400, 3)) < 0.15)).astype(float)
    alike, apart = among(table, resamples=4000), among(table, list(range(400)), resamples=4000, seed=1)
    for name in ("percent", "kappa", "fleiss", "nominal"):
        one, other = getattr(alike, name), getattr(apart, name)
        assert one.value == close(other.value)
        assert one.clusters == other.clusters == 400
        assert one.low == pytest.approx(other.low, abs=0.01)
        assert one.high == pytest.approx(other.high, abs=0.01)


def test_questions_are_drawn_whole():
    """Ten items of one question with equal labels count as one: the interval is as wide as that of single items."""
    random = np.random.default_rng(8)
    single = random.integers(0, 2, size=(50, 2)).astype(float)
    tenfold = np.repeat(single, 10, axis=0)
    questions = [f"q{at // 10}" for at in range(500)]
    naive, clustered, alone = (
        among(tenfold, resamples=500),
        among(tenfold, questions, resamples=500),
        among(single, resamples=500),
    )
    assert clustered.percent.clusters == 50
    width = {
        name: each.percent.high - each.percent.low
        for name, each in (("naive", naive), ("clustered", clustered), ("alone", alone))
    }
    assert width["clustered"] == pytest.approx(width["alone"], rel=0.2)
    assert width["naive"] < 0.5 * width["clustered"]


def test_one_question_gives_no_interval():
    """All items of one question: figures without an interval, and the reason."""
    found = among(KRIPPENDORFF_2011, ["q"] * 12, resamples=50)
    assert found.nominal.value is not None
    assert found.nominal.low is None
    assert "single question" in str(found.nominal.note)


def test_an_interval_that_half_the_resamples_lack_is_not_given():
    """One disagreement in 30 items: many resamples lack it, so alpha has a value but no interval."""
    table = np.zeros((30, 2))
    table[0, 0] = 1
    found = among(table, resamples=500).nominal
    assert found.value is not None
    assert found.low is None
    assert "undefined in" in str(found.note)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["i", "i"], [1.0], ["a", "b"]), "1 values but 2 items"),
        ((["i", "i"], [1.0, 2.0], ["a"]), "2 values but 1 annotators"),
        ((["i", "i"], [1.0, 2.0], ["a", "b"], ["q"]), "2 values but 1 clusters"),
        ((["i", "i"], [1.0, float("nan")], ["a", "b"]), "is nan"),
        ((["i", "j", "i"], [1.0, 2.0, 2.0], ["a", "a", "a"]), "'a' has two labels on 'i'"),
    ],
)
def test_wrong_columns_are_refused(arguments, message):
    """An invalid table is an error that names the position."""
    with pytest.raises(ValueError, match=message):
        agreement_among(*arguments)


def test_huge_and_tiny_values_do_no_harm():
    """Values near the limits of a float give no warning, no NaN, no infinity."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1e300, 1e-300):
            found = among(scale * np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]]), resamples=50)
            assert found.interval.value == close(found.nominal.value)


def test_of_many_pairs_the_extremes_are_listed():
    """Of more than 300 pairs, the lowest and the highest kappas are listed, and the spread and the mean are of all."""
    table = np.random.default_rng(0).integers(0, 3, (12, 30)).astype(float)
    found = among(table, range(12), resamples=20)
    every = sorted(
        cohen_kappa_of_two(table[:, first], table[:, second]).value for first in range(30) for second in range(first)
    )
    assert [pair.kappa.value for pair in found.pairs] == close([*every[:10], *every[-10:]])
    assert (found.spread.pairs, found.spread.defined) == (435, 435)
    assert found.spread.quantiles == close(np.quantile(every, (0, 0.1, 0.5, 0.9, 1)).tolist())
    assert found.kappa.value == close(np.mean(every))
    assert found.kappa.low < found.kappa.value < found.kappa.high
    for pair in found.pairs:
        (two,) = among(table[:, [pair.first, pair.second]], range(12), resamples=20).pairs
        assert (pair.kappa.low, pair.kappa.high) == close((two.kappa.low, two.kappa.high))


def test_of_far_too_many_pairs_only_the_listed_are_drawn():
    """Of more than 5,000 pairs, the listed ones have their intervals, and the mean kappa says why it has none."""
    table = np.random.default_rng(0).integers(0, 3, (12, 110)).astype(float)
    found = among(table, range(12), resamples=20)
    assert found.spread.pairs == 5995
    assert found.kappa.value is not None
    assert (found.kappa.low, found.kappa.note) == (None, Message("remark", "many_annotator_pairs", n=5_000))
    assert found.nominal.low is not None
    for pair in found.pairs:
        (two,) = among(table[:, [pair.first, pair.second]], range(12), resamples=20).pairs
        assert (pair.kappa.low, pair.kappa.high) == close((two.kappa.low, two.kappa.high))


def test_each_annotator_is_compared_with_all_others():
    """With too many pairs to list, the share of others' labels that equal an annotator's is counted, the lowest first."""
    table = np.random.default_rng(1).integers(0, 2, (6, 27)).astype(float)
    table[0, 3] = NAN
    table[0, 5] = 9.0
    assert not among(table[:, :25]).people  # 300 pairs are listed
    found = among(table).people
    assert [each.percent for each in found] == sorted(each.percent for each in found)
    assert {each.annotator: each.items for each in found} == {one: 6 - (one == 3) for one in range(27)}
    for each in found:
        known = ~np.isnan(table[:, each.annotator])
        others = np.delete(table, each.annotator, axis=1)[known]
        equal = (others == table[known, each.annotator][:, None]).sum()
        assert each.percent == close(equal / (~np.isnan(others)).sum())
