"""Pairs of answers: who is preferred, ties, margins, and correlations over points."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.trust.inputs.judge_files import read_outputs
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.trust.meta_evaluation.preferences import majority, most_said

RANDOM = np.random.default_rng(4)
N = 50
BETTER = RANDOM.normal(size=N)
PEOPLE = np.clip(np.round(BETTER[:, None] + RANDOM.normal(size=(N, 3)) / 2), -2, 2)
SCORES = RANDOM.random(size=(N, 2))
SCORES[:, 1] = np.round(SCORES[:, 0] + BETTER / 4 + RANDOM.normal(size=N) / 8, 1)
SCORES[:, 0] = SCORES[:, 0].round(1)
ITEMS = {f"p{i}/{side}": Place(f"q{i}") for i in range(N) for side in (1, 2)}


def aspect(people=PEOPLE, scores=SCORES, settled=()):
    """Pairs with labels and the scores of both answers; None is an answer without a score."""
    labels = [Label(f"p{i}/1 vs p{i}/2", value, f"a{a}") for i, row in enumerate(people) for a, value in enumerate(row)]
    outputs = [
        Output(f"p{i}/{side}", "m", "failed" if value is None else float(value))
        for i, row in enumerate(scores)
        for side, value in enumerate(row, 1)
    ]
    (found,) = pair(ITEMS, outputs, [*labels, *settled])
    return found


def evaluated(found, **settings):
    """Its only metric, and the result it is in."""
    (result,) = meta_evaluate([found], Settings(resamples=200, **settings)).aspects
    return result.metrics[0], result


def test_points_are_labels_each_with_the_difference_of_the_two_scores():
    """As in RAGChecker's table, the difference is repeated for every annotator."""
    metric, _ = evaluated(aspect())
    x, y = np.repeat(SCORES[:, 1] - SCORES[:, 0], 3), PEOPLE.ravel()
    assert metric.items.pearson.n == 150
    assert metric.items.pearson.clusters == 50
    for ours, theirs in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        assert getattr(metric.items, ours).value == pytest.approx(theirs(x, y).statistic, abs=1e-9)


def test_three_way_decisions_are_scikit_learns():
    """First, tie or second, compared with the majority; equal decimals are a tie whatever the last bits are."""
    found = aspect()
    metric, _ = evaluated(found)
    said = np.sign(np.round(SCORES[:, 1] - SCORES[:, 0], 6))
    truth = majority(found)[np.argsort([int(item.split("/")[0][1:]) for item in found.items])]
    got = metric.preferences
    assert (got.n, set(said)) == (N, {-1.0, 0.0, 1.0})
    assert got.accuracy.value == pytest.approx(sk.accuracy_score(truth, said), abs=1e-9)
    assert got.kappa.value == pytest.approx(sk.cohen_kappa_score(truth, said), abs=1e-9)
    assert got.macro_f1.value == pytest.approx(sk.f1_score(truth, said, average="macro"), abs=1e-9)
    assert np.array_equal(got.confusion.counts, sk.confusion_matrix(truth, said))
    assert got.right + got.tied + got.wrong == (truth != 0).sum()
    for figure in (got.accuracy, got.kappa, got.macro_f1):
        assert figure.low < figure.value < figure.high


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [([2, 1, -1], 1), ([-2, -2, 2], -1), ([0, 0, 2], 0), ([-1, 0, 1], 0), ([1, 1, -2, -2], 0), ([2], 1)],
)
def test_people_prefer_by_majority(votes, verdict):
    """Strength does not count, and an even split is a tie."""
    assert majority(aspect([votes], [[0, 1]])).tolist() == [verdict]


def test_an_adjudicated_preference_settles_the_pair():
    """Whatever the others said."""
    settled = [Label("p0/1 vs p0/2", -1, "boss", adjudicated=True)]
    assert majority(aspect([[2, 2, -1]], [[0, 1]], settled)).tolist() == [-1]


@pytest.mark.parametrize(("margin", "right", "tied", "wrong"), [(0.0, 2, 0, 1), (0.15, 1, 1, 1), (0.35, 0, 2, 1)])
def test_a_margin_makes_small_differences_ties(margin, right, tied, wrong):
    """A difference up to the margin is a tie."""
    metric, _ = evaluated(aspect([[1], [1], [1]], [[0, 0.1], [0, 0.3], [0.5, 0]]), tie_margin=margin)
    got = metric.preferences
    assert (got.right, got.tied, got.wrong) == (right, tied, wrong)


