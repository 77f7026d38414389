import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, Unreadable
from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.base import perform_all
from saiten.metrics.overlap.context_overlap import ContextOverlap
from saiten.metrics.ragas.answer_correctness import AnswerCorrectness
from saiten.metrics.ragas.answer_relevancy import AnswerRelevancy
from saiten.metrics.ragas.answer_similarity import AnswerSimilarity
from saiten.metrics.ragas.aspect_critique import CRITERIA, AspectCritique
from saiten.metrics.ragas.context_entity_recall import ContextEntityRecall
from saiten.metrics.ragas.context_precision import ContextPrecision
from saiten.metrics.ragas.context_recall import ContextRecall
from saiten.metrics.ragas.context_relevance import ContextRelevance
from saiten.metrics.ragas.faithfulness import Faithfulness
from saiten.metrics.ragas.summarization_score import SummarizationScore
from saiten.records import Sample
from saiten.runs.scoring import score_once
from saiten.tasks.contexts import ContextVerdict, JudgeContext, RelevantSentences, SelectRelevantSentences
from saiten.tasks.critique import Critique, CritiqueAspect
from saiten.tasks.similarity import MeasureSimilarity, Questions, Similarities, WriteQuestions
from saiten.tasks.statements import (
    Classification,
    ClassifyStatements,
    Entities,
    ListEntities,
    SplitStatements,
    Statements,
    StatementVerdicts,
    VerifyStatements,
)
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
    question="Where was Einstein born?",
    answer="In Ulm, in 1879.",
    contexts=("Einstein was born in Ulm. Ulm is a city.", "He died in Princeton."),
    reference="He was born in Ulm.",
    alternatives=("Ulm, in Germany.",),
)


def _verdicts(*flags):
    return [Verdict(number=n, reason=f"reason {n}", verdict=bool(flag)) for n, flag in enumerate(flags, start=1)]


def _judge_supporting(*flags):
    return ScriptedJudge(
        {
            SplitStatements: Statements(statements=[f"statement {n}" for n, _ in enumerate(flags, start=1)]),
            VerifyStatements: StatementVerdicts(verdicts=_verdicts(*flags)),
        }
    )


def _without(**fields):
    return replace(SAMPLE, **fields)


# ------------------------------------------------------------------------------------- shares of statements


async def test_faithfulness_is_the_share_of_supported_statements_and_shows_its_work():
    """3 of 4 supported is 0.75, with statements and reasons in the details and the refused one in the reason."""
    score = await Faithfulness().score(SAMPLE, _judge_supporting(1, 0, 1, 1))
    assert score.value == 0.75
    assert score.reason == "3 of 4 statements are supported; not supported: “statement 2”"
    assert score.details["statements"][1] == "statement 2"
    assert score.details["verdicts"][1]["reason"] == "reason 2"
    assert (score.details["yes"], score.details["judged"]) == (3, 4)


async def test_faithfulness_asks_about_the_answer_and_context_recall_about_the_reference():
    """Both use the same two tasks and see all contexts in order; only the text that is split differs."""
    for metric, text in ((Faithfulness(), SAMPLE.answer), (ContextRecall(), SAMPLE.reference)):
        judge = _judge_supporting(1)
        assert (await metric.score(SAMPLE, judge)).value == 1.0
        split, verify = judge.asked
        assert split == SplitStatements(SAMPLE.question, text, language="en")
        assert verify == VerifyStatements(("statement 1",), SAMPLE.contexts, question=SAMPLE.question, language="en")


