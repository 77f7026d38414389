"""Shards: all of them in order are the whole input, however it is divided."""

import codecs
import gzip
import json
import pickle
import random
import subprocess
import sys
from array import array
from pathlib import Path
from tempfile import TemporaryDirectory

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saiten.data import BadRow, json_rows, read_samples
from saiten.data import shards as shards_module
from saiten.data.shard_rows import digest_anywhere, ids_of, read_shard, repeated
from saiten.data.shards import RowCount, Shard, count_rows, cut, numbered
from saiten.errors import BadInput, ConfigurationError


def whole(source, limit=None, **settings):
    """All rows, read at once; none if it has none."""
    try:
        return list(read_samples(source, detect_language=lambda *_: "en", **settings))[:limit]
    except BadInput as error:
        if "has no rows" in str(error) or "no file matches" in str(error):
            return []
        raise


def in_shards(shards, limit=None, **settings):
    """All rows, read shard by shard, as workers do."""
    shards = numbered(shards, [count_rows(shard) for shard in shards], limit)
    assert all(pickle.loads(pickle.dumps(shard)) == shard for shard in shards)  # noqa: S301 - our own
    refused = repeated([ids_of(shard, **settings) for shard in shards])
    found = []
    for shard, ids in zip(shards, refused, strict=True):
        rows = read_shard(shard, detect_language=lambda *_: "en", notify=lambda _: None, refused=ids, **settings)
        rows = list(rows)
        assert len(rows) == shard.rows > 0
        found += rows
    return found


