import json
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest

from saiten.judges.llm import LLMJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import CATALOG, PRESETS
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.scripted import ScriptedChat
from saiten.records import Sample
from saiten.tasks.contexts import ContextVerdict, JudgeContext
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

CASES = json.loads((Path(__file__).parent / "ragas_0_4_3.json").read_text(encoding="utf-8"))

RAGAS_DISAGREES_WITH_ITSELF = {
    "answer_relevancy: one empty question",
    "answer_relevancy: the committal one is empty",
    "answer_relevancy: a question of white space",
    "context_precision: no contexts",
    "context_entity_recall: twice in the reference",
    "answer_correctness: nothing classified",
    "answer_correctness: the answer has no statement",
    "answer_correctness: the reference has no statement",
}
"""Cases in which the older classes of RAGAS 0.4.3 give another value than the newer ones, which we follow."""


def _as_verdict(number, yes):
    return Verdict(number=number, reason="so", verdict=bool(yes))


def _as_verdicts(statements, judged, key):
    """RAGAS's verdicts repeat the statements' texts; ours have their numbers."""
    numbers = {text: number for number, text in enumerate(statements, start=1)}
    return StatementVerdicts(verdicts=[_as_verdict(numbers[one["statement"]], one[key]) for one in judged])


def _faithfulness(case, split, verified=None):
    script = {SplitStatements: Statements(statements=split["statements"])}
    if verified is not None:
        script[VerifyStatements] = _as_verdicts(split["statements"], verified["statements"], "verdict")
    return script


def _context_recall(case, reply):
    statements = [one["statement"] for one in reply["classifications"]]
    return {
        SplitStatements: Statements(statements=statements),
        VerifyStatements: _as_verdicts(statements, reply["classifications"], "attributed"),
    }


def _answer_relevancy(case, *replies):
    def write(task):
        reply = replies[task.draw]
        return Questions(questions=[reply["question"]], noncommittal=bool(reply["noncommittal"]))

    return {WriteQuestions: write}


def _context_precision(case, *replies):
    def judge(task):
        reply = replies[case["sample"]["contexts"].index(task.context)]
        return ContextVerdict(reason=reply["reason"], useful=bool(reply["verdict"]))

    return {JudgeContext: judge}


def _context_entity_recall(case, reference, contexts):
    def listed(task):
        reply = reference if task.text == case["sample"]["reference"] else contexts
        return Entities(entities=reply["entities"])

    return {ListEntities: listed}


def _answer_similarity(case):
    return {}


def _answer_correctness(case, answer, reference, classes=None):
    def split(task):
        reply = answer if task.text == case["sample"]["answer"] else reference
        return Statements(statements=reply["statements"])

    def classify(task):
        tp, fp, fn = (len(classes[kind]) for kind in ("TP", "FP", "FN"))
        return Classification(
            answer=[_as_verdict(i, i <= tp) for i in range(1, tp + fp + 1)],
            reference=[_as_verdict(i, yes=False) for i in range(1, fn + 1)],
        )

    return {SplitStatements: split, ClassifyStatements: classify}


def _aspect_critique(case, reply):
    return {CritiqueAspect: Critique(reason=reply["reason"], verdict=bool(reply["verdict"]))}


def _summarization_score(case, keyphrases, questions, answers):
    verdicts = [_as_verdict(i, text == "1") for i, text in enumerate(answers["answers"], start=1)]
    return {
        ExtractKeyphrases: Keyphrases(keyphrases=keyphrases["keyphrases"]),
        WriteClosedQuestions: ClosedQuestions(questions=questions["questions"]),
        AnswerFromSummary: SummaryAnswers(verdicts=verdicts),
    }


TRANSLATORS = {
    "faithfulness": _faithfulness,
    "answer_relevancy": _answer_relevancy,
    "context_precision": _context_precision,
    "context_recall": _context_recall,
    "context_entity_recall": _context_entity_recall,
    "answer_similarity": _answer_similarity,
    "answer_correctness": _answer_correctness,
    "aspect_critique": _aspect_critique,
    "summarization_score": _summarization_score,
}


def _judge_of(case):
    """RAGAS's replies in our shape; if RAGAS refused the sample immediately, a judge that must not be asked."""
    vectors = {text: np.array(vector) for text, vector in case["vectors"].items()}

    def measure(task):
        one = vectors[task.text]
        others = [vectors[text] for text in task.others]
        return Similarities(values=[one @ o / (np.linalg.norm(one) * np.linalg.norm(o)) for o in others])

    script = {MeasureSimilarity: measure}
    if case["replies"]:
        script |= TRANSLATORS[case["metric"]](case, *case["replies"])
    return ScriptedJudge(script)


