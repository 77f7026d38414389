"""The three figures of faithfulness, from the same two calls, and the answers that state nothing."""

from collections import Counter
from dataclasses import replace

import pytest

import saiten
from saiten.errors import ConfigurationError
from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric
from saiten.metrics.ragas.answer_correctness import AnswerCorrectness
from saiten.metrics.ragas.context_recall import ContextRecall
from saiten.metrics.ragas.faithfulness import Faithfulness
from saiten.records import Sample
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

SAMPLE = Sample(
    "1",
    question="What does the ferry cost?",
    answer="Sure, happy to help! The ferry costs 4 euros, and bicycles ride free. It leaves every hour.",
    contexts=("A trip by ferry costs 4 euros. Bicycles cost 1 euro. There is a ferry every hour.",),
    reference="4 euros.",
)
STATEMENTS = ("The ferry costs 4 euros.", "Bicycles ride free on the ferry.", "The ferry leaves every hour.")


def judge_saying(*verdicts, statements=STATEMENTS):
    """A judge with these statements and verdicts: yes or no, probabilities, or None for what it cannot compare."""
    given = [
        Verdict(
            number=n,
            reason=f"reason {n}",
            verdict=bool(each and each >= 0.5),
            p=each if isinstance(each, float) else None,
            unclear=each is None,
        )
        for n, each in enumerate(verdicts, 1)
    ]
    return ScriptedJudge(
        {
            SplitStatements: Statements(statements=list(statements)),
            VerifyStatements: StatementVerdicts(verdicts=given),
        }
    )


@pytest.mark.parametrize(
    ("verdicts", "share", "sentences", "worst"),
    [
        ((1, 1, 1), 1.0, 1.0, 1.0),
        ((1, 0, 1), 2 / 3, 0.5, 0.0),
        ((0, 0, 1), 1 / 3, 0.5, 0.0),
        ((0.9, 0.6, 0.8), 1.0, 1.0, 0.6),
        ((0.9, 0.2, 0.8), 2 / 3, 0.5, 0.2),
        ((0.9, None, 0.8), 2 / 3, 0.5, 0.8),
        ((None, None, None), 0.0, 0.0, 0.0),
        ((1, 0, 0.7), 2 / 3, 0.5, 0.0),
    ],
)
async def test_each_figure_has_its_value(verdicts, share, sentences, worst):
    """The first two statements are of one sentence: it counts once, and only if both are supported."""
    judge = judge_saying(*verdicts)
    values = [(await Faithfulness(figure=each).score(SAMPLE, judge)).value for each in ("share", "sentences", "worst")]
    assert values == pytest.approx([share, sentences, worst])


async def test_the_figures_together_cost_no_call_more_than_one():
    """Split once and verified once, as for the share alone."""
    judge = judge_saying(1, 0, 1)
    names = ["faithfulness", "faithfulness[sentences]", "faithfulness[worst]"]
    result = await saiten.aevaluate([SAMPLE], metrics=names, judge=judge)
    assert [result.summary.overall(name).mean for name in names] == pytest.approx([2 / 3, 0.5, 0.0])
    assert Counter(map(type, judge.asked)) == {SplitStatements: 1, VerifyStatements: 1}


async def test_details_say_where_each_statement_is_in_the_answer():
    """Per statement its sentences as `[index, start, end]`: the text there is the sentence, the greeting has none."""
    details = (await Faithfulness().score(SAMPLE, judge_saying(1, 0, 1))).details
    assert [[place[0] for place in places] for places in details["places"]] == [[1], [1], [2]]
    _, start, end = details["places"][2][0]
    assert SAMPLE.answer[start:end] == "It leaves every hour."


async def test_reasons_name_what_is_not_supported():
    """A sentence is quoted as in the answer; the worst statement with its probability and the judge's reason."""
    judge = judge_saying(0.9, 0.2, 0.8)
    sentences = (await Faithfulness(figure="sentences").score(SAMPLE, judge)).reason
    worst = (await Faithfulness(figure="worst").score(SAMPLE, judge)).reason
    assert sentences == (
        "1 of 2 sentences are supported; not supported: “The ferry costs 4 euros, and bicycles ride free.”"
    )
    assert worst == "worst of 3 statements, p = 0.20: “Bicycles ride free on the ferry.”; reason 2"


