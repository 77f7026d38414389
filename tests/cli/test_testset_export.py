"""`saiten testset export`: a test set for other tools and for people."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import openpyxl
import orjson
import pytest

from museum_set import ITEMS, SINGLE, TALKS, write_set
from saiten.testsets.items import Decided, item_to_json
from saiten.testsets.reading import items_of

BOTH = ("ragas", "deepeval")


@pytest.fixture
def testset(somewhere):
    """The folder of a test set with questions of every kind."""
    return write_set()


def rows(path):
    """The objects in a file of JSON lines, or in a JSON list."""
    text = Path(path).read_text("utf-8")
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


def as_read(path):
    """The items of a file, and what was noted."""
    notes = []
    return items_of(Path(path), notify=notes.append), notes


def test_json_lines_are_the_test_set_itself(saiten, testset):
    """Nothing is lost, and there is nothing to note."""
    said = saiten("testset", "export", testset, "-o", "copy.jsonl")
    assert (said.status, said.out, said.err) == (0, "copy.jsonl\n", ""), said
    assert Path("copy.jsonl").read_bytes() == (testset / "questions.jsonl").read_bytes()
    assert as_read("copy.jsonl") == (ITEMS, [])
    assert saiten("testset", "export", testset).out.encode() == Path("copy.jsonl").read_bytes()


def test_ragas_gets_single_questions_or_conversations(saiten, testset):
    """One file has one form, since RAGAS' data sets do; notes count what is missing in each."""
    said = saiten("testset", "export", testset, "--as", "ragas", "-o", "single.jsonl")
    assert [row["user_input"] for row in rows("single.jsonl")] == [item.question for item in SINGLE]
    talks = (
        "note: follow-up questions: 2; they are left out, since a data set of this tool has either single questions "
        "or conversations; export them into a file of their own, with --follow-ups"
    )
    assert said.err.splitlines() == [
        "note: questions that people rejected: 1; they are left out",
        "note: questions that nobody has decided on: 6 of 9",
        talks,
        "note: questions whose id and language are left out, since RAGAS has no fields for them: 6",
        "note: questions whose difficulty is left out, since RAGAS has no field for it: 1",
        "note: questions whose checks and decisions are left out, since RAGAS has no fields for them: 2",
    ]
    said = saiten("testset", "export", testset, "--as", "ragas", "--follow-ups", "-o", "talks.jsonl")
    assert [row["user_input"][-1]["content"] for row in rows("talks.jsonl")] == [item.question for item in TALKS]
    assert "note: single questions: 6; they are left out; export them without --follow-ups" in said.err
    assert "since RAGAS' conversations have no fields for them: 2 and 1" in said.err


def test_deepeval_gets_a_list_or_lines_by_the_suffix(saiten, testset):
    """Its two readers take the one or the other; the goldens are the same."""
    said = saiten("testset", "export", testset, "--as", "deepeval", "-o", "goldens.json")
    assert "note: questions whose checks are left out, since DeepEval has no field for them: 1" in said.err
    assert "questions about several documents: 1; DeepEval has one source_file" in said.err
    saiten("testset", "export", testset, "--as", "deepeval", "-o", "goldens.jsonl")
    assert rows("goldens.json") == rows("goldens.jsonl")
    assert [row["additional_metadata"]["id"] for row in rows("goldens.json")] == [item.id for item in SINGLE]
    first, _, across, *_ = rows("goldens.json")
    assert (first["source_file"], "source_file" in across) == ("hours.md", False)
    assert first["additional_metadata"]["decided_by"] == ["anna", "ben"]
    assert first["additional_metadata"]["sources"] == [
        {"source": "hours.md", "start": 9, "end": 66, "quotes": [[0, 36]]}
    ]
    assert (across["additional_metadata"]["verdict"], across["additional_metadata"]["decided_by"]) == (
        "edited",
        ["ben"],
    )


@pytest.mark.parametrize("tool", BOTH)
def test_a_set_of_follow_up_questions_needs_no_option(saiten, somewhere, tool):
    """There is nothing else in it to export."""
    write_set(items=TALKS)
    said = saiten("testset", "export", "testset", "--as", tool)
    assert (said.status, "single questions" in said.err) == (0, False), said
    assert '"And in summer?"' in said.out


