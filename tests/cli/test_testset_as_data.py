"""A test set's file as the data of other commands: they take it as it is."""

import json
import sqlite3
from pathlib import Path

import pytest

from museum_set import DOCUMENTS, HOURS, ITEMS, write_set
from saiten.dialogue.reading import read_dialogues
from saiten.runs import read_run

BOT = """
import json

TOLD = {
    "How much does a guided tour of the museum cost?": "I could not find the price of a tour in the documents.",
    "館内ツアーの料金はいくらですか。": "申し訳ありませんが、料金に関する情報は文書にありません。",
    "And in summer?": "At 18:00.",
    "夏はどうですか。": "18時です。",
}


def answer(question, history=()):
    with open("asked.jsonl", "a", encoding="utf-8") as file:
        said = [[turn["question"], turn["answer"]] for turn in history]
        file.write(json.dumps([question, said]) + "\\n")
    return {"answer": TOLD.get(question, "At 16:00."), "contexts": ["a passage that was found"]}
"""
BY_ID = {item.id: item for item in ITEMS}
RESUMED = "questions.jsonl:"
"""The beginning of a note about the file and its columns."""


@pytest.fixture
def questions(somewhere):
    """The file of a test set with questions of every kind, beside a system under test."""
    Path("bot.py").write_text(BOT, "utf-8")
    return write_set() / "questions.jsonl"


@pytest.fixture
def answers(saiten, questions):
    """What the system answers."""
    said = saiten("answer", questions, "--system", "bot.py:answer", "-o", "answers.jsonl")
    assert (said.status, RESUMED in said.err) == (0, False), said
    return Path("answers.jsonl")


def asked():
    """The questions that the system was asked, each with the history that came with it."""
    return [(question, said) for question, said in map(json.loads, Path("asked.jsonl").read_text("utf-8").splitlines())]


def test_answer_asks_each_question_after_its_history(answers):
    """The passages are the evidence, and never what the system found; the kind is the group."""
    with_history = {question: said for question, said in asked() if said}
    assert with_history == {
        item.question: [[turn.question, turn.answer] for turn in item.history] for item in ITEMS if item.history
    }
    rows = {row["id"]: row for row in map(json.loads, answers.read_text("utf-8").splitlines())}
    assert rows.keys() == BY_ID.keys()
    for name, item in BY_ID.items():
        row = rows[name]
        assert [each["text"] for each in row["contexts"]] == ["a passage that was found"]
        assert (row["question"], row["reference"]) == (item.question, item.reference)
        assert (row["evidence"], row["group"]) == ([each.text for each in item.passages], item.kind)
        assert row["language"] == item.language
        assert row.get("history", []) == [turn.to_json() for turn in item.history]


def test_score_takes_the_answers_with_everything_that_the_set_has(saiten, answers):
    """The samples of the run are those of the items, with an answer."""
    said = saiten("score", answers, "-m", "correctness,accuracy", "-o", "run")
    assert (said.status, "note: answers" in said.err) == (0, False), said
    samples = {sample.id: sample for sample in read_run(Path("run")).samples()}
    for name, item in BY_ID.items():
        sample, wanted = samples[name], item.sample
        for field in ("question", "reference", "evidence", "group", "language", "history"):
            assert getattr(sample, field) == getattr(wanted, field), (name, field)


def test_score_reads_the_set_itself_without_taking_its_columns_for_others(saiten, questions):
    """It has no answers, which the summary says; there is no guess at contexts, and no suggestion of a column."""
    said = saiten("score", questions, "-m", "token_f1", "-o", "run")
    assert RESUMED not in said.err
    assert all(sample.contexts is None for sample in read_run(Path("run")).samples())


