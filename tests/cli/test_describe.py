"""`saiten describe`: the figures of data sets, labels and documents."""

import csv
import io
import json
from pathlib import Path

import pytest
from lxml import html

ROWS = [
    {
        "id": f"q{n}/{system}",
        "question": f"How long is bridge number {n}?",
        "answer": f"Bridge {n} is {n} metres long." * (system == "a"),
        "contexts": [f"Bridge {n} is {n} metres long.", "Another text."],
        "reference": f"{n} metres",
        "system": system,
    }
    for n in range(6)
    for system in "ab"
]


@pytest.fixture
def tables(saiten):
    """`tables(ARGUMENTS)`: the tables of `saiten describe ARGUMENTS`, as programs read them."""

    def call(*arguments):
        said = saiten("describe", *arguments, "--format", "json")
        assert said.status == 0, said
        return json.loads(said.out)

    return call


def notes(tables):
    """What to look at, as one text."""
    return "\n".join(row["note"] for row in tables.get("What to look at", ()))


def test_each_data_set_is_a_row(tables, data):
    """With its size, its duplicates and the lengths of its fields; what is off is said about the set that it is in."""
    data(ROWS)
    data([{"質問": "橋の長さは。", "回答": "三十メートルです。", "正解": "三十メートル"}], "橋.jsonl")
    found = tables("data.jsonl", "橋.jsonl")
    first, second = found["Data sets"]
    assert (first["data"], first["rows"], first["samples"], first["questions"], first["systems"]) == (
        "data.jsonl",
        12,
        12,
        6,
        2,
    )
    assert (first["contexts per sample"], first["share in English"], second["share in Japanese"]) == (2, 1, 1)
    tokens = {(row["data"], row["field"]): row for row in found["Lengths in tokens"]}
    assert (tokens["data.jsonl", "question"]["n"], tokens["data.jsonl", "question"]["mean"]) == (6, 6)
    assert tokens["橋.jsonl", "reference"]["n"] == 1
    assert "data.jsonl: Empty texts in the field answer: 6 of 12." in notes(found)
    assert "橋.jsonl: Empty" not in notes(found)


def test_several_answers_in_a_row_and_messages_are_counted_as_rows(tables, data):
    """The rows of the file and the samples made of them are two numbers; so are the turns of a conversation."""
    data([{"question": "By when?", "answer_old": "By the 9th.", "answer_new": "By the 10th."}], "two.jsonl")
    talk = [
        {"role": role, "content": text, "conversation_id": "c1"}
        for role, text in (
            ("user", "When?"),
            ("assistant", "At 9."),
            ("user", "And on Monday?"),
            ("assistant", "At 8."),
        )
    ]
    data(talk, "talk.jsonl")
    two, chat = tables("two.jsonl", "talk.jsonl")["Data sets"]
    assert (two["rows"], two["samples"], two["questions"], two["systems"]) == (1, 2, 1, 2)
    assert (chat["rows"], chat["samples"], chat["conversations"]) == (4, 2, 1)


def test_every_form_has_the_same_figures(saiten, tables, data):
    """The terminal, CSV, Markdown, LaTeX and the page; without another data set, the terminal leaves out its name."""
    data(ROWS)
    found = tables("data.jsonl")
    written = {form: saiten("describe", "data.jsonl", "--format", form) for form in ("table", "csv", "md", "latex")}
    assert {said.status for said in written.values()} == {0}
    for title, rows in found.items():
        assert title in written["table"].out
        assert f"### {title}" in written["md"].out
        assert all(row["data"] == "data.jsonl" for row in rows if "data" in row)
    assert "data.jsonl" not in written["table"].out
    (contexts,) = [row for row in found["Lengths in characters"] if row["field"] == "all contexts"]
    cells = [row for row in csv.reader(io.StringIO(written["csv"].out)) if "all contexts" in row]
    assert cells[0][:2] == ["Lengths in characters", "data.jsonl"]
    assert float(cells[0][7]) == contexts["mean"]


def test_the_page_has_a_picture_of_the_lengths(saiten, data):
    """One for characters, one for tokens; a row of bars per field."""
    data(ROWS)
    page = html.document_fromstring(saiten("describe", "data.jsonl", "--format", "html").out.encode())
    pictures = page.xpath("//*[local-name()='svg' and contains(@class, 'chart')]")
    assert len(pictures) == 2
    for picture in pictures:
        shown = {text.strip() for text in picture.itertext()}
        assert {"question", "answer", "reference", "context", "all contexts"} <= shown


def test_the_terminal_may_be_japanese(saiten, data):
    """Titles, columns and sentences."""
    data(ROWS)
    said = saiten("--lang", "ja", "describe", "data.jsonl")
    assert said.status == 0
    assert {"データ", "文字数", "トークン数", "システム別の回答", "確かめること"} <= set(said.out.splitlines())
    assert "項目「回答」の空の文字列：12件中6件。" in said.out


def test_tokens_name_their_tokenizer_or_are_left_out(saiten, tables, data):
    """With its version, since another version counts others."""
    data(ROWS)
    assert "(English: words-1)" in saiten("describe", "data.jsonl", "--format", "md").out
    assert "Lengths in tokens" not in tables("data.jsonl", "--no-tokens")
    assert "tokens, mean" not in tables("data.jsonl", "--no-tokens")["Answers by system"][0]


