"""JSON lines and JSON documents, whole and broken."""

import gzip
import io
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import BadRow, json_rows, read_samples
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample


def english(*_: str) -> str:
    """A detector that always says `en`."""
    return "en"


def read(source, **settings):
    """Everything read from the source."""
    return list(read_samples(source, detect_language=english, **settings))


def jsonl(*rows: object) -> bytes:
    """The rows as JSON lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def packed(content: bytes) -> bytes:
    """The data gzipped, identical whenever it is made."""
    return gzip.compress(content, mtime=0)


ROW = {"id": "a", "question": "q?", "answer": "x"}
SAMPLE = Sample("a", "q?", "x")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", jsonl(ROW)),
        ("d.ndjson", jsonl(ROW)),
        ("d.jsonl", jsonl(ROW).rstrip()),
        ("d.jsonl", b"\xef\xbb\xbf" + jsonl(ROW)),
        ("d.jsonl", b"\n\r\n" + jsonl(ROW) + b"\n  \n"),
        ("d.jsonl", jsonl(ROW).replace(b"\n", b"\r\n")),
        ("d.jsonl.gz", packed(jsonl(ROW))),
        ("d.jsonl", packed(jsonl(ROW))),
        ("d.jsonl", json.dumps(ROW).encode("utf-16")),
        ("d.jsonl", json.dumps([ROW], indent=1).encode()),
        ("d.json", json.dumps([ROW]).encode()),
        ("d.json", json.dumps([ROW], indent=2).encode()),
        ("d.json", json.dumps({"results": [ROW]}).encode()),
        ("d.json", json.dumps({"results": [ROW]}, indent=2).encode()),
        ("d.json", json.dumps(ROW, indent=2).encode()),
        ("d.json", jsonl(ROW)),
        ("D.JSONL", jsonl(ROW)),
        ("noending", jsonl(ROW)),
        ("noending", json.dumps([ROW]).encode()),
    ],
)
def test_every_form_of_json_gives_the_same_sample(tmp_path, name, content):
    """Lines, lists, lists inside an object, gzip, byte order marks and blank lines all give the same sample."""
    path = tmp_path / name
    path.write_bytes(content)
    assert read(path) == [SAMPLE]
    assert read(str(path)) == [SAMPLE]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1, 2]", "expected a JSON object, got a list"),
        (b'"text"', "got text"),
        (b"null", "got null"),
        (b"3", "got a number"),
        (b"true", "got true or false"),
        (b'{"question": "q", "answer": "\xff"}', "not UTF-8 (byte 30: 0xff)"),
        ('{"question": "質問"}'.encode("cp932"), "Shift_JIS"),
        (b'{"question": "q", "answer": "\\ud800"}', "answer: half a character"),
        (b'{"question": null, "answer": null}', "neither question nor answer"),
        (b'{"question": "q", "answer": ["a", "b"]}', "answer: expected one text, got a list of 2"),
        (b'{"question": "q", "answer": {"x": 1, "y": 2}}', "answer: expected text, got an object with x, y"),
        (b'{"question": "q", "contexts": [["a"]]}', "contexts: context 1 is a list"),
        (b'{"question": "q", "contexts": ["a", null]}', "contexts: context 2 is null"),
        (b'{"question": "q", "contexts": [{"no": "text"}]}', "contexts: a context is an object with no"),
        (b'{"question": "q", "language": "fr"}', "language: the language 'fr' is not one of ja, en"),
        (b'{"question": ["a", "b"]}', "question: expected one text"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"id": "first", "question": "q"}', "an earlier row has the id 'first'"),
        (b'{"id": "first", "question": "q", "system": "s"}', "for example first/s"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_goes_on(tmp_path, line, reason):
    """An unusable row becomes a BadRow with file, line and reason, and the rows around it are read."""
    path = tmp_path / "data.jsonl"
    path.write_bytes(jsonl({"id": "first", "question": "q"}) + line + b"\n" + jsonl({"id": "last", "answer": "a"}))
    first, bad, last = read(path)
    assert (first.id, last.id) == ("first", "last")
    assert isinstance(bad, BadRow)
    assert bad.where == "data.jsonl:2"
    assert reason in bad.reason
    assert len(bad.raw) <= 500
    bad.raw.encode()


def test_a_bad_row_keeps_the_beginning_of_what_stood_there(tmp_path):
    """The raw text of a bad row is the row's own, cut at 500 characters."""
    path = tmp_path / "data.jsonl"
    path.write_bytes(jsonl({"question": "q"}) + ("{あ" + "い" * 900).encode() + b"\n")
    assert read(path)[1].raw == "{あ" + "い" * 498


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id":"a","question":"q","answer":1.5}', Sample("a", "q", "1.5")),
        (b'{"id":"a","question":"q","answer":0}', Sample("a", "q", "0")),
        (b'{"id":"a","question":"q","answer":true}', Sample("a", "q", "true")),
        (b'{"id":7,"question":"q"}', Sample("7", "q")),
        (b'{"id":12345678901234567890123,"question":"q"}', Sample("12345678901234567890123", "q")),
        (b'{"id":"a","question":"q","answer":""}', Sample("a", "q", "")),
        (b'{"id":"a","question":"q","answer":null}', Sample("a", "q", None)),
        (b'{"id":"a","question":"q"}', Sample("a", "q", None)),
        (b'{"id":"a","question":"q","answer":"x","score":NaN,"reference":NaN}', Sample("a", "q", "x")),
        (b'{"id":"a","question":"q\x00"}', Sample("a", "q\0")),
        (b'{"id":"a","question":"q\\u0000"}', Sample("a", "q\0")),
        (b'{"id":"a","question":"q","reference":""}', Sample("a", "q", reference="")),
        (b'{"id":"a","question":"q","reference":["r","s",null]}', Sample("a", "q", reference="r", alternatives=("s",))),
        (b'{"id":"a","question":"q","reference":[]}', Sample("a", "q")),
        (b'{"id":"a","question":"q","contexts":[]}', Sample("a", "q", contexts=())),
        (b'{"id":"a","question":"q","contexts":""}', Sample("a", "q", contexts=None)),
        (b'{"id":"a","question":"q","contexts":[""]}', Sample("a", "q", contexts=("",))),
        (b'{"id":"","question":"q"}', Sample("row-1", "q")),
        (b'{"id":null,"question":"q","language":"ja-JP"}', Sample("row-1", "q", language="ja")),
        ('{"question":"q","language":"日本語"}'.encode(), Sample("row-1", "q", language="ja")),
    ],
)
def test_values_become_text_without_losing_what_they_say(tmp_path, line, expected):
    """Numbers become text as written, null and the empty string are distinct, NaN is not a value."""
    path = tmp_path / "d.jsonl"
    path.write_bytes(line + b"\n")
    assert read(path) == [expected]