@pytest.mark.parametrize(
    ("unmeasured", "n", "accuracy"), [("left-out", 2, 1.0), ("tie", 4, 0.75), ("wrong", 4, 0.5), ("worst", 4, 0.5)]
)
def test_a_pair_without_scores_can_be_a_tie_or_wrong(unmeasured, n, accuracy):
    """Two of PandaLM's published figures count them as ties, others as wrong; by default they are left out."""
    people = [[1], [-1], [0], [1]]
    metric, _ = evaluated(aspect(people, [[0, 1], [1, 0], [None, 1], [0, None]]), unmeasured=unmeasured)
    got = metric.preferences
    assert (got.n, got.accuracy.value, got.filled) == (n, accuracy, n - 2)
    assert metric.missing == {"failed": 2}


def test_metrics_are_ranked_by_accuracy_if_asked():
    """Otherwise by Pearson over points; a note refuses a figure for verdicts."""
    assert evaluated(aspect())[1].ranking.by == "pearson"
    ranked = evaluated(aspect(), rank_by="accuracy")[1].ranking
    shown = {place.metric: place.figure.value for place in ranked.places if not place.people}
    assert (ranked.by, *shown.values()) == ("accuracy", evaluated(aspect())[0].preferences.accuracy.value)
    other = evaluated(aspect(), rank_by="auroc")[1]
    assert other.ranking.by == "pearson"
    assert "auroc does not apply to preferences" in str(other.notes[0])


def test_the_ceiling_of_preferences_is_that_of_their_labels():
    """Each annotator is compared with the mean of the others."""
    _, result = evaluated(aspect())
    expected = [stats.pearsonr(PEOPLE[:, a], np.delete(PEOPLE, a, axis=1).mean(axis=1)).statistic for a in range(3)]
    assert result.ceiling.pearson.value == pytest.approx(np.mean(expected), abs=1e-9)


def test_the_ceiling_in_accuracy_is_first_tie_second_against_the_others_majority():
    """Two others who disagree are a tie."""
    _, result = evaluated(aspect(), rank_by="accuracy")
    expected = []
    for a in range(3):
        first, second = np.sign(np.delete(PEOPLE, a, axis=1)).T
        expected.append(np.mean(np.sign(PEOPLE[:, a]) == np.where(first == second, first, 0)))
    assert [one.accuracy.value for one in result.ceiling.people] == pytest.approx(expected, abs=1e-9)
    assert result.ceiling.accuracy.low < np.mean(expected) < result.ceiling.accuracy.high
    (people,) = [place for place in result.ranking.places if place.people]
    assert people.figure == result.ceiling.accuracy


def test_preferences_are_ranked_by_macro_f1_with_people_among_them():
    """As with accuracy: the figure is scikit-learn's, and so is the ceiling's, annotator by annotator."""
    random = np.random.default_rng(9)
    truth = random.integers(-1, 2, 60)
    people = np.stack([np.where(random.random(60) < 0.8, truth, random.integers(-1, 2, 60)) for _ in range(3)])
    judge = np.where(random.random(60) < 0.7, truth, random.integers(-1, 2, 60))
    labels = [Label(f"a{i} vs b{i}", float(v), f"p{p}") for p, row in enumerate(people) for i, v in enumerate(row)]
    said = [Output(f"a{i} vs b{i}", metric, float(v)) for metric, row in (("judge", judge), ("noise", -judge)) for i, v in enumerate(row)]  # fmt: skip
    (found,) = meta_evaluate(pair({}, said, labels), Settings(rank_by="macro_f1", resamples=100)).aspects
    verdict = most_said(np.stack([(people == kind).sum(axis=0) for kind in (-1, 0, 1)], axis=1))
    places = {place.metric: place for place in found.ranking.places}
    assert places["judge"].figure.value == pytest.approx(sk.f1_score(verdict, judge, average="macro"))
    assert (places["judge"].rank, places["noise"].rank) == (1, 2)
    expected = []
    for p in range(3):
        others = np.delete(people, p, axis=0)
        against = most_said(np.stack([(others == kind).sum(axis=0) for kind in (-1, 0, 1)], axis=1))
        expected.append(sk.f1_score(against, people[p], average="macro"))
    assert found.ceiling.macro_f1.value == pytest.approx(np.mean(expected))
    assert found.ceiling.macro_f1.low < found.ceiling.macro_f1.value < found.ceiling.macro_f1.high