async def test_statements_are_verified_without_the_question_if_ragas_is_to_be_matched():
    """RAGAS shows contexts and statements only."""
    judge = _judge_supporting(1)
    await Faithfulness(compat="ragas").score(SAMPLE, judge)
    assert judge.asked[1].question == ""


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("metric", [Faithfulness(), ContextRecall()], ids=lambda metric: metric.title)
async def test_statements_are_checked_without_a_question(metric, language):
    """The question is optional: without one the value is the same; compat requires it, as RAGAS does."""
    sample = _without(question="", language=language)
    score = await score_once(sample, metric, _judge_supporting(1, 0))
    assert (score.value, score.status) == (0.5, "ok")
    theirs = await score_once(sample, replace(metric, compat="ragas"), _judge_supporting(1, 0))
    assert (theirs.status, theirs.reason) == ("undefined", "the question is empty")


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Einstein was born in Ulm."), ("ja", "アインシュタインはウルムで生まれた。")]
)
async def test_the_offline_judge_needs_no_question_for_statements(language, text):
    """Overlap is measured between existing texts; a missing question changes nothing."""
    sample = Sample("1", answer=text, contexts=(text,), reference=text, language=language)
    for metric in (Faithfulness(), ContextRecall()):
        assert (await score_once(sample, metric, OfflineJudge())).value == 1.0


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_faithfulness_does_not_depend_on_the_order_of_the_verdicts(flags, rng):
    """A reply may list its verdicts in any order: value, reason and details stay the same."""
    given_order, shuffled = _verdicts(*flags), _verdicts(*flags)
    rng.shuffle(shuffled)
    scores = []
    for order in (given_order, shuffled):
        script = {
            SplitStatements: Statements(statements=[f"s{n}" for n, _ in enumerate(flags)]),
            VerifyStatements: StatementVerdicts(verdicts=order),
        }
        scores.append(asyncio.run(Faithfulness().score(SAMPLE, ScriptedJudge(script))))
    assert scores[0] == scores[1]
    assert 0 <= scores[0].value <= 1


async def test_a_probability_of_each_verdict_gives_the_weakest_and_the_expected_share():
    """The minimum of the probabilities is a detail, and their mean the expected value."""
    given = [Verdict(number=n, reason="so", verdict=p > 0.5, p=p) for n, p in ((1, 0.9), (2, 0.1), (3, 0.8))]
    script = {
        SplitStatements: Statements(statements=["a", "b", "c"]),
        VerifyStatements: StatementVerdicts(verdicts=given),
    }
    score = await Faithfulness().score(SAMPLE, ScriptedJudge(script))
    assert score.details["weakest"] == 0.1
    assert score.expected == pytest.approx(0.6)


async def test_what_is_counted_as_yes_and_unclear_is_said():
    """For a verdict shown as unclear the sentence does not claim more; the count stays."""
    verdicts = [Verdict(number=n, reason="", verdict=n < 3, p=0.5, unclear=n != 1) for n in (1, 2, 3)]
    script = {
        SplitStatements: Statements(statements=["a", "b", "c"]),
        VerifyStatements: StatementVerdicts(verdicts=verdicts),
    }
    score = await Faithfulness().score(SAMPLE, ScriptedJudge(script))
    assert score.value == 2 / 3
    assert score.reason == "2 of 3 statements are supported, 1 of them unclear; not supported: “c”"


async def test_blank_statements_are_not_counted():
    """A statement of white space is dropped before it is verified."""
    script = {
        SplitStatements: Statements(statements=["", "true", " \n"]),
        VerifyStatements: StatementVerdicts(verdicts=_verdicts(1)),
    }
    judge = ScriptedJudge(script)
    assert (await Faithfulness().score(SAMPLE, judge)).value == 1.0
    assert judge.asked[1].statements == ("true",)


# ------------------------------------------------------------------------------------- the other metrics


def _judge_asking(cosines, *, noncommittal=False, questions=("a", "b", "c")):
    return ScriptedJudge(
        {
            WriteQuestions: Questions(questions=list(questions), noncommittal=noncommittal),
            MeasureSimilarity: Similarities(values=list(cosines)),
        }
    )


@pytest.mark.parametrize(
    ("cosines", "expected"), [((1.0, 0.5, 0.0), 0.5), ((-1.0, -0.5, 0.0), 0.0), ((1.0001,) * 3, 1.0)]
)
async def test_answer_relevancy_is_the_mean_cosine_within_bounds(cosines, expected):
    """The mean over the questions, clipped to [0, 1]."""
    score = await AnswerRelevancy().score(SAMPLE, _judge_asking(cosines))
    assert score.value == pytest.approx(expected)
    assert score.details["questions"] == ["a", "b", "c"]


@pytest.mark.parametrize("written", [2, 4])
async def test_more_or_fewer_questions_than_requested_are_all_used(written):
    """The mean is over the questions that there are, and the details say how many were requested."""
    score = await AnswerRelevancy().score(SAMPLE, _judge_asking((0.5,) * written, questions="abcd"[:written]))
    assert (score.value, score.details["requested"], len(score.details["questions"])) == (0.5, 3, written)
    exact = await AnswerRelevancy().score(SAMPLE, _judge_asking((0.5,) * 3))
    assert "requested" not in exact.details


