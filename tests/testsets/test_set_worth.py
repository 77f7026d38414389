"""What runs say about a test set: difficulty, items that separate no two systems, and pairs of systems."""

from dataclasses import replace

import numpy as np
import pytest

from saiten.errors import BadInput, ConfigurationError
from saiten.records import Turn
from saiten.results.set_difficulty import set_difficulty
from saiten.results.set_pairs import pair_worths
from saiten.results.set_scores import set_scores
from saiten.results.set_worth import measured
from saiten.runs import read_run
from saiten.stats.paired import compare_paired
from saiten.stats.power import questions_needed, visible_difference
from scored_sets import items, write_run


@pytest.fixture
def readers(tmp_path):
    """`readers(items, {run: {system: values}})`: the runs, read from disk."""

    def made(of, runs, metric="token_f1"):
        folders = [write_run(tmp_path / name, of, systems, metric) for name, systems in runs.items()]
        return [read_run(folder, notify=pytest.fail) for folder in folders]

    return made


def test_the_difficulty_of_hand_made_scores(readers):
    """Four items: all best, all worst, within the margin, apart; their means, quartiles and counts."""
    of = items(4)
    scores = set_scores(of, readers(of, {"a": {"": [1, 0, 0.5, 0.2]}, "b": {"": [0.95, 0.05, 0.6, 0.8]}}))
    found = set_difficulty(scores)
    assert [each.mean for each in found.items] == pytest.approx([0.975, 0.025, 0.55, 0.5])
    (whole,) = found.rows
    assert (whole.n, whole.of, whole.easy, whole.hard, whole.alike) == (4, 4, 1, 1, 3)
    assert whole.mean.value == pytest.approx(0.5125)
    assert whole.quartiles == pytest.approx((0.38125, 0.525, 0.65625))
    assert found.margin == pytest.approx(0.1)
    assert not found.ranked


def test_kinds_have_rows_if_there_are_several(readers):
    """In the order of the set, after all."""
    of = items(4, kinds=("single", "unanswerable"))
    rows = set_difficulty(set_scores(of, readers(of, {"a": {"": [1, 0, 1, 0]}, "b": {"": [1, 0, 1, 1]}}))).rows
    assert [(row.kind, row.n, row.mean.value) for row in rows] == [(None, 4, 0.625), ("single", 2, 1.0), ("unanswerable", 2, 0.25)]  # fmt: skip


def test_what_was_not_measured_is_counted_by_reason_and_never_a_zero(readers):
    """An unreadable score, a missing answer; the difficulty is over the others."""
    of = items(4)
    scores = set_scores(of, readers(of, {"a": {"": [1, "unreadable", 1, 0]}, "b": {"": [0, 1, None, 0]}}))
    assert [dict(system.missing) for system in scores.systems] == [{"unreadable": 1}, {"absent": 1}]
    assert scores.complete == ("q0", "q3")
    whole = set_difficulty(scores).rows[0]
    assert (whole.n, whole.of, whole.mean.value) == (2, 4, 0.25)


def test_discrimination_is_the_correlation_with_the_means_of_the_other_items(readers):
    """Of three systems, over ten items; an item on which the order is reversed is found."""
    of = items(10)
    rising = {"a": 0.1, "b": 0.5, "c": 0.8}
    runs = {name: {"": [*[value] * 8, 1 - value, 0.3]} for name, value in rising.items()}
    scores = set_scores(of, readers(of, runs))
    found = set_difficulty(scores)
    assert found.items[0].discrimination == pytest.approx(1.0)
    rest = [(8 * value + 0.3) / 9 for value in rising.values()]
    assert found.items[8].discrimination == pytest.approx(np.corrcoef([0.9, 0.5, 0.2], rest)[0, 1])
    assert found.items[9].discrimination is None
    assert [each.item.id for each in found.reversed] == ["q8"]
    assert not set_difficulty(replace(scores, items=dict(list(scores.items.items())[:9]))).ranked


def test_a_metric_without_ends_has_means_but_nothing_best_or_worst(readers):
    """The margin is a tenth of what was measured."""
    of = items(3)
    found = set_difficulty(set_scores(of, readers(of, {"a": {"": [10, 20, 30]}, "b": {"": [10, 21, 60]}}, "length")))
    assert (found.rows[0].easy, found.rows[0].hard, found.rows[0].alike) == (None, None, 2)
    assert found.margin == pytest.approx(5.0)


