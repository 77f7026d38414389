"""`saiten export`: the answers of a run for Excel and other tools, and what it says about them."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from saiten.choices import ExportName
from saiten.exports.formats import FORMATS
from saiten.records import Sample, Score, Scored
from saiten.runs import Journal

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]
ROWS = [
    {
        "id": "good",
        "question": "Q1?",
        "answer": "It was opened in 1998.",
        "reference": "It was opened in 1998.",
        "system": "a",
    },
    {
        "id": "bad",
        "question": "Q2?",
        "answer": "I like trees.",
        "reference": "In 1998.",
        "contexts": ["c1", "c2"],
        "system": "b",
    },
    {
        "id": "half",
        "question": "=Q3",
        "answer": "In 1998, I think.",
        "reference": "In 1998.",
        "contexts": [],
        "system": "a",
    },
    {"id": "unmeasured", "question": "Q4?", "answer": "In 1998.", "system": "b"},
]


FILES = [name for name, each in FORMATS.items() if each.suffixes]
"""The formats for people and tables; those for tools that record traces are tested with traces."""


@pytest.fixture
def run(saiten, data, once):
    """A finished run, `run`, whose second metric has no direction."""
    once(lambda: saiten("score", data(ROWS), "-m", "token_f1,length", "-o", "run", "-q"))
    return Path("run")


def column(path, name):
    """The cells of a column of a CSV file."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def test_each_format_has_one_row_per_answer_and_the_path_is_printed(saiten, run):
    """Chosen by the suffix, or by --as."""
    for name in FILES:
        said = saiten("export", run, "-o", f"a.{name}")
        assert (said.status, said.out) == (0, f"a.{name}\n"), said
    assert saiten("export", run, "-o", "table.txt", "--as", "csv").status == 0
    assert len(column("a.csv", "id")) == len(Path("a.jsonl").read_text().splitlines()) == 4
    assert Path("table.txt").read_bytes() == Path("a.csv").read_bytes()


def test_the_table_of_formats_and_the_option_agree():
    """A format that is added to one is missing in the other otherwise."""
    assert list(FORMATS) == list(ExportName.__args__)


def test_the_worst_answers_come_first_and_unmeasured_ones_before_them(saiten, run):
    """--order data keeps the order of the data, and --order METRIC orders by one metric."""
    saiten("export", run, "-o", "worst.csv")
    assert column("worst.csv", "id") == ["unmeasured", "bad", "half", "good"]
    saiten("export", run, "-o", "data.csv", "--order", "data")
    assert column("data.csv", "id") == [row["id"] for row in ROWS]
    saiten("export", run, "-o", "length.csv", "--order", "length")
    lengths = list(map(float, column("length.csv", "length")))
    assert lengths == sorted(lengths)
    said = saiten("export", run, "-o", "x.csv", "--order", "f1")
    assert (said.status, "use worst, data, or token_f1, length" in said.err) == (2, True)
    assert not Path("x.csv").exists()


def test_a_run_without_a_direction_is_in_the_order_of_the_data_and_says_so(saiten, data):
    """Neither a long nor a short answer is better."""
    saiten("score", data(ROWS), "-m", "length", "-o", "run", "-q")
    said = saiten("export", "run", "-o", "a.csv")
    assert "no metric has a better direction, so the answers are in the order of the data" in said.err
    assert column("a.csv", "id") == [row["id"] for row in ROWS]


def test_csv_is_scored_again_with_the_same_result(saiten, run):
    """What saiten writes, it reads: contexts, too."""
    saiten("export", run, "-o", "again.csv", "--order", "data")
    assert saiten("score", "again.csv", "-m", "token_f1,length", "-o", "again", "-q").status == 0
    assert Path("again/samples.jsonl").read_bytes() == Path("run/samples.jsonl").read_bytes()
    assert Path("again/scores.jsonl").read_bytes() == Path("run/scores.jsonl").read_bytes()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_workbook_is_scored_again_with_the_same_result(saiten, data, language):
    """Its headings are recognized in both languages, and its lists are JSON."""
    more = {"id": "more", "question": "Q?", "answer": "A", "reference": "R", "alternatives": ["S", "T"], "evidence": ["e"], "contexts": ["a\nb", "[1]"], "group": "g"}  # fmt: skip
    saiten("score", data([*ROWS, more]), "-m", "token_f1,length", "-o", "run", "-q")
    saiten("export", "run", "-o", "a.xlsx", "--order", "data", "--language", language)
    said = saiten("score", "a.xlsx", "-m", "token_f1,length", "-o", "again", "-q")
    assert said.status == 0, said
    assert Path("again/samples.jsonl").read_bytes() == Path("run/samples.jsonl").read_bytes()
    assert Path("again/scores.jsonl").read_bytes() == Path("run/scores.jsonl").read_bytes()


