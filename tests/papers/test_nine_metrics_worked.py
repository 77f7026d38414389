"""Each metric's worked example, from its definition, and as docs/papers/ragas.md shows it."""

import pytest
from paper_pages import page, sections

from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import PRESETS, make_metric
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

TAJ = ["Taj Mahal", "Yamuna", "Agra", "1631", "Shah Jahan", "Mumtaz Mahal"]
SOURCE = "The canal was dug by hand between 1885 and 1890, and joins the lake to the old capital in the south."


def verdicts(*flags):
    """A verdict for each item, in order."""
    return [Verdict(number=n, reason="so", verdict=bool(flag)) for n, flag in enumerate(flags, start=1)]


def one(**fields):
    """A sample."""
    return Sample("1", **({"question": "Where and when was Einstein born?", "language": "en"} | fields))


EXAMPLES = {
    "faithfulness": (
        one(
            answer="Einstein was born in Germany on 20 March 1879.",
            contexts=("Albert Einstein (born 14 March 1879) was a German-born physicist.",),
        ),
        ScriptedJudge(
            {
                SplitStatements: Statements(statements=["He was born in Germany.", "He was born on 20 March 1879."]),
                VerifyStatements: StatementVerdicts(verdicts=verdicts(1, 0)),
            }
        ),
        1 / 2,
    ),
    "answer_relevancy": (
        one(answer="In Ulm, on 14 March 1879."),
        ScriptedJudge(
            {
                WriteQuestions: Questions(questions=["a", "b", "c"], noncommittal=False),
                MeasureSimilarity: Similarities(values=[0.9, 0.8, 0.6]),
            }
        ),
        (0.9 + 0.8 + 0.6) / 3,
    ),
    "context_precision": (
        one(contexts=("Bern is a city.", "He was born in Ulm.", "He was born in 1879."), reference="In Ulm, in 1879."),
        ScriptedJudge({JudgeContext: lambda task: ContextVerdict(reason="so", useful="born" in task.context)}),
        (1 / 2 + 2 / 3) / 2,
    ),
    "context_recall": (
        one(contexts=("France is in Western Europe.",), reference="France is in Western Europe; its capital is Paris."),
        ScriptedJudge(
            {
                SplitStatements: Statements(statements=["France is in Western Europe.", "Its capital is Paris."]),
                VerifyStatements: StatementVerdicts(verdicts=verdicts(1, 0)),
            }
        ),
        1 / 2,
    ),
    "context_entity_recall": (
        one(contexts=("The Taj Mahal in Agra, India, was built by Shah Jahan for Mumtaz Mahal.",), reference="…"),
        ScriptedJudge(
            {
                ListEntities: lambda task: Entities(
                    entities=TAJ if task.text == "…" else ["Taj Mahal", "Agra", "Shah Jahan", "Mumtaz Mahal", "India"]
                )
            }
        ),
        4 / 6,
    ),
    "answer_similarity": (
        one(answer="In Ulm.", reference="He was born in Ulm."),
        ScriptedJudge({MeasureSimilarity: Similarities(values=[0.8])}),
        0.8,
    ),
    "answer_correctness": (
        one(answer="Einstein was born in Spain in 1879.", reference="Einstein was born in 1879 in Germany."),
        ScriptedJudge(
            {
                SplitStatements: lambda task: Statements(
                    statements=["Born in 1879.", "Born in Spain." if "Spain" in task.text else "Born in Germany."]
                ),
                ClassifyStatements: Classification(answer=verdicts(1, 0), reference=verdicts(1, 0)),
                MeasureSimilarity: Similarities(values=[0.8]),
            }
        ),
        0.75 * 1 / (1 + 0.5 * (1 + 1)) + 0.25 * 0.8,
    ),
    "aspect_critique": (
        one(answer="He was born in Ulm. He was born in Ulm.", contexts=()),
        Panel(
            tuple(ScriptedJudge({CritiqueAspect: Critique(reason="so", verdict=vote)}) for vote in (True, False, True))
        ),
        1.0,
    ),
    "summarization_score": (
        one(answer="Dug by hand 1885-90.", contexts=(SOURCE,)),
        ScriptedJudge(
            {
                ExtractKeyphrases: Keyphrases(keyphrases=["canal", "by hand", "1885", "lake"]),
                WriteClosedQuestions: ClosedQuestions(questions=["Is it …?", "Was it …?", "In …?", "Does it …?"]),
                AnswerFromSummary: SummaryAnswers(verdicts=verdicts(1, 1, 1, 0)),
            }
        ),
        (3 / 4 + (1 - 20 / 100)) / 2,
    ),
    "context_relevance": (
        one(contexts=("He was born in Ulm. Ulm is a city. It is old.", "He was born in 1879. Bern is in Switzerland.")),
        ScriptedJudge({SelectRelevantSentences: RelevantSentences(numbers=[1, 4])}),
        2 / 5,
    ),
}
"""Metric → the sample, the judge's replies, and the value by hand."""


def test_there_is_an_example_of_each_metric():
    """The nine, and context relevance."""
    assert tuple(EXAMPLES) == (*PRESETS["ragas"], "context_relevance")


@pytest.mark.parametrize("name", EXAMPLES)
async def test_a_worked_example_has_the_value_of_the_definition(name):
    """Equal replies of a judge give the value that the definition gives by hand."""
    sample, judge, value = EXAMPLES[name]
    score = await score_once(sample, make_metric(name), judge)
    assert score.status == "ok", score
    assert score.value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("language", "heading", "column"), [("en", "Worked examples", "value"), ("ja", "計算例", "値")]
)
def test_the_page_shows_the_values_of_the_worked_examples(language, heading, column):
    """One row per metric, in the order of the article, with the value to three decimals."""
    (rows,) = sections(page("ragas", language))[heading]
    shown = [(next(iter(row.values())).strip("`"), row[column]) for row in rows]
    assert shown == [(name, f"{value:.3f}") for name, (_, _, value) in EXAMPLES.items()]