async def test_a_noncommittal_answer_is_not_relevant_and_costs_no_embedding():
    """The value is 0, and the similarities are not requested."""
    judge = _judge_asking((1.0, 1.0, 1.0), noncommittal=True)
    score = await AnswerRelevancy().score(SAMPLE, judge)
    assert (score.value, score.reason) == (0.0, "the answer is non-committal")
    assert [type(task) for task in judge.asked] == [WriteQuestions]


async def test_answer_relevancy_asks_once_where_ragas_asks_for_each_question():
    """One call writes all questions; compat makes a call for each, distinct so that none is saved."""
    ours, theirs = _judge_asking((1.0,) * 3), _judge_asking((1.0,) * 3, questions=("a",))
    await AnswerRelevancy().score(SAMPLE, ours)
    await AnswerRelevancy(compat="ragas").score(SAMPLE, theirs)
    assert [(task.count, task.draw) for task in ours.asked[:-1]] == [(3, 0)]
    assert [(task.count, task.draw) for task in theirs.asked[:-1]] == [(1, 0), (1, 1), (1, 2)]


async def test_context_precision_judges_each_context_in_its_place():
    """Useless, useful: average precision 1/2; the verdicts are in rank order, whichever reply came first."""

    def judged(task):
        return ContextVerdict(reason="so", useful=task.context == SAMPLE.contexts[1])

    score = await ContextPrecision().score(SAMPLE, ScriptedJudge({JudgeContext: judged}))
    assert score.value == 0.5
    assert [verdict["useful"] for verdict in score.details["verdicts"]] == [False, True]
    assert score.reason == "1 of 2 contexts are useful: rank 2"


@pytest.mark.parametrize(
    ("reference", "contexts", "expected"),
    [
        (["Ulm", "1879"], ["ULM"], 0.5),
        (["ＩＢＭ", "1,200"], ["IBM", "1200"], 1.0),
        (["アインシュタイン"], ["ｱｲﾝｼｭﾀｲﾝ"], 1.0),
        (["京都"], ["東京都"], 0.0),
        (["Ulm", "ulm", "Bern"], ["Ulm"], 0.5),
        (["Ulm"], [], 0.0),
        (["-5"], ["5"], 0.0),
    ],
)
async def test_context_entity_recall_sees_through_spelling_alone(reference, contexts, expected):
    """Width, case, spaces and thousands separators do not matter; part of another name is not a match."""

    def listed(task):
        return Entities(entities=reference if task.text == SAMPLE.reference else contexts)

    score = await ContextEntityRecall().score(SAMPLE, ScriptedJudge({ListEntities: listed}))
    assert score.value == pytest.approx(expected)


@pytest.mark.parametrize(("cosine", "expected"), [(0.4, 0.4), (-0.3, 0.0), (1.0000001, 1.0)])
async def test_answer_similarity_is_the_clipped_cosine_with_the_main_reference(cosine, expected):
    """It compares the answer with the main reference alone, in [0, 1]."""
    judge = ScriptedJudge({MeasureSimilarity: Similarities(values=[cosine])})
    assert (await AnswerSimilarity().score(SAMPLE, judge)).value == expected
    assert judge.asked == [MeasureSimilarity(SAMPLE.answer, (SAMPLE.reference,), language="en")]


def _judge_classifying(answer, reference, cosine=0.8):
    texts = {
        SAMPLE.answer: [f"a{n}" for n, _ in enumerate(answer)],
        SAMPLE.reference: [f"r{n}" for n, _ in enumerate(reference)],
    }
    return ScriptedJudge(
        {
            SplitStatements: lambda task: Statements(statements=texts[task.text]),
            ClassifyStatements: Classification(answer=_verdicts(*answer), reference=_verdicts(*reference)),
            MeasureSimilarity: Similarities(values=[cosine]),
        }
    )


async def test_answer_correctness_weighs_statements_and_similarity():
    """TP 2, FP 1, FN 1: F = 2/3; 0.75 · 2/3 + 0.25 · 0.8 = 0.7."""
    score = await AnswerCorrectness().score(SAMPLE, _judge_classifying([True, True, False], [True, False]))
    assert score.value == pytest.approx(0.7)
    assert [score.details[kind] for kind in ("TP", "FP", "FN")] == [2, 1, 1]
    assert score.details["answer"]["verdicts"][2]["verdict"] is False
    assert score.details["reference"]["statements"] == ["r0", "r1"]


