"""Estimated human means of the whole set: pairing labels with scores, systems, differences, and refusals."""

import random
from dataclasses import replace

import numpy as np
import pytest

from saiten.errors import BadInput, SaitenError
from saiten.records import Label
from saiten.results.place import Place
from saiten.trust.estimate import estimate
from saiten.trust.inputs.outputs import Output

TRUE = {"good": 0.8, "poor": 0.4}


def world(labeled=120, questions=600, seed=0):
    """Two systems answer the same questions; a judge is right in nine of ten; some items are labeled."""
    rng = random.Random(seed)
    items, outputs, people = {}, [], {}
    for question in range(questions):
        hard = rng.random()
        for system, rate in TRUE.items():
            name = f"{question}/{system}"
            people[name] = float(hard < rate)
            items[name] = Place(f"q{question}", system)
            said = people[name] if rng.random() < 0.9 else 1 - people[name]
            outputs.append(Output(name, "judge", said))
    chosen = rng.sample(range(questions), labeled // 2)
    labels = [Label(f"{q}/{system}", people[f"{q}/{system}"], "a", "correct") for q in chosen for system in TRUE]
    return items, outputs, labels, people


def test_each_system_and_their_difference_are_estimated():
    """The intervals contain the means of all items, and are narrower than those of the labels alone."""
    items, outputs, labels, people = world()
    found = {row.what: row.powered for row in estimate(items, outputs, labels, systems=("good", "poor")).means}
    means = {system: np.mean([v for name, v in people.items() if name.endswith(system)]) for system in TRUE}
    truth = {"all": np.mean(list(people.values())), **means, "good - poor": means["good"] - means["poor"]}
    assert set(found) == set(truth)
    for what, powered in found.items():
        assert powered.powered.low <= truth[what] <= powered.powered.high, what
        assert powered.powered.half < powered.alone.half, what
        assert powered.saved > 0, what
    assert (found["all"].n, found["all"].total) == (120, 1200)


def test_grades_become_a_share_with_yes_from():
    """Labels of 1 to 5 with --yes-from 4 estimate the share of good grades."""
    items, outputs, labels, _ = world()
    graded = [Label(one.item, 1 + 4 * one.value, one.annotator, one.aspect) for one in labels]
    rows = estimate(items, outputs, graded, yes_from=4).means
    plain = estimate(items, outputs, labels).means
    assert [row.powered.powered.value for row in rows] == pytest.approx([row.powered.powered.value for row in plain])


def test_labels_that_were_not_drawn_at_random_are_reported():
    """If only what the judge likes is labeled, the remark says that no interval is valid."""
    items, outputs, _, people = world()
    liked = [one.item for one in outputs if one.said == 1.0][:100]
    labels = [Label(name, people[name], "a", "correct") for name in liked]
    row = next(row for row in estimate(items, outputs, labels).means if row.what == "all")
    assert any("do not look like a random sample" in str(remark) for remark in row.remarks)


def test_answers_that_decline_belong_to_the_set():
    """The judge has no value if an answer declines; people give 0, and the mean over all items is still estimated."""
    items, outputs, labels, people = world(labeled=200)
    declining = set(random.Random(1).sample(sorted(items), 400))
    people = {name: 0.0 if name in declining else value for name, value in people.items()}
    outputs = [Output(one.item, "judge", "declined" if one.item in declining else one.said) for one in outputs]
    labels = [Label(one.item, people[one.item], "a", "correct") for one in labels]
    row = estimate(items, outputs, labels).means[0]
    assert (row.powered.n, row.powered.total, row.unscored) == (200, 1200, 400)
    assert row.powered.powered.low <= np.mean(list(people.values())) <= row.powered.powered.high
    assert any("400 items without a score" in str(remark) for remark in row.remarks)


def test_failed_scores_are_neither_left_out_nor_zero():
    """A failed call says nothing about the answer: the item counts with the mean score; a broken judge costs width."""
    items, outputs, labels, people = world()
    gone = set(random.Random(2).sample(sorted(items), 300))
    broken = [Output(one.item, "judge", "failed" if one.item in gone else one.said) for one in outputs]
    whole, patchy = (estimate(items, said, labels).means[0].powered for said in (outputs, broken))
    assert patchy.total == whole.total == 1200
    assert patchy.judge == pytest.approx(np.mean([one.said for one in broken if one.item not in gone]))
    assert patchy.powered.low <= np.mean(list(people.values())) <= patchy.powered.high
    assert whole.powered.half < patchy.powered.half


def test_a_labeled_item_outside_of_the_set_is_left_out_and_counted():
    """A judge's file may have items that the samples lack: they are not part of the mean, and a note says so."""
    items, outputs, labels, _ = world()
    stray = estimate(items, [*outputs, Output("stray", "judge", 1.0)], [*labels, Label("stray", 1.0, "a", "correct")])
    plain = estimate(items, outputs, labels)
    assert [row.powered for row in stray.means] == [row.powered for row in plain.means]
    assert any("1 labeled items are not in the set" in str(remark) for remark in stray.means[0].remarks)


def test_labels_drawn_within_systems_make_a_stratified_mean():
    """200 labels of the good system and 40 of the poor one: the plain mean is reported as skewed, the other holds."""
    items, outputs, _, people = world(seed=3)
    rng = random.Random(3)
    labels = []
    for system, n in (("good", 200), ("poor", 40)):
        names = [name for name in sorted(items) if items[name].system == system]
        labels += [Label(name, people[name], "a", "correct") for name in rng.sample(names, n)]
    plain = estimate(items, outputs, labels).means[0]
    assert any("--stratified" in str(remark) for remark in plain.remarks)
    rows = {row.what: row.powered for row in estimate(items, outputs, labels, stratified=True).means}
    found = rows["all"]
    assert found.alone.value == pytest.approx((rows["good"].alone.value + rows["poor"].alone.value) / 2)
    assert plain.powered.alone.value > found.alone.value + 0.05
    assert found.powered.low <= np.mean(list(people.values())) <= found.powered.high
    with pytest.raises(BadInput, match="none of 'poor'"):
        estimate(items, outputs, labels[:200], stratified=True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"systems": ("good", "gone")}, "good, poor"),
        ({"metrics": ["other"]}, "'other'.*judge"),
        ({"metrics": ["judge", "jugde"]}, "'jugde'.*judge"),
        ({"metrics": ["judge", "mute"]}, "'mute'"),
        ({"systems": ("good", "good")}, "two systems"),
        ({"width": float("nan")}, "width is nan"),
        ({"width": -1.0}, "above 0"),
        ({"yes_from": float("inf")}, "yes_from is inf"),
    ],
)
def test_what_is_not_there_is_refused_with_what_there_is(asked, said):
    """A mistyped system or metric gives a list of the valid ones, even next to a valid one; a number must be one."""
    items, outputs, labels, _ = world()
    outputs += [Output(name, "mute", "failed") for name in items]
    with pytest.raises(SaitenError, match=said):
        estimate(items, outputs, labels, **asked)