def test_text_formats_go_to_standard_output_too(saiten, run):
    """JSON lines by default; notes and progress stay on standard error."""
    assert next(json.loads(line)["id"] for line in saiten("export", run).out.splitlines()) == "unmeasured"
    rows = list(csv.reader(io.StringIO(saiten("export", run, "-o", "-", "--as", "csv").out)))
    assert [row[0] for row in rows] == ["id", "unmeasured", "bad", "half", "good"]
    assert saiten("export", run, "--as", "csv", "--bom").out.startswith("\ufeffid,")


def test_with_bom_a_formula_is_guarded_and_without_it_the_data_is_exact(saiten, run):
    """A program wants the exact text, Excel must not run it."""
    saiten("export", run, "-o", "plain.csv")
    saiten("export", run, "-o", "excel.csv", "--bom")
    assert [one for one in column("plain.csv", "question") if one.endswith("=Q3")] == ["=Q3"]
    assert [one for one in column("excel.csv", "question") if one.endswith("=Q3")] == ["'=Q3"]
    assert Path("excel.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def sheets(path):
    """Sheet → its rows, as calamine reads them."""
    book = CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_a_workbook_has_the_answers_the_summary_and_how_they_were_made(saiten, run):
    """Numbers are numbers, the header and the id stay in sight, and statuses are words."""
    saiten("export", run, "-o", "a.xlsx")
    found = sheets("a.xlsx")
    assert list(found) == ["Scores", "Summary", "About"]
    header, *rows = found["Scores"]
    assert header == ["id", "system", "question", "answer", "reference", "token_f1", "token_f1:status", "token_f1:reason", "length", "length:status", "length:reason", "contexts"]  # fmt: skip
    assert [row[5:8] for row in rows][:2] == [["", "undefined", "the sample has no reference"], [0.0, "measured", ""]]
    assert [row[-1] for row in rows] == ["", '["c1",\n"c2"]', "[]", ""]
    means = {tuple(row[:3]): row[3:9] for row in found["Summary"][1:] if row[1]}
    assert means["token_f1", "all", "all"][3:] == [3, 4, 3]
    assert ("token_f1", "a", "all") in means
    about = dict(found["About"])
    assert (about["run"], about["data"], about["answers"], about["finished"]) == ("run", "data.jsonl", 4, "yes")
    assert next(row[1] for row in found["About"] if row[0] == "signature").startswith("token_f1|tokeniser")
    sheet = openpyxl.load_workbook("a.xlsx")["Scores"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:L5")
    assert (sheet["F3"].data_type, sheet["F3"].number_format, sheet["I3"].number_format) == ("n", "0.000", "#,##0")
    assert sheet["G2"].fill.fgColor.rgb != sheet["G3"].fill.fgColor.rgb


def test_a_japanese_workbook_has_japanese_words_and_fonts(saiten, data):
    """By the language of most samples, or as set; what saiten recognizes as column names stays recognizable."""
    saiten("score", data([{"id": "q", "question": "いつですか。", "answer": "1998年です。", "reference": "1998年。"}]), "-m", "token_f1", "-o", "ja", "-q")  # fmt: skip
    saiten("export", "ja", "-o", "ja.xlsx")
    saiten("export", "ja", "-o", "en.xlsx", "--language", "en")
    found = sheets("ja.xlsx")
    assert list(found) == ["採点", "集計", "この結果について"]
    assert found["採点"][0] == ["ID", "質問", "回答", "正答例", "token_f1", "token_f1:状態", "token_f1:理由"]
    assert found["採点"][1][5] == "測定済み"
    assert list(sheets("en.xlsx")) == ["Scores", "Summary", "About"]
    assert openpyxl.load_workbook("ja.xlsx")["採点"]["B2"].font.name == "Yu Gothic"


def test_the_long_layout_has_one_row_per_score(saiten, run):
    """In each table; JSON lines have no layouts."""
    saiten("export", run, "-o", "long.xlsx", "--layout", "long")
    header, *rows = sheets("long.xlsx")["Scores"]
    assert header == ["sample", "system", "metric", "value", "status", "reason", "expected", "details"]
    assert [row[:1] + row[2:3] for row in rows[:3]] == [["unmeasured", "token_f1"], ["unmeasured", "length"], ["bad", "token_f1"]]  # fmt: skip
    said = saiten("export", run, "-o", "long.jsonl", "--layout", "long")
    assert (said.status, "the long layout is for xlsx, csv, tsv, parquet" in said.err) == (2, True)


def test_rows_that_could_not_be_used_are_mentioned(saiten, data):
    """In a note, and in a sheet of the workbook with place and reason."""
    saiten("score", data([*ROWS, b"{broken", {"id": "x"}]), "-m", "token_f1", "-o", "run", "-q")
    said = saiten("export", "run", "-o", "a.xlsx")
    assert "2 rows of the data could not be used; see run/errors.jsonl" in said.err
    header, first, second, *_ = sheets("a.xlsx")["Unusable rows"]
    assert header == ["place", "reason", "row"]
    assert (first[0], second[:2]) == ("data.jsonl:5", ["data.jsonl:6", "neither question nor answer"])


def test_an_unfinished_run_is_exported_with_a_note(saiten, somewhere):
    """Scores that do not exist yet are empty cells, and are counted."""
    with Journal.open("run", signatures={"token_f1": "token_f1|s", "accuracy": "accuracy|s"}) as journal:
        for n in range(3):
            journal.sample(Sample(f"q{n}", "Q?", "A"))
        journal.score(Scored("q0", "token_f1", Score(0.5)))
    said = saiten("export", "run", "-o", "a.csv")
    assert said.status == 0
    assert "not finished: run; some of its data was not read" in said.err
    assert "5 scores do not exist yet, so the export lacks them" in said.err
    assert column("a.csv", "id") == ["q1", "q2", "q0"]
    assert column("a.csv", "token_f1:status") == ["", "", "ok"]
    saiten("export", "run", "-o", "a.xlsx")
    assert dict(sheets("a.xlsx")["About"])["scores still missing"] == 5


def test_a_run_of_dialogues_has_its_scores_and_a_note(saiten, toured):
    """What was said does not fit into a row."""
    run = toured[0] / "saiten-demo" / "dialogues" / "qa"
    if not run.exists():
        run = next(path.parent for path in toured[0].rglob("dialogues.jsonl"))
    said = saiten("export", run, "-o", "a.csv")
    assert "a run of dialogues has no answers, so that column is empty" in said.err
    assert set(column("a.csv", "answer")) == {""}
    assert any(column("a.csv", "wscore"))


def test_what_is_no_run_is_refused_with_what_to_name_instead(saiten, somewhere, run):
    """A folder with runs, an empty run, a missing one."""
    Path("all").mkdir()
    run.rename("all/run")
    assert "all is not a run, but contains some; name the run to export: all/run" in saiten("export", "all").err
    assert "none is no run of saiten" in saiten("export", "none").err
    Journal.open("empty").close()
    said = saiten("export", "empty", "-o", "a.csv")
    assert (said.status, "empty has no answers yet; there is nothing to export" in said.err) == (2, True)


@pytest.mark.parametrize("name", FILES)
def test_an_earlier_export_is_replaced_and_any_other_file_is_kept(saiten, run, name):
    """As `saiten report` does; a changed workbook or a table with a column of notes is somebody's work."""
    path = Path(f"a.{name}")
    assert saiten("export", run, "-o", path, "--order", "data").status == 0
    first = path.read_bytes()
    assert saiten("export", run, "-o", path).status == 0
    assert path.read_bytes() != first
    for foreign in (b"somebody's", b"\xff\x00\x81", b'{"id": "x"}\n', b"id,notes\n1,mine\n", b"PK\x03\x04"):
        path.write_bytes(foreign)
        said = saiten("export", run, "-o", path)
        assert (said.status, path.read_bytes()) == (2, foreign)
        assert f"{path} exists and is not an export that nobody has changed since; name another file" in said.err
    path.write_bytes(b"")
    assert saiten("export", run, "-o", path).status == 0
    assert [each.name for each in Path().iterdir() if each.name.endswith(".new")] == []


def test_a_workbook_that_somebody_has_saved_is_not_replaced(saiten, run):
    """Their notes would be lost; a column that was added to CSV is recognized, too."""
    saiten("export", run, "-o", "a.xlsx")
    book = openpyxl.load_workbook("a.xlsx")
    book["Scores"]["M2"] = "look at this one"
    book.save("a.xlsx")
    assert saiten("export", run, "-o", "a.xlsx").status == 2
    saiten("export", run, "-o", "a.csv")
    Path("a.csv").write_text(re.sub(r"\r?\n", ",notes\n", Path("a.csv").read_text(), count=1))
    assert saiten("export", run, "-o", "a.csv").status == 2


@pytest.mark.parametrize("name", FILES)
def test_an_export_that_fails_leaves_the_earlier_one(saiten, run, monkeypatch, name):
    """A file is written completely or not at all."""
    path = Path(f"a.{name}")
    saiten("export", run, "-o", path)
    before = path.read_bytes()

    def fails(self, rows):
        yield Sample("q", "Q?", "A"), {"token_f1": Score(0.5)}
        raise RuntimeError("killed")

    monkeypatch.setattr("saiten.runs.answer_index.AnswerIndex.read", fails)
    with pytest.raises(RuntimeError, match="killed"):
        saiten("export", run, "-o", path)
    assert path.read_bytes() == before
    assert {each.name for each in Path().iterdir()} == {"data.jsonl", "run", path.name}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_is_reported_in_a_sentence(saiten, run, name):
    """Status 2 and no traceback, in a file and behind a redirection."""
    said = saiten("export", run, "-o", "/dev/full", "--as", name)
    assert (said.status, "/dev/full cannot be written: No space left on device" in said.err) == (2, True)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*SAITEN, "export", run, "--as", name], stdout=full, stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    assert (done.returncode, "No space left on device" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


@pytest.mark.parametrize(
    ("out", "says"),
    [("a.txt", "expected one of .xlsx, .csv"), ("nowhere/a.csv", "there is no folder nowhere"), (".", "name a file")],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(saiten, run, out, says):
    """With what to do."""
    said = saiten("export", run, "-o", out, *(["--as", "csv"] if out == "." else []))
    assert (said.status, says in said.err) == (2, True), said


def test_texts_that_excel_cannot_hold_are_cut_and_counted(saiten, data):
    """A note says which formats have all of them."""
    long = {"id": "q", "question": "Q?", "answer": "x" * 40_000, "contexts": ["y" * 40_000], "reference": "x"}
    saiten("score", data([long]), "-m", "length", "-o", "run", "-q")
    said = saiten("export", "run", "-o", "a.xlsx")
    note = "2 texts are longer than a cell of Excel (32,767 characters) and were cut, which is marked; csv, jsonl and parquet have all"  # fmt: skip
    assert note in said.err
    assert sheets("a.xlsx")["Scores"][1][2].endswith("x … [+7,257]")


def test_more_answers_than_a_sheet_has_rows_are_refused_with_what_to_do(saiten, run, monkeypatch):
    """Before any of them is written."""
    monkeypatch.setattr("saiten.views.workbook.ROWS", 4)
    said = saiten("export", run, "-o", "a.xlsx")
    assert (said.status, Path("a.xlsx").exists()) == (2, False)
    assert "4 rows do not fit on a sheet of Excel, which has 3 below the header; use csv or parquet" in said.err


def on_terminal(*arguments):
    """The output of a command whose standard output is a terminal, and its exit status."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*SAITEN, *arguments], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux ends a terminal with an error
            while piece := os.read(ours, 65_536):
                shown += piece
    os.close(ours)
    return process.returncode, shown.decode()


def test_a_terminal_gets_text_without_control_characters_and_no_binary(saiten, data):
    """An answer could otherwise clear or recolor it."""
    saiten("score", data([{"id": "q", "question": "Q?", "answer": "\x1b[2J\x9b31mred"}]), "-m", "length", "-o", "run", "-q")  # fmt: skip
    for name in ("csv", "tsv", "jsonl"):
        status, shown = on_terminal("export", "run", "--as", name, "-q")
        assert (status, "red" in shown, "\x1b[2J" in shown, "\x9b" in shown) == (0, True, False, False), name
    status, shown = on_terminal("export", "run", "--as", "xlsx")
    assert (status, "cannot be shown in a terminal; name a file" in " ".join(shown.split())) == (2, True)


def test_a_workbook_can_be_redirected(run):
    """Its bytes are unchanged behind a pipe, also of the tables of other commands."""
    for words in (
        ["export", "run", "--as", "xlsx"],
        ["show", "run", "--format", "xlsx"],
        ["metrics", "--format", "xlsx"],
    ):
        done = subprocess.run([*SAITEN, *words], capture_output=True, check=True)
        with zipfile.ZipFile(io.BytesIO(done.stdout)) as file:
            assert file.testzip() is None


def test_tables_as_a_workbook_are_refused_on_a_terminal_before_the_work(data):
    """With the redirection to add: nothing is scored, and paid for, in vain."""
    status, shown = on_terminal("score", str(data(3)), "-m", "length", "-o", "run", "--format", "xlsx")
    assert (status, Path("run").exists()) == (2, False)
    assert "redirect it to a file: add `> score.xlsx` to the command" in " ".join(shown.split())


def test_one_sample_is_no_table(saiten, run):
    """Nor is the explanation of a metric, nor marked texts."""
    said = saiten("show", run, "--sample", "good", "--format", "xlsx")
    assert (said.status, "a sample cannot be shown as xlsx" in said.err) == (2, True)
    assert "xlsx lists all metrics" in saiten("metrics", "token_f1", "--format", "xlsx").err
    assert "--gist supports table and html, not xlsx" in saiten("show", run, "--gist", "--format", "xlsx").err