@pytest.mark.parametrize(
    ("items", "options", "reason"),
    [
        (SINGLE, ["--follow-ups"], "there is no follow-up question to export"),
        ([replace(ITEMS[0], decisions=(Decided("rejected", "anna"),))], [], "people rejected all questions"),
    ],
)
def test_without_a_question_nothing_is_written(saiten, somewhere, items, options, reason):
    """The reason says what is missing."""
    write_set(items=items)
    for tool in BOTH:
        said = saiten("testset", "export", "testset", "--as", tool, "-o", "out.json", *options)
        assert (said.status, reason in said.err, Path("out.json").exists()) == (2, True, False)


@pytest.mark.parametrize("options", [["-o", "t.csv"], ["-o", "t.xlsx"], ["-o", "t.xlsx", "--language", "ja"]])
def test_a_table_is_read_back(saiten, testset, options):
    """With question, reference, passages, kind, language, history and decisions; a note says what it cannot hold."""
    said = saiten("testset", "export", testset, *options)
    assert "a table has no columns for how 3 questions were made, for checks (1) and places of passages" in said.err
    found, notes = as_read(options[1])
    assert notes == []
    for item, read in zip(ITEMS, found, strict=True):
        assert read.sample == item.sample
        assert (read.kind, read.history) == (item.kind, item.history)
    decided = {item.id: [(each.verdict, each.by) for each in item.decisions] for item in found if item.decisions}
    assert decided == {
        "single-1": [("approved", "anna"), ("approved", "ben")],
        "across-1": [("edited", "ben")],
        "false_premise-1": [("rejected", "anna")],
    }


def test_a_table_edited_in_excel_is_a_test_set_again(saiten, testset):
    """Somebody rewrites a question, rejects another in Japanese, and adds one without passages."""
    saiten("testset", "export", testset, "-o", "t.xlsx")
    book = openpyxl.load_workbook("t.xlsx")
    sheet = book.active
    at = {cell.value: cell.column for cell in sheet[1]}
    sheet.cell(2, at["question"]).value = "Until when is the museum open in winter?"
    sheet.cell(3, at["verdict"]).value, sheet.cell(3, at["decided by"]).value = "却下", "花子"
    sheet.append([None] * len(at))
    for name, text in {"id": "new-1", "question": "Is it free?", "reference": "Nobody knows."}.items():
        sheet.cell(sheet.max_row, at[name]).value = text
    book.save("t.xlsx")
    assert saiten("testset", "export", "t.xlsx", "-o", "edited.jsonl").status == 0
    found, _ = as_read("edited.jsonl")
    assert found[0].question == "Until when is the museum open in winter?"
    assert [(each.verdict, each.by) for each in found[1].decisions] == [("rejected", "花子")]
    assert (found[-1].id, found[-1].reference, found[-1].passages) == ("new-1", "Nobody knows.", ())
    said = saiten("testset", "export", "t.xlsx", "-o", "t.xlsx")
    assert (said.status, "is not an export that nobody has changed since" in said.err) == (2, True)


def test_an_unknown_verdict_stops_and_is_named_with_its_row(saiten, testset):
    """A rejection with a slip of the pen must not become a question of the set."""
    saiten("testset", "export", testset, "-o", "t.csv")
    Path("t.csv").write_text(Path("t.csv").read_text("utf-8").replace(",rejected,", ",rejectd,"), "utf-8")
    said = saiten("testset", "export", "t.csv", "-o", "again.jsonl")
    assert said.status == 2
    assert "t.csv, row 8: the verdict 'rejectd' is unknown; expected approved, edited or rejected" in said.err


def test_a_column_verdict_of_somebody_else_is_no_decision(saiten, data):
    """Only a table that also says who decided has decisions."""
    data([{"id": "a", "question": "q?", "reference": "r", "verdict": "good"}])
    saiten("testset", "export", "data.jsonl", "-o", "t.jsonl")
    assert as_read("t.jsonl")[0][0].decisions == ()


