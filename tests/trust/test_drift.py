"""Drift: two runs over one frozen set, distinguished from noise, and from a set that is not the same."""

import random

import pytest

from saiten.errors import BadInput
from saiten.records import Label, Sample, Score, Scored
from saiten.runs import Journal, RunSettings, read_run
from saiten.stats.reliability import icc_of_pairs, reliability
from saiten.trust.drift import drift
from saiten.views.tables.probe import drift_tables

SAMPLES = [Sample(f"s{n}", f"Question {n // 2}?", f"Answer {n}.", reference="Yes.") for n in range(120)]
PEOPLE = {each.id: float(n % 3 != 0) for n, each in enumerate(SAMPLES)}
LABELS = [Label(item, value, "a") for item, value in PEOPLE.items()]


@pytest.fixture
def run(tmp_path):
    """`run(name, {metric: {sample: Score}})`: a run on disk."""

    def write(name, scores, samples=SAMPLES, judge="old"):
        made = {metric: f"{metric}|judge:{judge}|prompts:1a2b|saiten:1" for metric in scores}
        with Journal.open(tmp_path / name, RunSettings(more={"judge": judge}), signatures=made) as journal:
            for each in samples:
                journal.sample(each)
            for metric, values in scores.items():
                for item, score in values.items():
                    found = score if isinstance(score, Score) else Score(float(score))
                    journal.score(Scored(item, metric, found))
        return read_run(tmp_path / name)

    return write


def noisy(share, seed=0):
    """Human verdicts with this share of them flipped."""
    turning = random.Random(seed)
    return {item: 1 - value if turning.random() < share else value for item, value in PEOPLE.items()}


def test_a_judge_that_got_worse_raises_the_alarm(run):
    """From 5 % to 35 % wrong verdicts on 120 items: the drop, its interval below 0, and the alarm; the differing part
    of the signature is reported.
    """
    report = drift(run("a", {"accuracy": noisy(0.05)}), run("b", {"accuracy": noisy(0.35, 1)}, judge="new"), LABELS)
    (found,) = report.metrics
    assert found.people.measure == "agreement"
    assert found.people.alarm
    assert found.people.change.value == pytest.approx(found.people.now - found.people.before)
    assert found.people.change.high < 0
    assert report.alarms == (found,)
    assert report.made == (("accuracy", "judge", "old", "new"),)


def wrong_on(items):
    """Human verdicts, flipped on these items."""
    return {item: 1 - value if item in items else value for item, value in PEOPLE.items()}


@pytest.mark.parametrize("now", [wrong_on({"s1", "s8", "s40"}), wrong_on({"s2", "s5", "s90", "s91"}), PEOPLE])
def test_a_judge_that_did_not_get_worse_raises_none(run, now):
    """The same verdicts, with one more error and others than before, or with no errors any more."""
    report = drift(run("a", {"accuracy": wrong_on({"s1", "s8", "s40"})}), run("b", {"accuracy": now}), LABELS)
    assert report.alarms == ()
    assert report.made == ()


def test_a_drop_within_the_tolerance_is_no_alarm(run):
    """This holds however certain the drop is."""
    runs = run("a", {"accuracy": noisy(0.0)}), run("b", {"accuracy": noisy(0.15, 1)})
    assert drift(*runs, LABELS, tolerance=0.02).alarms
    assert not drift(*runs, LABELS, tolerance=0.5).alarms


def test_a_drop_on_few_items_is_no_alarm(run):
    """One flipped item among eight is a drop of an eighth, and may be chance."""
    few = SAMPLES[:16:2]
    before = {each.id: PEOPLE[each.id] for each in few}
    now = before | {few[0].id: 1 - before[few[0].id]}
    report = drift(run("a", {"accuracy": before}, few), run("b", {"accuracy": now}, few), LABELS)
    assert report.metrics[0].people.change.value == pytest.approx(-1 / 8)
    assert not report.alarms
    assert report.unmatched_labels == len(LABELS) - len(few)


