"""Every figure of a meta-evaluation compared with scipy and scikit-learn, and the reasons for missing ones."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from saiten.errors import ConfigurationError
from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.inputs.scales import grades as rounded
from saiten.trust.meta_evaluation.levels import system_level
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

RANDOM = np.random.default_rng(5)
N = 60
QUALITY = RANDOM.normal(size=N)
ITEMS = {f"i{i:02}": Place(f"q{i // 4}", f"s{i % 4}") for i in range(N)}
QUICK = Settings(resamples=200)


def close(expected):
    """Equal to 1e-9."""
    return pytest.approx(expected, abs=1e-9)


def world(labels, **outputs):
    """The result for these columns; a label may be a list, one per annotator; an output may be a status."""
    ids = list(ITEMS)
    said = [
        Label(ids[i], float(value), f"a{a}")
        for i, values in enumerate(labels)
        for a, value in enumerate(values if isinstance(values, list) else [values])
    ]
    given_ = [Output(ids[i], metric, value) for metric, values in outputs.items() for i, value in enumerate(values)]
    return pair(ITEMS, given_, said)


def evaluated(labels, setup=QUICK, bounds=None, **outputs):
    """The only aspect of a meta-evaluation."""
    (found,) = meta_evaluate(world(labels, **outputs), setup, bounds=bounds).aspects
    return found


def only(found):
    """Its only metric."""
    (metric,) = found.metrics
    return metric


GRADES = np.clip(np.round(QUALITY + 2.5 + np.random.default_rng(6).normal(size=N) / 2), 0, 5)
VERDICTS = (QUALITY + np.random.default_rng(6).normal(size=N) / 2 > 0).astype(float)
SHARES = 1 / (1 + np.exp(-QUALITY - np.random.default_rng(6).normal(size=N)))
JUDGED = np.clip(np.round(QUALITY + 2.5 + np.random.default_rng(6).normal(size=N)), 0, 5)


def test_correlations_over_items_are_scipys():
    """Pearson, Spearman, Kendall's tau-b, each inside its interval."""
    items = only(evaluated(GRADES, m=SHARES)).items
    for ours, theirs in (
        (items.pearson, stats.pearsonr),
        (items.spearman, stats.spearmanr),
        (items.kendall, stats.kendalltau),
    ):
        assert ours.value == close(theirs(SHARES, GRADES).statistic)
        assert ours.low < ours.value < ours.high
        assert (ours.n, ours.clusters) == (N, 15)


def test_decisions_are_scikit_learns():
    """Verdicts compared with verdicts, and the AUROC of a finer score."""
    said = (SHARES >= 0.5).astype(float)
    for metric, column in (("verdicts", said), ("shares", SHARES)):
        found = only(evaluated(VERDICTS, **{metric: column})).decisions
        assert found.agreement.value == close(sk.accuracy_score(VERDICTS, said))
        assert found.kappa.value == close(sk.cohen_kappa_score(VERDICTS, said))
        assert found.f1.value == close(sk.f1_score(VERDICTS, said))
        assert found.macro_f1.value == close(sk.f1_score(VERDICTS, said, average="macro"))
        assert found.balanced_accuracy.value == close(sk.balanced_accuracy_score(VERDICTS, said))
        assert found.auroc.value == close(sk.roc_auc_score(VERDICTS, column))
        assert np.array_equal(found.confusion.counts, sk.confusion_matrix(VERDICTS, said))
        for figure in (found.agreement, found.kappa, found.f1, found.macro_f1, found.balanced_accuracy, found.auroc):
            assert figure.low < figure.value < figure.high
    assert str(found.rule) == "yes if at least 0.5"


def test_grades_are_compared_as_grades():
    """Exact agreement and weighted kappa equal scikit-learn's over all grades of the scale."""
    found = only(evaluated(GRADES, marks=JUDGED, bounds={"marks": (0, 5)})).grades
    every = list(range(6))
    assert found.agreement.value == close(sk.accuracy_score(GRADES, JUDGED))
    assert found.linear_kappa.value == close(sk.cohen_kappa_score(GRADES, JUDGED, weights="linear", labels=every))
    assert found.quadratic_kappa.value == close(sk.cohen_kappa_score(GRADES, JUDGED, weights="quadratic", labels=every))
    assert found.macro_f1.value == close(sk.f1_score(GRADES, JUDGED, average="macro"))
    for figure in (found.agreement, found.linear_kappa, found.quadratic_kappa, found.macro_f1):
        assert figure.low < figure.value < figure.high