def test_without_systems_there_is_nothing_to_stratify_by():
    """The message says this, not that there are no labels of ''."""
    items, outputs, labels, _ = world()
    bare = {name: Place(item.question) for name, item in items.items()}
    with pytest.raises(BadInput, match="names its system"):
        estimate(bare, outputs, labels, stratified=True)


def test_labels_without_an_aspect_meet_whatever_the_judge_said():
    """As in meta-evaluation, a judge's file may name the aspect that the labels leave out."""
    items, outputs, labels, _ = world()
    plain = [replace(one, aspect="") for one in labels]
    named = [replace(one, aspect="correct") for one in outputs]
    found, expected = (estimate(items, said, plain).means for said in (named, outputs))
    assert [row.powered for row in found] == [row.powered for row in expected]


def test_a_mean_that_misses_the_threshold_by_rounding_reaches_it():
    """0.7, 0.1 and 0.1 from three people have the mean 0.3, whatever the last bit is."""
    items, outputs, labels, _ = world()
    by_three = [
        replace(one, annotator=who, value=v) for one in labels for who, v in (("a", 0.7), ("b", 0.1), ("c", 0.1))
    ]
    (row, *_) = estimate(items, outputs, by_three, yes_from=0.3).means
    assert row.powered.alone.value == 1.0


def test_the_figures_are_those_of_the_formula():
    """No systems, one answer per question: the paper's few lines on the same items, except for pseudo-items."""
    rng = random.Random(9)
    items = {f"i{n}": Place(f"q{n}") for n in range(300)}
    people = {name: rng.gauss(3, 1) for name in items}
    outputs = [Output(name, "judge", value + rng.gauss(0, 0.5)) for name, value in people.items()]
    chosen = rng.sample(sorted(items), 80)
    found = estimate(items, outputs, [Label(name, people[name]) for name in chosen]).means[0].powered
    judged = {one.item: one.said for one in outputs}
    y, f = (np.array([of[name] for name in chosen]) for of in (people, judged))
    rest = np.array([judged[name] for name in items if name not in chosen])
    lam = np.cov(y, f)[0, 1] / (np.var(f, ddof=1) + 80 / 220 * np.var(rest, ddof=1))
    assert found.powered.value == pytest.approx(y.mean() - lam * (f.mean() - rest.mean()), rel=1e-9)
    assert found.judge == pytest.approx(np.mean(list(judged.values())))