def test_saitens_own_samples_come_back(tmp_path):
    """What sample_to_json writes is read as the same sample."""
    from saiten.runs import sample_to_json

    sample = Sample("i", "q", "", ("c",), "r", ("s",), (), "g", "s", "ja")
    path = tmp_path / "d.jsonl"
    path.write_bytes(jsonl(sample_to_json(sample)))
    assert read(path) == [sample]


def test_a_made_up_id_depends_on_the_line_alone(tmp_path):
    """A row without an ID is named after its line, so bad and blank rows before it change nothing."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(jsonl({"question": "q"}, {"question": "q"}, {"question": "q"}))
    bad.write_bytes(jsonl({"question": "q"}) + b"broken\n" + jsonl({"question": "q"}))
    assert [row.id for row in read(good)] == ["row-1", "row-2", "row-3"]
    assert [row.id for row in read(bad) if isinstance(row, Sample)] == ["row-1", "row-3"]


def test_the_language_is_set_named_or_detected_in_this_order(tmp_path):
    """The caller's language wins over the row's, and that over the one detected from the texts."""
    path = tmp_path / "d.jsonl"
    path.write_bytes(jsonl({"question": "q", "answer": "a", "reference": "r", "language": "ja"}, {"question": "q"}))
    asked = []

    def detect(*texts):
        asked.append(texts)
        return "en"

    rows = list(read_samples(path, detect_language=detect))
    assert [row.language for row in rows] == ["ja", "en"]
    assert asked == [("q",)]
    assert [row.language for row in read_samples(path, detect_language=detect, language="en")] == ["en", "en"]


def test_a_line_of_100_mb_is_skipped_without_being_held():
    """A line beyond the limit is one bad row, and memory does not grow with it."""
    piece = b"x" * (1 << 20)
    chunks = iter(
        [jsonl({"id": "a", "question": "q"}), b'{"question":"', *[piece] * 100, b'"}\n', jsonl(ROW | {"id": "b"})]
    )

    class Stream(io.RawIOBase):
        rest = b""

        def readable(self):
            return True

        def readinto(self, buffer):
            self.rest = self.rest or next(chunks, b"")
            size = min(len(buffer), len(self.rest))
            buffer[:size], self.rest = self.rest[:size], self.rest[size:]
            return size

    tracemalloc.start()
    rows = read(Stream(), format="jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 3
    assert [rows[0].id, rows[2].id] == ["a", "b"]
    assert "longer than 32 MiB" in rows[1].reason
    assert rows[1].where == "input:2"
    assert peak < 100 << 20


def test_json_lines_are_read_as_they_are_asked_for(tmp_path):
    """The reader holds a few rows at most, however long the file is."""
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.writelines(jsonl({"question": "q", "answer": "x" * 10_000, "id": n}) for n in range(2_200))
    tracemalloc.start()
    count = sum(1 for _ in read_samples(path, detect_language=english))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_200
    assert peak < 2 << 20 < path.stat().st_size / 10


def test_a_document_that_is_too_large_is_refused_with_the_way_out(tmp_path, monkeypatch):
    """A JSON document must be read completely; beyond the limit, the error says how to turn it into JSON lines."""
    monkeypatch.setattr(json_rows, "MAX_DOCUMENT", 1_000)
    path = tmp_path / "d.json"
    path.write_bytes(json.dumps([ROW] * 100).encode())
    with pytest.raises(BadInput, match="make JSON lines of it"):
        read(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.jsonl", b"", "has no rows"),
        ("d.json", b"[]", "has no rows"),
        ("d.json", b'[{"question": ', "not JSON"),
        ("d.jsonl", jsonl({"foo": 1, "bar": {"baz": 2}}), "columns there: foo, bar.baz"),
        ("d.what", b"hello", "neither its extension nor its content"),
        ("d.jsonl.gz", packed(jsonl(*[ROW] * 1000))[:-9], "gzipped but damaged"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, name, content, message):
    """A fault of the whole file is one error that names it."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message) as caught:
        read(path)
    assert name in str(caught.value)


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    """A wrong path and a wrong format name what was given."""
    with pytest.raises(BadInput, match=r"there is no file .*nothing\.jsonl"):
        read(tmp_path / "nothing.jsonl")
    with pytest.raises(ConfigurationError, match="unknown format 'xml'"):
        read(tmp_path / "nothing.jsonl", format="xml")
    with pytest.raises(BadInput, match="cannot be read from a stream"):
        read("-", format="parquet")