def test_each_pair_is_a_pilot_of_its_comparison(readers):
    """The difference is that of `saiten compare`; visible difference and numbers follow from the spread."""
    of = items(30)
    random = np.random.default_rng(3)
    a, b, c = (random.random(30).tolist() for _ in "abc")
    scores = set_scores(of, readers(of, {"one": {"a": a, "b": b}, "two": {"": c}}))
    assert [system.name for system in scores.systems] == ["one · a", "one · b", "two"]
    pairs = pair_worths(scores, power=0.9)
    assert [(each.first, each.second) for each in pairs] == [("one · a", "one · b"), ("one · a", "two"), ("one · b", "two")]  # fmt: skip
    expected = compare_paired(a, b, [item.question for item in of])
    assert pairs[0].pairs == expected
    sd = float(np.std(np.subtract(b, a), ddof=1))
    assert pairs[0].spread.sd == pytest.approx(sd)
    assert pairs[0].visible == pytest.approx(visible_difference(sd, 30, 0.9))
    assert [(each.difference, each.n) for each in pairs[0].needed] == [
        (wanted, questions_needed(wanted, sd, 0.9)) for wanted in (0.02, 0.05, 0.1)
    ]


def test_follow_up_samples_of_one_question_are_one_unit(readers):
    """Two items with the same question in different conversations are drawn together, as everywhere."""
    of = [replace(item, question="And why?", history=(Turn(item.question, "So."),)) for item in items(8)]
    of += [replace(item, id=f"x{item.id}") for item in items(4)]
    made = readers(of[8:], {"a": {"": [1, 0, 1, 0]}, "b": {"": [0, 0, 1, 1]}})
    assert pair_worths(set_scores(of, made))[0].spread.n == 4


def test_a_question_asked_twice_counts_once(readers):
    """Runs are paired by question if ids say nothing; the repetition is mentioned."""
    of = [*items(3), replace(items(1)[0], id="again")]
    scores = set_scores(of, readers(items(3), {"run": {"a": [1, 0, 1], "b": [0, 0, 1]}}))
    assert list(scores.items) == ["q0", "q1", "q2"]
    assert "1 repeated" in str(scores.remarks[0])


def test_answers_to_other_questions_and_without_a_system_are_mentioned(readers):
    """Neither counts, and neither is dropped silently."""
    of = items(6)
    scores = set_scores(of[:4], readers(of, {"run": {"a": [1] * 6, "b": [0] * 6, "": [1] * 6}}))
    said = " | ".join(map(str, scores.remarks))
    assert "a: 2 answers are to questions that are not in the set" in said
    assert "6 answers name no system" in said


def test_a_run_on_another_set_is_refused_with_the_number_that_matched(readers):
    """No sample has a question of the set."""
    others = [replace(item, question=f"Other {item.id}?") for item in items(5)]
    with pytest.raises(BadInput, match="a is not about this test set: 0 of its 5 questions match one of the 3 of the"):
        set_scores(items(3), readers(others, {"a": {"": [1] * 5}}))


@pytest.mark.parametrize(
    ("metric", "error", "said"),
    [
        (None, BadInput, "there is no metric that all runs have on the questions of the set; there are a: token_f1; b: length"),
        ("length", BadInput, "not all runs have length on the questions of the set; there are a: token_f1; b: length"),
        ("lenght", ConfigurationError, "did you mean length"),
    ],
)  # fmt: skip
def test_a_metric_that_runs_do_not_share_is_refused(readers, metric, error, said):
    """With what each of them has."""
    of = items(3)
    made = [*readers(of, {"a": {"": [1, 0, 1]}}), *readers(of, {"b": {"": [1, 0, 1]}}, "length")]
    with pytest.raises(error, match=said):
        set_scores(of, made, metric)


def test_the_first_twelve_systems_are_compared(readers):
    """66 pairs, however many systems there are; difficulty is over all."""
    of = items(6)
    runs = {"run": {f"s{n}": [n / 20] * 5 + [1] for n in range(14)}}
    found = measured(of, readers(of, runs))
    assert len(found.pairs) == 66
    assert len(found.difficulty.items[0].values) == 14


def test_differences_are_in_units_of_the_scale(readers):
    """A fiftieth, a twentieth and a tenth of 1 to 5."""
    of = items(8)
    grades = {"a": {"": [5.0, 4, 3, 2, 1, 1, 5, 4]}, "b": {"": [4.0, 4, 4, 2, 2, 2, 5, 5]}}
    pairs = pair_worths(set_scores(of, readers(of, grades, "correctness")))
    assert [each.difference for each in pairs[0].needed] == [0.08, 0.2, 0.4]
    assert pairs[0].spread.step == 1.0
    assert (pairs[0].spread.differing, pairs[0].visible) == (5, None)