def test_halves_are_rounded_alike_on_both_sides_of_0():
    """On a scale from -1 to 1 a tie between 0 and a fault goes to the fault, whichever it is."""
    assert rounded(np.array([-1.5, -0.5, -0.4, 0.0, 0.4, 0.5, 1.5, 4.5])).tolist() == [-2, -1, 0, 0, 0, 1, 2, 5]


def test_a_threshold_makes_decisions_of_grades():
    """It applies to people and to a metric on the same scale; on another scale there is only the AUROC."""
    setup = dataclasses.replace(QUICK, yes_from=3.0)
    found = evaluated(GRADES, setup, {"marks": (0, 5)}, marks=JUDGED, shares=SHARES)
    same, other = (one.decisions for one in found.metrics)
    assert same.kappa.value == close(sk.cohen_kappa_score(GRADES >= 3, JUDGED >= 3))
    assert other.kappa.value is None
    assert "no decision: the metric's scale is 0 to 1, but the labels' is 0 to 5" in str(other.rule)
    assert other.auroc.value == close(sk.roc_auc_score(GRADES >= 3, SHARES))
    assert only(evaluated(GRADES, m=JUDGED)).decisions is None


def test_people_decide_by_majority_and_a_split_is_no_verdict():
    """Three of four say yes: yes; two of four: left out and counted."""
    labels = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
    found = only(evaluated(labels, m=[1, 0, 1, 0])).decisions
    assert (found.n, found.split) == (3, 1)
    assert found.confusion.counts == ((1, 0), (1, 1))


@pytest.mark.parametrize(
    ("unmeasured", "n", "agreement"), [("left-out", 2, 1.0), ("wrong", 4, 0.5), ("worst", 4, 0.75), ("tie", 2, 1.0)]
)
def test_what_was_not_measured_can_count_as_wrong(unmeasured, n, agreement):
    """By default it is left out and counted; a second view counts it as wrong, or as a no."""
    labels, said = [1, 0, 1, 0], [1.0, 0.0, "unreadable", "failed"]
    one = only(evaluated(labels, dataclasses.replace(QUICK, unmeasured=unmeasured), m=said))
    assert one.missing == {"unreadable": 1, "failed": 1}
    assert (one.decisions.n, one.decisions.agreement.value) == (n, agreement)
    assert one.decisions.filled == n - 2


def test_bias_is_the_mean_difference_on_a_common_scale():
    """Overall, by system, by human grade; the parts add up to the whole."""
    found = only(evaluated(GRADES, m=JUDGED, bounds={"m": (0, 5)})).bias
    assert found.overall.value == close((JUDGED - GRADES).mean())
    assert found.overall.low < found.overall.value < found.overall.high
    assert dict(found.systems)["s1"].value == close((JUDGED - GRADES)[1::4].mean())
    assert dict(found.grades)["2"].value == close((JUDGED - GRADES)[GRADES == 2].mean())
    for parts in (found.systems, found.grades):
        assert sum(part.value * part.n for _, part in parts) == close((JUDGED - GRADES).sum())


@pytest.mark.parametrize(
    ("column", "bounds"),
    [(SHARES, None), (JUDGED, {"m": (0, np.inf)}), (JUDGED * 20, {"m": (0, 1000)}), (JUDGED * 20, None)],
)
def test_no_bias_across_scales(column, bounds):
    """A share is not a grade, nor is a length: the reason names both scales. A wider declared scale is used as is."""
    found = only(evaluated(GRADES, m=column, bounds=bounds)).bias
    if bounds == {"m": (0, 1000)}:
        assert found.overall.value is not None
    else:
        assert found.overall.value is None
        assert "the labels' is 0 to 5" in str(found.overall.reason)
        assert found.systems == found.grades == ()


def test_systems_are_ordered_by_their_means():
    """Tau-b is scipy's over the means; ordered pairs are counted."""
    level = only(evaluated(GRADES, m=SHARES)).systems
    x, y = ([column[i::4].mean() for i in range(4)] for column in (SHARES, GRADES))
    assert level.systems == ("s0", "s1", "s2", "s3")
    assert (level.metric, level.people) == (close(x), close(y))
    assert level.kendall.value == close(stats.kendalltau(x, y).statistic)
    assert level.pearson.value == close(stats.pearsonr(x, y).statistic)
    assert (
        level.pairs.agree
        + level.pairs.disagree
        + level.pairs.tied_metric
        + level.pairs.tied_people
        + level.pairs.tied_both
        == 6
    )
    assert level.pairs.ordered.value == close((level.pairs.agree + level.pairs.tied_both) / 6)
    assert level.pairs.ordered.low <= level.pairs.ordered.value <= level.pairs.ordered.high


