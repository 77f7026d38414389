"""Inputs in shards have the same rows, ids and places as in one reading."""

import json
from array import array

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from saiten.data import BadRow, read_samples
from saiten.data.shards import count_rows, cut, ids_of, numbered, read_shard, repeated
from saiten.errors import BadInput
from saiten.records import Sample


def english(*texts):
    """Detect no language."""
    return "en"


def undivided(source, limit=None):
    """The rows in one reading."""
    rows = list(read_samples(source, detect_language=english, notify=lambda _: None))
    return rows if limit is None else rows[:limit]


def divided(source, size, limit=None):
    """The rows of all shards, one after another, and the number of shards."""
    shards = cut(source, None, size)
    shards = numbered(shards, [count_rows(shard) for shard in shards], limit)
    refused = repeated([ids_of(shard, {}, None) for shard in shards])
    rows = []
    for shard, again in zip(shards, refused, strict=True):
        found = read_shard(shard, columns={}, detect_language=english, language=None, notify=print, refused=again)
        rows.extend(found)
    return rows, len(shards)


TEXT = st.text(max_size=12)
LINES = st.one_of(
    st.builds(
        lambda question, identity: json.dumps(
            {"question": question + "?", "answer": "a"} | ({} if identity is None else {"id": str(identity)}),
            ensure_ascii=False,
        ),
        TEXT.map(lambda text: text.encode("utf-8", "ignore").decode()),
        st.none() | st.integers(0, 5),
    ),
    st.sampled_from(["", "   ", "{broken", "[1]", "null", '{"question": ""}', '{"answer": "日本語の答え。"}']),
)


@given(
    st.lists(LINES, min_size=1, max_size=25),
    st.integers(1, 400),
    st.tuples(st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"])),
    st.none() | st.integers(1, 30),
)
@example(['{"question": "a?"}'] * 3, 1, ("", "\n", ""), None)
def test_json_lines_in_any_number_of_shards_are_the_rows_of_the_file(tmp_path_factory, lines, size, marks, limit):
    """Blank and broken lines, ids that occur twice, a missing last line end, a byte order mark, a limit: the rows, the
    bad rows with their places and the generated ids are those of one reading, wherever the file is cut.
    """
    good = '{"question": "first?", "answer": "b"}'  # without a usable column in the first rows, a file is refused
    path = tmp_path_factory.mktemp("lines") / "data.jsonl"
    begin, end, last = marks
    path.write_text(begin + end.join([good, *lines]) + last, encoding="utf-8", newline="")
    rows, _ = divided(path, size, limit)
    assert rows == undivided(path, limit)


def test_a_file_is_cut_into_about_as_many_shards_as_its_size_asks_for(tmp_path):
    """No shard is empty, and together they have each byte once."""
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps({"question": f"{n}?" * 5}) + "\n" for n in range(1000)), encoding="utf-8")
    shards = cut(path, None, 1000)
    total = path.stat().st_size
    assert total / 1100 < len(shards) <= total / 1000 + 1
    assert [shard.start for shard in shards[1:]] == [shard.end for shard in shards[:-1]]
    assert (shards[0].start, shards[-1].end) == (0, total)
    assert all(shard.end > shard.start for shard in shards)


@pytest.mark.parametrize("size", [1, 300, 2000, 10**6])
@pytest.mark.parametrize("group", [1, 7, 50, 1000])
def test_a_parquet_file_is_divided_into_row_groups_and_parts_of_them(tmp_path, size, group):
    """Small groups go together, large ones are divided; rows without an id keep the number that they have in the file."""
    path = tmp_path / "data.parquet"
    ids = [None if n % 3 else f"q{n % 40}" for n in range(120)]
    table = pa.table({"id": ids, "question": [f"{n}?" for n in range(120)], "answer": ["a"] * 120})
    parquet.write_table(table, path, row_group_size=group)
    rows, count = divided(path, size)
    assert rows == undivided(path)
    if size == 10**6:
        assert count == 1
    if size == 1:
        assert count >= min(32, 120 // group)


def test_several_files_are_one_input(tmp_path):
    """Files are read in the order of their names; generated ids and places begin with the file, and an id that an
    earlier file has makes a bad row.
    """
    for name, count in (("b/2.jsonl", 3), ("a/1.jsonl", 2), ("a/3.csv", 2)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if name.endswith("csv"):
            path.write_text("id,question\n,first?\nsame,second?\n", encoding="utf-8")
            continue
        lines = [json.dumps({"question": f"{name} {n}?"}) for n in range(count)]
        path.write_text("\n".join([*lines, json.dumps({"id": "same", "question": "again?"})]), encoding="utf-8")
    source = f"{tmp_path}/*/*"
    rows, count = divided(source, 40)
    assert rows == undivided(source)
    assert count > 3
    assert [row.id for row in rows if isinstance(row, Sample)] == [
        "a/1.jsonl:row-1",
        "a/1.jsonl:row-2",
        "same",
        "a/3.csv:row-2",
        "b/2.jsonl:row-1",
        "b/2.jsonl:row-2",
        "b/2.jsonl:row-3",
    ]
    assert [row.where for row in rows if isinstance(row, BadRow)] == ["a/3.csv, row 3", "b/2.jsonl:4"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.jsonl", b'[\n{"question": "a?"},\n{"question": "b?"}]'),
        ("data.jsonl", '{"question": "a?"}\n{"question": "b?"}\n'.encode("utf-16")),
        ("data.json", b'{"question": "a?"}\n{"question": "b?"}\n'),
        ("data.csv", b'question,answer\n"a\n?",b\nc?,d\n'),
    ],
)
def test_other_files_are_read_as_a_whole(tmp_path, name, content):
    """What cannot be divided at bytes is one shard."""
    path = tmp_path / name
    path.write_bytes(content)
    rows, count = divided(path, 1)
    assert count == 1
    assert rows == undivided(path)
    assert len(rows) == 2


def test_an_input_that_is_not_there_is_an_error_before_anything_begins(tmp_path):
    """A missing file and a pattern without a match are said by name."""
    with pytest.raises(BadInput, match=r"there is no file .*gone\.jsonl"):
        cut(tmp_path / "gone.jsonl", None, 10)
    with pytest.raises(BadInput, match=r"no file matches .*\*\.jsonl"):
        cut(f"{tmp_path}/*.jsonl", None, 10)


@given(st.lists(st.lists(st.integers(0, 8), max_size=6), max_size=6))
def test_an_id_is_refused_in_every_shard_but_the_first_that_has_it(ids):
    """Also where the id occurs several times in one shard, which that shard notices by itself."""
    seen: set[int] = set()
    expected = []
    for shard in ids:
        expected.append(frozenset(shard) & seen)
        seen |= set(shard)
    assert list(repeated([array("Q", shard) for shard in ids])) == expected
