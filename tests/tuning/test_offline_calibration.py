import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import BadInput
from saiten.judges.offline import OfflineJudge
from saiten.judges.offline.calibration import log_odds
from saiten.records import Label, Sample
from saiten.tuning.calibrating import calibrate
from saiten.tuning.fitted_line import FittedLine, LabeledPoint, cross_validated, fit_grades, fit_log_odds
from saiten.tuning.offline import calibrate_offline


def drawn(n, seed=0, border=0.3, noise=0.05):
    """Samples that people call good above a threshold of the judge's p, with some noise."""
    draw = random.Random(seed)
    ps = [draw.random() for _ in range(n)]
    return [
        LabeledPoint(f"s{at}", p, float(p + draw.gauss(0, noise) > border), f"q{at // 2}") for at, p in enumerate(ps)
    ]


@pytest.mark.parametrize("border", [0.15, 0.3, 0.5, 0.8])
def test_threshold_is_found(border):
    """With many labels the threshold is near the human one, and agreement rises unless it was 0.5."""
    made = calibrate(drawn(400, border=border), "support", "digest")
    assert made.threshold == pytest.approx(border, abs=0.12)
    assert made.after.value >= made.before.value - 0.02
    assert (made.before.value < 0.85) == (border in (0.15, 0.8))
    assert made.after.low <= made.after.value <= made.after.high


def test_verdict_follows_the_threshold():
    """The calibrated p is 0.5 at the threshold and rises with p."""
    made = calibrate(drawn(50), "support", "digest")
    assert made.apply(made.threshold) == pytest.approx(0.5)
    ps = [at / 20 for at in range(21)]
    assert [made.apply(p) for p in ps] == sorted(made.apply(p) for p in ps)


def test_few_labels_move_little():
    """20 labels that agree with the judge leave its threshold about where it was."""
    made = calibrate(drawn(20, border=0.5), "support", "digest")
    assert made.threshold == pytest.approx(0.5, abs=0.15)


def test_order_plays_no_part():
    """The same labels in another order give the same calibration, up to the last bits of sums."""
    points = drawn(60)
    other = random.Random(1).sample(points, len(points))
    one, two = calibrate(points, "correct", "d"), calibrate(other, "correct", "d")
    assert (one.fingerprint, one.n, one.after) == (two.fingerprint, two.n, two.after)
    assert one.intercept == pytest.approx(two.intercept)


def test_one_label_changes_the_fingerprint():
    """The fingerprint distinguishes sets of labels."""
    points = drawn(60)
    turned = [points[0]._replace(label=1 - points[0].label), *points[1:]]
    assert calibrate(points, "correct", "d").fingerprint != calibrate(turned, "correct", "d").fingerprint


def test_after_is_held_out():
    """Random labels show no gain: what is learned from noise is not counted as agreement."""
    draw = random.Random(3)
    points = [LabeledPoint(f"s{at}", draw.random(), float(draw.random() < 0.5), f"q{at}") for at in range(300)]
    try:
        made = calibrate(points, "support", "d")
    except BadInput:
        return
    assert made.after.value < 0.6


def test_grades():
    """A line turns p into grades; its cross-validated error is smaller than that of 1 + 4 p."""
    draw = random.Random(5)
    ps = [draw.random() for _ in range(50)]
    points = [LabeledPoint(f"s{at}", p, 3 + 1.5 * p + draw.gauss(0, 0.2), f"q{at}") for at, p in enumerate(ps)]
    made = calibrate(points, "grade", "d")
    assert (made.intercept, made.slope) == (pytest.approx(3, abs=0.3), pytest.approx(1.5, abs=0.4))
    assert made.after.value < 0.3 < made.before.value
    assert made.apply(0.0) >= 1
    assert made.measure == "mean absolute error"


@pytest.mark.parametrize(("points", "aspect", "message"), [
    (drawn(19), "support", "19 usable"),
    ([LabeledPoint(f"s{at}", at / 40, 1.0, "q") for at in range(40)], "support", "40 samples are labeled yes"),
    ([LabeledPoint(f"s{at}", at / 40, float(at > 1), f"q{at}") for at in range(40)], "correct", "2 no"),
    ([LabeledPoint(f"s{at}", at / 60, float(at < 30), f"q{at}") for at in range(60)], "correct", "right way round"),
    ([LabeledPoint(f"s{at}", at / 40, 5 - at / 10, f"q{at}") for at in range(40)], "grade", "do not rise"),
])  # fmt: skip
def test_labels_that_do_not_suffice(points, aspect, message):
    """Too few labels, labels of one kind, or labels that fall as p rises are refused with what to do."""
    with pytest.raises(BadInput, match=message):
        calibrate(points, aspect, "d")


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=6, max_size=40))
def test_any_labels(pairs):
    """The regression ends with finite figures for any labels of both kinds, including separable ones and constant p."""
    points = [LabeledPoint(str(at), log_odds(p), float(label), "q") for at, (p, label) in enumerate(pairs)]
    points += [LabeledPoint("yes", 0.0, 1.0, "q"), LabeledPoint("no", 0.0, 0.0, "q")]
    line = fit_log_odds(points)
    assert all(abs(figure) < 1e6 for figure in line)


