"""What people would say of the whole set: pairing labels with scores, systems, differences, and what is refused."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from saiten.cli import main
from saiten.errors import BadInput
from saiten.meta_evaluation.outputs import Item, Output
from saiten.meta_evaluation.prediction_powered import estimate
from saiten.records import Label

TRUE = {"good": 0.8, "poor": 0.4}


def world(labelled=120, questions=600, seed=0):
    """Two systems answer the same questions; a judge is right in nine of ten; some items have a label."""
    rng = random.Random(seed)
    items, outputs, people = {}, [], {}
    for question in range(questions):
        hard = rng.random()
        for system, rate in TRUE.items():
            name = f"{question}/{system}"
            people[name] = float(hard < rate)
            items[name] = Item(f"q{question}", system)
            said = people[name] if rng.random() < 0.9 else 1 - people[name]
            outputs.append(Output(name, "judge", said))
    chosen = rng.sample(range(questions), labelled // 2)
    labels = [Label(f"{q}/{system}", people[f"{q}/{system}"], "a", "correct") for q in chosen for system in TRUE]
    return items, outputs, labels, people


def test_each_system_and_their_difference_are_estimated():
    """The means of all items lie in the intervals, which are narrower than those of the labels alone."""
    items, outputs, labels, people = world()
    found = {row.what: row.powered for row in estimate(items, outputs, labels, systems=("good", "poor")).rows}
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
    rows = estimate(items, outputs, graded, yes_from=4).rows
    plain = estimate(items, outputs, labels).rows
    assert [row.powered.powered.value for row in rows] == pytest.approx([row.powered.powered.value for row in plain])


def test_labels_that_were_not_drawn_at_random_are_told():
    """Labels of what the judge likes alone: the remark says that no interval is valid then."""
    items, outputs, _, people = world()
    liked = [one.item for one in outputs if one.said == 1.0][:100]
    labels = [Label(name, people[name], "a", "correct") for name in liked]
    row = next(row for row in estimate(items, outputs, labels).rows if row.what == "all")
    assert any("no random sample" in remark for remark in row.remarks)


def test_answers_that_decline_belong_to_the_set():
    """The judge has no value where an answer declines; people say 0, and the mean over all items is still estimated."""
    items, outputs, labels, people = world(labelled=200)
    declining = set(random.Random(1).sample(sorted(items), 400))
    people = {name: 0.0 if name in declining else value for name, value in people.items()}
    outputs = [Output(one.item, "judge", "declined" if one.item in declining else one.said) for one in outputs]
    labels = [Label(one.item, people[one.item], "a", "correct") for one in labels]
    row = estimate(items, outputs, labels).rows[0]
    assert (row.powered.n, row.powered.total, row.unscored) == (200, 1200, 400)
    assert row.powered.powered.low <= np.mean(list(people.values())) <= row.powered.powered.high
    assert any("400 items without a score" in remark for remark in row.remarks)


def test_failed_scores_are_neither_left_out_nor_zero():
    """A failed call says nothing of the answer: the item counts with the mean score, and a broken judge costs width."""
    items, outputs, labels, people = world()
    gone = set(random.Random(2).sample(sorted(items), 300))
    broken = [Output(one.item, "judge", "failed" if one.item in gone else one.said) for one in outputs]
    whole, patchy = (estimate(items, said, labels).rows[0].powered for said in (outputs, broken))
    assert patchy.total == whole.total == 1200
    assert patchy.judge == pytest.approx(np.mean([one.said for one in broken if one.item not in gone]))
    assert patchy.powered.low <= np.mean(list(people.values())) <= patchy.powered.high
    assert whole.powered.half < patchy.powered.half


def test_a_labelled_item_outside_of_the_set_is_left_out_and_counted():
    """A judge's file may know items that the samples lack: they are no part of the mean, and that is said."""
    items, outputs, labels, _ = world()
    stray = estimate(items, [*outputs, Output("stray", "judge", 1.0)], [*labels, Label("stray", 1.0, "a", "correct")])
    plain = estimate(items, outputs, labels)
    assert [row.powered for row in stray.rows] == [row.powered for row in plain.rows]
    assert any("1 labelled items are not in the set" in remark for remark in stray.rows[0].remarks)


def test_labels_drawn_within_systems_make_a_stratified_mean():
    """200 labels of the good system and 40 of the poor one: the plain mean is told to be skewed, the other holds."""
    items, outputs, _, people = world(seed=3)
    rng = random.Random(3)
    labels = []
    for system, n in (("good", 200), ("poor", 40)):
        names = [name for name in sorted(items) if items[name].system == system]
        labels += [Label(name, people[name], "a", "correct") for name in rng.sample(names, n)]
    plain = estimate(items, outputs, labels).rows[0]
    assert any("--stratified" in remark for remark in plain.remarks)
    rows = {row.what: row.powered for row in estimate(items, outputs, labels, stratified=True).rows}
    found = rows["all"]
    assert found.alone.value == pytest.approx((rows["good"].alone.value + rows["poor"].alone.value) / 2)
    assert plain.powered.alone.value > found.alone.value + 0.05
    assert found.powered.low <= np.mean(list(people.values())) <= found.powered.high
    with pytest.raises(BadInput, match="none of 'poor'"):
        estimate(items, outputs, labels[:200], stratified=True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [({"systems": ("good", "gone")}, "good, poor"), ({"metrics": ["other"]}, "judge")],
)
def test_what_is_not_there_is_refused_with_what_there_is(asked, said):
    """A mistyped system or metric names those that can be had."""
    items, outputs, labels, _ = world()
    with pytest.raises(BadInput, match=said):
        estimate(items, outputs, labels, **asked)


def test_the_command_prints_an_estimate_a_system(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    """A run of the text metrics, labels of every third question, and the labels that a width would need."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(4)
    samples, labels = [], []
    for n in range(240):
        right = rng.random() < 0.7
        answer = f"It is {n} years old." if right else "Nobody knows that."
        question = f"How old is bridge {n}?"
        sample = {"id": f"s{n}", "question": question, "answer": answer, "reference": f"It is {n} years old."}
        samples.append(sample | {"system": f"sys{n % 2}"})
        if n % 3 == 0:
            labels.append({"item": f"s{n}", "value": int(right), "aspect": "correct"})
    for name, rows in (("answers.jsonl", samples), ("labels.jsonl", labels)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    main_ok(["score", "answers.jsonl", "-m", "token_f1", "-o", "run", "-q"])
    capsys.readouterr()
    main_ok(["estimate", "run", "labels.jsonl", "--width", "0.09", "--systems", "sys0,sys1", "--format", "json"])
    (table,) = json.loads(capsys.readouterr().out).values()
    assert [row["of"] for row in table] == ["all", "sys0", "sys1", "sys0 - sys1"]
    assert table[0]["labels"] == 80
    assert table[0]["items"] == 240
    assert table[0]["from"] <= table[0]["with the judge"] <= table[0]["up to"]
    assert table[0]["labels for ± 0.09"] < table[0]["without the judge"]


def main_ok(words):
    """Run a command that must end well."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code in {0, None}, words