def test_only_bad_rows_are_no_error_of_the_file(tmp_path):
    """A file with only broken lines yields each of them."""
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"x\ny\n")
    assert [row.where for row in read(path)] == ["d.jsonl:1", "d.jsonl:2"]


@pytest.mark.parametrize("source", [io.BytesIO(jsonl(ROW)), io.StringIO(jsonl(ROW).decode()), [ROW], iter([ROW])])
def test_open_files_and_rows_in_memory_are_read(source):
    """A binary file, a text file and an iterable of mappings work as well as a path."""
    assert read(source) == [SAMPLE]


def test_a_row_in_memory_that_is_no_mapping_is_bad():
    """Rows in memory are numbered from 1 and may be bad like any other."""
    rows = read([ROW, "text"])
    assert rows[1].where == "input:2"


def test_an_open_file_stays_open(tmp_path):
    """Only what the reader opened is closed by it."""
    path = tmp_path / "d.csv"
    path.write_text("question,answer\nq,a\n")
    with path.open("rb") as file:
        assert len(read(file, format="csv")) == 1
        assert not file.closed


def test_standard_input_is_json_lines():
    """`-` reads JSON lines from standard input as they come."""
    code = (
        "from saiten.data import read_samples\n"
        "for s in read_samples('-', detect_language=lambda *t: 'en'): print(s.id, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(jsonl({"question": "q"}))
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"row-1"  # before the input has ended
        process.stdin.write(jsonl({"id": "second", "question": "q"}))
        process.stdin.close()
        assert process.stdout.readline().strip() == b"second"


def test_reading_needs_no_optional_package_to_start():
    """Importing the package imports neither pyarrow nor pandas."""
    code = "import sys, saiten.data, saiten.runs; print(sorted({'pyarrow', 'pandas', 'datasets'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_whatever_make_the_reader_crash(lines):
    """Garbage gives bad rows, samples or one of our errors, never another exception."""
    content = jsonl({"question": "q"}) + b"\n".join(lines)
    rows = read(io.BytesIO(content), format="jsonl")
    assert isinstance(rows[0], Sample)
    assert all(isinstance(row, Sample | BadRow) for row in rows)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["text", "content", "role", "a", "messages", "choices", "answer"]), inner, max_size=3
            )
        ),
        max_leaves=8,
    ),
    st.sampled_from(
        [
            "question",
            "answer",
            "contexts",
            "reference",
            "alternatives",
            "id",
            "language",
            "inputs",
            "outputs",
            "expectations",
            "system",
        ]
    ),
)
def test_no_value_whatever_makes_the_reader_crash(value, field):
    """Any JSON value in any field gives a sample that can be written, or a bad row."""
    (row,) = read([{"question": "q", field: value}] if field != "question" else [{"answer": "a", field: value}])
    if isinstance(row, Sample):
        for text in (row.id, row.question, row.answer or "", *(row.contexts or ()), *row.references):
            assert isinstance(text, str)
            text.encode()
    else:
        assert row.reason