def test_a_right_refusal_is_right_and_an_invented_answer_wrong(saiten, answers, scores):
    """The reference of an unanswerable question says that there is no answer: to say the same is the best grade."""
    saiten("score", answers, "-m", "correctness,accuracy,token_f1", "-o", "run", "-q")
    found = scores()
    for name in ("unanswerable-1", "unanswerable-2"):
        grade, accuracy = found[name, "correctness"], found[name, "accuracy"]
        assert (grade.status, round(grade.value), accuracy.value) == ("ok", 5, 1), name
    rows = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    invented = {"en": "A guided tour of the museum costs 12 euros.", "ja": "館内ツアーの料金は500円です。"}
    for row in rows:
        row["answer"] = invented[row["language"]]
    Path("invented.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    saiten("score", "invented.jsonl", "-m", "correctness,accuracy", "-o", "worse", "-q")
    found = scores("worse")
    for name in ("unanswerable-1", "unanswerable-2"):
        grade = found[name, "correctness"]
        assert (round(grade.value), found[name, "accuracy"].value) == (1, 0), name
        assert "there is no answer" in grade.reason or "答えがない" in grade.reason


def test_converse_continues_the_history_and_accepts_a_right_refusal(saiten, questions):
    """Each question of such a dialogue comes after what was said before; the dialogue's turns are only its own."""
    said = saiten("converse", questions, "--system", "bot.py:answer", "--max-turns", "2", "-o", "run", "-q")
    assert (said.status, RESUMED in said.err) == (0, False), said
    dialogues = {dialogue.id: dialogue for dialogue in read_dialogues(read_run(Path("run")))}
    assert dialogues.keys() == BY_ID.keys()
    for name, dialogue in dialogues.items():
        assert dialogue.earlier == BY_ID[name].history
        assert dialogue.asked[0] == BY_ID[name].question
        assert [each.text for each in dialogue.evidence.passages] == [each.text for each in BY_ID[name].passages]
    for name in ("unanswerable-1", "unanswerable-2", "follow_up-1", "follow_up-2"):
        assert (dialogues[name].ended, len(dialogues[name].history)) == ("grade 5", 1), name
    assert {question: said for question, said in asked() if question == "And in summer?"} == {
        "And in summer?": [["When does the museum close in winter?", "At 16:00."]]
    }
    shown = saiten("show", "run", "--dialogue", "follow_up-1").out
    assert "said before" in shown
    assert "When does the museum close in winter?" in shown


def test_experiment_asks_follow_up_questions_after_their_history(saiten, questions):
    """A system, and the chains over the documents: every question is answered and graded, in each cell."""
    Path("docs").mkdir()
    for name, text in DOCUMENTS.items():
        Path("docs", name).write_text(text, "utf-8")
    Path("e.yaml").write_text(
        "data:\n  - questions: testset/questions.jsonl\n    kb: kb\n    documents: [docs]\n"
        "models: [extractive]\nchains: [stuff]\nforms: [qa, mqa]\nsystems: ['bot.py:answer']\nmetrics: [accuracy]\n"
    )
    said = saiten("experiment", "e.yaml", "--format", "json")
    assert (said.status, RESUMED in said.err) == (0, False), said
    cells = next(iter(json.loads(said.out).values()))
    assert [row["n"] for row in cells] == [len(ITEMS)] * 3
    assert ("And in summer?", [["When does the museum close in winter?", "At 16:00."]]) in asked()


def test_annotate_shows_the_answers_with_their_history_and_reference(saiten, answers):
    """The contexts shown are those that the system found, not the passages; the set alone has nothing to grade."""
    said = saiten("annotate", answers, "--form", "grade", "--db", "a.db", "--prepare")
    assert (said.status, f"{len(ITEMS)} items were added" in said.err) == (0, True), said
    assert "note:" not in said.err
    with sqlite3.connect("a.db") as database:
        stored = "\n".join(str(row) for row in database.iterdump())
    assert "When does the museum close in winter?" in stored
    assert ITEMS[1].reference in stored
    assert "a passage that was found" in stored
    assert HOURS not in stored
    said = saiten("annotate", "testset/questions.jsonl", "--form", "grade", "--db", "b.db", "--prepare")
    assert said.status == 2
    assert RESUMED not in said.err
