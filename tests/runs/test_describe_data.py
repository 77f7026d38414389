"""The figures of a data set, as other code computes them from samples."""

import pytest

from saiten.data import BadRow
from saiten.rag.knowledge.documents import Document, Unread
from saiten.records import Sample, Turn
from saiten.results.describe_data import describe_data, describe_documents

ASKED = "How long is the bridge?"
JAPANESE = "この橋の長さは三十メートルで、一九九八年に開通しました。"


def test_a_small_set_counted_by_hand():
    """Sizes, languages, systems, and the lengths of each field; a row that cannot be used is counted, too."""
    rows = [
        Sample("1", ASKED, "30 metres long.", ("It is 30 metres long.", ""), "30 metres", system="a", group="x"),
        BadRow("f:2", "neither question nor answer"),
        Sample("3", ASKED, "", (), "30 metres", system="b", group="y"),
        Sample("4", "And when was it opened?", "I don't know.", None, None, system="a"),
        Sample("5", "And when was it opened?", None, None, None, system="b"),
    ]
    found = describe_data("bridges", iter(rows))
    assert (found.name, found.samples, found.unusable, found.first_unusable) == ("bridges", 4, 1, rows[1])
    assert (found.questions, found.groups, found.languages) == (2, 2, {"en": 4})
    first, second = found.systems
    assert (first.system, first.samples, first.questions, first.missing, first.empty) == ("a", 2, 2, 0, 0)
    assert (first.declined, first.characters, first.tokens) == (1, 14, 3)
    assert (second.system, second.samples, second.questions, second.missing, second.empty) == ("b", 2, 0, 1, 1)
    by_field = {of.field: (of.given, of.missing, of.empty) for of in found.fields}
    assert by_field == {
        "question": (2, 0, 0),  # each different one
        "answer": (3, 1, 1),
        "reference": (1, 2, 0),  # once per question
        "context": (2, 0, 1),
        "contexts": (2, 2, 1),  # an empty list is given
    }
    together = found.of("contexts")
    assert (together.characters.counts, together.tokens.highest) == ({0: 1, 21: 1}, 5)


def test_tokens_are_those_of_the_sample_s_language_or_not_counted():
    """Sudachi counts words of Japanese; without tokens, characters are the same."""
    rows = [Sample("1", "橋の長さは。", JAPANESE, language="ja")]
    found, without = describe_data("d", rows), describe_data("d", rows, tokens=False)
    assert found.of("question").tokens.highest == 4  # 橋 の 長さ は
    assert found.of("answer").characters == without.of("answer").characters
    assert (without.of("answer").tokens, without.systems[0].tokens) == (None, None)


@pytest.mark.parametrize(
    ("second", "counts"),
    [
        (Sample("2", ASKED, "Thirty.", system="a"), (1, 0, 0)),
        (Sample("2", ASKED, "Thirty.", system="b"), (0, 0, 0)),
        (Sample("2", ASKED, "30 m.", system="a"), (1, 0, 1)),
        (Sample("2", ASKED, "30 m.", system="a", group="other"), (1, 0, 0)),
        (Sample("2", "How high is it?", "30 m.", system="b"), (0, 1, 0)),
        (Sample("2", ASKED, "30 m.", system="a", history=(Turn("A bridge?", "Yes."),)), (0, 1, 0)),
    ],
)
def test_duplicates(second, counts):
    """Question and system again, an answer to another question, everything again; each after the sample it repeats."""
    found = describe_data("d", [Sample("1", ASKED, "30 m.", system="a"), second])
    assert (found.repeated_questions, found.repeated_answers, found.repeated_samples) == counts


def test_answers_without_content_are_no_duplicates():
    """Empty and declining answers are equal for a reason; the third use of another answer counts, whatever it answers."""
    same = [Sample(f"{n}", f"Question {n}?", text) for n, text in enumerate(["", "", "I don't know.", "I don't know."])]
    assert describe_data("d", same).repeated_answers == 0
    again = [Sample(f"{n}", f"Question {q}?", "Yes, by 2030.") for n, q in enumerate([1, 2, 1])]
    assert describe_data("d", again).repeated_answers == 2


def test_questions_that_only_some_systems_were_asked():
    """Of three questions, one was asked to both systems; with one system there is nothing to compare."""
    pairs = [("1", "a"), ("1", "b"), ("2", "a"), ("3", "b")]
    rows = [Sample(f"{q}/{system}", f"Question {q}?", "Yes.", system=system) for q, system in pairs]
    assert describe_data("d", rows).partly_answered == 2
    assert describe_data("d", rows[:1]).partly_answered == 0


def test_long_answers_are_compared_with_the_longest_reference():
    """More than ten times its characters; an answer without a reference is not compared."""
    rows = [
        Sample("1", "Question 1?", "x" * 31, reference="abc"),
        Sample("2", "Question 2?", "x" * 31, reference="abc", alternatives=("abcd",)),
        Sample("3", "Question 3?", "x" * 31),
    ]
    found = describe_data("d", rows)
    assert (found.long_answers, found.compared_answers) == (1, 2)


def test_texts_in_another_language_than_their_sample():
    """Short ones may be names."""
    rows = [Sample("1", ASKED, JAPANESE, ("橋",), language="en")]
    found = describe_data("d", rows)
    assert {of.field: of.other_language for of in found.fields if of.other_language} == {"answer": 1}


def test_documents_with_what_cannot_be_read():
    """A file that cannot be read is named; one of another kind is only counted."""
    documents = [
        Document("It is 30 metres long.", "a.md", ""),
        Document(JAPANESE, "b.txt", "", "decoded as Shift_JIS"),
        Unread("c.pdf", "is damaged"),
        Unread("d.png", "is of a kind that is not read", skipped=True),
    ]
    found = describe_documents(iter(documents))
    assert (found.lengths.given, found.lengths.characters.highest) == (2, len(JAPANESE))
    assert (found.unread, found.notes, found.skipped) == (
        (("c.pdf", "is damaged"),),
        (("b.txt", "decoded as Shift_JIS"),),
        1,
    )
    assert describe_data("d", [Sample("1", ASKED)], documents=found).documents == found
