"""Aspects, direct and MATE: what is asked, shared, averaged and combined."""

import asyncio
from dataclasses import replace
from fractions import Fraction
from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import CannotJudge, ConfigurationError, Unreadable
from saiten.judges.memo import Memo
from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.judged.aspects import Aspects
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import read_weights
from saiten.records import Sample, Usage
from saiten.runs.engine import Stop
from saiten.runs.journal import InMemory
from saiten.runs.scoring import Scoring, score_once
from saiten.tasks.aspects import RateAspect, Rating

SAMPLE = Sample("1", question="Why does bread rise?", answer="Because of the yeast.")
JAPANESE = Sample("2", question="パンはなぜ膨らむのですか。", answer="酵母です。", language="ja")
CALL = Usage(calls=1)
RUBRIC = read_rubric()
SCALES = {name: RUBRIC.aspect(name).values for name in RUBRIC.names}


def rating(**grades):
    """A judge that gives each aspect its grade, for one call each."""
    return ScriptedJudge({RateAspect: lambda task: Rating(reason=f"of {task.aspect}", grade=grades[task.aspect]).with_usage(CALL)})  # fmt: skip


GRADES = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in SCALES.items()})


@pytest.mark.parametrize(
    ("formality", "amount_info", "factuality", "mate"),
    [
        (0, 0, 3, 3.0),
        (1, 1, 0, -0.122),
        (-1, -1, 0, -0.122),
        (0, 0, 0, 3 - 2.048),
        (1, 0, 3, 3 - 0.335),
        (0, -1, 3, 3 - 0.739),
        (-1, 1, 2, 3 - 0.335 - 0.739 - 2.048 / 3),
    ],
)
async def test_mate_with_the_published_weights(formality, amount_info, factuality, mate):
    """Factuality 3 and zeros give exactly 3; the worst answer gets -0.122, which is not clipped."""
    score = await Mate().score(SAMPLE, rating(formality=formality, amount_info=amount_info, factuality=factuality))
    assert score.value == pytest.approx(mate, abs=1e-12)
    assert (score.value == 3.0) == (mate == 3.0)
    assert Mate().bounds == pytest.approx((-0.122, 3.0))


async def test_the_reason_says_what_was_taken_off():
    """The costliest aspect comes first; the details have every rating with its own reason."""
    score = await Mate().score(SAMPLE, rating(formality=-1, amount_info=0, factuality=2))
    assert score.reason == "factuality -0.683, formality -0.335"
    assert score.details["ratings"]["factuality"] == {
        "aspect": "factuality",
        "grade": 2,
        "best": 3,
        "reason": "of factuality",
    }
    assert score.details["parts"]["amount_info"] == 0
    best = await Mate().score(SAMPLE, rating(formality=0, amount_info=0, factuality=3))
    assert best.reason == "no deduction"


@pytest.mark.parametrize("aspect", RUBRIC.names)
async def test_an_aspect_is_its_grade_asked_in_a_call_of_its_own(aspect):
    """The judge sees the aspect's texts and example in the sample's language, and no reference."""
    grades = dict(zip(RUBRIC.names, (-1, 2, 1, 3), strict=True))
    for sample, own in ((SAMPLE, "bread"), (JAPANESE, "パン")):
        judge = rating(**grades)
        score = await Aspects(aspect).score(replace(sample, reference="never shown"), judge)
        (task,) = judge.asked
        worded = RUBRIC.aspect(aspect).texts[sample.language]
        assert (score.value, score.reason) == (float(grades[aspect]), f"of {aspect}")
        assert (task.asks, task.language) == (worded.asks, sample.language)
        assert task.grades.startswith(worded.grades)
        assert (task.contexts, task.reference) == ((), "")
        assert own in task.examples[0].question
        assert task.values == SCALES[aspect]