async def test_a_statement_of_no_sentence_is_counted_and_reported():
    """Its verdict cannot count for a sentence; if none is found, there is nothing to measure."""
    sample = replace(SAMPLE, answer="It costs 4 euros. It leaves every hour.")
    metric = Faithfulness(figure="sentences")
    score = await metric.score(sample, judge_saying(1, 0, statements=("It costs 4 euros.", "猫は眠る。")))
    assert (score.value, score.reason) == (
        1.0,
        "1 of 1 sentences are supported, 1 of 2 statements belong to none",
    )
    score = await metric.score(sample, judge_saying(1, statements=("猫は眠る。",)))
    assert (score.value, score.status) == (None, "undefined")
    assert score.reason == "no statement could be found in the answer's sentences"


def test_the_share_is_faithfulness_itself():
    """The name in results stays as it was, and the other figures have their own."""
    assert Faithfulness().name == make_metric("faithfulness[share]").name == "faithfulness"
    assert make_metric("faithfulness[figure=worst]").name == "faithfulness[worst]"
    assert [make_metric(f"faithfulness[{each}]") for each in ("sentences", "worst")] == [
        Faithfulness(figure="sentences"),
        Faithfulness(figure="worst"),
    ]


@pytest.mark.parametrize("figure", ["sentences", "worst"])
def test_ragas_has_only_the_share(figure):
    """A figure under its compat would be attributed to RAGAS; the error says what to type."""
    with pytest.raises(
        ConfigurationError, match=rf"RAGAS has only the share; write faithfulness\[{figure},compat=ours\]"
    ):
        make_metric(f"faithfulness[{figure},compat=ragas]")


@pytest.mark.parametrize("figure", ["share", "sentences", "worst"])
async def test_an_answer_without_statements_is_declined(figure):
    """It is neither faithful nor measured, and the reason says in words why; nothing is verified."""
    judge = judge_saying(statements=(" ",))
    score = await Faithfulness(figure=figure).score(SAMPLE, judge)
    assert (score.value, score.status) == (None, "declined")
    assert score.reason.startswith("the answer makes no statement: it says that it does not know, or only greets")
    assert [type(task) for task in judge.asked] == [SplitStatements]


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "There is no mention of the fare in the document. The document describes the timetable."),
        ("ja", "その情報は文書にありません。"),
    ],
)
async def test_a_refusal_is_declined_whatever_a_judge_would_make_of_it(language, answer):
    """Split into remarks about the document, all true, it would be fully supported; compat asks, as RAGAS does."""
    sample = replace(SAMPLE, answer=answer, contexts=(answer,), language=language)
    judge = judge_saying(1, 1, 1)
    score = await Faithfulness().score(sample, judge)
    assert (score.status, judge.asked) == ("declined", [])
    assert score.reason == "the answer only says that it does not know, or that the documents do not say"
    assert (await Faithfulness(compat="ragas").score(sample, judge)).value == 1.0
    assert (await OfflineJudge().perform(SplitStatements("", answer, language=language))).statements == []


async def test_nothing_but_the_answer_of_faithfulness_is_declined():
    """A reference without statements and RAGAS's NaN stay undefined, so does a blank answer, and correctness is low."""
    empty = judge_saying(statements=())
    assert (await ContextRecall().score(SAMPLE, empty)).status == "undefined"
    assert (await Faithfulness(compat="ragas").score(SAMPLE, empty)).status == "undefined"
    assert (await Faithfulness().score(replace(SAMPLE, answer=" "), empty)).status == "undefined"
    judge = ScriptedJudge(
        {SplitStatements: lambda task: Statements(statements=[] if task.text == "Sorry." else [task.text])}
    )
    score = await AnswerCorrectness(weight=1.0).score(replace(SAMPLE, answer="Sorry."), judge)
    assert (score.value, score.reason) == (0.0, "the answer makes no statement; F = 0.000, similarity = 0.000")