def test_a_tie_of_one_side_is_no_agreement():
    """Both tie s0 and s1: right. Only people tie s2 and s3: wrong."""
    systems = ["s0", "s1", "s2", "s3"] * 2
    level = system_level(
        np.array([1.0, 1, 2, 3] * 2), np.array([1.0, 1, 2, 2] * 2), systems, Resamples.of("aaaabbbb", resamples=50)
    )
    assert (
        level.pairs.agree,
        level.pairs.disagree,
        level.pairs.tied_metric,
        level.pairs.tied_people,
        level.pairs.tied_both,
    ) == (4, 0, 0, 1, 1)
    assert level.pairs.ordered.value == close(5 / 6)
    assert level.kendall.value == close(stats.kendalltau([1, 1, 2, 3], [1, 1, 2, 2]).statistic)


@pytest.mark.parametrize(
    ("systems", "says"),
    [
        ([None, None, None], "no system is named"),
        (["a", "a", None], "one system"),
        (["a", "b", "b"], "2 systems; 3 are"),
    ],
)
def test_fewer_than_three_systems_have_no_order(systems, says):
    """The reason says so, and no figure is made up."""
    level = system_level(np.arange(3.0), np.arange(3.0), systems, Resamples.of("abc", resamples=50))
    assert level.kendall.value is level.pairs.ordered.value is level.pearson.value is None
    assert says in str(level.kendall.reason)


def test_people_can_be_taken_over_all_that_they_rated():
    """With `systems_over=all` an item without a value counts in the human mean; by default both use the same items."""
    people = [[value] for value in [3.0, 1.0, 2.0, 2.0, 9.0, 1.0] * 4]
    items = {f"i{n:02}": Place(f"q{n // 6}", "abc"[n % 3]) for n in range(24)}
    outputs = [Output(f"i{n:02}", "m", "failed" if n % 6 == 4 else float(n % 3)) for n in range(24)]
    labels = [Label(f"i{n:02}", people[n][0], "p") for n in range(24)]
    found = {}
    for over in ("common", "all"):
        (aspect,) = meta_evaluate(pair(items, outputs, labels), dataclasses.replace(QUICK, systems_over=over)).aspects
        found[over] = aspect.metrics[0].systems
        assert aspect.metrics[0].items.pearson.n == 20
    assert found["common"].people == close((2.5, 1.0, 1.5))
    assert found["all"].people == close((2.5, 5.0, 1.5))
    assert found["all"].metric == found["common"].metric == (0.0, 1.0, 2.0)
    for over, level in found.items():
        assert level.kendall.value == close(stats.kendalltau([0, 1, 2], level.people).statistic), over
        assert level.kendall.clusters == 4