@pytest.mark.parametrize("title", ["aspects[factuality,given={}]", "direct[given={}]", "mate[given={}]"])
async def test_the_judge_can_be_shown_what_facts_are_checked_against(title):
    """The contexts or the reference, which the sample must then have; the name, and so the signature, says which."""
    sample = replace(SAMPLE, reference="Yeast makes gas.", contexts=("Yeast.", "Gas."))
    for field, shown in (("contexts", (sample.contexts, "")), ("reference", ((), sample.reference))):
        metric = make_metric(title.format(field))
        assert metric.name == title.format(field)
        assert metric.needs == ("question", "answer", field)
        judge = rating(formality=0, factuality=2, amount_info=0, acceptability=2)
        assert (await metric.score(sample, judge)).status == "ok"
        assert {(task.contexts, task.reference) for task in judge.asked} == {shown}
        blank = await metric.score(replace(sample, reference=" ", contexts=("",)), judge)
        assert (blank.status, blank.reason) == (
            "undefined",
            "there is no context" if field == "contexts" else "the reference is empty",
        )
    assert make_metric(title.replace(",given={}", "").replace("[given={}]", "")).needs == ("question", "answer")
    with pytest.raises(ConfigurationError, match=r"given takes nothing \| contexts \| reference, not"):
        make_metric(title.format("evidence"))


async def test_what_claims_nothing_gets_no_grade():
    """Undefined, with one reason that tables can count and the judge's own in the details; also in MATE."""
    silent = {"formality": 0, "factuality": None, "amount_info": 0, "acceptability": None}
    for metric, reason in (
        (Aspects("factuality"), "the judge found nothing to grade"),
        (Direct(), "the judge found nothing to grade"),
        (Mate(), "factuality: the judge found nothing to grade"),
    ):
        score = await metric.score(SAMPLE, rating(**silent))
        assert (score.value, score.status, score.reason) == (None, "undefined", reason)
        assert score.details["said"] == f"of {score.details['aspect']}"
    asked = rating(**dict.fromkeys(RUBRIC.names, 0))
    for name in RUBRIC.names:
        await Aspects(name).score(SAMPLE, asked)
    offered = {task.aspect: task.ungraded for task in asked.asked}
    assert [name for name, possible in offered.items() if possible] == ["factuality", "acceptability"]
    assert all(("\nnull: " in task.grades) == task.ungraded for task in asked.asked)


async def test_all_of_them_share_their_calls():
    """Four aspects, direct and MATE cost four calls: acceptability is asked once for two, the rest once for MATE."""
    judge = rating(formality=0, factuality=2, amount_info=-1, acceptability=1)
    memo = Memo(judge)
    metrics = make_metrics(["aspects,direct,mate"])
    scores = [await score_once(SAMPLE, metric, memo) for metric in metrics]
    assert len(judge.asked) == 4
    assert sum((score.usage for score in scores), Usage()).calls == 4
    values = {metric.name: score.value for metric, score in zip(metrics, scores, strict=True)}
    assert values["direct"] == values["aspects[acceptability]"] == 1.0
    assert values["mate"] == pytest.approx(3 - 0.739 - 2.048 / 3)


async def test_votes_are_averaged_and_their_spread_is_kept():
    """Three votes: each metric's mean, MATE as the mean of the votes' own MATE, and what each vote alone would give."""
    votes = [
        {"formality": -1, "factuality": 3, "amount_info": -1, "acceptability": 2},
        {"formality": 1, "factuality": 2, "amount_info": 1, "acceptability": 3},
        {"formality": 0, "factuality": 3, "amount_info": 0, "acceptability": 3},
    ]
    found = {}
    panel = Panel(tuple(rating(**vote) for vote in votes))
    scoring = Scoring(make_metrics(["aspects,direct,mate"]), panel, InMemory())
    await scoring.make(SAMPLE, lambda scored: found.update({scored.metric: scored.score}), Stop())
    assert found["direct"].value == pytest.approx(8 / 3)
    assert found["direct"].votes == (2.0, 3.0, 3.0)
    assert found["aspects[formality]"].value == 0
    assert found["aspects[formality]"].details["given"] == [-1, 1, 0]
    mate = found["mate"]
    assert mate.votes == pytest.approx((3 - 0.335 - 0.739, 3 - 0.335 - 0.739 - 2.048 / 3, 3.0))
    assert mate.value == pytest.approx(fmean(mate.votes))


