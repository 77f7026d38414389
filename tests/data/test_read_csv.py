"""CSV and TSV: encodings, delimiters, long fields, lists in cells, broken records."""

import csv
import gzip
import io
import tracemalloc
from collections import Counter

import pandas as pd
import pytest

from saiten.data import BadRow, read_samples
from saiten.data.encodings import detect_encoding
from saiten.data.rows import RawRow
from saiten.errors import BadInput
from saiten.records import Sample

JAPANESE = "質問,回答\r\n休暇は何日ですか,「二十日」です。\r\nコピー機はどこ,三階にあります\r\n"


def read(source, notices=None, **settings):
    """Everything read from the source; notes go to `notices`."""
    notices = [] if notices is None else notices
    return list(read_samples(source, detect_language=lambda *_: "ja", notify=notices.append, **settings))


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("cp932", "cp932"),
        ("euc_jp", "euc_jp"),
    ],
)
def test_the_encodings_of_japanese_spreadsheets_are_found_out(tmp_path, encoding, name):
    """Every encoding of Japanese CSV files gives the same text, and a rare one is reported."""
    path = tmp_path / "d.csv"
    path.write_bytes(JAPANESE.encode(encoding))
    notes = []
    first, second = read(path, notes)
    assert (first.question, first.answer, second.answer) == ("休暇は何日ですか", "「二十日」です。", "三階にあります")
    assert first.id == "row-2"
    assert notes == ([f"d.csv is read as {name}"] if name else [])


def test_the_encoding_is_decided_on_the_whole_file(tmp_path):
    """A file whose first megabyte is ASCII may still be Shift_JIS."""
    path = tmp_path / "d.csv"
    path.write_bytes(
        ("question,answer\n" + ("q," + "a" * 1_000 + "\n") * 1_200 + "質問です,回答です\n").encode("cp932")
    )
    assert read(path)[-1].question == "質問です"


@pytest.mark.parametrize(
    "content",
    [
        "question,answer\nrésumé à Noël,naïve café crème\nüber,größer straße\n".encode("cp1252"),
        b"question,answer\n\xff\xfe\xfd,\x80\x81\n",
        "question,answer\nвопрос,ответ\n".encode("koi8-r"),
    ],
)
def test_an_unknown_encoding_is_refused_not_guessed(tmp_path, content):
    """Western and other encodings are not misread as Japanese; the error names those tried."""
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"UTF-8, UTF-16, Shift_JIS \(cp932\), EUC-JP; save it as UTF-8"):
        read(path)


def test_a_pipe_is_decided_on_its_beginning():
    """A source that cannot be read twice is decided on its first MiB; later bytes that do not fit are an error."""

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    content = JAPANESE.encode("cp932")
    encoding, stream = detect_encoding(io.BufferedReader(Pipe(content)), "pipe")
    assert (encoding, stream.read()) == ("cp932", content)
    with pytest.raises(BadInput, match="began as utf-8"):
        read(Pipe(b"question,answer\n" + (b"q," + b"a" * 1_000 + b"\n") * 1_200 + b"\xff,\xff\n"), format="csv")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_taken_from_the_header(tmp_path, delimiter):
    """Comma, semicolon, tab and bar are recognized."""
    path = tmp_path / "d.csv"
    path.write_text(f"id{delimiter}question{delimiter}answer\na{delimiter}q{delimiter}x\n")
    assert read(path) == [Sample("a", "q", "x", language="ja")]


def test_tsv_has_tabs_whatever_its_header(tmp_path):
    """In TSV only the tab separates."""
    path = tmp_path / "d.tsv.gz"
    path.write_bytes(gzip.compress(b"id\tquestion\tanswer, in words, as given\na\tq, r\tx\n"))
    (sample,) = read(path, columns={"answer": "answer, in words, as given"})
    assert sample == Sample("a", "q, r", "x", language="ja")


def test_an_empty_cell_is_an_empty_answer_and_elsewhere_not_given(tmp_path):
    """CSV has no null, so the meaning of an empty cell is fixed per field."""
    path = tmp_path / "d.csv"
    path.write_text("id,question,answer,contexts,reference,group\n,q,,,,\n")
    assert read(path) == [Sample("row-2", "q", "", None, None, language="ja")]