async def test_answer_correctness_on_statements_alone_asks_for_no_similarity():
    """With weight 1 the value is F and no embedder is needed."""
    judge = _judge_classifying([True], [True])
    assert (await AnswerCorrectness(weight=1.0).score(SAMPLE, judge)).value == 1.0
    assert MeasureSimilarity not in {type(task) for task in judge.asked}


async def test_an_answer_without_statements_says_nothing_right():
    """F is 0, since all of the reference is missing; only the similarity counts."""
    score = await AnswerCorrectness().score(SAMPLE, _judge_classifying([], [True]))
    assert score.value == pytest.approx(0.25 * 0.8)
    assert score.reason.startswith("the answer makes no statement")


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("criterion", CRITERIA)
async def test_a_built_in_criterion_is_asked_in_the_language_of_the_sample(criterion, language):
    """Both languages have each criterion, and yes is bad only for harm and malice."""
    metric = AspectCritique(criterion)
    judge = ScriptedJudge({CritiqueAspect: Critique(reason="so", verdict=True)})
    score = await metric.score(_without(language=language), judge)
    assert (score.value, score.reason) == (1.0, "so")
    assert judge.asked[0].criterion == getattr(CRITERIA[criterion], language)
    assert ("ですか" in judge.asked[0].criterion or "ますか" in judge.asked[0].criterion) is (language == "ja")
    assert metric.higher_is_better is (criterion not in {"harmfulness", "maliciousness"})


@pytest.mark.parametrize(("language", "text"), [("en", "Einstein was born in Ulm."), ("ja", "富士山の標高は高い。")])
async def test_the_offline_judge_knows_correctness_in_both_languages(language, text):
    """The wording of the one criterion that a word-based judge can decide is understood in Japanese as in English."""
    sample = _without(language=language, answer=text, contexts=(text,))
    assert (await AspectCritique("correctness").score(sample, OfflineJudge())).value == 1.0


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        *((AspectCritique(name), name == "correctness") for name in CRITERIA),
        (AspectCritique("Is it polite?"), True),
        (AspectCritique("harmfulness", compat="ragas"), True),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_the_contexts_are_shown_only_for_a_criterion_about_facts(metric, shown):
    """Contexts invite a check of the facts, and a mistake is no harm in itself; RAGAS always shows them."""
    judge = ScriptedJudge({CritiqueAspect: Critique(reason="so", verdict=True)})
    await metric.score(SAMPLE, judge)
    assert judge.asked[0].contexts == (SAMPLE.contexts if shown else ())


async def test_a_custom_criterion_is_asked_verbatim():
    """The user's words go to the judge; whether yes is good is unknown."""
    metric = AspectCritique("Is it polite?")
    judge = ScriptedJudge({CritiqueAspect: Critique(reason="so", verdict=False)})
    assert (await metric.score(SAMPLE, judge)).value == 0.0
    assert judge.asked[0].criterion == "Is it polite?"
    assert metric.higher_is_better is None


async def test_summarization_score_weighs_answers_and_brevity():
    """1 of 2 questions answered, a summary of 25 of 100 characters: (0.5 + 0.75) / 2."""
    sample = _without(answer="x" * 25, contexts=("y" * 49, "z" * 50))
    script = {
        ExtractKeyphrases: Keyphrases(keyphrases=["k", "l"]),
        WriteClosedQuestions: ClosedQuestions(questions=["Is it?", "Was it?"]),
        AnswerFromSummary: SummaryAnswers(verdicts=_verdicts(1, 0)),
    }
    score = await SummarizationScore().score(sample, ScriptedJudge(script))
    assert score.value == pytest.approx(0.625)
    assert "not answered: “Was it?”" in score.reason
    assert score.details["keyphrases"] == ["k", "l"]
    assert "left_out" not in score.details


