"""Human grade 0 of graded correctness: the answer declines, which is not a number, on either side."""

import dataclasses

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from saiten.errors import BadInput
from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.trust.estimate import estimate
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.tables.meta_evaluation import meta_tables

QUICK = Settings(resamples=100)
METRIC = "correctness[evidence=reference]"
BOUNDS = {METRIC: (1.0, 5.0)}
RANDOM = np.random.default_rng(4)
N = 80
PEOPLE = RANDOM.integers(1, 6, N).astype(float)
JUDGE = np.clip(PEOPLE + RANDOM.integers(-1, 2, N), 1, 5)
DECLINED = np.arange(N) % 8 == 3
ITEMS = {f"i{i:02}": Place(f"q{i // 2:02}", f"s{i % 4}") for i in range(N)}
IDS = list(ITEMS)


def labels(values=None, aspect="correctness"):
    """One label per item; those that decline are 0."""
    values = np.where(DECLINED, 0, PEOPLE) if values is None else values
    return [Label(item, float(value), aspect=aspect) for item, value in zip(IDS, values, strict=True)]


def outputs(values=JUDGE, metric=METRIC):
    """The judge's output for every item."""
    return [
        Output(item, metric, value if isinstance(value, str) else float(value))
        for item, value in zip(IDS, values, strict=True)
    ]


def found(said, given, **settings):
    """The only aspect, and its only metric."""
    (aspect,) = meta_evaluate(pair(ITEMS, said, given, **settings), QUICK, bounds=BOUNDS).aspects
    return aspect, aspect.metrics[0]


def test_a_human_grade_0_is_in_no_figure_and_removes_no_table():
    """Correlations, bias, weighted kappa, systems and ranking are those of the answers with human grades."""
    aspect, one = found(outputs(), labels())
    x, y = JUDGE[~DECLINED], PEOPLE[~DECLINED]
    assert (aspect.n, aspect.declined, one.n) == (70, 10, 70)
    assert one.items.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert one.items.kendall.value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert one.bias.overall.value == pytest.approx((x - y).mean())
    assert [grade for grade, _ in one.bias.grades] == ["1", "2", "3", "4", "5"]
    assert one.grades.quadratic_kappa.value == pytest.approx(sk.cohen_kappa_score(x, y, weights="quadratic"))
    assert one.systems.people == pytest.approx(
        [PEOPLE[(np.arange(N) % 4 == s) & ~DECLINED].mean() for s in range(4)], abs=1e-12
    )
    assert aspect.ranking.places[0].figure.value == one.items.pearson.value


def test_what_is_left_out_is_counted_on_both_sides():
    """Declined by both, by people, by the metric; a note says how to count 0 as a grade."""
    said = [
        *outputs(["declined" if i in (3, 11, 20) else value for i, value in enumerate(JUDGE)]),
        *outputs(JUDGE / 5, "token_f1"),
    ]
    aspect, one = found(said, labels())
    assert (one.beside_declined, one.missing) == ({"declined": 2, "graded": 8}, {"declined": 1})
    (table,) = [
        table for table in meta_tables(meta_evaluate(pair(ITEMS, said, labels()), QUICK)) if table.key == "declined"
    ]
    assert table.rows == ((METRIC, 2, 8, 1, 69),)
    assert "10 of 80 answers declined" in str(aspect.notes[0])
    assert "--grade-zero lowest" in str(aspect.notes[0])


