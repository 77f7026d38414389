"""What a design needs, compared with a folder: each kind of file, with everything that can be wrong with it."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from saiten.cli.paper_options import PaperOptions
from saiten.cli.papering import run_design
from saiten.errors import BadInput
from saiten.options import Config
from saiten.papers.design import DataNeed, DesignPlace, DesignStep, Reading
from saiten.papers.needed import check_folder, check_needs
from saiten.views.table import Table
from saiten.words import Message, in_language

ANSWERS = DataNeed("answers", "samples", ("question", "answer"))
LABELS = DataNeed("labels", "labels", ("correct",), of="answers", parts=("table 4",))
DOCUMENTS = DataNeed("handbook", "documents")
ROWS = [{"id": f"q{n}", "question": f"What is {n}?", "answer": f"It is {n}."} for n in range(3)]


NO_COLUMNS = Reading()


def label(item, aspect="correct"):
    """A label by a person."""
    return {"item": item, "aspect": aspect, "value": 1, "annotator": "me"}


@pytest.fixture
def said(data, somewhere):
    """`said(need, rows, …)`: what is there and what is wrong, after the rows of each file were written."""
    (somewhere / "mine").mkdir()

    def check(need, reading=NO_COLUMNS, **files):
        for name, rows in files.items():
            data(rows, f"mine/{name}.jsonl")
        (found,) = check_needs(Path("mine"), [need], reading)
        return in_language(found.has, "en"), in_language(found.problem, "en")

    return check


@pytest.mark.parametrize(
    ("labels", "has", "problem"),
    [
        ([label("q0"), label("q1"), label("q1", "note")], "3 labels: correct 2, note 1; 1 of another aspect", ""),
        ([label("q0", "")], "1 label: – 1", ""),  # the only aspect need not be named
        (
            [label("row-7"), label("row-8")],
            "2 labels: correct 2",
            "no label is about a row of answers: items are like row-7, ids like q0",
        ),
        ([label("q0", "style")], "1 label: style 1", "no label has an aspect of correct"),
    ],
    ids=["good", "one aspect", "other items", "other aspects"],
)
def test_labels_are_about_the_answers_and_of_the_aspect(said, labels, has, problem):
    """Otherwise the list shows an item and an id, or the aspects that are needed."""
    assert said(LABELS, answers=ROWS, labels=labels) == (has, problem)


def test_labels_that_do_not_count_are_counted(said):
    """Rows that cannot be read, with the first reason and its line; labels of unknown rows and of other aspects."""
    labels = [label("q0"), label("q9"), label("q1", "foo"), label("q7"), label("q2")]
    labels += [{**label("q1"), "value": "n/a"}, {**label("q2"), "value": ""}]
    has, problem = said(LABELS, answers=ROWS, labels=labels)
    assert has == (
        "5 labels: correct 4, foo 1; 2 rows cannot be used (labels.jsonl:6: the value 'n/a' is neither a number "
        "nor a verdict such as yes, no, true, ○; …); 2 about rows that answers does not have (q7, …); 1 of another "
        "aspect"
    )
    assert problem == ""
    assert said(LABELS, answers=ROWS, labels=labels[5:6])[1] == "there is no label in it"


@pytest.mark.parametrize(
    ("value", "aspect", "problem"),
    [
        (0, "correct", ""),
        (5, "", ""),
        (9, "correct", "correct of q1 is 9; expected 0 to 5"),
        (-0.5, "", "correct of q1 is -0.5; expected 0 to 5"),
        (9, "note", ""),  # which does not count
    ],
)
def test_values_outside_of_the_scale_are_a_problem(said, value, aspect, problem):
    """Item, value and scale are named; a grade of an aspect that is not read may be any."""
    need = replace(LABELS, scale={"correct": (0, 5)})
    labels = [label("q0", "" if aspect == "" else "correct"), {**label("q1", aspect), "value": value}]
    assert said(need, answers=ROWS, labels=labels)[1] == problem
    if problem:
        assert "2 values are outside of their scale, such as " + problem.replace(" is", ":") in said(
            need, answers=ROWS, labels=[*labels, labels[1]]
        )


def test_several_aspects_must_be_named(said):
    """Without a name, a label may be of any of them."""
    need = replace(LABELS, fields=("correct", "style"))
    assert said(need, answers=ROWS, labels=[label("q0", "")])[1] == "no label has an aspect of correct, style"


def test_labels_of_systems_answers_have_the_id_of_the_question_before_the_system(said):
    """Also if the id or the system's name has an @; a question that is not there is counted."""
    need = DataNeed("labels", "labels", of="questions", before="@")
    rows = [{"id": each, "question": "What?"} for each in ("q0", "me@home")]
    labels = [label("q0@openai:m@http://h"), label("me@home@x"), label("q9@x")]
    assert said(need, questions=rows, labels=labels) == (
        "3 labels: correct 3; 1 about a row that questions does not have (q9@x)",
        "",
    )
    assert said(need, questions=rows, labels=labels[2:])[1].startswith("no label is about a row of questions")