def test_without_labels_nothing_says_who_is_right(run):
    """Means, agreement of the runs and moved items are reported; there is no alarm."""
    report = drift(run("a", {"accuracy": PEOPLE}), run("b", {"accuracy": noisy(0.35, 1)}))
    (found,) = report.metrics
    assert found.people is None
    assert report.alarms == ()
    assert found.equal.value < 0.8
    assert found.kappa.value < 0.6
    assert found.icc.low < found.icc.value < found.icc.high


def test_the_figures_of_two_runs_are_those_of_the_definitions(run):
    """A grade that falls by one on every second item: mean shift -0.5, half of the items equal, the largest moves
    first.
    """
    before = {each.id: 3 + n % 3 for n, each in enumerate(SAMPLES)}
    now = {item: value - n % 2 for n, (item, value) in enumerate(before.items())}
    now["s7"] = 0.5
    (found,) = drift(run("a", {"m": before}), run("b", {"m": now}), most=3).metrics
    assert found.mean_before == 4.0
    assert found.shift.difference == pytest.approx(sum(now.values()) / 120 - 4)
    assert found.shift.low < found.shift.difference < found.shift.high < 0
    assert found.equal.value == 0.5
    assert [each.sample for each in found.moved] == ["s7", "s1", "s101"]
    assert (found.moved[0].before, found.moved[0].now) == (4.0, 0.5)


@pytest.mark.parametrize(
    ("scores", "labels", "measure"),
    [
        (lambda n: float(n % 2), lambda n: float(n % 3 == 0), "agreement"),
        (lambda n: n % 7 / 7, lambda n: float(n % 3 == 0), "auroc"),
        (lambda n: n % 7 / 7, lambda n: float(n % 5), "spearman"),
    ],
)
def test_the_measure_fits_what_is_compared(run, scores, labels, measure):
    """Verdicts with verdicts, grades with verdicts, grades with grades."""
    found = {each.id: scores(n) for n, each in enumerate(SAMPLES)}
    said = [Label(each.id, labels(n)) for n, each in enumerate(SAMPLES)]
    (row,) = drift(run("a", {"m": found}), run("b", {"m": found}), said).metrics
    assert (row.people.measure, row.people.change.value, row.people.alarm) == (measure, 0.0, False)


def test_what_is_undefined_is_said(run):
    """A constant judge has no correlation, no kappa and no alarm, but a reason."""
    same = dict.fromkeys(PEOPLE, 0.25)
    said = [Label(item, n % 5) for n, item in enumerate(PEOPLE)]
    (row,) = drift(run("a", {"m": same}), run("b", {"m": same}), said).metrics
    assert (row.people.before, row.people.change.value, row.people.alarm) == (None, None, False)
    assert row.people.change.reason
    assert row.icc.value is None
    assert row.icc.reason
    assert row.kappa.value is None


def test_scores_without_a_value_are_counted_by_where_they_went(run):
    """An item that became unreadable is not counted in the means; a missing score counts as failed."""
    now = {item: Score(value) for item, value in PEOPLE.items()} | {"s0": Score(None, "unreadable", "?")}
    del now["s1"]
    (row,) = drift(run("a", {"m": PEOPLE}), run("b", {"m": now})).metrics
    assert row.statuses == {("ok", "unreadable"): 1, ("ok", "failed"): 1}
    assert row.shift.n == 118


def test_no_score_in_common_is_no_crash(run):
    """If all failed: no mean, no agreement, but reasons."""
    now = dict.fromkeys(PEOPLE, Score(None, "failed", "down"))
    (row,) = drift(run("a", {"m": PEOPLE}), run("b", {"m": now}), LABELS).metrics
    assert (row.mean_before, row.mean_now, row.shift.difference, row.equal.value) == (None, None, None, None)
    assert (row.icc.value, row.people.change.value, row.people.alarm) == (None, None, False)