@pytest.mark.parametrize(
    ("aspect", "top", "metric", "declines"),
    [
        ("correctness", 5, METRIC, True),
        ("correctness", 5, "gpt4", True),
        ("correctness", 3, METRIC, True),
        ("correctness", 3, "gpt4", False),
        ("correctness", 2, "accuracy", False),
        ("", 5, METRIC, True),
        ("grade", 4, METRIC, True),
        ("", 5, "gpt4", False),
        ("", 3, METRIC, False),
        ("", 1, METRIC, False),
        ("correctness", 1, "accuracy", False),
        ("fluency", 5, METRIC, False),
        ("factuality", 3, "aspects[factuality]", False),
    ],
)
def test_0_declines_on_the_scale_of_graded_correctness_alone(aspect, top, metric, declines):
    """On a rubric from 0 to 3, for verdicts, or for another aspect, 0 is the lowest value."""
    values = [0.0, 1.0, float(top), 0.0, 1.0, float(top)]
    said = [Output(item, metric, 1.0 + at % 2) for at, item in enumerate(IDS[:6])]
    (made,) = pair(ITEMS, said, [Label(item, value, aspect=aspect) for item, value in zip(IDS, values, strict=False)])
    assert len(made.declined) == (2 if declines else 0)
    assert len(made.items) == (4 if declines else 6)
    assert bool(made.notes) == (declines or (aspect == "correctness" and top > 1) or (aspect == "fluency"))


@pytest.mark.parametrize(("zero", "left", "says"), [("lowest", 80, ()), ("declined", 70, ("declined (grade 0",))])
def test_the_meaning_of_0_can_be_said(zero, left, says):
    """This overrides what the aspect's name suggests."""
    aspect, _ = found(outputs(), labels(aspect="correctness" if zero == "lowest" else "fluency"), grade_zero=zero)
    assert aspect.n == left
    assert all(text in str(note) for text, note in zip(says, aspect.notes, strict=True))


def test_grades_of_another_name_are_kept_and_the_option_is_named():
    """The meaning of 0 is unknown there, so it is the lowest grade, and a note says so."""
    aspect, one = found(outputs(), labels(aspect="expert"))
    assert aspect.n == N
    assert "--grade-zero declined" in str(aspect.notes[0])
    assert one.bias.overall.value == pytest.approx((JUDGE - np.where(DECLINED, 0, PEOPLE)).mean())
    assert one.grades.linear_kappa.value is not None


def test_a_scale_that_has_one_more_step_at_the_bottom_is_the_same_scale():
    """Another vendor's judge grades 0 to 5, people 1 to 5; another top is another scale."""
    zeros = np.where(DECLINED, 0, JUDGE)
    _, one = found(outputs(zeros, "gpt4"), labels(PEOPLE, "quality"))
    assert one.bias.overall.value == pytest.approx((zeros - PEOPLE).mean())
    _, one = found(outputs(JUDGE * 2, "gpt4"), labels(PEOPLE, "quality"))
    assert "scale" in str(one.bias.overall.reason)


def test_another_makers_grade_0_declines_as_well():
    """This holds for the same aspect on the same scale; a share of 0 stays a value."""
    zeros = np.where(np.arange(N) % 10 == 1, 0, JUDGE)
    shares = np.where(np.arange(N) % 10 == 1, 0, JUDGE / 5)
    aspect, _ = found([*outputs(zeros, "gpt4"), *outputs(shares, "overlap"), *outputs(shares, "token_f1")], labels())
    gpt4, overlap, f1 = aspect.metrics
    assert (gpt4.missing, gpt4.beside_declined) == ({"declined": 6}, {"declined": 2, "graded": 8})
    assert (overlap.n, f1.n) == (70, 70)


@pytest.mark.parametrize(
    ("said", "settled", "value"),
    [([0, 4, 5], None, 4.5), ([0, 0, 5], None, None), ([0, 4], None, 4.0), ([4, 5], 0, None), ([0, 0], 3, 3.0)],
)
def test_several_annotators_decline_by_majority(said, settled, value):
    """A third decision decides alone; a minority's 0 is not part of the mean, nor of the ceiling."""
    given = [Label("i00", float(v), f"a{a}", "correctness") for a, v in enumerate(said)]
    given += [] if settled is None else [Label("i00", float(settled), "judge", "correctness", adjudicated=True)]
    given += [Label(item, v, "a0", "correctness") for item, v in (("i01", 5.0), ("i02", 3.0))]
    (aspect,) = pair(ITEMS, outputs(), given)
    assert dict(zip(aspect.items, aspect.people.tolist(), strict=True)).get("i00") == value
    assert aspect.declined == (("i00",) if value is None else ())
    assert 0 not in aspect.given[2]


