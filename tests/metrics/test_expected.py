"""The expected value: the expectation of a metric's value under the judge's probabilities."""

from dataclasses import replace
from itertools import product
from math import fsum, prod
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.correctness import Correctness
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.metrics.ragas.answer_correctness import AnswerCorrectness, expected_f
from saiten.metrics.ragas.context_precision import ContextPrecision, average_precision, expected_precision
from saiten.metrics.ragas.summarization_score import SummarizationScore
from saiten.records import Sample, Score
from saiten.runs.scoring import score_once
from saiten.stats.f_measure import f_beta
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import DecideCorrect, Decision, Grade, GradeAnswer
from saiten.tasks.statements import Classification, ClassifyStatements, SplitStatements, Statements
from saiten.tasks.summaries import (
    AnswerFromSummary,
    ClosedQuestions,
    ExtractKeyphrases,
    Keyphrases,
    SummaryAnswers,
    WriteClosedQuestions,
)
from saiten.tasks.verdicts import Verdict

SAMPLE = Sample(
    "1",
    question="Where does the ferry land?",
    answer="At the north pier, every hour.",
    contexts=("The ferry lands at the north pier.", "It sails every hour."),
    reference="At the north pier.",
)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=5)


def verdicts(*probabilities):
    """Numbered verdicts with these probabilities."""
    return [Verdict(number=n, reason="", verdict=p > 0.5, p=p) for n, p in enumerate(probabilities, 1)]


def over_all_outcomes(probabilities, value):
    """The expectation by listing every combination of verdicts."""
    return fsum(
        prod(p if yes else 1 - p for p, yes in zip(probabilities, outcome, strict=True)) * value(outcome)
        for outcome in product([False, True], repeat=len(probabilities))
    )


@given(PROBABILITIES)
def test_expected_precision_is_the_mean_over_all_outcomes(p):
    """Verdicts are independent: each combination counts by the product of its probabilities."""
    assert expected_precision(p) == pytest.approx(over_all_outcomes(p, average_precision))


@given(PROBABILITIES, PROBABILITIES, st.sampled_from([0.5, 1.0, 2.0]))
def test_expected_f_is_the_mean_over_all_outcomes(answer, reference, beta):
    """F of the counts of every combination of verdicts, weighted by its probability."""

    def f(outcome):
        tp, fn = sum(outcome[: len(answer)]), sum(not yes for yes in outcome[len(answer) :])
        return f_beta(tp, len(answer) - tp, fn, beta)

    found = expected_f(Classification(answer=verdicts(*answer), reference=verdicts(*reference)), beta)
    assert found == pytest.approx(over_all_outcomes([*answer, *reference], f))


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ({5: 0.5, 4: 0.5}, 4.5),
        ({5: 0.6, 3: 0.2}, 4.5),
        ({0: 0.5, 1: 0.25, 3: 0.25}, 2.0),
        ({0: 1.0}, None),
        (None, None),
    ],
)
async def test_a_grade_expects_the_mean_over_the_valid_grades(probabilities, expected):
    """Scaled to a total of 1 (G-Eval); grade 0, which declines, is no point of the scale."""
    judge = ScriptedJudge({GradeAnswer: Grade(feedback="so", grade=4, probabilities=probabilities)})
    score = await Correctness().score(SAMPLE, judge)
    assert score.value == 4.0
    assert score.expected == (expected if expected is None else pytest.approx(expected))


async def test_a_rating_and_mate_expect_the_mean_over_the_grades():
    """MATE averages deductions, not grades: -1 and 1 are two faults, not a 0."""

    def rate(task):
        if task.aspect == "amount_info":
            return Rating(reason="", grade=0, probabilities={-1: 0.25, 0: 0.5, 1: 0.25})
        return Rating(reason="", grade=3 if 3 in task.values else 0)

    score = await Mate().score(SAMPLE, ScriptedJudge({RateAspect: rate}))
    assert score.value == pytest.approx(3.0)
    assert score.expected == pytest.approx(3 - 0.5 * 0.739)
    judge = ScriptedJudge({RateAspect: Rating(reason="", grade=3, probabilities={3: 0.9, 1: 0.1})})
    assert (await Direct().score(SAMPLE, judge)).expected == pytest.approx(2.8)
    without = ScriptedJudge({RateAspect: lambda task: Rating(reason="", grade=task.values[-1])})
    assert (await Mate().score(SAMPLE, without)).expected is None


async def test_each_metric_of_verdicts_fills_the_expected_value():
    """On the metric's own scale, with the parts that need no judge as they are."""
    decide = ScriptedJudge({DecideCorrect: Decision(explanation="", correct=True, p=0.6)})
    assert (await Accuracy().score(SAMPLE, decide)).expected == 0.6
    useful = [ContextVerdict(reason="", useful=True, p=0.8), ContextVerdict(reason="", useful=False, p=None)]
    judge = ScriptedJudge({JudgeContext: lambda task: useful[SAMPLE.contexts.index(task.context)]})
    assert (await ContextPrecision().score(SAMPLE, judge)).expected == pytest.approx(0.8)
    summary = ScriptedJudge(
        {
            ExtractKeyphrases: Keyphrases(keyphrases=["pier", "quay"]),
            WriteClosedQuestions: ClosedQuestions(questions=["a?", "b?"]),
            AnswerFromSummary: SummaryAnswers(verdicts=verdicts(0.9, 0.3)),
        }
    )
    score = await SummarizationScore(conciseness_weight=0.25).score(SAMPLE, summary)
    assert score.expected == pytest.approx(0.75 * 0.6 + 0.25 * score.details["conciseness"])
    classified = ScriptedJudge(
        {
            SplitStatements: Statements(statements=["a"]),
            ClassifyStatements: Classification(answer=verdicts(0.5), reference=verdicts(1.0)),
        }
    )
    assert (await AnswerCorrectness(weight=1.0).score(SAMPLE, classified)).expected == pytest.approx(0.5)


@pytest.mark.parametrize(
    "name",
    ["accuracy", "correctness", "faithfulness", "context_recall", "context_precision", "answer_correctness[weight=1]"],
)
async def test_the_offline_judge_gives_its_own_p(name):
    """Whatever it can judge has an expected value, within the bounds of the metric."""
    metric = make_metric(name)
    score = await score_once(SAMPLE, metric, OfflineJudge())
    assert metric.bounds[0] <= score.expected <= metric.bounds[1]


@pytest.mark.parametrize("status", ["ok", "declined"])
async def test_a_metric_that_expects_what_is_no_number_fails(status):
    """A custom metric's mistake becomes a failed score: no NaN, and no expectation without a value."""

    class Custom(Accuracy):
        async def score(self, sample, judge):
            return Score(1.0, expected=float("nan")) if status == "ok" else replace(Score.declined("x"), expected=0.5)

    score = await score_once(SAMPLE, Custom(), ScriptedJudge({}))
    assert (score.status, score.expected) == ("failed", None)
    assert "expected value" in score.reason


async def test_the_share_of_votes_is_the_probability_of_a_merged_verdict():
    """Two of three say yes; a vote with a probability of its own counts by it."""
    task = DecideCorrect("q", "a", ("r",), language="en")
    plain = [Decision(explanation="", correct=flag) for flag in (True, False, True)]
    assert task.merge(plain).p == pytest.approx(2 / 3)
    known = [Decision(explanation="", correct=flag, p=p) for flag, p in ((True, 0.9), (False, 0.2), (True, None))]
    assert task.merge(known).p == pytest.approx(fmean([0.9, 0.2, 1.0]))
