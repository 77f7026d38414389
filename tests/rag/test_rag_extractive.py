"""The extractive generator: sentences of the documents, chosen by the words they share with the question."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.protocols import Completion
from saiten.rag.extractive import ExtractiveGenerator, extractive
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, WriteQuery
from saiten.records import Turn, Usage

PARKING = "Visitors park on the north side. The gate closes at ten. Dogs are not allowed."
BRIDGE = "明石海峡大橋は1998年に開通した。全長は3,911メートルである。塔の高さは298.3メートルである。"


async def write(step, **limits) -> str:
    """The generator's text, which never costs anything."""
    done = await ExtractiveGenerator(**limits).write(step)
    assert done == Completion(done.text, Usage(), "stop")
    return done.text


@pytest.mark.parametrize(
    ("question", "documents", "language", "most", "answer"),
    [
        ("Where do visitors park?", (PARKING,), "en", 1, "Visitors park on the north side."),
        ("When does the gate close for visitors?", (PARKING,), "en", 2, "Visitors park on the north side. The gate closes at ten."),
        ("When does the gate close?", ("It rained. It snowed.", PARKING), "en", 3, PARKING),
        ("When does the gate close?", ("It rained.", PARKING), "en", 1, "The gate closes at ten."),
        ("Where is the gate?", ("A gate is a gate.", "Visitors use the north gate. Dogs do not."), "en", 1, "A gate is a gate."),
        ("Which gate for visitors?", ("A gate is a gate.", "The gate is open. Visitors are welcome."), "en", 2, "The gate is open. Visitors are welcome."),
        ("橋の全長は?", (BRIDGE,), "ja", 2, "明石海峡大橋は1998年に開通した。全長は3,911メートルである。"),
        ("全長は?", (BRIDGE, BRIDGE), "ja", 1, "全長は3,911メートルである。"),
        ("What is it?", ("It is what it is.",), "en", 3, "It is what it is."),
        ("Who wrote Botchan?", (PARKING,), "en", 3, "I don't know."),
        ("著者は?", (BRIDGE,), "ja", 3, "分かりません。"),
        ("?", (PARKING,), "en", 3, "I don't know."),
        ("", ("", " \n"), "ja", 3, "分かりません。"),
    ],
)  # fmt: skip
async def test_an_answer_is_made_of_the_sentences_that_share_words_with_the_question(
    question, documents, language, most, answer
):
    """They are in their own order, each once, preferring a document that shares more; without any it does not know."""
    assert await write(AnswerFromDocuments(question, documents, language=language), sentences=most) == answer


async def test_no_answer_has_more_sentences_than_are_allowed():
    """The sentences that cover most are taken, and in a tie the earlier one."""
    many = " ".join(f"The gate has number {number}." for number in range(20))
    text = await write(AnswerFromDocuments("Which number has the gate?", (many,), language="en"), sentences=2)
    assert text == "The gate has number 0. The gate has number 1."


async def test_refining_keeps_the_candidate_and_adds_what_it_does_not_have():
    """At most one sentence per document, and none without a new word of the question."""
    question = "When does the gate close and are dogs allowed?"
    refine = RefineAnswer(question, "The gate closes at ten.", PARKING, language="en")
    assert await write(refine) == "The gate closes at ten. Dogs are not allowed."
    nothing_new = RefineAnswer(
        "When does the gate close?", "The gate closes at ten.", "A gate is a gate.", language="en"
    )
    assert await write(nothing_new) == "The gate closes at ten."
    unknown = RefineAnswer("全長は?", "分かりません。", BRIDGE, language="ja")
    assert await write(unknown, sentences=1) == "全長は3,911メートルである。"


async def test_aggregating_merges_the_candidates_that_know():
    """Equal sentences appear once, refusals not at all; if no candidate knows, neither does the whole."""
    candidates = ("I don't know.", "The gate closes at ten.", "The gate closes at ten. The gate is red.")
    aggregate = AggregateAnswers("When does the gate close?", candidates, language="en")
    assert await write(aggregate) == "The gate closes at ten. The gate is red."
    assert await write(AggregateAnswers("なぜ?", ("分かりません。",) * 3, language="ja")) == "分かりません。"


@pytest.mark.parametrize(
    ("asked", "history", "query"),
    [
        ("How long is it?", ("Where is the Akashi bridge?", "Is the bridge old?"), "How long is it? bridge old akashi"),
        ("全長は?", ("明石海峡大橋はいつ開通した?",), "全長は? 明石海峡大橋 開通"),
        ("Why?", ("One two three four five six seven eight nine ten?",), "Why? one two three four five six"),
        ("Why?", ("", "?"), "Why?"),
    ],
)
async def test_a_query_takes_in_words_of_earlier_questions(asked, history, query):
    """The latest question's words come first, none twice, up to a limit; the system's answers are not used."""
    turns = tuple(Turn(question, "The answer speaks of a zebra.") for question in history)
    assert await write(WriteQuery(asked, language="en", history=turns)) == query


@given(st.text(max_size=30), st.lists(st.text(max_size=60), max_size=4), st.sampled_from(["en", "ja"]))
async def test_every_answer_is_quoted_or_a_refusal(question, documents, language):
    """Nothing is made up: every sentence is in a document, character for character, whatever is in it."""
    text = await write(AnswerFromDocuments(question, tuple(documents), language=language), sentences=1, least=1e-9)
    assert any(text in document for document in documents) or text in {"I don't know.", "分かりません。"}
    refined = await write(RefineAnswer(question, text, "".join(documents), language=language))
    aggregated = await write(AggregateAnswers(question, (text, *documents), language=language))
    assert refined
    assert aggregated


async def test_a_document_without_sentences_is_cut():
    """A megabyte without a full stop is read up to a limit and quoted up to another."""
    line = re.sub("x", "gate number ", "x" * 90_000)
    text = await write(AnswerFromDocuments("Which gate?", (line, PARKING), language="en"))
    assert len(text) <= 1_000


def test_the_description_says_extractive():
    """Wherever its answers go, they are labeled."""
    generator = ExtractiveGenerator()
    assert generator.name == "extractive"
    assert generator.describe([WriteQuery]) == {"generator": "extractive", "sentences": "3", "least": "0.1"}


async def test_the_headings_of_markdown_are_no_sentences():
    """A heading shares words with the question but answers nothing."""
    document = "## 宿泊費の上限\n\n国内出張では一泊12,000円までです。\n\n# 宿泊費の申請\n宿泊費は翌月に払います。"
    step = AnswerFromDocuments("宿泊費の上限はいくらですか。", (document,), language="ja")
    text = (await ExtractiveGenerator().write(step)).text
    assert "#" not in text
    assert "申請" not in text


@pytest.mark.parametrize(
    ("name", "sentences"),
    [("extractive", 3), ("extractive:1", 1), ("extractive:3", 3), ("extractive:0", None), ("extractive:x", None), ("hf:m", None)],
)  # fmt: skip
def test_its_name_says_how_many_sentences_it_picks(name, sentences):
    """`extractive:N` picks N, `extractive` three; other names are those of models."""
    found = extractive(name)
    assert (None if found is None else found.sentences) == sentences
    assert found is None or extractive(found.name) == found