def test_a_part_of_the_data_is_named_as_such(saiten, tables, data):
    """Figures of a sample are never taken for those of all rows."""
    data(ROWS)
    said = saiten("describe", "data.jsonl", "--sample", "4", "--limit", "10", "--format", "md").out
    assert "Only the first 10 rows were read. A random sample of at most 4 rows was drawn (seed 1)." in said
    (row,) = tables("data.jsonl", "--sample", "4", "--limit", "10")["Data sets"]
    assert (row["rows"], row["samples"]) == (10, 4)


def test_rows_that_cannot_be_used(saiten, tables, data):
    """They are counted and the first is named; --strict stops, and so does a file without a usable row."""
    data([*ROWS[:2], {"id": "x"}, b"{"])
    found = tables("data.jsonl")
    assert found["Data sets"][0]["rows that cannot be used"] == 2
    assert "Rows that cannot be used: 2; the first is data.jsonl:3: neither question nor answer" in notes(found)
    assert "left out data.jsonl:4" in saiten("describe", "data.jsonl").err
    strict = saiten("describe", "data.jsonl", "--strict")
    assert (strict.status, "data.jsonl:3: neither" in strict.err) == (2, True)
    data([{"id": "x", "question": ""}])
    nothing = saiten("describe", "data.jsonl")
    assert (nothing.status, "has no row that can be used" in nothing.err) == (2, True)


def test_labels_cover_a_part_of_the_data(tables, data):
    """By aspect; what measures nothing or is not in the data is said."""
    data(ROWS)
    rows = [
        *(("q0/a", who, "correct", value) for who, value in (("anna", 1), ("ben", 0))),
        *((f"q{n}/a", "anna", "fluent", 1) for n in range(3)),
        ("elsewhere", "anna", "fluent", 1),
    ]
    lines = [["item", "who", "aspect", "value"], *rows]
    Path("labels.csv").write_text("".join(f"{','.join(map(str, line))}\n" for line in lines), encoding="utf-8")
    found = tables("data.jsonl", "--labels", "labels.csv", "--label-column", "annotator=who")
    correct, fluent = found["Labels: labels.csv"]
    assert (correct["items"], correct["share labeled"], correct["annotators"], correct["with two or more"]) == (
        1,
        1 / 12,
        2,
        1,
    )
    assert (fluent["items"], fluent["items not in the data"], fluent["for example"]) == (3, 1, "elsewhere")
    assert "fluent: 100 % of the labels are 1" in notes(found)
    assert "fluent: Labeled items that are not in the data: 1 (elsewhere)." in notes(found)
    assert "correct:" not in notes(found)


def test_documents_are_read_as_by_index(saiten, tables, data):
    """From files and folders, or from a knowledge base made of them, with the same lengths; what cannot be read is named."""
    data(ROWS)
    Path("docs").mkdir()
    for name, length in (("a.md", 100), ("b.txt", 3)):
        Path("docs", name).write_text("The bridge is long. " * length + "\n\nIt was built in 1998.", encoding="utf-8")
    assert saiten("index", "docs", "--kb", "kb", "-q").status == 0
    read, stored = (tables("data.jsonl", *how) for how in (("--documents", "docs"), ("--kb", "kb")))
    assert read["Data sets"][0]["documents"] == stored["Data sets"][0]["documents"] == 2
    for unit in ("characters", "tokens"):
        (from_files,), (from_base,) = (
            [row for row in each[f"Lengths in {unit}"] if row["field"] == "document"] for each in (read, stored)
        )
        assert from_files == from_base
    Path("docs/c.pdf").write_bytes(b"no PDF")
    said = saiten("describe", "data.jsonl", "--documents", "docs", "--format", "json")
    assert said.status == 2
    found = json.loads(said.out)
    assert (found["Data sets"][0]["documents"], [row["document"] for row in found["Not read"]]) == (
        2,
        ["c.pdf"],
    )


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("missing.jsonl",), "missing.jsonl"),
        (("data.jsonl", "--kb", "kb", "--documents", "docs"), "leave one of them out"),
        (("data.jsonl", "--kb", "nowhere"), "nowhere"),
        (("data.jsonl", "--documents", "nowhere"), "there is no file or folder nowhere"),
        (("-", "-"), "only once"),
        (("data.jsonl", "--label-column", "item=id"), "--labels"),
        (("data.jsonl", "--labels", "empty.csv"), "empty.csv has no rows"),
        (("data.jsonl", "--column", "question=Q"), "'Q'"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_a_way_out(saiten, data, arguments, hint):
    """Exit status 2, one sentence, and no table."""
    data(ROWS)
    Path("empty.csv").write_text("item,value\n", encoding="utf-8")
    said = saiten("describe", *arguments)
    assert (said.status, said.out) == (2, "")
    assert hint in said.err


def test_two_files_of_one_name_have_different_names(tables, data):
    """By the paths as typed."""
    for folder in ("first", "second"):
        Path(folder).mkdir()
        data(ROWS[:2], f"{folder}/data.jsonl")
    found = tables("first/data.jsonl", "second/data.jsonl")
    assert [row["data"] for row in found["Data sets"]] == ["first/data.jsonl", "second/data.jsonl"]