def test_rows_are_numbered_as_a_spreadsheet_does(tmp_path):
    """The header is row 1, a multiline record is one row, and a blank line is a row, too."""
    path = tmp_path / "d.csv"
    path.write_text('question,answer\n"a\nb",x\n\nq,"he said ""no"""\n')
    assert [(row.id, row.question, row.answer) for row in read(path)] == [
        ("row-2", "a\nb", "x"),
        ("row-4", "q", 'he said "no"'),
    ]


def test_a_record_of_another_length_is_bad(tmp_path):
    """Too many or too few fields are a broken record, not a shifted one."""
    path = tmp_path / "d.csv"
    path.write_text("question,answer\nq,a\nq,a,b\nq\nq2,a2\n")
    first, more, less, last = read(path)
    assert (first.id, last.id) == ("row-2", "row-5")
    assert (more.where, less.where) == ("d.csv, row 3", "d.csv, row 4")
    assert "3 fields, but the header has 2" in more.reason


def test_a_bad_row_is_named_by_row_and_line(tmp_path):
    """If an earlier cell has several lines, a row is named by both the spreadsheet's and the editor's number."""
    path = tmp_path / "d.csv"
    path.write_text('question,answer\nq,"one\ntwo\nthree"\nq,a,b\n')
    assert read(path)[1].where == "d.csv, row 3 (line 5)"


ROWS = [f"{number},question {number},answer {number}\n" for number in range(1, 1001)]


def outcome(path, rows):
    """The IDs that were read, the positions of unreadable rows, and the number of rows."""
    path.write_text("id,question,answer\n" + "".join(rows))
    found = read(path)
    ids = {row.id for row in found if isinstance(row, Sample)}
    return len(found), ids, [row.where for row in found if isinstance(row, BadRow)]


@pytest.mark.parametrize(
    ("broken", "after"),
    [
        ('9,"question 9,answer 9\n', ""),  # no other quote in the file
        ('9,"question 9,answer 9\n', '20,"question, 20",answer\n'),
        ('9,"question 9,answer 9\n', '"20","question 20","answer"\n'),
        ('9,"question 9,answer 9\n', '20,"one\ntwo",answer\n'),
        ('9,"question 9,answer 9\n', '20,"""so"", he says",answer\n'),
        ('9,"question 9,answer 9\n', '20,6" wide,answer\n'),
        ('"9,question 9,answer 9\n', '20,"","answer, 20"\n'),
        ('9,question 9,"answer 9\n', '20,"question, 20",answer\n'),
        ('9,"question" 9,answer 9\n', ""),
        ('"9","question 9,"answer 9"\n', '"20","question 20","answer"\n'),
    ],
)
def test_one_stray_quote_costs_one_row(tmp_path, broken, after):
    """A stray quote spoils only its own row, which is named; the other 999 are read, whatever quotes they have."""
    rows = [*ROWS[:8], broken, *ROWS[9:19], after or ROWS[19], *ROWS[20:]]
    total, ids, bad = outcome(tmp_path / "d.csv", rows)
    assert (total, len(ids), bad) == (1_000, 999, ["d.csv, row 10"])
    assert "9" not in ids


@pytest.mark.parametrize(("first", "last"), [('q50,"b50,b50', 'q120,b120",b'), ('q50,b50,"b50', 'q120,b120,b120"')])
def test_two_stray_quotes_that_close_a_cell_of_rows_cost_no_rows_between(tmp_path, first, last):
    """Seventy lines that all look like rows are rows: at most the two with the quotes are lost, and they are named."""
    lines = ["question,answer,reference", *(f"q{i},b{i},b{i}" for i in range(200))]
    lines[51], lines[121] = first, last
    path = tmp_path / "d.csv"
    path.write_text("\n".join(lines) + "\n")
    found = list(read_samples(path, detect_language=lambda *_: "en"))
    bad = [row for row in found if isinstance(row, BadRow)]
    assert len(found) == 200
    assert 1 <= len(bad) <= 2
    assert "d.csv, row 52" in bad[0].where


def test_two_stray_quotes_do_not_merge_their_rows(tmp_path):
    """Two rows that each open a quote are two bad rows, not one row made of both."""
    rows = [*ROWS[:3], '4,"question 4,answer 4\n', '5,"question 5,answer 5\n', *ROWS[5:10]]
    total, ids, bad = outcome(tmp_path / "d.csv", rows)
    assert (total, len(ids), bad) == (10, 8, ["d.csv, row 5", "d.csv, row 6"])