async def test_two_votes_that_err_in_opposite_ways_do_not_make_a_good_answer():
    """Too little and too much are two faults: the deductions are averaged, not the grades."""
    panel = Panel(tuple(rating(formality=0, factuality=3, amount_info=amount) for amount in (-1, 1)))
    assert (await Mate().score(SAMPLE, panel)).value == pytest.approx(3 - 0.739)


async def counted(aspect, votes):
    """The score of a panel with these votes."""
    panel = Panel(tuple(rating(**{aspect: vote}) for vote in votes))
    return await Aspects(aspect).score(SAMPLE, panel)


@pytest.mark.parametrize("aspect", ["factuality", "acceptability"])
async def test_of_several_votes_the_grade_nearest_to_their_mean_is_counted(aspect):
    """Every combination of two to four votes, in any order: a tie goes to the grade farther from the best."""
    for size in (2, 3, 4):
        for votes in product(SCALES[aspect], repeat=size):
            mean = Fraction(sum(votes), size)
            nearest = min(abs(grade - mean) for grade in SCALES[aspect])
            expected = min(grade for grade in SCALES[aspect] if abs(grade - mean) == nearest)
            found = await counted(aspect, votes)
            assert found.details["grade"] == expected, votes
            assert found.value == pytest.approx(float(mean))


@pytest.mark.parametrize("aspect", ["formality", "amount_info"])
async def test_votes_on_both_sides_of_the_best_grade_are_not_the_best(aspect):
    """Every combination of one to five votes on -1 to 1: 0 only if most say so, else the side with more votes."""
    for size in (1, 2, 3, 4, 5):
        for votes in product(SCALES[aspect], repeat=size):
            low, right, high = (votes.count(grade) for grade in (-1, 0, 1))
            fault = None if low == high else (-1 if low > high else 1)
            found = await counted(aspect, votes)
            assert found.details["grade"] == (0 if 2 * right > size else fault), votes
            assert ("split around the best grade" in found.reason) == (found.details["grade"] is None)


@pytest.mark.parametrize(
    ("votes", "grade"), [([-1, 0, 1], None), ([0, 1], 1), ([-1, -1, 1], -1), ([0, 0, 0, -1, 1], 0), ([1], 1)]
)
def test_a_grade_is_counted_by_its_deduction(votes, grade):
    """The same as examples; only votes whose mean hides a fault are contested."""
    aspect = RUBRIC.aspect("formality")
    assert aspect.counted(votes) == grade
    assert aspect.contested(votes) == (votes in ([-1, 0, 1], [-1, -1, 1]))


@pytest.mark.parametrize("blank", ["", " \u3000\n"])
async def test_a_blank_answer_costs_nothing(blank):
    """The whole gets its worst value: a system that answers nothing stays in its own mean; an aspect is undefined."""
    judge = ScriptedJudge({})
    sample = replace(SAMPLE, answer=blank)
    assert (await Direct().score(sample, judge)).value == 0.0
    assert (await Mate().score(sample, judge)).value == pytest.approx(-0.122)
    assert (await Aspects().score(sample, judge)).status == "undefined"
    assert judge.asked == []


async def test_a_rating_that_cannot_be_had_leaves_mate_without_a_value():
    """No aspect is guessed; the others are still requested, and paid for once."""

    def line(task):
        if task.aspect == "formality":
            raise Unreadable("rubbish", "raw", CALL)
        return Rating(reason="", grade=0).with_usage(CALL)

    judge = ScriptedJudge({RateAspect: line})
    score = await score_once(SAMPLE, Mate(), Memo(judge))
    assert (score.value, score.status) == (None, "unreadable")
    assert len(judge.asked) == 3


async def test_grades_off_the_scale_are_no_grades():
    """A judge must keep to the aspect's scale."""
    with pytest.raises(ValueError, match="one of -1, 0, 1"):
        await Aspects("formality").score(SAMPLE, rating(formality=3))