def test_labels_are_judged_by_their_own_file(said):
    """A file of answers that cannot be read is not their fault."""
    assert said(LABELS, answers=[{"row": "q0"}], labels=[label("q0")]) == ("1 label: correct 1", "")


def test_marked_passages_must_be_in_their_texts(said):
    """Extra units in the answer, others in the reference; a row that cannot be read is a problem here, too."""
    need = replace(LABELS, fields=("gist", "extra_gist"), spans=True)
    rows = [{**row, "reference": "The reference."} for row in ROWS]

    def marked(aspect, start, end, text=""):
        return {
            "item": "q0",
            "aspect": aspect,
            "annotator": "me",
            "spans": [{"text": text, "start": start, "end": end}],
        }

    good = [marked("extra_gist", 6, 8, "0."), marked("gist", 4, 13, "reference")]
    assert said(need, answers=rows, labels=good)[1] == ""
    for bad in (marked("gist", 500, 510), marked("extra_gist", 4, 13), marked("gist", 0, 9, "reference")):
        assert (
            f"1 marked passage is not in its text (q0, {bad['aspect']})"
            in said(need, answers=rows, labels=[*good, bad])[1]
        )
    has, problem = said(need, answers=rows, labels=[*good, {**good[0], "spans": "0."}])
    assert has == "2 labels: extra_gist 1, gist 1"
    assert problem.startswith("1 row cannot be used (labels.jsonl:3: spans: expected a list in JSON")


def test_advice_on_columns_can_be_followed(said, data):
    """`saiten paper` has no option for columns: samples are named in saiten.toml, columns of labels renamed."""
    rows = [{"id": "q0", "text": "That.", "remark": "x"}]
    said_of = said(ANSWERS, answers=rows)[1]
    assert 'name one in saiten.toml: column = ["question=COLUMN"]' in said_of
    of_labels = said(LABELS, labels=[{"row": "q0", "value": 1}])[1]
    assert "no column for item (understood are item: item, sample, item_id" in of_labels
    assert "rename a column" in of_labels
    assert "--column" not in said_of + of_labels


def test_labels_of_marked_passages_need_spans(said):
    """A file without them, or with a column of another name, is not taken for one in which nothing was marked."""
    need = replace(LABELS, spans=True)
    rows = [{**label("q0"), "marks": [{"text": "It", "start": 0, "end": 2}]}]
    assert said(need, answers=ROWS, labels=rows)[1] == (
        "no label has `spans`, a list of marked passages ([] where nothing was marked)"
    )
    assert said(need, labels=[{**label("q0"), "value": 0, "spans": []}])[1] == ""


def test_a_file_that_cannot_be_read_is_a_problem_and_not_the_end(said, data):
    """The other files are checked all the same; the reason of the reader is shown."""
    Path("mine/answers.jsonl").write_bytes(b"\xff\xfe\x00broken")
    Path("mine/labels.csv").write_text("item,value\n")
    found = check_needs(Path("mine"), [ANSWERS, LABELS, DOCUMENTS])
    problems = [in_language(each.problem, "en") for each in found]
    assert all(problems)
    assert "answers.jsonl" in problems[0]
    assert problems[2] == "not there"
    assert [each.is_missing for each in found] == [True, False, True]


def test_a_folder_of_documents_must_have_one(said):
    """Counted as `saiten index` reads them."""
    Path("mine/handbook").mkdir()
    assert said(DOCUMENTS) == ("0 documents", "there is no document in it")
    Path("mine/handbook/a.md").write_text("# A\n\nText.")
    assert said(DOCUMENTS) == ("1 document", "")


def test_columns_of_the_configuration_are_read(said):
    """A field in a column of another name is there, also the id that labels are about."""
    rows = [{"number": f"q{n}", "question": "What?", "said": "That."} for n in range(2)]
    reading = Reading({"answer": "said", "id": "number"})
    assert said(ANSWERS, reading, answers=rows) == ("2 rows: question 2, answer 2", "")
    assert said(LABELS, reading, answers=rows, labels=[label("q1")])[1] == ""