def test_stray_quotes_that_make_a_well_formed_cell_are_reported(tmp_path):
    """A cell whose lines all look like rows is accepted as written, but reported."""
    path = tmp_path / "d.csv"
    path.write_text('id,question,answer\n1,"q,a\n2,q,a\n3,q",a\n4,q,a\n')
    notes = []
    assert len(read(path, notes)) == 2
    assert notes == ["d.csv, row 2: a cell has 3 lines that look like rows; is a quote missing or stray?"]


def test_quotes_around_a_row_with_its_own_are_reported(tmp_path):
    """In TSV, two stray quotes and the quotes of a cell with a tab make one cell of two rows, which a note says."""
    path = tmp_path / "d.tsv"
    path.write_text('id\tquestion\tanswer\n1\tq\t"\n2\tq\t""no\tnot at all"\n3\tq\ta\n')
    notes = []
    assert len(read(path, notes)) == 2
    assert notes == ["d.tsv, row 2: a cell has 2 lines that look like rows; is a quote missing or stray?"]


@pytest.mark.parametrize("tail", [",answer,more\n2,q,a\n", " oops,answer\n2,q,a\n"])
def test_the_inside_of_a_broken_cell_is_not_read_as_rows(tmp_path, tail):
    """A multiline cell in an unusable record belongs to it, even if a line looks like a row."""
    total, ids, bad = outcome(tmp_path / "d.csv", ['1,"one\ntwo, three, four\nfive"' + tail])
    assert (total, ids, bad) == (2, {"2"}, ["d.csv, row 2"])


def test_a_file_cut_off_within_a_cell_has_one_bad_row(tmp_path):
    """The part of the last cell that was read does not become rows."""
    total, ids, bad = outcome(tmp_path / "d.csv", [*ROWS[:2], '3,q,"one\ntwo\nthree\nfo'])
    assert (total, ids, bad) == (3, {"1", "2"}, ["d.csv, row 4"])


def test_a_quote_within_an_unquoted_cell_is_text(tmp_path):
    """`6" wide` is read unchanged, as in every spreadsheet."""
    path = tmp_path / "d.csv"
    path.write_text('id,question,answer\n1,q,6" wide\n2,q,say "no"\n')
    assert [row.answer for row in read(path)] == ['6" wide', 'say "no"']


def test_quotes_in_tsv_are_text(tmp_path):
    """Tab-separated text without quoting keeps its quotes, and none of its rows swallows another."""
    path = tmp_path / "d.tsv"
    answers = ['"yes" he said', '"open', '"Hello"', 'close"', '"', '""', 'a "b" c', "plain"]
    path.write_text("id\tquestion\tanswer\n" + "".join(f"{n}\tq\t{text}\n" for n, text in enumerate(answers)))
    assert [row.answer for row in read(path)] == answers


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("name", ["d.tsv", "d.csv"])
def test_what_a_writer_of_csv_wrote_comes_back(tmp_path, name, quoting):
    """Cells with tabs, line ends, commas and quotes come back unchanged, also in TSV (Excel, pandas, Python)."""
    texts = ["a\tb", "one\ntwo", 'say "no"', '"Hello"', "a, b", '"', "tail\n", "\n", '"one\ntwo"', "1\t2\n3", "", "x"]
    with (tmp_path / name).open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if name == "d.tsv" else ",", quoting=quoting)
        writer.writerows([["id", "question", "answer"], *([n, "q", text] for n, text in enumerate(texts))])
        writer.writerows([f"b{n}", text, "a"] for n, text in enumerate(texts) if text)
    found = {row.id: row for row in read(tmp_path / name)}
    assert [found[str(n)].answer for n in range(len(texts))] == texts
    assert [found[f"b{n}"].question for n, text in enumerate(texts) if text] == [text for text in texts if text]


def test_excel_quotes_commas_in_tsv(tmp_path):
    """Excel's tab-delimited text quotes cells with commas; the quotes are not part of the text."""
    path = tmp_path / "d.tsv"
    path.write_bytes('id\tquestion\tanswer\r\n1\t"a, b"\t"one\ntwo, three"\r\n'.encode("utf-16"))
    assert [(row.question, row.answer) for row in read(path)] == [("a, b", "one\ntwo, three")]