def test_held_out_lines_do_not_know_their_point():
    """The value of a point comes from a line fitted without it."""
    points = [LabeledPoint(str(at), float(at), float(at), "q") for at in range(10)]
    outlier = [*points[:9], points[9]._replace(label=1000.0)]
    values = cross_validated(outlier, fit_grades, 10)
    assert values[9] == pytest.approx(9)
    assert fit_grades([LabeledPoint("a", 1.0, 2.0, "q"), LabeledPoint("b", 1.0, 4.0, "q")]) == FittedLine(3.0, 0.0)


SUPPORTED = "The Osaka plant opened in 1998."
MADE_UP = "Godzilla destroyed Kyoto in 2031."


def samples(n):
    """Samples whose answers are alternately supported and made up."""
    return [
        Sample(
            id=f"s{at}",
            question=f"What happened {at // 2}?",
            answer=f"Hello! {SUPPORTED if at % 2 else MADE_UP}",
            contexts=("The Osaka plant opened in May 1998. It makes tyres.",),
            reference="The plant opened in 1998",
        )
        for at in range(n)
    ]


@pytest.mark.parametrize("aspect", ["support", "correct"])
async def test_from_samples(aspect):
    """Labels of samples give a calibration for the requested aspect that a judge accepts."""
    labels = [Label(f"s{at}", float(at % 2), "anna", aspect) for at in range(24)]
    labels.append(Label("s1", 0.0, "anna", "another aspect"))
    made = await calibrate_offline(samples(30), labels, aspect)
    assert (made.aspect, made.n, made.constants) == (aspect, 24, OfflineJudge().constants.digest)
    assert made.after.value == 1.0
    assert made.aspect in OfflineJudge(calibration=(made,)).describe([])["calibration"]


async def test_several_people():
    """Verdicts of several people are averaged, a tie being a no; grades of 0 and answers that decline are left out."""
    labels = [Label(f"s{at}", float(at % 2), who) for at in range(24) for who in ("anna", "ben")]
    labels += [Label("s1", 0.0, "carl"), Label("s1", 0.0, "dora")]
    tie = await calibrate_offline(samples(24), labels, "support")
    assert tie.after.value < 1.0
    grades = [Label(f"s{at}", 1.0 + 3 * (at % 2)) for at in range(24)] + [Label("s24", 0.0), Label("refused", 3.0)]
    refused = Sample("refused", answer="I don't know.", reference="Osaka")
    assert (await calibrate_offline([*samples(25), refused], grades, "grade")).n == 24


@pytest.mark.parametrize(("labels", "aspect", "message"), [
    ([Label("nobody", 1.0)], "support", "belong to no sample, for example 'nobody'"),
    ([Label("s1", 3.0)], "support", "expects 0 .no. or 1 .yes."),
    ([Label("s1", 6.0)], "grade", "a grade from 0 to 5"),
    ([Label("s1", float("nan"))], "grade", "nan"),
    ([Label("s1", 1.0, aspect="a"), Label("s1", 1.0, aspect="b")], "support", "labels of 'a', 'b'"),
    ([], "support", "none at all"),
    ([Label("bare", 1.0)], "support", "'bare' has a label of 'support', but lacks contexts"),
    ([Label("bare", 1.0)], "correct", "lacks a reference"),
    ([Label("silent", 1.0)], "correct", "lacks an answer"),
    ([Label(f"s{at}", 1.0) for at in range(5)], "support", "5 usable"),
])  # fmt: skip
async def test_labels_that_cannot_be_used(labels, aspect, message):
    """Labels without their samples, out of range, of other aspects, or too few, are named in the error."""
    there = [*samples(10), Sample("bare", answer="Yes."), Sample("silent", reference="Osaka")]
    with pytest.raises(BadInput, match=message):
        await calibrate_offline(there, labels, aspect)