@given(GRADES, st.data())
def test_a_further_deduction_never_raises_mate(grades, data):
    """With the published weights, none of which is negative, moving a grade away from its best lowers the score."""
    weights = read_weights()
    name = data.draw(st.sampled_from(weights.names))
    aspect = RUBRIC.aspect(name)
    worse = [value for value in aspect.values if abs(value - aspect.best) >= abs(grades[name] - aspect.best)]
    then = grades | {name: data.draw(st.sampled_from(worse))}
    before, after = (weights.score({key: [value] for key, value in each.items()}) for each in (grades, then))
    assert after <= before + 1e-12
    assert -0.122 - 1e-9 <= after <= 3


@given(GRADES, st.permutations(range(3)))
def test_the_order_of_the_aspects_is_no_matter(grades, order):
    """Permuting the aspects of the weights changes nothing."""
    weights = read_weights()
    turned = replace(weights, aspects=tuple(weights.aspects[at] for at in order))
    each = {key: [value] for key, value in grades.items()}
    assert turned.score(each) == pytest.approx(weights.score(each), abs=1e-12)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("aspects", [f"aspects[{name}]" for name in RUBRIC.names]),
        ("aspects[factuality]", ["aspects[factuality]"]),
        ("aspects[aspect=amount_info]", ["aspects[amount_info]"]),
        ("direct,mate", ["direct", "mate"]),
    ],
)
def test_names(typed, names):
    """The bare name means every aspect; the name in results recreates the metric."""
    made = make_metrics([typed])
    assert [metric.name for metric in made] == names
    assert [make_metric(metric.name) for metric in made] == list(made)


@pytest.mark.parametrize(
    ("name", "higher", "bounds"),
    [
        ("aspects[formality]", None, (-1, 1)),
        ("aspects[factuality]", True, (0, 3)),
        ("direct", True, (0, 3)),
        ("mate", True, pytest.approx((-0.122, 3))),
    ],
)
def test_directions_and_bounds(name, higher, bounds):
    """The aspect decides: neither direction is better if the best grade is inside the scale."""
    metric = make_metric(name)
    assert (metric.higher_is_better, metric.bounds) == (higher, bounds)


def test_an_unknown_aspect_is_reported_with_those_there_are():
    """This happens before the run."""
    with pytest.raises(ConfigurationError, match="no aspect 'polite'; it has formality"):
        make_metric("aspects[polite]")


@pytest.mark.parametrize(
    ("answer", "language"), [("I don't know.", "en"), ("わかりません。", "ja"), ("資料に記載がありません。", "ja")]
)
async def test_the_offline_judge_knows_an_answer_that_declines(answer, language):
    """The answer gives too little and cannot be accepted; tone and truth cannot be rated offline."""
    sample = Sample("1", "Why?", answer, language=language)
    judge = OfflineJudge()
    assert (await Aspects("amount_info").score(sample, judge)).value == -1
    assert (await Direct().score(sample, judge)).value == 0
    for name in ("formality", "factuality"):
        with pytest.raises(CannotJudge, match=name):
            await Aspects(name).score(sample, judge)


@pytest.mark.parametrize("answer", ["Yes.", "Tea.", "Because yeast makes gas, which the dough holds.", "いいえ。"])
async def test_the_offline_judge_rates_no_other_answer(answer):
    """A short answer may be just right: overlap cannot decide."""
    with pytest.raises(CannotJudge, match="LLM judge"):
        await Direct().score(replace(SAMPLE, answer=answer), OfflineJudge())
    score = await score_once(replace(SAMPLE, answer=answer), Mate(), OfflineJudge())
    assert (score.status, score.value) == ("undefined", None)


def test_signatures_name_rubric_and_weights():
    """A figure depends on both."""
    assert Aspects().describe() == {"rubric": f"long_answers:{RUBRIC.digest}"}
    assert Mate().describe()["weights"] == f"published:{read_weights().digest}"


async def test_the_aspects_of_mate_are_asked_at_the_same_time():
    """Three calls take as long as one."""
    together = asyncio.Event()
    waiting = 0

    class Waiting:
        async def perform(self, task):
            nonlocal waiting
            waiting += 1
            if waiting == 3:
                together.set()
            await together.wait()
            return Rating(reason="", grade=task.values[-1])

    async with asyncio.timeout(60):
        assert (await Mate().score(SAMPLE, Waiting())).status == "ok"