def test_a_long_file_with_a_stray_quote_is_read_in_little_memory(tmp_path, monkeypatch):
    """While looking for the end of an unclosed cell, at most one longest field is held in memory."""
    from saiten.data import csv_rows

    monkeypatch.setattr(csv_rows, "MAX_FIELD", 10_000)
    path = tmp_path / "d.csv"
    path.write_text('id,question,answer\n0,"open,a\n' + "".join(f"{n},q,a\n" for n in range(1, 50_001)))
    tracemalloc.start()
    try:
        with path.open("rb") as file:
            counts = Counter(type(row) for row in csv_rows.read_csv(file, "d.csv", delimiter=None, notify=print))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert counts == {RawRow: 50_000, BadRow: 1}
    assert peak < 1_000_000


def test_fields_may_be_longer_than_pythons_limit(tmp_path):
    """A field of several megabytes is read, and the process's limit is unchanged."""
    path = tmp_path / "d.csv"
    path.write_text(f"question,answer\nq,{'x' * 3_000_000}\n")
    before = csv.field_size_limit(100_000)
    assert len(read(path)[0].answer) == 3_000_000
    assert csv.field_size_limit(before) == 100_000


def test_a_field_beyond_our_limit_is_a_bad_row(tmp_path, monkeypatch):
    """An unclosed quote does not use up the memory: the record is bad and the rest is read."""
    from saiten.data import csv_rows

    monkeypatch.setattr(csv_rows, "MAX_FIELD", 1_000)
    path = tmp_path / "d.csv"
    path.write_text("question,answer\n" + 'q,"open\n' + "line\n" * 400 + "last,row\n")
    rows = read(path)
    assert isinstance(rows[0], BadRow)
    assert "field larger than field limit" in rows[0].reason
    assert rows[-1].question == "last"


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ('["a", "b"]', ("a", "b")),
        ('[{"page_content": "a"}, {"page_content": "b"}]', ("a", "b")),
        ("['a', \"b's\"]", ("a", "b's")),  # RAGAS and pandas write lists like this
        ("['a' 'b']", ("a", "b")),  # and numpy arrays like this
        ("['a'\n 'b']", ("a", "b")),
        ("[12] 地震が起きる。", ("[12] 地震が起きる。",)),
        ("[1]", ("[1]",)),
        ("[a, b]", ("[a, b]",)),
        ("['a', ...]", ("['a', ...]",)),
        ("['open", ("['open",)),
        ("plain text", ("plain text",)),
        ("[]", ()),
    ],
)
def test_a_cell_may_hold_a_list(tmp_path, cell, contexts):
    """Lists written as JSON, by Python or by numpy become contexts; anything else is one context, verbatim."""
    path = tmp_path / "d.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["question", "contexts"], ["q", cell]])
    assert read(path)[0].contexts == contexts


def test_what_pandas_writes_is_read(tmp_path):
    """A frame with lists, written by pandas to CSV, comes back."""
    path = tmp_path / "d.csv"
    frame = pd.DataFrame(
        {"user_input": ["q1", "q2"], "response": ["a", None], "retrieved_contexts": [["c", "d"], ["e"]]}
    )
    frame.to_csv(path)
    assert [(row.question, row.answer, row.contexts) for row in read(path)] == [
        ("q1", "a", ("c", "d")),
        ("q2", "", ("e",)),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no rows|column names"),
        ("\nq,a\n", "should contain the column names"),
        ("question,question\na,b\n", "'question' is in the header twice"),
        ("foo,bar\na,b\n", "no column for question or answer .* columns there: foo, bar"),
        ("question,answer\n", "has no rows"),
    ],
)
def test_a_header_that_cannot_be_used_is_an_error(tmp_path, content, message):
    """A missing, duplicate or unknown header is an error of the file."""
    path = tmp_path / "d.csv"
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read(path)


def test_nul_bytes_do_no_harm(tmp_path):
    """A NUL in a late row stays in its cell."""
    path = tmp_path / "d.csv"
    path.write_text("question,answer\n" + "q,a\n" * 2_000 + "q\0,a\n")
    assert read(path)[-1].question == "q\0"