TEXT = st.text(alphabet="aé日𠮷\u2028\r", max_size=6)
OBJECT = st.fixed_dictionaries(
    {"question": TEXT}, optional={"id": st.sampled_from(["x", "y", "row-2", "é"]), "answer": TEXT, "language": TEXT}
)
LINE = st.one_of(
    OBJECT.map(lambda row: json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    OBJECT.map(lambda row: json.dumps(row).encode()),
    st.sampled_from(
        [b"", b"  ", b"\t\r", b"[", b"[1]", b"{", b"null", b"\xff\xfe", b"\x1f\x8b", b"\xef\xbb\xbf", b"\x0b\x0c"]
    ),
    st.integers(1, 400).map(lambda size: b'{"question": "%s"}' % (b"l" * size)),
)
SIZE = st.integers(10, 300)  # a few bytes take long: each boundary is looked for
ENDING = st.sampled_from([b"\n", b"\r\n"])


@st.composite
def contents(draw):
    """A file of JSON lines: blank and bad ones, several scripts, either line end, perhaps a mark, perhaps no last line end."""
    ended = b"".join(line + draw(ENDING) for line in draw(st.lists(LINE, max_size=12)))
    last = draw(st.sampled_from([b"", b'{"question": "last"}', b" ", b"\r"]))
    return draw(st.sampled_from([b"", codecs.BOM_UTF8])) + ended + last


QUESTION = b'{"question": "q"}\n'


@given(contents(), SIZE, st.none() | st.integers(1, 12))
@example(QUESTION * 3, len(QUESTION), None)
@example(b"[\n" + QUESTION[:-1] + b"\n]", 3, None)
@example(codecs.BOM_UTF8 + b"\n" + QUESTION, 1, None)
@example(b'{"id": "x", "question": "q"}\n' * 3, 10, 2)
def test_the_shards_of_json_lines_are_the_whole(content, size, limit):
    """Same rows, ids, places, duplicates and bad rows, for any content, size and limit."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "d.jsonl")
        path.write_bytes(content)
        shards = cut(path, None, size)
        ranges = [(shard.start, shard.end) for shard in shards if shard.end is not None]
        assert all(start < end for start, end in ranges)
        if ranges:
            assert [0, *(end for _, end in ranges)] == [*(start for start, _ in ranges), len(content)]
        try:
            expected = whole(path, limit)
        except BadInput:  # a document that is none, or damaged gzip: refused either way
            with pytest.raises(BadInput):
                in_shards(shards, limit)
        else:
            assert in_shards(shards, limit) == expected


@given(st.lists(contents(), min_size=1, max_size=4), SIZE, st.none() | st.integers(1, 12))
def test_the_shards_of_several_files_are_the_whole(files, size, limit):
    """Also for ids that several files have."""
    with TemporaryDirectory() as folder:
        for number, content in enumerate(files):
            Path(folder, f"{number}.jsonl").write_bytes(QUESTION + content)
        pattern = Path(folder, "*.jsonl")
        assert in_shards(cut(pattern, None, size), limit) == whole(pattern, limit)


@given(
    st.lists(st.tuples(st.sampled_from([None, "x", "y", "z"]), TEXT), min_size=1, max_size=150),
    st.integers(1, 160),
    st.integers(1, 3000),
    st.none() | st.integers(1, 100),
)
def test_the_shards_of_parquet_are_the_whole(rows, group, size, limit):
    """For any row groups: small ones are read together, large ones in parts."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "d.parquet")
        table = pa.table({"id": [one for one, _ in rows], "question": [text for _, text in rows]})
        pq.write_table(table, path, row_group_size=group)
        shards = cut(path, None, size)
        assert all(shard.first is not None and shard.rows for shard in shards)
        assert in_shards(shards, limit) == whole(path, limit)


def test_a_large_row_group_has_at_most_32_parts_and_small_ones_go_together(tmp_path):
    """Each part has to skip the rows before it; each shard should be worth a worker."""
    table = pa.table({"question": [f"{n:0100}" for n in range(1000)]})
    pq.write_table(table, tmp_path / "one.parquet")
    pq.write_table(table, tmp_path / "many.parquet", row_group_size=10)
    assert len(cut(tmp_path / "one.parquet", None, 1)) == 32
    few = cut(tmp_path / "many.parquet", None, 20_000)
    assert 2 <= len(few) <= 10
    assert [shard.first for shard in few][:2] == [1, 1 + few[0].rows]


def test_files_that_cannot_be_divided_are_one_shard(tmp_path):
    """A document, UTF-16, gzip, CSV and a data set, whatever their size; an empty file is none; all are read as a whole."""
    row = '{"question": "é"}\n'
    (tmp_path / "a.jsonl").write_text("[\n" + row[:-1] + ",\n" + row + "]")
    (tmp_path / "b.jsonl").write_text(row * 9, encoding="utf-16")
    (tmp_path / "c.jsonl").write_bytes(gzip.compress(row.encode() * 9))
    (tmp_path / "d.csv").write_text("question\nq\n" * 9)
    (tmp_path / "e.json").write_text(f"[{row}, {row}]")
    (tmp_path / "f.jsonl").write_text("")
    for path in sorted(tmp_path.iterdir()):
        shards = cut(path, None, 5)
        assert len(shards) == (path.name != "f.jsonl"), path
        assert in_shards(shards) == whole(path)
    pattern = tmp_path / "*"
    assert in_shards(cut(pattern, None, 5), 20) == whole(pattern, 20)


def test_a_line_that_is_too_long_is_one_bad_row_of_one_shard(tmp_path, monkeypatch):
    """However many boundaries it spans; also one of blanks, and the first line."""
    monkeypatch.setattr(json_rows, "MAX_LINE", 50)
    monkeypatch.setattr(shards_module, "MAX_LINE", 50)
    for first in (b"[", b"{", b" "):
        long = first + b" " * 300 + b"\n"
        path = tmp_path / "d.jsonl"
        path.write_bytes(long + QUESTION + long + QUESTION)
        shards = cut(path, None, 40)
        found = in_shards(shards)
        assert found == whole(path)
        assert [isinstance(row, BadRow) for row in found] == [True, False, True, False]


def test_shards_in_a_store_are_the_whole(tmp_path):
    """JSON lines and Parquet, by pattern."""
    files = fsspec.filesystem("memory")
    try:
        rows = [{"id": f"{n % 7}", "question": "q" * n} for n in range(60)]
        files.pipe_file("/in/a.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "b.parquet", row_group_size=25)
        files.put(str(tmp_path / "b.parquet"), "/in/b.parquet")
        shards = cut("memory://in/*", None, 300)
        assert len(shards) > 6
        assert in_shards(shards) == whole("memory://in/*")
    finally:
        files.store.clear()


def test_only_what_is_needed_is_requested_of_a_store(tmp_path, monkeypatch):
    """Of Parquet the footer and the wanted columns; of JSON lines the bytes of the shard, and a little at boundaries."""
    files, asked = fsspec.filesystem("memory"), []
    give = files.cat_file
    monkeypatch.setattr(
        files, "cat_file", lambda path, start, end: asked.append(end - start) or give(path, start=start, end=end)
    )
    try:
        rows = [{"question": f"{n}", "embedding": random.Random(n).randbytes(10_000)} for n in range(100)]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet", row_group_size=10)
        files.put(str(tmp_path / "d.parquet"), "/in/d.parquet")
        assert len(whole("memory://in/d.parquet")) == 100
        assert sum(asked) < 100_000  # the footer is asked for with 64 KiB; the embeddings have a million bytes
        asked.clear()
        files.pipe_file("/in/d.jsonl", b'{"question": "%s"}\n' % (b"q" * 980) * 10_000)
        shards = cut("memory://in/d.jsonl", None, 2_500_000)
        assert len(shards) == 4
        assert sum(asked) <= 4 << 18
        asked.clear()
        list(read_shard(shards[0], detect_language=lambda *_: "en", notify=print))
        assert sum(asked) == shards[0].end
    finally:
        files.store.clear()


def test_digests_are_the_same_in_every_process_and_repeated_ids_are_found():
    """A salted hash would find none; the first shard that has an id keeps it."""
    code = "from saiten.data.shard_rows import digest_anywhere; print(digest_anywhere('é\\ud800'))"
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert int(elsewhere.stdout) == digest_anywhere("é\ud800")
    one, two, three, four = (digest_anywhere(text) for text in "1234")
    ids = [array("Q", [one, two, two]), array("Q", []), array("Q", [three, two]), array("Q", [two, three, four])]
    assert repeated(ids) == (frozenset(), frozenset(), frozenset({two}), frozenset({two, three}))
    assert repeated([]) == ()


def test_a_limit_needs_no_counts_behind_it():
    """Counting may end once enough rows are found; else a missing count is an error, since rows would be lost."""
    shards = [Shard("d", "jsonl", "d", start=n, end=n + 1, first=1 if n == 0 else None) for n in range(3)]
    counts = [RowCount(4, 3), RowCount(2, 0), RowCount(5, 5)]
    assert [(shard.first, shard.rows) for shard in numbered(shards, counts)] == [(1, 3), (7, 5)]
    assert [(shard.first, shard.rows) for shard in numbered(shards, counts, 5)] == [(1, 3), (7, 2)]
    assert [shard.rows for shard in numbered(shards, counts[:1], 3)] == [3]
    with pytest.raises(ValueError, match="3 shards, but only 2 counts"):
        numbered(shards, counts[:2], 4)
    with pytest.raises(ValueError, match="not counted yet"):
        list(read_shard(shards[1], detect_language=None, notify=print))


def test_what_cannot_be_cut_is_refused(tmp_path):
    """Standard input, a missing file, an unknown format, no size; a file that became shorter is no silent loss."""
    with pytest.raises(BadInput, match="standard input cannot be divided"):
        cut("-", None, 10)
    with pytest.raises(BadInput, match=r"there is no file .*none\.jsonl"):
        cut(tmp_path / "none.jsonl", None, 10)
    with pytest.raises(ConfigurationError, match="unknown format 'xml'"):
        cut(tmp_path / "none.jsonl", "xml", 10)
    with pytest.raises(ConfigurationError, match="at least 1 byte, not 0"):
        cut(tmp_path / "none.jsonl", None, 0)
    path = tmp_path / "d.jsonl"
    path.write_bytes(QUESTION * 9)
    shards = cut(path, None, 40)
    path.write_bytes(QUESTION * 4)
    with pytest.raises(BadInput, match="shorter than when it was divided"):
        count_rows(shards[-1])
