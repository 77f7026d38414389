"""CSV and TSV: encodings, delimiters, long fields, lists in cells, broken records."""

import csv
import gzip
import io

import pandas as pd
import pytest

from saiten.data import BadRow, read_samples
from saiten.data.encodings import detect_encoding
from saiten.errors import BadInput
from saiten.records import Sample

JAPANESE = "質問,回答\r\n休暇は何日ですか,「二十日」です。\r\nコピー機はどこ,三階にあります\r\n"


def read(source, told=None, **settings):
    """Everything read from the source; notes go to `told`."""
    told = [] if told is None else told
    return list(read_samples(source, detect_language=lambda *_: "ja", tell=told.append, **settings))


@pytest.mark.parametrize(
    ("encoding", "told"),
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
def test_the_encodings_of_japanese_spreadsheets_are_found_out(tmp_path, encoding, told):
    """Every encoding that Japanese CSV files come in gives the same text, and a rare one is told."""
    path = tmp_path / "d.csv"
    path.write_bytes(JAPANESE.encode(encoding))
    notes = []
    first, second = read(path, notes)
    assert (first.question, first.answer, second.answer) == ("休暇は何日ですか", "「二十日」です。", "三階にあります")
    assert first.id == "row-2"
    assert notes == ([f"d.csv is read as {told}"] if told else [])


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
    """Western and other encodings are not misread as Japanese; the error names what was tried."""
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"UTF-8, UTF-16, Shift_JIS \(cp932\), EUC-JP; save it as UTF-8"):
        read(path)


def test_a_pipe_is_decided_on_its_beginning():
    """What cannot be read twice is decided on its first MiB; bytes that do not fit later are an error, not text."""

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
    """Comma, semicolon, tab and bar are recognised."""
    path = tmp_path / "d.csv"
    path.write_text(f"id{delimiter}question{delimiter}answer\na{delimiter}q{delimiter}x\n")
    assert read(path) == [Sample("a", "q", "x", language="ja")]


def test_tsv_has_tabs_whatever_stands_in_its_header(tmp_path):
    """In TSV only the tab separates."""
    path = tmp_path / "d.tsv.gz"
    path.write_bytes(gzip.compress(b"id\tquestion\tanswer, in words, as given\na\tq, r\tx\n"))
    (sample,) = read(path, columns={"answer": "answer, in words, as given"})
    assert sample == Sample("a", "q, r", "x", language="ja")


def test_an_empty_cell_is_an_empty_answer_and_elsewhere_not_given(tmp_path):
    """CSV has no null, so what an empty cell means is fixed per field."""
    path = tmp_path / "d.csv"
    path.write_text("id,question,answer,contexts,reference,group\n,q,,,,\n")
    assert read(path) == [Sample("row-2", "q", "", None, None, language="ja")]


def test_quoted_line_ends_keep_the_numbering(tmp_path):
    """A record is numbered by the line it begins on, also after records of several lines and blank lines."""
    path = tmp_path / "d.csv"
    path.write_text('question,answer\n"a\nb",x\n\nq,"he said ""no"""\n')
    assert [(row.id, row.question, row.answer) for row in read(path)] == [
        ("row-2", "a\nb", "x"),
        ("row-5", "q", 'he said "no"'),
    ]


def test_a_record_of_another_length_is_bad(tmp_path):
    """Too many or too few fields are a broken record, not a shifted one."""
    path = tmp_path / "d.csv"
    path.write_text("question,answer\nq,a\nq,a,b\nq\nq2,a2\n")
    first, more, less, last = read(path)
    assert (first.id, last.id) == ("row-2", "row-5")
    assert (more.where, less.where) == ("d.csv:3", "d.csv:4")
    assert "3 fields, but the header has 2" in more.reason


def test_fields_may_be_longer_than_pythons_limit(tmp_path):
    """A field of several megabytes is read, and the limit of the process stays what it was."""
    path = tmp_path / "d.csv"
    path.write_text(f"question,answer\nq,{'x' * 3_000_000}\n")
    before = csv.field_size_limit(100_000)
    assert len(read(path)[0].answer) == 3_000_000
    assert csv.field_size_limit(before) == 100_000


def test_a_field_beyond_our_limit_is_a_bad_row(tmp_path, monkeypatch):
    """A quote that never closes does not swallow the memory: the record is bad and the rest goes on."""
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
    """Lists written as JSON, by Python or by numpy become contexts; anything else is one context as it stands."""
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
        ("\nq,a\n", "expected to hold the column names"),
        ("question,question\na,b\n", "'question' stands in the header twice"),
        ("foo,bar\na,b\n", "no column for question or answer .* columns there: foo, bar"),
        ("question,answer\n", "has no rows"),
    ],
)
def test_a_header_that_cannot_be_used_is_an_error(tmp_path, content, message):
    """A missing, doubled or unknown header is an error of the file."""
    path = tmp_path / "d.csv"
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read(path)


def test_nul_bytes_do_no_harm(tmp_path):
    """A NUL in a late row stays in its cell."""
    path = tmp_path / "d.csv"
    path.write_text("question,answer\n" + "q,a\n" * 2_000 + "q\0,a\n")
    assert read(path)[-1].question == "q\0"