def test_over_all_equals_over_common_where_nothing_is_missing():
    """Even the intervals are equal; a system without measurements is left out, not ordered."""
    metric, people, systems = RANDOM.normal(size=40), RANDOM.normal(size=40), list("abcde") * 8
    resamples = Resamples.of([i // 5 for i in range(40)], resamples=100)
    plain = system_level(metric, people, systems, resamples)
    assert plain.kendall.low is not None
    gone = np.where(np.array(systems) == "e", np.nan, metric)
    kept = [i for i in range(40) if systems[i] != "e"]
    some = system_level(metric[kept], people[kept], [systems[i] for i in kept], resamples.only(np.array(kept)))
    assert system_level(gone, people, systems, resamples) == some
    assert some.systems == ("a", "b", "c", "d")


@pytest.mark.parametrize("by", ["kendall", "linear_kappa", "quadratic_kappa", "spearman"])
def test_grades_can_be_ranked_by(by):
    """The figure shown is that of its table, and the clearly better judge is first, alone."""
    rng = np.random.default_rng(8)
    grades = rng.integers(1, 6, 80)
    items = {f"i{n:02}": Place(f"q{n // 2}") for n in range(80)}
    said = {"close": np.clip(grades + rng.integers(0, 2, 80), 1, 5), "far": rng.integers(1, 6, 80)}
    outputs = [Output(f"i{n:02}", judge, float(values[n])) for judge, values in said.items() for n in range(80)]
    labels = [Label(f"i{n:02}", float(grades[n]), "p") for n in range(80)]
    (found,) = meta_evaluate(pair(items, outputs, labels), dataclasses.replace(QUICK, rank_by=by)).aspects
    assert [(place.metric, place.rank) for place in found.ranking.places] == [("close", 1), ("far", 2)]
    close_one = next(one for one in found.metrics if one.metric == "close")
    shown = getattr(close_one.grades, by) if "kappa" in by else getattr(close_one.items, by)
    assert found.ranking.places[0].figure == shown
    (comparison,) = found.ranking.comparisons
    assert comparison.apart
    assert (comparison.williams is not None) == (by == "spearman")


def test_the_ceiling_is_each_annotator_against_the_mean_of_the_others():
    """This works even if each item has other annotators; the mean over people is a separate row of the ranking."""
    table = np.clip(np.round(QUALITY[:, None] + 2.5 + np.random.default_rng(6).normal(size=(N, 3))), 0, 5)
    found = evaluated([list(row) for row in table], m=SHARES)
    expected = [stats.pearsonr(table[:, a], np.delete(table, a, axis=1).mean(axis=1)).statistic for a in range(3)]
    assert [one.pearson.value for one in found.ceiling.people] == close(expected)
    assert found.ceiling.pearson.value == close(np.mean(expected))
    assert found.ceiling.pearson.low < found.ceiling.pearson.value < found.ceiling.pearson.high
    assert found.ceiling.kappa.value is None
    (row,) = [place for place in found.ranking.places if place.people]
    assert (row.rank, row.figure) == (None, found.ceiling.pearson)


def test_two_annotators_have_the_kappa_between_them():
    """For verdicts it is Cohen's, as in scikit-learn."""
    other = np.where(np.random.default_rng(6).random(N) < 0.2, 1 - VERDICTS, VERDICTS)
    found = evaluated([[a, b] for a, b in zip(VERDICTS, other, strict=True)], m=SHARES)
    assert found.ceiling.kappa.value == close(sk.cohen_kappa_score(VERDICTS, other))
    assert found.ceiling.kappa.low < found.ceiling.kappa.value < found.ceiling.kappa.high


SK = {
    "agreement": sk.accuracy_score,
    "kappa": sk.cohen_kappa_score,
    "f1": sk.f1_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "auroc": sk.roc_auc_score,
}
"""Of the others' verdict and the annotator's: what a metric's decisions are held against people's by."""


def crowd(seed=6):
    """Three annotators' grades from 0 to 5, a fifth of them missing: an array with NaN, and the labels."""
    random = np.random.default_rng(seed)
    table = np.clip(np.round(QUALITY[:, None] + 2.5 + random.normal(size=(N, 3))), 0, 5)
    table[random.random(size=(N, 3)) < 0.2] = np.nan
    return table


def evaluated_crowd(table, **settings):
    """A label that is NaN is left out."""
    labels = [Label(f"i{i:02}", float(v), f"a{a}") for (i, a), v in np.ndenumerate(table) if not np.isnan(v)]
    outputs = [Output(item, "m", value) for item, value in zip(ITEMS, SHARES, strict=True)]
    (found,) = meta_evaluate(pair(ITEMS, outputs, labels), dataclasses.replace(QUICK, **settings)).aspects
    return found


def held(table, annotator, decide):
    """The others' verdict and the annotator's own label by item, if the others have a verdict."""
    pairs = []
    for row, labels in enumerate(table):
        others = np.delete(labels, annotator)
        others = others[~np.isnan(others)]
        if not np.isnan(labels[annotator]) and len(others) and (verdict := decide(others.mean())) is not None:
            pairs.append((row, verdict, labels[annotator]))
    return [np.array(column) for column in zip(*pairs, strict=True)]


@pytest.mark.parametrize("by", SK)
@pytest.mark.parametrize("yes_from", [None, 3.0])
def test_every_figure_of_decisions_has_its_ceiling(by, yes_from):
    """Counted by hand: against the others' majority, or their mean and the threshold; the ranking uses that figure."""
    table = crowd() if yes_from else np.where(np.isnan(crowd()), np.nan, crowd() >= 3)
    majority = {True: 1, False: 0}
    decide = (lambda mean: majority[mean >= yes_from]) if yes_from else lambda mean: None if mean == 0.5 else majority[mean > 0.5]  # fmt: skip
    found = evaluated_crowd(table, rank_by=by, yes_from=yes_from)
    expected = []
    for annotator in range(3):
        _, truth, own = held(table, annotator, decide)
        said = own if by == "auroc" or not yes_from else (own >= yes_from).astype(float)
        expected.append(SK[by](truth, said))
    top = getattr(found.ceiling, by)
    assert [getattr(one, by).value for one in found.ceiling.people] == close(expected)
    assert top.value == close(np.mean(expected))
    assert top.low < top.value < top.high
    assert [place.figure for place in found.ranking.places if place.people] == [top]
    if not yes_from:
        balanced = found.ceiling.balanced_accuracy  # 0 and 1 cannot be ranked within themselves
        assert found.ceiling.auroc == dataclasses.replace(balanced, value=found.ceiling.auroc.value)
        assert found.ceiling.auroc.value == close(balanced.value)


def test_the_interval_of_the_ceiling_is_that_of_questions_drawn_for_all_annotators_at_once():
    """Spelled out: the rows of the resampled questions, each annotator's F1 on them, their mean."""
    table = np.where(np.isnan(crowd()), np.nan, crowd() >= 3)
    found = evaluated_crowd(table, rank_by="f1")
    draws = Resamples.of([item.question for item in ITEMS.values()], resamples=200)
    columns = [held(table, a, lambda mean: None if mean == 0.5 else float(mean > 0.5)) for a in range(3)]
    means = []
    for counts in np.concatenate(list(draws.counts())):
        often = counts[draws.groups].astype(int)
        each = [sk.f1_score(np.repeat(truth, often[rows]), np.repeat(own, often[rows])) for rows, truth, own in columns]
        means.append(np.mean(each))
    expected = draws.interval(Estimate(found.ceiling.f1.value, found.ceiling.f1.n), np.array(means))
    assert (found.ceiling.f1.low, found.ceiling.f1.high) == (close(expected.low), close(expected.high))


@pytest.mark.parametrize(("by", "weights"), [("linear_kappa", "linear"), ("quadratic_kappa", "quadratic")])
def test_grades_have_their_ceiling_in_weighted_kappa(by, weights):
    """It compares with the others' mean, rounded to whole grades as a metric's target is."""
    table = crowd()
    found = evaluated_crowd(table, rank_by=by)
    expected = []
    for annotator in range(3):
        _, mean, own = held(table, annotator, lambda mean: mean)
        expected.append(sk.cohen_kappa_score(own, np.floor(mean + 0.5), weights=weights))
    top = getattr(found.ceiling, by)
    assert top.value == close(np.mean(expected))
    assert top.low < top.value < top.high
    assert str(found.ceiling.f1.reason) == "the labels are not verdicts"


def test_one_annotator_has_no_ceiling():
    """There is nobody to agree with."""
    assert evaluated(GRADES, m=SHARES).ceiling is None


def test_constant_columns_are_said_to_be_so():
    """On either side; nothing is NaN, nothing is 0."""
    for labels, column, reason in (
        (GRADES, [1.0] * N, "the first column is constant (1)"),
        ([1.0] * N, SHARES, "constant (1)"),
        (GRADES[:2], SHARES[:2], "2 pairs are too few"),
    ):
        one = only(evaluated(labels, m=column))
        assert one.items.pearson.value is one.items.spearman.value is one.items.kendall.value is None
        assert reason in str(one.items.pearson.reason)


def test_one_class_has_no_auroc():
    """All labels are yes: agreement has a value, the others do not."""
    found = only(evaluated([1.0] * N, m=SHARES)).decisions
    assert found.auroc.value is found.balanced_accuracy.value is None
    assert found.agreement.value is not None
    assert "all labels are 1" in str(found.auroc.reason)


def test_missing_baselines_are_pointed_out():
    """Without `context_overlap` and `length` it is unknown whether a judge reads or counts words."""
    (note,) = meta_evaluate(world(GRADES, m=SHARES), QUICK).notes
    assert "context_overlap or length" in str(note)
    assert meta_evaluate(world(GRADES, context_overlap=SHARES, length=SHARES), QUICK).notes == ()


def test_an_unknown_figure_is_refused():
    """The message lists the valid ones."""
    with pytest.raises(ConfigurationError, match="by one of pearson, spearman"):
        meta_evaluate(world(GRADES, m=SHARES), Settings(rank_by="r2"))


values = st.one_of(st.floats(-5, 5), st.sampled_from([0.0, 1.0]), st.sampled_from(["failed", "declined"]))
some_labels = st.one_of(st.sampled_from([0.0, 1.0]), st.integers(0, 5).map(float), st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=3))  # fmt: skip


@given(st.lists(st.tuples(some_labels, values, values), min_size=1, max_size=12), st.sampled_from([None, 0.5, 3.0]))
def test_whatever_comes_nothing_is_nan(rows, yes_from):
    """Each figure is a finite number within its scale and interval, or None with a reason."""
    labels, first, second = zip(*rows, strict=True)
    found = evaluated(labels, Settings(resamples=100, yes_from=yes_from), m=list(first), o=list(second))
    estimates = list(every(found))
    assert estimates
    for one in estimates:
        assert (one.value is None) == (one.reason is not None)
        assert all(np.isfinite(x) for x in (one.value, one.low, one.high) if x is not None)


def every(value):
    """All estimates in a result, at any depth."""
    if isinstance(value, Estimate):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from every(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from every(one)
