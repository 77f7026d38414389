"""Haystack: answers with their documents, messages."""

import json

import pytest

import saiten
from saiten.data import read_samples
from saiten.records import Sample

pytest.importorskip("haystack", reason="`make interop` installs Haystack")
from haystack import Pipeline
from haystack.components.builders import AnswerBuilder
from haystack.dataclasses import (
    ByteStream,
    ChatMessage,
    Document,
    ExtractedAnswer,
    GeneratedAnswer,
    ImageContent,
)

DOCUMENTS = [Document(content="one", meta={"url": "u"}, score=0.5), Document(content="two", embedding=[0.1, 0.2])]
GENERATED = GeneratedAnswer(data="a", query="q", documents=DOCUMENTS, meta={"id": "x7", "model": "m"})
EXTRACTED = ExtractedAnswer(query="q", score=0.9, data="1998", document=DOCUMENTS[0], context="…one…")


def read(*rows):
    """Everything read from the rows."""
    return list(read_samples(rows, detect_language=lambda *_: "en"))


def test_the_answers_of_a_pipeline_are_rows():
    """Question, answer and contexts are all in the object."""
    pipeline = Pipeline()
    pipeline.add_component("answers", AnswerBuilder())
    asked = {"query": "q", "replies": [ChatMessage.from_assistant("a", meta={"model": "m"})], "documents": DOCUMENTS}
    answers = pipeline.run({"answers": asked})["answers"]["answers"]
    assert read(*answers) == [Sample("row-1", "q", "a", ("one", "two"))]
    assert read({"question": "another", "answer": answers}) == [Sample("row-1", "another", "a", ("one", "two"))]


@pytest.mark.parametrize(
    ("value", "sample"),
    [
        (GENERATED, Sample("x7", "q", "a", ("one", "two"))),
        (GeneratedAnswer("a", "q", []), Sample("row-1", "q", "a", ())),
        (EXTRACTED, Sample("row-1", "q", "1998", ("one",))),
        (ExtractedAnswer(query="q", score=0.1, context="window"), Sample("row-1", "q", "", ("window",))),
        (ExtractedAnswer(query="q", score=0.1), Sample("row-1", "q", "")),
        ({"answer": GENERATED, "id": "own", "contexts": None}, Sample("own", "q", "a", ("one", "two"))),
        ({"question": ChatMessage.from_user("q"), "answer": [ChatMessage.from_assistant("a")]}, Sample("row-1", "q", "a")),
        ({"question": "q", "contexts": DOCUMENTS}, Sample("row-1", "q", contexts=("one", "two"))),
    ],
)  # fmt: skip
def test_each_kind_of_answer_is_read(value, sample):
    """The id is the one in the metadata; a reader without an answer gave an empty one."""
    assert read(value) == [sample]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"question": "q", "contexts": [Document(blob=ByteStream(b"x"))]}, "contexts: a Haystack Document has no content"),
        (
            {"question": ChatMessage.from_user(content_parts=["q", ImageContent("eA==", "image/png", validation=False)])},
            "question: a message has a part of type image",
        ),
        (Document(content="x"), "got haystack.Document"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(value, reason):
    """With the field and what there is."""
    (bad,) = read(value)
    assert reason in bad.reason


def test_answers_as_json_are_read(tmp_path):
    """`to_dict`, one per line."""
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(each.to_dict()) + "\n" for each in (GENERATED, EXTRACTED)))
    first, second = read_samples(file, detect_language=lambda *_: "en")
    assert (first.question, first.answer, first.contexts) == ("q", "a", ("one", "two"))
    assert (second.question, second.answer, second.contexts) == ("q", "1998", ("one",))


def test_evaluate_takes_answers():
    """A list of them is a data set; one by itself, too."""
    result = saiten.evaluate([GENERATED, EXTRACTED], metrics=["context_overlap"], judge="offline")
    assert [one.sample for one in result.scores] == ["x7", "row-2"]
    assert saiten.evaluate(GENERATED, metrics=["context_overlap"]).scores[0].sample == "x7"