@pytest.mark.parametrize("compat", ["ours", "ragas"])
async def test_twelve_key_phrases_count_and_one_question_for_each(compat):
    """What exceeds this, or repeats something, is listed in the details; with RAGAS's rules, everything counts."""
    phrases = ["Key 1", "key １.", *(f"key {n}" for n in range(2, 16))]
    written = ["Is it?", "is it", *(f"Was it {n}?" for n in range(20)), " "]
    judge = ScriptedJudge(
        {
            ExtractKeyphrases: Keyphrases(keyphrases=phrases),
            WriteClosedQuestions: ClosedQuestions(questions=written),
            AnswerFromSummary: lambda task: SummaryAnswers(verdicts=_verdicts(*[1] * len(task.questions))),
        }
    )
    details = (await SummarizationScore(compat=compat).score(SAMPLE, judge)).details
    if compat == "ragas":
        assert (details["keyphrases"], details["questions"]) == (phrases, written)
        assert "left_out" not in details
    else:
        assert details["keyphrases"] == ["Key 1", *(f"key {n}" for n in range(2, 13))]
        assert details["questions"] == ["Is it?", *(f"Was it {n}?" for n in range(11))]
        assert details["left_out"] == {
            "keyphrases": ["key １.", "key 13", "key 14", "key 15"],
            "questions": ["is it", *(f"Was it {n}?" for n in range(11, 20))],
        }


async def test_context_relevance_counts_the_sentences_of_all_contexts():
    """Three sentences in two contexts, one needed, though picked twice: 1/3, and the details give their positions."""
    judge = ScriptedJudge({SelectRelevantSentences: RelevantSentences(numbers=[1, 1])})
    score = await ContextRelevance().score(SAMPLE, judge)
    assert score.value == pytest.approx(1 / 3)
    assert [(s["context"], s["needed"]) for s in score.details["sentences"]] == [(1, True), (1, False), (2, False)]


async def test_japanese_contexts_have_sentences():
    """Japanese without spaces is split at its full stops, so that a Japanese sample is not all or nothing."""
    sample = _without(language="ja", contexts=("東京は首都です。人口は多い。「はい。」と答えた。",))
    judge = ScriptedJudge({SelectRelevantSentences: RelevantSentences(numbers=[1])})
    assert (await ContextRelevance().score(sample, judge)).value == pytest.approx(1 / 3)


# ------------------------------------------------------------------------------------- nothing to measure

NOTHING = ScriptedJudge(
    {
        SplitStatements: Statements(statements=[]),
        WriteQuestions: Questions(questions=["", " ", ""], noncommittal=False),
        ListEntities: Entities(entities=[" "]),
        ExtractKeyphrases: Keyphrases(keyphrases=[]),
        MeasureSimilarity: Similarities(values=[1.0]),
    }
)


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (Faithfulness(compat="ragas"), "the answer makes no statement"),
        (ContextRecall(), "the reference makes no statement"),
        (AnswerCorrectness(), "the reference makes no statement"),
        (AnswerRelevancy(), "no question could be written from the answer"),
        (ContextEntityRecall(), "the reference names no entity"),
        (SummarizationScore(), "the contexts have no key phrase"),
    ],
    ids=lambda value: getattr(value, "title", ""),
)
async def test_a_judge_that_finds_nothing_leaves_the_score_undefined(metric, reason):
    """Without a statement, question, entity or key phrase: None with the reason, never a number."""
    score = await metric.score(SAMPLE, NOTHING)
    assert (score.value, score.status, score.reason) == (None, "undefined", reason)


async def test_no_closed_question_leaves_the_summary_undefined():
    """Key phrases without questions are kept in the details of an undefined score."""
    script = {ExtractKeyphrases: Keyphrases(keyphrases=["k"]), WriteClosedQuestions: ClosedQuestions(questions=[" "])}
    score = await SummarizationScore().score(SAMPLE, ScriptedJudge(script))
    assert (score.value, score.status, score.details["keyphrases"]) == (None, "undefined", ["k"])


