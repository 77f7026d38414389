"""Metrics held against the known defects."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saiten.demo import DEFECTS, hold_against_defects, load_demo
from saiten.demo.targets import OTHER, TARGETS, target_of
from saiten.metrics.catalog import CATALOG, make_metric
from saiten.records import Score, Scored

DEMO = load_demo("en")
ALL_KINDS = [defect.name for defect in DEFECTS]


def scores(metric, value):
    """Every sample scored by a function of what is known about it."""
    return [Scored(one.sample.id, metric, Score(float(value(one)))) for one in DEMO]


def only(rows):
    """The row, where there must be just one."""
    (row,) = rows
    return row


@pytest.mark.parametrize(
    ("metric", "fact", "knows"),
    [
        ("accuracy", "correct", lambda one: one.correct),
        ("correctness[evidence=none]", "correct", lambda one: one.correct),
        ("rouge_l", "correct", lambda one: one.correct),
        ("faithfulness", "faithful", lambda one: one.faithful),
        ("context_overlap", "faithful", lambda one: one.faithful),
        ("accuracy[grounded]", "correct and faithful", lambda one: one.correct and one.faithful),
    ],
)
def test_a_metric_that_knows_its_fact_separates_fully(metric, fact, knows):
    """The AUROC is 1 for a metric that gives what it should, 0 for its opposite, 0.5 for one that is always the same."""
    row = only(hold_against_defects(scores(metric, knows), DEMO))
    assert (row.metric, row.separates, row.auroc) == (metric, fact, 1.0)
    assert only(hold_against_defects(scores(metric, lambda one: not knows(one)), DEMO)).auroc == 0.0
    assert only(hold_against_defects(scores(metric, lambda _: 0.3), DEMO)).auroc == 0.5


def test_means_are_taken_per_defect_in_a_fixed_order():
    """Each kind has the mean of its own scores and how many they are, from right to refusing."""
    row = only(hold_against_defects(scores("accuracy", lambda one: ALL_KINDS.index(one.defect)), DEMO[::-1]))
    assert [kind.defect for kind in row.kinds] == ALL_KINDS
    assert [kind.mean for kind in row.kinds] == list(range(len(ALL_KINDS)))
    assert sum(kind.n for kind in row.kinds) == len(DEMO)
    assert all(kind.others == {} for kind in row.kinds)


def test_only_measured_scores_enter_and_the_others_are_counted():
    """A declined, undefined, unreadable or failed score enters neither mean nor AUROC; it is counted by its status."""
    statuses = ["declined", "undefined", "unreadable", "failed"]
    refusing = [one for one in DEMO if one.defect == "refusing"]
    good = scores("correctness", lambda one: 5 if one.correct else 1)
    unmeasured = [Scored(one.sample.id, "correctness", Score(None, statuses[i % 4])) for i, one in enumerate(refusing)]
    row = only(hold_against_defects([*good, *unmeasured], DEMO))
    kind = row.kinds[-1]
    assert (kind.defect, kind.mean, kind.n) == ("refusing", None, 0)
    assert kind.others == {"declined": 2, "undefined": 2, "unreadable": 2, "failed": 2}
    assert row.auroc == 1.0
    assert row.good + row.bad == len(DEMO) - len(refusing)


def test_refusals_say_nothing_about_faithfulness():
    """A refusal claims nothing, so whatever a metric of faithfulness gives it does not move the AUROC; its mean shows."""
    row = only(
        hold_against_defects(scores("faithfulness", lambda one: one.faithful and one.defect != "refusing"), DEMO)
    )
    assert row.auroc == 1.0
    assert row.kinds[-1].mean == 0.0
    assert row.good + row.bad == len([one for one in DEMO if one.defect != "refusing"])


def test_one_sided_scores_give_a_reason_instead_of_a_figure():
    """Without an answer on one of the two sides there is no AUROC but a reason."""
    right = [one for one in DEMO if one.correct]
    row = only(hold_against_defects([Scored(one.sample.id, "accuracy", Score(1.0)) for one in right], DEMO))
    assert (row.auroc, row.low, row.high, row.bad) == (None, None, None, 0)
    assert row.reason == "both are needed: 47 answers that are correct and 0 that are not were measured"
    assert {kind.defect for kind in row.kinds} == {"right", "right_paraphrase", "incomplete", "made_up_addition"}


@pytest.mark.parametrize("metric", ["length", "answer_relevancy", "context_recall", "something_of_ones_own[a=b]"])
def test_metrics_with_another_aim_get_means_but_no_auroc(metric):
    """A metric that measures something else, or is unknown, is shown per defect and judged by nothing."""
    row = only(hold_against_defects(scores(metric, lambda one: len(one.sample.answer)), DEMO))
    assert (row.separates, row.auroc, row.reason) == (None, None, None)
    assert len(row.kinds) == len(DEFECTS)
    assert row.note


def test_scores_of_other_samples_are_passed_over():
    """Scores of both languages can be held against one of them; an unknown sample neither counts nor hurts."""
    both = [Scored(one.sample.id, "accuracy", Score(float(one.correct))) for one in load_demo()]
    assert hold_against_defects(both, DEMO) == hold_against_defects(scores("accuracy", lambda one: one.correct), DEMO)
    assert hold_against_defects([Scored("elsewhere", "accuracy", Score(1.0))], DEMO) == ()


def test_rows_come_in_the_order_of_the_metrics_and_the_later_score_counts():
    """One row a metric as they first occur; a repeated score replaces the earlier one."""
    wrong = scores("token_f1", lambda one: not one.correct)
    rows = hold_against_defects(
        [*wrong, *scores("chrf", lambda _: 1), *scores("token_f1", lambda one: one.correct)], DEMO
    )
    assert [row.metric for row in rows] == ["token_f1", "chrf"]
    assert rows[0].auroc == 1.0


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_the_auroc_is_the_share_of_pairs_in_the_right_order(data):
    """Over any scores it is what counting all pairs of a good and a bad answer gives, inside its interval's ends."""
    values = data.draw(st.lists(st.integers(0, 5), min_size=len(DEMO), max_size=len(DEMO)))
    by_id = dict(zip([one.sample.id for one in DEMO], values, strict=True))
    row = only(hold_against_defects(scores("rouge_1", lambda one: by_id[one.sample.id]), DEMO))
    good = [by_id[one.sample.id] for one in DEMO if one.correct]
    bad = [by_id[one.sample.id] for one in DEMO if not one.correct]
    wins = sum((g > b) + (g == b) / 2 for g in good for b in bad)
    assert row.auroc == pytest.approx(wins / len(good) / len(bad))
    assert (row.good, row.bad) == (len(good), len(bad))
    assert row.low is None or 0 <= row.low <= row.high <= 1


def test_rows_are_frozen():
    """A row cannot be changed after it was made."""
    row = only(hold_against_defects(scores("accuracy", lambda _: 1), DEMO))
    with pytest.raises(FrozenInstanceError):
        row.auroc = 1.0


@pytest.mark.parametrize("title", CATALOG)
def test_every_metric_of_the_catalog_has_a_target(title):
    """The demo knows of each metric that saiten ships what it should separate and what it cannot see."""
    assert title in TARGETS
    assert target_of(title) is not OTHER


@pytest.mark.parametrize(
    "name",
    [
        "accuracy[grounded]",
        "accuracy[grounded=true]",
        "accuracy[grounded,form=marker]",
        "accuracy[form=marker,grounded]",
    ],
)
def test_grounded_accuracy_has_a_target_of_its_own(name):
    """However the setting is written, grounded accuracy is about correct and faithful; the plain form is not."""
    assert make_metric(name).grounded
    assert target_of(name).fact == target_of(make_metric(name).name).fact == "correct and faithful"
    assert target_of("accuracy[form=marker]").fact == "correct"