def test_a_column_is_for_the_files_that_have_it(said, data):
    """Another file is read as it is; the check, ids and rows agree, and a command on it leaves the column out."""
    reading = Reading({"answer": "said", "id": "number"})
    said(ANSWERS, reading, answers=[{"number": "q0", "question": "What?", "said": "That."}])
    questions, rows = DataNeed("questions", "samples", ("question",)), [{"id": "q1", "question": "Why?"}]
    assert said(questions, reading, questions=rows) == ("1 row: question 1", "")
    place = DesignPlace(Path("mine"), Path("out"), reading=reading)
    assert [row.id for need in (ANSWERS, questions) for row in place.rows(need, lambda _: None)] == ["q0", "q1"]
    assert place.column_words(Path("mine/answers.jsonl")) == ()
    assert place.column_words(Path("mine/questions.jsonl")) == ("--column", "")
    data([{"number": "q1", "question": "Why?"}], "mine/questions.jsonl")
    assert place.column_words(Path("mine/questions.jsonl")) == ("--column", "id=number")


def test_a_column_that_no_file_has_is_refused(said):
    """It is a slip, which another column by a known name would hide."""
    said(ANSWERS, answers=ROWS)
    with pytest.raises(
        BadInput, match=r"no column 'sayd' in mine/answers.jsonl, which saiten.toml names for the answer"
    ):
        check_folder(Path("mine"), [ANSWERS], lambda _: None, Reading({"answer": "sayd"}))


@pytest.mark.parametrize(
    "name", ["offline", "openai:m@http://h/v1", "rag:kb[k=3]", "モデル", "a/../b", "x" * 300, "..", ""]
)
def test_each_name_has_a_folder_of_its_own_within_the_results(name):
    """Readable where possible, never outside, and different for different names."""
    place = DesignPlace(Path("mine"), Path("out"))
    found = place.named(name)
    assert found.parent == Path("out")
    assert found.name not in ("", ".", "..")
    assert len(found.name) < 80
    assert found != place.named(f"{name}!")


# ------------------------------------------------------------------------------------------ a design of two commands


@dataclass(frozen=True)
class TwoCommands:
    """Answers are collected, then scored by a judge; labels are optional."""

    place: DesignPlace
    judge: str

    def needs(self):
        return (DataNeed("questions", "samples", ("question",)), LABELS)

    def steps(self):
        answers, run = self.place.out / "answers.jsonl", self.place.out / "run"
        system = f"file:{self.place.data / 'system.json'}"
        collect = ("answer", str(self.place.data / "questions.jsonl"), "-s", system, "-o", str(answers))
        score = ("score", str(answers), "-m", "accuracy", "--judge", self.judge, "-o", str(run))
        return (DesignStep(collect, answers, calls=False), DesignStep(score, run))

    def tables(self, notify):
        there = self.place.find(LABELS) is not None
        notify("with labels" if there else "without labels")
        yield Table(Message("paper", "would_take"), ("n",), ((int(there),),))


@pytest.fixture
def two(data, somewhere, openai_server):
    """`two(options)` runs the design of two commands."""
    (somewhere / "mine").mkdir()
    rows = [{**row, "reference": row["answer"]} for row in ROWS]
    data([{k: v for k, v in row.items() if k != "answer"} for row in rows], "mine/questions.jsonl")
    (somewhere / "mine/system.json").write_text(json.dumps(rows))

    def run(**options):
        design = TwoCommands(DesignPlace(Path("mine"), Path("out")), f"openai:m@{openai_server.base_url}")
        run_design("ragas", design, PaperOptions(out=Path("out"), **options), Config(), "json")

    return run


def test_calls_that_depend_on_answers_are_unknown_until_there_are_some(two, capsys, openai_server):
    """The dry run says so instead of failing; once the answers are there, it counts."""
    two(dry_run=True)
    said = capsys.readouterr()
    (rows,) = json.loads(said.out).values()
    assert [row["calls, at most"] for row in rows] == [0, "unknown", "unknown"]
    assert openai_server.requests == []
    two()
    asked = len(openai_server.requests)
    assert asked > 1
    capsys.readouterr()
    two(dry_run=True)
    (rows,) = json.loads(capsys.readouterr().out).values()
    assert [row["calls, at most"] for row in rows] == [0, asked - 1, asked - 1]


@pytest.mark.parametrize("labels", [None, [label("row-9")], [label("q1")]], ids=["missing", "of others", "good"])
def test_labels_that_cannot_be_used_are_left_out_like_missing_ones(two, data, capsys, labels):
    """The list names the table that is left out, and the design does not find the file, but the rest is run."""
    data(ROWS, "mine/answers.jsonl")
    if labels is not None:
        data(labels, "mine/labels.jsonl")
    two()
    said = capsys.readouterr()
    good = labels == [label("q1")]
    assert ("left out without it: table 4" in said.err) is not good
    assert ("note: with labels" in said.err) is good
    assert json.loads(said.out) == {"What the design would take": [{"n": int(good)}]}
