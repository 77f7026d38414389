from dataclasses import replace

import pytest

from saiten.errors import ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.correctness import Correctness
from saiten.records import Sample
from saiten.tasks.correctness import (
    DecideCorrect,
    DecideCorrectGrounded,
    Decision,
    Grade,
    GradeAnswer,
    GroundedDecision,
)

SAMPLE = Sample(
    "1",
    question="富士山の高さは？",
    answer="3776メートルです。",
    contexts=("検索された文書。",),
    reference="3,776 m",
    alternatives=("約3.8キロメートル",),
    evidence=("判定用の文書。", "もう一つ。"),
    language="ja",
)


def _judge_grading(grade, mean=None):
    return ScriptedJudge({GradeAnswer: Grade(feedback="review", grade=grade, mean=mean)})


@pytest.mark.parametrize("grade", [1, 2, 3, 4, 5])
async def test_correctness_is_the_grade_with_the_review_as_its_reason(grade):
    """The value is the grade itself, within the bounds of 1 and 5."""
    score = await Correctness().score(SAMPLE, _judge_grading(grade))
    assert (score.value, score.status, score.reason) == (float(grade), "ok", "review")
    assert score.details["grade"] == grade


async def test_grade_0_is_declined_and_has_no_value():
    """An answer that does not know is counted separately and never averaged as a 0."""
    score = await Correctness().score(SAMPLE, _judge_grading(0))
    assert (score.value, score.status, score.reason) == (None, "declined", "review")
    assert score.details["grade"] == 0


async def test_the_mean_of_several_votes_is_the_value():
    """A panel's mean is finer than the grade of the vote whose review is kept."""
    assert (await Correctness().score(SAMPLE, _judge_grading(4, mean=4.333))).value == 4.333


@pytest.mark.parametrize(("mode", "seen"), [("none", ()), ("answer", SAMPLE.contexts), ("reference", SAMPLE.evidence)])
async def test_the_mode_decides_what_the_judge_sees(mode, seen):
    """None, the contexts of the answer (E2) or the sample's evidence (E3), and the details say what and how much."""
    judge = _judge_grading(5)
    score = await Correctness(evidence=mode).score(SAMPLE, judge)
    assert judge.asked[0].evidence == seen
    assert score.details["evidence"] == {"mode": mode, "pieces": len(seen)}


@pytest.mark.parametrize(("mode", "field"), [("answer", "contexts"), ("reference", "evidence")])
async def test_a_sample_without_evidence_is_graded_without_and_the_details_say_so(mode, field):
    """Missing evidence is not an error, but it must be visible that the judge saw none."""
    judge = _judge_grading(5)
    score = await Correctness(evidence=mode).score(replace(SAMPLE, **{field: None}), judge)
    assert judge.asked[0].evidence == ()
    assert score.details["evidence"] == {"mode": mode, "pieces": 0}


async def test_all_references_go_to_the_judge_in_the_form_that_was_asked_for():
    """Each reference is correct on its own; the form selects the prompt."""
    judge = _judge_grading(5)
    await Correctness(form="prometheus").score(SAMPLE, judge)
    assert judge.asked[0].references == ("3,776 m", "約3.8キロメートル")
    assert (judge.asked[0].form, judge.asked[0].language) == ("prometheus", "ja")


@pytest.mark.parametrize("correct", [True, False])
async def test_accuracy_is_1_or_0_with_the_explanation_as_its_reason(correct):
    """The verdict is a number; the probability of correct, if the judge has one, is the expected value."""
    judge = ScriptedJudge({DecideCorrect: Decision(explanation="because", correct=correct, p=0.7)})
    score = await Accuracy().score(SAMPLE, judge)
    assert (score.value, score.expected, score.reason) == (float(correct), 0.7, "because")
    assert score.details == {"correct": correct}
    assert judge.asked == [DecideCorrect(SAMPLE.question, SAMPLE.answer, SAMPLE.references, language="ja")]


async def test_grounded_accuracy_needs_and_shows_the_contexts():
    """The stricter form requires contexts, and the judge sees them."""
    judge = ScriptedJudge({DecideCorrectGrounded: GroundedDecision(explanation="because", correct=False)})
    metric = Accuracy(grounded=True, form="marker")
    await metric.score(SAMPLE, judge)
    assert judge.asked[0].contexts == SAMPLE.contexts
    assert judge.asked[0].prompt == "decide_correct_grounded"
    assert metric.needs == ("question", "answer", "reference", "contexts")
    assert Accuracy().needs == ("question", "answer", "reference")


@pytest.mark.parametrize(
    ("correct", "supported", "value"), [(True, True, 1.0), (True, False, 0.0), (False, True, 0.0), (True, None, 1.0)]
)
async def test_grounded_accuracy_tells_a_wrong_answer_from_an_unsupported_one(correct, supported, value):
    """The value is 1 only if the answer is both; the details contain each verdict that was given."""
    given = {"correct": correct} | ({} if supported is None else {"supported": supported})
    decision = GroundedDecision(explanation="because", **given)
    score = await Accuracy(grounded=True).score(SAMPLE, ScriptedJudge({DecideCorrectGrounded: decision}))
    assert score.value == value
    assert score.details == given


def test_votes_on_a_grounded_decision_are_counted_by_what_passes():
    """Correct but unsupported is no vote for the answer."""
    votes = [GroundedDecision(explanation=str(n), correct=True, supported=n == 0) for n in range(3)]
    task = Accuracy(grounded=True).task(SAMPLE)
    assert task.merge(votes).explanation == "1"


@pytest.mark.parametrize("metric", [Accuracy(references="parts"), Correctness(references="parts")])
async def test_references_are_parts_of_one_answer_on_request(metric):
    """The judge is shown them as parts instead of as alternatives; a single reference is the same either way."""
    task = metric.task(SAMPLE)
    assert (task.references, task.parts) == ((), ("3,776 m", "約3.8キロメートル"))
    alone = metric.task(replace(SAMPLE, alternatives=()))
    assert (alone.references, alone.parts) == (("3,776 m",), ())
    assert metric.name.endswith("[references=parts]")


@pytest.mark.parametrize("metric", [Accuracy(), Correctness(), Accuracy(grounded=True)])
async def test_a_repeated_reference_is_shown_once(metric):
    """Data sets repeat references, at times with other spaces; the first of each comes first."""
    sample = replace(SAMPLE, alternatives=("about 3.8 km", "3,776  m ", "about 3.8 km"))
    assert metric.task(sample).references == ("3,776 m", "about 3.8 km")


@pytest.mark.parametrize("blank", ["", "\u3000\n"])
async def test_an_empty_answer_is_declined_by_the_grade_and_wrong_for_accuracy(blank):
    """Nothing is said, so there is nothing to grade and nothing correct; no call is spent."""
    judge = ScriptedJudge({})
    sample = replace(SAMPLE, answer=blank)
    graded, decided = await Correctness().score(sample, judge), await Accuracy().score(sample, judge)
    assert (graded.value, graded.status) == (None, "declined")
    assert (decided.value, decided.status, decided.reason) == (0.0, "ok", "the answer is empty")
    assert judge.asked == []


@pytest.mark.parametrize(
    "make", [lambda: Correctness(evidence="all"), lambda: Correctness(form="marker"), lambda: Accuracy(form="xml")]
)
def test_settings_that_do_not_exist_are_refused_at_once(make):
    """The error lists the choices."""
    with pytest.raises(ConfigurationError, match="is one of"):
        make()