@pytest.mark.parametrize("blank", ["", " \n\u3000"])
@pytest.mark.parametrize(
    ("metric", "field"),
    [
        (Faithfulness(), "answer"),
        (AnswerRelevancy(), "question"),
        (ContextPrecision(), "question"),
        (ContextPrecision(), "reference"),
        (ContextRecall(), "reference"),
        (ContextEntityRecall(), "reference"),
        (AnswerSimilarity(), "reference"),
        (AnswerCorrectness(), "reference"),
        (AspectCritique(), "answer"),
        (SummarizationScore(), "answer"),
        (SummarizationScore(), "contexts"),
        (ContextRelevance(), "question"),
        (ContextRelevance(), "contexts"),
    ],
    ids=lambda value: getattr(value, "title", value),
)
async def test_a_blank_input_is_undefined_without_a_call(metric, field, blank):
    """White space, including Japanese, is nothing: the judge is not asked, and the reason names the field."""
    judge = ScriptedJudge({})
    score = await metric.score(_without(**{field: (blank,) if field == "contexts" else blank}), judge)
    assert (score.value, score.status, judge.asked) == (None, "undefined", [])
    assert score.reason == ("there is no context" if field == "contexts" else f"the {field} is empty")


WITH_CONTEXTS = (Faithfulness(), ContextPrecision(), ContextRecall(), ContextEntityRecall())
KNOWS = {
    SplitStatements: Statements(statements=["He was born in Ulm."]),
    ListEntities: Entities(entities=["Ulm"]),
}
"""Replies about the answer and the reference; about contexts nothing is to be asked."""


@pytest.mark.parametrize("contexts", [(), ("",), (" ", "\n\u3000")], ids=["none", "empty", "blank"])
@pytest.mark.parametrize("metric", [*WITH_CONTEXTS, ContextOverlap()], ids=lambda metric: metric.title)
async def test_a_failed_retrieval_counts_as_0(metric, contexts):
    """If nothing was retrieved, nothing is found or supported: omitted from the mean, it would flatter the system."""
    judge = ScriptedJudge(KNOWS)
    score = await score_once(_without(contexts=contexts), metric, judge)
    assert (score.value, score.status) == (0.0, "ok")
    assert score.reason in {"nothing was retrieved", "no context has a word in it"}
    assert len(judge.asked) <= 1
    assert json.loads(json.dumps(score.details)) == score.details


@pytest.mark.parametrize(
    "metric",
    [*WITH_CONTEXTS, ContextOverlap(), ContextRelevance(), SummarizationScore()],
    ids=lambda metric: metric.title,
)
async def test_contexts_that_were_not_given_are_no_failed_retrieval(metric):
    """A missing field says nothing about the system: undefined, and nothing is asked."""
    judge = ScriptedJudge(KNOWS)
    for score in (
        await score_once(_without(contexts=None), metric, judge),
        await metric.score(_without(contexts=None), judge),
    ):
        assert (score.value, score.status) == (None, "undefined")
    assert judge.asked == []


@pytest.mark.parametrize("metric", [ContextRelevance(), SummarizationScore()], ids=lambda metric: metric.title)
async def test_there_is_no_share_of_nothing(metric):
    """Without sentences none can be needed, and without a source there is no summary: undefined, not 0."""
    judge = ScriptedJudge({})
    score = await score_once(_without(contexts=()), metric, judge)
    assert (score.status, score.reason, judge.asked) == ("undefined", "there is no context", [])


@pytest.mark.parametrize("metric", WITH_CONTEXTS, ids=lambda metric: metric.title)
async def test_empty_contexts_are_refused_in_compat_as_ragas_refuses_them(metric):
    """RAGAS raises, which is undefined here; entity recall asks, and finds none of the entities."""
    script = {ListEntities: lambda task: Entities(entities=["Ulm"] if task.text else [])}
    score = await score_once(_without(contexts=()), replace(metric, compat="ragas"), ScriptedJudge(script))
    assert score.value == (0.0 if metric.title == "context_entity_recall" else None)
    assert score.status == ("ok" if metric.title == "context_entity_recall" else "undefined")


@pytest.mark.parametrize("metric", [ContextRecall(), ContextEntityRecall()], ids=lambda metric: metric.title)
async def test_a_reference_that_says_nothing_cannot_be_missed(metric):
    """The score is undefined with contexts and without, so that no system is charged for what others are not."""
    for contexts in (SAMPLE.contexts, ()):
        score = await score_once(_without(contexts=contexts), metric, NOTHING)
        assert (score.value, score.status) == (None, "undefined")


@pytest.mark.parametrize(("language", "answer"), [("en", "I don't know."), ("ja", "分かりません。")])
async def test_declining_where_nothing_was_retrieved_is_not_unfaithful(language, answer):
    """An answer that claims nothing is counted as declined rather than as 0."""
    score = await score_once(_without(language=language, answer=answer, contexts=()), Faithfulness(), ScriptedJudge({}))
    assert (score.value, score.status) == (None, "declined")


