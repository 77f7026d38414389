"""Answers from a file as the system under test."""

import orjson
import pytest

from saiten.errors import BadInput, SystemFailed
from saiten.rag.systems.answer_file import AnswerFile
from saiten.records import Answer, Inquiry, Passage
from saiten.wiring.systems import SystemSettings, assemble_system

ROWS = [
    {"id": "a", "question": "One?", "answer": "1", "contexts": [{"text": "c", "source": "s", "score": 0.5}, "d"]},
    {"id": "b", "question": "Two?", "answer": "", "contexts": []},
    {"id": "c", "question": "Three?", "answer": None, "error": {"kind": "timeout", "reason": "too slow"}},
    {"id": "d", "question": "Four?", "answer": None},
    {"question": "Five?", "answer": 5},
    {"id": "e", "question": "Same?", "answer": "x"},
    {"id": "f", "question": "Same?", "answer": "y"},
    {"id": "g", "question": "Alike?", "answer": "z"},
    {"id": "h", "question": "Alike?", "answer": "z"},
    {"id": "i", "answer": "no question"},
    {"id": "j", "question": "Odd?", "answer": ["a", "b"]},
]


@pytest.fixture
def file(somewhere):
    """The rows as a file."""
    (somewhere / "a.jsonl").write_bytes(b"\n".join(map(orjson.dumps, ROWS)) + b"\nrubbish\n")
    return "file:a.jsonl"


@pytest.mark.parametrize(
    ("inquiry", "answer"),
    [
        (Inquiry("One?", "a"), Answer("1", (Passage("c", "s", 0.5), Passage("d")))),
        (Inquiry(" One? ", "unknown"), Answer("1", (Passage("c", "s", 0.5), Passage("d")))),
        (Inquiry("Two?"), Answer("", ())),
        (Inquiry("Five?", "row-1"), Answer("5")),
        (Inquiry("Same?", "f"), Answer("y")),
        (Inquiry("Alike?"), Answer("z")),
        (Inquiry("Anything?", "i"), Answer("no question")),
    ],
)
async def test_an_answer_is_found_by_id_or_else_by_question(file, inquiry, answer):
    """It has its contexts, costs nothing and has no latency."""
    assert await assemble_system(file).answer(inquiry) == answer


@pytest.mark.parametrize(
    ("inquiry", "kind", "message"),
    [
        (Inquiry("Other?", "a"), "failed", "no answer to this question"),
        (Inquiry("", "unknown"), "failed", "'unknown'"),
        (Inquiry("Three?", "c"), "timeout", "too slow"),
        (Inquiry("Four?", "d"), "failed", "no answer to this question"),
        (Inquiry("Same?"), "failed", "several answers"),
        (Inquiry("Odd?", "j"), "failed", "no answer"),
    ],
)
async def test_an_answer_that_is_not_there_is_a_failure(file, inquiry, kind, message):
    """The same ID with another question is another question; a stored failure fails again in the same way."""
    with pytest.raises(SystemFailed, match=message) as error:
        await assemble_system(file).answer(inquiry)
    assert error.value.kind == kind


def test_rows_that_cannot_be_used_are_reported(file):
    """Each is reported with line and reason."""
    notes = []
    assemble_system(file, SystemSettings(notify=notes.append))
    assert [note.split(" is left out")[0] for note in notes] == ["a.jsonl:11", "a.jsonl:12"]


async def test_a_csv_file_of_another_tool_will_do(somewhere):
    """Formats and column names are those of samples."""
    (somewhere / "a.csv").write_text("user_input,response,retrieved_contexts\nWhy?,So.,\"['c', 'd']\"\nWho?,,\n")
    system = assemble_system("file:a.csv")
    assert await system.answer(Inquiry("Why?")) == Answer("So.", (Passage("c"), Passage("d")))
    assert await system.answer(Inquiry("Who?")) == Answer("")


async def test_columns_with_names_of_their_own(somewhere):
    """Python callers can name the columns."""
    (somewhere / "a.csv").write_text("q,said\nWhy?,So.\n")
    columns = {"question": "q", "answer": "said"}
    system = AnswerFile(somewhere / "a.csv", columns=columns, notify=pytest.fail)
    assert await system.answer(Inquiry("Why?")) == Answer("So.")


def test_a_file_that_is_not_there_or_has_no_answers_is_refused(somewhere):
    """This happens before anything is asked."""
    (somewhere / "q.jsonl").write_text('{"question": "Why?"}\n')
    for name, message in (("none.jsonl", "no file"), ("q.jsonl", "no column for answer")):
        with pytest.raises(BadInput, match=message):
            assemble_system(f"file:{name}")


def test_other_content_is_another_system(file, somewhere):
    """Two files with one name do not get mixed."""
    before = assemble_system(file).describe()
    assert assemble_system(file).describe() == before
    (somewhere / "a.jsonl").write_bytes(orjson.dumps(ROWS[0]) + b"\n")
    assert assemble_system(file).describe() != before