ORDERED = np.random.default_rng(7)
TRUTH = ORDERED.choice([-1, 1], 40)
FORWARD = np.where(ORDERED.random(40) < 0.8, TRUTH, -TRUTH)
BACKWARD = np.where(ORDERED.random(40) < 0.7, TRUTH, ORDERED.integers(-1, 2, 40))


def judged_twice(how, forward=FORWARD, backward=BACKWARD):
    """The judge's verdicts in both orders, as reversed items or as a column `order`; values as in a judge's file."""
    rows = [{"item": f"a{i} vs b{i}", "judge": "j", "preference": int(v)} for i, v in enumerate(forward)]
    if how == "item":
        rows += [{"item": f"b{i} vs a{i}", "judge": "j", "preference": -int(v)} for i, v in enumerate(backward)]
    else:
        rows += [row | {"order": 2, "preference": int(v)} for row, v in zip(rows, backward, strict=True)]
    return list(read_outputs(rows))


def of_both(outputs, setup=None):
    """The judge's preferences along with the human ones."""
    labels = [Label(f"a{i} vs b{i}", float(v)) for i, v in enumerate(TRUTH)]
    (found,) = meta_evaluate(pair({}, outputs, labels), setup or Settings(resamples=100)).aspects
    return found, found.metrics[0].preferences


@pytest.mark.parametrize("how", ["item", "column"])
def test_a_judges_two_orders_are_one_figure(how):
    """The verdict if both orders agree, else a tie; consistency, the mean of both accuracies, the winning position."""
    found, got = of_both(judged_twice(how))
    one = np.where(FORWARD == BACKWARD, FORWARD, 0)
    assert got.n == 40
    assert got.accuracy.value == pytest.approx((one == TRUTH).mean())
    assert got.macro_f1.value == pytest.approx(sk.f1_score(TRUTH, one, average="macro", zero_division=0))
    assert got.orders.consistent.value == pytest.approx((FORWARD == BACKWARD).mean())
    assert got.orders.accuracy.value == pytest.approx(((FORWARD == TRUTH).mean() + (BACKWARD == TRUTH).mean()) / 2)
    shown_first = [(1 - f) / 2 for f in FORWARD] + [(1 + b) / 2 for b in BACKWARD]
    assert got.orders.first.value == pytest.approx(np.mean(shown_first))
    for figure in (got.orders.consistent, got.orders.accuracy, got.orders.first):
        assert figure.low < figure.value < figure.high
    assert found.unlabeled.n == 0


def test_a_worked_example_of_two_orders():
    """Four pairs, people prefer the first answer in each: same, opposite, one tie, one unreadable."""
    said = {"a0 vs b0": -2.0, "b0 vs a0": 1.0, "a1 vs b1": -1.0, "b1 vs a1": -1.0, "a2 vs b2": -1.0, "b2 vs a2": 0.0}
    outputs = [Output(item, "j", value) for item, value in said.items()]
    outputs += [Output("a3 vs b3", "j", -1.0), Output("b3 vs a3", "j", "unreadable")]
    aspects = pair({}, outputs, [Label(f"a{i} vs b{i}", -1.0) for i in range(4)])
    assert aspects[0].columns[0].values[:3].tolist() == [-1.5, 0.0, 0.0]
    (found,) = meta_evaluate(aspects, Settings(resamples=100)).aspects
    got = found.metrics[0].preferences
    assert (got.n, got.right, got.tied, got.wrong) == (3, 1, 2, 0)
    assert found.metrics[0].missing == {"unreadable": 1}
    assert (got.orders.consistent.n, got.orders.consistent.value) == (3, pytest.approx(1 / 3))
    assert got.orders.accuracy.value == pytest.approx((3 + 1) / 6)


def test_one_order_alone_is_what_it_was_in_whichever_order():
    """Labels and judge name the pair in opposite orders: the sign is reversed; there are no figures of two orders."""
    plain, turned = (
        of_both([Output(f"{a} vs {b}", "j", sign * float(v)) for i, v in enumerate(FORWARD) for a, b in (names(i),)])[1]
        for sign, names in ((1, lambda i: (f"a{i}", f"b{i}")), (-1, lambda i: (f"b{i}", f"a{i}")))
    )
    assert plain == turned
    assert plain.orders is None
    assert plain.accuracy.value == pytest.approx((FORWARD == TRUTH).mean())