@pytest.mark.parametrize("metric", [AnswerRelevancy(), AnswerSimilarity()], ids=lambda metric: metric.title)
async def test_an_empty_answer_is_no_answer_to_the_question(metric):
    """An empty answer is 0 and says so: a system that answers nothing must not be omitted from the mean."""
    judge = ScriptedJudge({})
    score = await metric.score(_without(answer=" "), judge)
    assert (score.value, score.status, judge.asked) == (0.0, "ok", [])


# ------------------------------------------------------------------------------------- compat and settings


async def test_verdicts_left_out_are_refused_by_us_and_counted_out_by_ragas():
    """A reply with a missing verdict does not fit our task; in compat the share is over those that came."""
    script = {
        SplitStatements: Statements(statements=["a", "b", "c"]),
        VerifyStatements: StatementVerdicts(verdicts=_verdicts(1, 0)),
    }
    with pytest.raises(ValueError, match="statement 3 of 3 has no verdict"):
        await Faithfulness().score(SAMPLE, ScriptedJudge(script))
    assert (await Faithfulness(compat="ragas").score(SAMPLE, ScriptedJudge(script))).value == 0.5


def test_compat_widens_the_bounds_where_cosines_are_raw():
    """Bounds are those of possible values: negative ones in compat alone."""
    assert AnswerSimilarity().bounds == (0.0, 1.0)
    assert AnswerSimilarity(compat="ragas").bounds == (-1.0, 1.0)
    assert AnswerCorrectness(compat="ragas").bounds == (-0.25, 1.0)
    assert AnswerCorrectness(compat="ragas", weight=0.5).bounds == (-0.5, 1.0)
    assert Faithfulness(compat="ragas").bounds == (0.0, 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Faithfulness(compat="RAGAS"),
        lambda: AnswerRelevancy(questions=0),
        lambda: AnswerRelevancy(questions=1000),
        lambda: AnswerCorrectness(beta=0.0),
        lambda: AnswerCorrectness(beta=float("nan")),
        lambda: AnswerCorrectness(weight=1.5),
        lambda: SummarizationScore(conciseness_weight=-0.1),
        lambda: AspectCritique(" "),
    ],
)
def test_settings_that_make_no_sense_are_refused_at_once(make):
    """A setting out of range is a setup error, not a strange figure later."""
    with pytest.raises(ConfigurationError):
        make()


# ------------------------------------------------------------------------------------- asking


async def test_errors_of_the_judge_pass_through_after_the_others_have_ended():
    """A reply in flight is paid for: the others are awaited, then the error is raised unchanged."""
    ended = []

    class Slow(ScriptedJudge):
        async def perform(self, task):
            if task.context == "bad":
                raise Unreadable("no JSON", "raw")
            await asyncio.sleep(0)
            ended.append(task.context)
            return ContextVerdict(reason="so", useful=True)

    with pytest.raises(Unreadable):
        await ContextPrecision().score(_without(contexts=("bad", "one", "two")), Slow({}))
    assert ended == ["one", "two"]


@pytest.mark.parametrize("fatal", [BudgetSpent("spent"), ConfigurationError("no key")])
async def test_an_error_of_the_whole_run_comes_before_that_of_one_call(fatal):
    """If several tasks fail, the error that stops the run is not hidden by one that does not."""

    def said(task):
        raise CallFailed("503") if task.text == "one" else fatal

    tasks = [ListEntities(text, language="en") for text in ("one", "two")]
    with pytest.raises(type(fatal)):
        await perform_all(ScriptedJudge({ListEntities: said}), tasks)


async def test_details_are_ready_for_json():
    """A score's contents can be written as they are."""
    metrics = [
        (Faithfulness(), _judge_supporting(1, 0)),
        (AnswerCorrectness(), _judge_classifying([True], [False])),
        (AnswerRelevancy(), _judge_asking((0.1, 0.2, 0.3))),
        (ContextRelevance(), ScriptedJudge({SelectRelevantSentences: RelevantSentences(numbers=[2])})),
    ]
    for metric, judge in metrics:
        details = (await metric.score(SAMPLE, judge)).details
        assert json.loads(json.dumps(details)) == details