def test_where_names_the_file_without_its_folder(tmp_path):
    """The position of a bad row is short enough for a table."""
    path = Path(os.path.relpath(tmp_path)) / "d.jsonl"
    path.write_bytes(b"x\n")
    assert read(path)[0].where == "d.jsonl:1"


TWICE = """{"id": "1", "question": "Q?", "answer": "A: 10:30.", "contexts": ["at 9:00"], "answer" : "B."}"""


def test_a_key_that_occurs_twice_makes_a_bad_row(tmp_path):
    """The last value would win in silence; the row is named, and the others are read."""
    path = tmp_path / "d.jsonl"
    nested = TWICE.replace('"answer" : "B."', '"more": {"x": 1, "x": 2}')
    escaped = """{"id": "3", "answer": "x", "answer": "\\u003a"}"""
    right = """{"id": "4", "question" : "Q: a?", "answer": "\\"b\\": c \\u003a"}"""
    path.write_text(f"{TWICE}\n{nested}\n{escaped}\n{right}\n")
    first, second, third, last = read(path)
    assert isinstance(last, Sample)
    assert last.answer == '"b": c :'
    assert [row.where for row in (first, second, third)] == [f"d.jsonl:{n}" for n in (1, 2, 3)]
    assert first.reason == "the key 'answer' occurs twice in one object; keep one of them"
    assert second.reason.startswith("the key 'x' occurs twice")


def test_a_key_that_occurs_twice_is_an_error_of_a_document(tmp_path):
    """A document is parsed as a whole, so that no row can be left out."""
    path = tmp_path / "d.json"
    path.write_text(f"[{TWICE}]")
    with pytest.raises(BadInput, match=r"d\.json: the key 'answer' occurs twice"):
        read(path)


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.text(), st.dictionaries(st.text(max_size=3), st.text()))))
def test_no_row_without_a_repeated_key_is_suspected(value):
    """Whatever the texts hold, in either notation."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
        assert json_rows.parse_json(text.encode("utf-8", "surrogatepass")) is not None