def test_nothing_but_refusals_is_an_error_that_helps():
    """There is no grade to compare."""
    given = [Label(item, 0.0, f"a{a}", "correctness") for item in IDS[:4] for a in range(3)]
    given += [Label(item, 5.0, "b", "correctness") for item in IDS[:4]]
    with pytest.raises(BadInput, match="--grade-zero lowest"):
        pair(ITEMS, outputs(), given)


# ------------------------------------------------------------------------------------------------- estimates


def test_the_estimate_is_of_the_answers_that_people_grade():
    """With every item labeled it is their mean grade, overall and by system, and the refusals are counted."""
    rows = estimate(ITEMS, outputs(), labels()).means
    everything, first = rows[0], rows[1]
    assert everything.powered.powered.value == pytest.approx(PEOPLE[~DECLINED].mean())
    assert first.powered.powered.value == pytest.approx(PEOPLE[(np.arange(N) % 4 == 0) & ~DECLINED].mean())
    assert any("10 of 80 labels decline" in str(remark) for remark in everything.remarks)
    (as_grade, *_) = estimate(ITEMS, outputs(), labels(), grade_zero="lowest").means
    assert as_grade.powered.powered.value == pytest.approx(np.where(DECLINED, 0, PEOPLE).mean())


def test_a_stratified_estimate_weighs_systems_by_their_graded_answers():
    """All of one system is labeled, and half of another whose answers decline more often."""
    items = {f"{s}{i:03}": Place(f"q{s}{i}", s) for s in "ab" for i in range(60)}
    grades = {item: 0.0 if item[0] == "b" and int(item[1:]) % 3 else 2.0 + (int(item[1:]) % 2) for item in items}
    said = [Output(item, METRIC, 3.0) for item in items]
    chosen = [Label(item, grade, aspect="correctness") for item, grade in grades.items() if item < "b030"]
    row = estimate(items, said, chosen, stratified=True).means[0]
    a = [g for item, g in grades.items() if item[0] == "a"]
    b = [g for item, g in grades.items() if "b" <= item < "b030" and g]
    assert row.powered.powered.value == pytest.approx((0.5 * np.mean(a) + 0.5 / 3 * np.mean(b)) / (0.5 + 0.5 / 3))


@pytest.mark.slow
def test_intervals_of_the_graded_mean_cover_the_truth():
    """In a population whose weak answers decline more often, with 60 labels: about 95 % of 200 samples."""
    random = np.random.default_rng(6)
    n = 1_000
    quality = random.normal(size=n)
    grade = np.clip(np.round(3 + 1.2 * quality), 1, 5)
    grade[random.random(n) < 1 / (1 + np.exp(2 + 2 * quality))] = 0
    judge = np.clip(np.round(3.4 + 1.2 * quality + 0.6 * random.normal(size=n)), 1, 5)
    items = {f"i{i:04}": Place(f"q{i}") for i in range(n)}
    ids = list(items)
    refuses = random.random(n) < np.where(grade == 0, 0.9, 0.02)
    said = [Output(ids[i], METRIC, "declined" if refuses[i] else float(judge[i])) for i in range(n)]
    truth = grade[grade > 0].mean()
    inside, narrower = 0, 0
    for _ in range(200):
        chosen = random.choice(n, 60, replace=False)
        (row,) = estimate(items, said, [Label(ids[i], grade[i], aspect="correctness") for i in chosen]).means
        inside += row.powered.powered.low <= truth <= row.powered.powered.high
        narrower += row.powered.powered.half < row.powered.alone.half
    assert 182 <= inside <= 199
    assert narrower > 190


def test_without_refusals_an_estimate_is_as_it_was():
    """The same labels on an aspect with another name give the same figures."""
    half = labels(PEOPLE)[:40]
    plain = [dataclasses.replace(label, aspect="quality") for label in half]
    first, second = (estimate(ITEMS, outputs(), each).means[0].powered for each in (half, plain))
    assert first == second