def test_adjudicated_labels_settle_the_others(run):
    """The third decision counts, not the mean of three."""
    said = [*LABELS, *(Label(item, 1 - value, "b") for item, value in PEOPLE.items())]
    said += [Label(item, value, "chair", adjudicated=True) for item, value in PEOPLE.items()]
    (row,) = drift(run("a", {"m": PEOPLE}), run("b", {"m": PEOPLE}), said).metrics
    assert (row.people.measure, row.people.now) == ("agreement", 1.0)


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (SAMPLES[:-1], "1 only in"),
        ([*SAMPLES, Sample("extra", "q", "a")], "1 only in"),
        (
            [Sample("s0", "Question 0?", "Another answer.", reference="Yes."), *SAMPLES[1:]],
            r"1 with other content \(s0",
        ),
    ],
)
def test_other_samples_are_refused(run, samples, words):
    """Drift is measured on one frozen set; the message says what differs."""
    scores = {each.id: 1.0 for each in samples}
    with pytest.raises(BadInput, match=words):
        drift(run("a", {"m": PEOPLE}), run("b", {"m": scores}, samples))


@pytest.mark.parametrize(
    ("labels", "aspect", "words"),
    [
        ([Label("s1", 1, aspect="x"), Label("s1", 1, aspect="y")], None, "several aspects"),
        ([Label("s1", 1, aspect="x")], "z", "no labels of 'z'"),
        ([Label("elsewhere", 1)], None, "no label is of an item"),
        ([Label("s1", 0, category="neutral")], None, "without an order"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(run, labels, aspect, words):
    """The message says what there is."""
    with pytest.raises(BadInput, match=words):
        drift(run("a", {"m": PEOPLE}), run("b", {"m": PEOPLE}), labels, aspect=aspect)


def test_runs_without_a_common_metric_are_refused(run):
    """If there are common metrics, those of only one run are reported."""
    a, b = run("a", {"m": PEOPLE, "x": PEOPLE}), run("b", {"n": PEOPLE, "x": PEOPLE})
    assert drift(a, b).only == ("m", "n")
    with pytest.raises(BadInput, match="no metric that both"):
        drift(run("c", {"m": PEOPLE}), run("d", {"n": PEOPLE}))


def test_the_icc_is_that_of_two_votes():
    """Equal to `stats.reliability` for two values an item."""
    values = random.Random(3)
    rows = [(values.random(), values.random()) for _ in range(50)]
    ours = icc_of_pairs([a for a, _ in rows], [b for _, b in rows]).value
    assert ours == pytest.approx(reliability(rows).icc, abs=1e-12)


def test_answers_that_people_call_declined_are_left_out(run):
    """Grade 0 of graded correctness is not a grade: agreement is that of the graded answers, the rest is counted."""
    grades = {each.id: float(n % 5 + 1) for n, each in enumerate(SAMPLES)}
    turning = random.Random(2)
    now = {item: float(min(5, max(1, value + turning.randint(-1, 1)))) for item, value in grades.items()}
    labels = [Label(i, 0.0 if n % 6 == 1 else v, "a", "correctness") for n, (i, v) in enumerate(grades.items())]
    runs = (run("a", {"correctness": grades}), run("b", {"correctness": now}))
    with_0, without = drift(*runs, labels), drift(*runs, [label for label in labels if label.value])
    assert (with_0.declined, without.declined) == (20, 0)
    assert with_0.metrics[0].people == without.metrics[0].people
    assert any(
        "20 answers that people call declined" in table.in_language("en").caption for table in drift_tables(with_0)
    )


def test_the_leak_corrects_no_other_p(run):
    """It is a check next to the scores; its own p is not corrected either."""
    before, now = PEOPLE, {item: 0.0 if n < 12 else value for n, (item, value) in enumerate(PEOPLE.items())}
    alone = drift(run("a", {"wscore": before}), run("b", {"wscore": now}))
    both = drift(run("c", {"wscore": before, "leak": before}), run("d", {"wscore": now, "leak": now}))
    (p,) = [each.shift.p_value for each in alone.metrics]
    assert 0 < p < 0.5
    assert [each.shift.p_value for each in both.metrics] == [p, p]
