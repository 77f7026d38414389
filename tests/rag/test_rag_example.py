"""The worked example: read from the user's file, or refused with its fault."""

import dataclasses
import json

import pytest

from saiten.errors import ConfigurationError
from saiten.rag.example import WorkedExample, read_example
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, WriteQuery

TOML = 'question = "Where?"\ndocuments = ["North.", "Ten."]\nanswer = "North."\n'
EXAMPLE = WorkedExample("Where?", ("North.", "Ten."), "North.")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.toml", TOML),
        ("e.TOML", "\ufeff" + TOML.replace("\n", "\r\n")),
        ("e.json", json.dumps({"question": "Where?", "documents": ["North.", "Ten."], "answer": "North."})),
    ],
)
def test_an_example_is_read_from_toml_or_json(name, content, tmp_path):
    """The file extension decides; byte order marks and Windows line ends do not matter."""
    file = tmp_path / name
    file.write_bytes(content.encode())
    assert read_example(file) == EXAMPLE


def test_one_document_needs_no_list(tmp_path):
    """A text is a list of one."""
    file = tmp_path / "e.toml"
    file.write_text(TOML.replace('["North.", "Ten."]', '"North."'))
    assert read_example(file).documents == ("North.",)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("e.yaml", "question: Where?", "not a TOML file"),
        ("e.toml", "question = ", "not a TOML file"),
        ("e.json", "{", "not a JSON file"),
        ("e.json", "[" * 100_000, "not a JSON file"),
        ("e.json", "[1]", "expected an example with question, documents and answer"),
        ("e.json", "null", "not None; expected an example"),
        ("e.toml", b"\xff\xfe", "not a TOML file"),
        (
            "e.toml",
            TOML.replace("answer", "reply"),
            "answer is missing; reply is not a known key; expected an example",
        ),
        ("e.toml", TOML.replace('answer = "North."', ""), "answer is missing"),
        ("e.toml", TOML.replace('"Where?"', "3"), "question: expected a valid string, not 3"),
        ("e.toml", TOML.replace('"Where?"', '"  "'), "question: expected a text"),
        ("e.toml", TOML.replace('"Ten."', "7"), "documents[2]: expected a valid string, not 7"),
        ("e.toml", TOML.replace('["North.", "Ten."]', "[]"), "documents: Value should have at least 1 item, not 0"),
        ("e.toml", TOML + "candidates = 1\n", "candidates: expected a valid array, not 1"),
        ("e.toml", TOML + "#" * (1 << 20), "larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_example_is_named_with_its_fault(name, content, fault, tmp_path):
    """The message has the file, what was expected and what came."""
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError) as refusal:
        read_example(file)
    assert str(refusal.value).startswith((f"{file}: ", f"{file}, line "))
    assert fault in str(refusal.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    """So is a folder in its place."""
    (tmp_path / "folder.toml").mkdir()
    for name in ("none.toml", "folder.toml"):
        with pytest.raises(ConfigurationError, match=rf"{name}: cannot be read"):
            read_example(tmp_path / name)


def test_each_step_is_shown_the_example_in_its_own_form():
    """By default the answer that is refined, or aggregated with the real one, is an answer that does not know."""
    answer, refine, aggregate, query = (
        AnswerFromDocuments("q", ("d", "e"), language="en"),
        RefineAnswer("q", "c", "d", language="en"),
        AggregateAnswers("q", ("c",), language="en"),
        WriteQuery("q", language="en"),
    )
    assert EXAMPLE.examples(answer)[0].inputs == {"question": "Where?", "documents": ("North.", "Ten.")}
    assert EXAMPLE.examples(refine)[0].inputs == {
        "question": "Where?",
        "candidate": "I don't know.",
        "document": "North.",
    }
    assert EXAMPLE.examples(aggregate)[0].inputs == {"question": "Where?", "candidates": ("North.", "I don't know.")}
    assert EXAMPLE.examples(query) == ()
    own = dataclasses.replace(EXAMPLE, candidate="South.", candidates=("South.", "North."))
    assert own.examples(refine)[0].inputs["candidate"] == "South."
    assert own.examples(aggregate)[0].inputs["candidates"] == ("South.", "North.")


PARKING = WorkedExample(
    "Where may visitors park?",
    ("The gate closes at 22:00.", "Visitors park on the north side, for up to two hours.", "The canteen is open."),
    "On the north side, for up to two hours.",
)
JAPANESE = WorkedExample(
    "来客はどこに駐車できますか。", ("門は22時に閉まる。", "来客は北側に駐車できる。"), "北側の駐車場です。"
)


@pytest.mark.parametrize("example", [PARKING, JAPANESE])
def test_a_step_that_reads_one_document_is_shown_the_one_that_carries_the_answer(example):
    """Wherever it is in the list, for all chains: no example answers from a document that does not support it."""
    refine, one, all_of_them = (
        RefineAnswer("q", "c", "d", language=example.language),
        AnswerFromDocuments("q", ("d",), language=example.language),
        AnswerFromDocuments("q", ("d", "e", "f"), language=example.language),
    )
    assert example.examples(refine)[0].inputs["document"] == example.documents[1]
    assert example.examples(one)[0].inputs["documents"] == (example.documents[1],)
    assert example.examples(all_of_them)[0].inputs["documents"] == example.documents


def test_a_candidate_of_the_users_own_is_refined_with_the_document_that_adds_the_rest():
    """What the candidate already knows need not come from the document."""
    example = WorkedExample(
        "When is the shop open?",
        ("It opens at 9:00 on weekdays.", "It closes at 18:00."),
        "On weekdays from 9:00 to 18:00.",
        candidate="On weekdays from 9:00.",
    )
    refine = RefineAnswer("q", "c", "d", language="en")
    assert example.examples(refine)[0].inputs["document"] == "It closes at 18:00."
    unknown = dataclasses.replace(example, candidate=None)
    assert unknown.examples(refine)[0].inputs["document"] == "It opens at 9:00 on weekdays."


def test_a_plain_yes_comes_from_the_document_about_the_question():
    """An answer without content words shares none with any document."""
    example = WorkedExample("Is parking free?", ("The gate closes at ten.", "Parking is free."), "Yes.")
    assert example.carrying() == "Parking is free."


def test_the_digest_changes_with_everything_in_the_example():
    """Answers made with another example are distinguishable."""
    others = [
        dataclasses.replace(EXAMPLE, **change)
        for change in (
            {"question": "When?"},
            {"documents": ("North.Ten.",)},
            {"answer": "Ten."},
            {"candidate": "x"},
            {"candidates": ("x",)},
        )
    ]
    assert len({each.digest for each in [EXAMPLE, *others]}) == 6
    assert WorkedExample("Where?", ("North.", "Ten."), "North.").digest == EXAMPLE.digest