def test_formulas_are_guarded_as_in_other_exports(saiten, testset):
    """No text of a workbook is a formula; CSV has an apostrophe with --bom, and the exact text without."""
    for name, options in (("plain.csv", []), ("excel.csv", ["--bom"])):
        saiten("testset", "export", testset, "-o", name, *options)
    questions = {}
    for name in ("plain.csv", "excel.csv"):
        with Path(name).open(encoding="utf-8-sig", newline="") as file:
            questions[name] = next(row["question"] for row in csv.DictReader(file) if row["id"] == "comparison-1")
    assert questions == {"plain.csv": ITEMS[3].question, "excel.csv": f"'{ITEMS[3].question}"}
    assert Path("excel.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    saiten("testset", "export", testset, "-o", "t.xlsx")
    sheet = openpyxl.load_workbook("t.xlsx").active
    (cell,) = [cell for row in sheet.iter_rows() for cell in row if cell.value == ITEMS[3].question]
    assert (cell.data_type, cell.quotePrefix) == ("s", True)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["testset", "-o", "a.json"], "expected one of .csv, .xlsx, .jsonl, or a format with --as"),
        (["testset", "-o", "a.csv", "--follow-ups"], "--follow-ups is for ragas and deepeval; csv has all questions"),
        (["testset", "-o", "a.xlsx", "--bom"], "--bom is for csv, not for xlsx"),
        (["testset", "-o", "missing/a.csv"], "missing"),
        (["nothing", "-o", "a.csv"], "nothing"),
        (["empty", "-o", "a.csv"], "has no test set: expected questions.jsonl in it"),
    ],
)
def test_what_cannot_be_exported_is_explained(saiten, testset, arguments, reason):
    """With exit status 2, and without a file."""
    Path("empty").mkdir()
    said = saiten("testset", "export", *arguments)
    assert (said.status, reason in said.err) == (2, True), said
    assert not Path(arguments[2]).exists()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.jsonl", ["--as", "ragas"]),
        ("a.json", ["--as", "deepeval"]),
        ("a.jsonl", ["--as", "deepeval"]),
        ("a.xlsx", []),
    ],
)
def test_an_earlier_export_is_replaced_and_nothing_else(saiten, testset, name, options):
    """A file that another tool wrote in the same form is kept."""
    for _ in range(2):
        assert saiten("testset", "export", testset, "-o", name, *options).status == 0
    Path(name).write_bytes(b'{"user_input": "q", "input": "q", "synthesizer_name": "single_hop"}\n')
    said = saiten("testset", "export", testset, "-o", name, *options)
    assert (said.status, "name another file, or remove it" in said.err) == (2, True)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_what_people_may_have_edited_is_never_replaced(saiten, testset, name):
    """Nobody can tell whether a table or a test set has somebody's work in it."""
    assert saiten("testset", "export", testset, "-o", name).status == 0
    assert saiten("testset", "export", testset, "-o", name).status == 2


def test_texts_with_line_ends_lists_and_lone_characters_survive_a_table(saiten, somewhere):
    """Each cell is read as what was written, also if it looks like a list."""
    messy = replace(ITEMS[0], question='["a"] or "b",\nc?', reference="[1] says so", decisions=(), checks=(), made={})
    messy = replace(messy, passages=(replace(messy.passages[0], text='["x", "y"]\n\u2028 z'),))
    write_set(items=[messy])
    for name in ("t.csv", "t.xlsx"):
        assert saiten("testset", "export", "testset", "-o", name).status == 0
        (read,), _ = as_read(name)
        assert (read.question, read.reference) == (messy.question, messy.reference), name
        assert [each.text for each in read.passages] == [each.text for each in messy.passages], name


def test_a_row_that_is_no_item_is_noted_and_the_others_are_exported(saiten, testset):
    """With its line and the fault."""
    path = testset / "questions.jsonl"
    path.write_bytes(path.read_bytes() + orjson.dumps({**item_to_json(ITEMS[0]), "id": "x", "passages": [{"text": 1}]}))
    said = saiten("testset", "export", testset, "-o", "t.csv")
    assert said.status == 0
    assert "note: questions.jsonl:10 is skipped: `passages.0.text`" in said.err