async def _score_in_compat(case):
    given = case["sample"]
    sample = Sample("1", **{**given, "contexts": tuple(given["contexts"])})
    settings = {key: value for key, value in case["settings"].items() if key != "strictness"}
    metric = CATALOG[case["metric"]].load()(compat="ragas", **settings)
    return metric, await metric.score(sample, _judge_of(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_the_same_replies_give_the_value_of_ragas(case):
    """With compat=ragas, a metric equals RAGAS 0.4.3 for the same replies; its NaN and errors are undefined here.

    What `ragas.evaluate` gives with the older classes is equal, too, except for the edge cases named above.
    """
    metric, score = await _score_in_compat(case)
    if isinstance(case["ragas"], str):
        assert score.value is None
        assert score.status == "undefined"
        assert score.reason
    else:
        assert score.value == pytest.approx(case["ragas"], abs=1e-9)
        low, high = metric.bounds
        assert low - 1e-9 <= score.value <= high + 1e-9
    if isinstance(case["legacy"], float):
        agrees = score.value is not None and score.value == pytest.approx(case["legacy"], abs=1e-9)
        assert agrees is (case["id"] not in RAGAS_DISAGREES_WITH_ITSELF)


EMBEDDED = [case for case in CASES if case["metric"] == "answer_similarity"]
"""Cases in which nothing but a server is asked, with empty texts and white space among them."""
SINGLE = 2.0**-24
"""Rounding a vector to single precision moves it by at most this share of its length, and its cosines by as much."""


async def _over_http(case, server, write):
    """The score of a case whose vectors come from a server, as `write` puts them into its reply."""
    server.reply = lambda asked: {
        "data": [{"index": n, "embedding": write(case["vectors"][text])} for n, text in enumerate(asked.body["input"])]
    }
    judge = LLMJudge(ScriptedChat([]), OpenAICompatibleEmbedder("e", server.base_url))
    given = case["sample"]
    sample = Sample("1", **{**given, "contexts": tuple(given["contexts"])})
    try:
        return await CATALOG["answer_similarity"].load()(compat="ragas").score(sample, judge)
    finally:
        await judge.close()


@pytest.mark.parametrize("case", EMBEDDED, ids=lambda case: case["id"])
async def test_over_http_the_value_of_ragas_is_met_to_single_precision(case, openai_server):
    """The server is sent what RAGAS sends: white space as it is, a single space for an empty text. Of doubles, either
    vector is rounded when it arrives, and again when it is scaled.
    """
    score = await _over_http(case, openai_server, list)
    assert score.value == pytest.approx(case["ragas"], abs=4 * SINGLE)
    assert {text for asked in openai_server.requests for text in asked.body["input"]} == set(case["vectors"])


@pytest.mark.parametrize("form", ["base64", "numbers"])
@pytest.mark.parametrize("case", EMBEDDED, ids=lambda case: case["id"])
async def test_over_http_vectors_of_length_1_are_compared_as_they_are(case, form, openai_server):
    """What embedding models send, single precision and length 1, loses nothing: equal to 1e-9, as in one process."""
    single = {text: np.float32(np.array(vector) / np.linalg.norm(vector)) for text, vector in case["vectors"].items()}
    answer, reference = (single[case["sample"][name] or " "].tolist() for name in ("answer", "reference"))

    def write(vector):
        sent = np.float32(np.array(vector) / np.linalg.norm(vector))
        return b64encode(sent.tobytes()).decode() if form == "base64" else sent.tolist()

    score = await _over_http(case, openai_server, write)
    by_ragas = (answer / np.linalg.norm(answer)) @ (reference / np.linalg.norm(reference))
    assert score.value == pytest.approx(by_ragas, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "fields", "value"),
    [
        ("answer_similarity", {"answer": " \n"}, 0),
        ("answer_similarity", {"answer": ""}, 0),
        ("answer_similarity", {"reference": " "}, None),
        ("answer_relevancy", {"question": "\t"}, None),
        ("answer_relevancy", {"answer": " "}, 0),
    ],
)
async def test_without_compat_a_blank_text_is_never_embedded(metric, fields, value):
    """A blank answer is 0, a blank question or reference undefined, before anything is asked."""
    sample = Sample("1", **({"question": "q", "answer": "a", "contexts": ("c",), "reference": "r"} | fields))
    score = await CATALOG[metric].load()().score(sample, ScriptedJudge({}))
    assert score.value == value
    assert score.status == ("undefined" if value is None else "ok")


def test_the_figures_cover_the_nine_metrics():
    """At least 60 cases, with values, NaNs and errors of RAGAS, over all nine metrics."""
    assert len(CASES) >= 60
    assert {case["metric"] for case in CASES} == set(PRESETS["ragas"])
    kinds = {str(case["ragas"]).partition(":")[0] for case in CASES if isinstance(case["ragas"], str)}
    assert kinds == {"nan", "error"}
