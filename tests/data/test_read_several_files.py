"""Patterns of files and addresses: one input of many files, read where they are."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import fsspec
import pandas as pd
import pytest

from saiten.data import BadRow, read_samples
from saiten.data.addresses import StoredBytes, located
from saiten.data.files import folder_name, name_of_file
from saiten.errors import BadInput, ConfigurationError


def read(source, **settings):
    """Everything read from the source."""
    return list(read_samples(source, detect_language=lambda *_: "en", **settings))


def lines(*rows):
    """The rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    """`2024/a.jsonl`, `2024/b.jsonl` and `2025/a.csv`, an empty and a hidden file."""
    for name, text in {
        "2024/a.jsonl": lines({"question": "one"}, {"question": "two"}),
        "2024/b.jsonl": "\n" + lines({"question": "three"}, {"wrong": 1}, {"id": "own", "question": "four"}),
        "2025/a.csv": "question\nfive\n",
        "2024/empty.jsonl": "",
        "2024/.hidden.jsonl": lines({"question": "hidden"}),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def memory():
    """The file system behind `memory://`, empty again after the test."""
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


EXPECTED = [
    "2024/a.jsonl:row-1", "2024/a.jsonl:row-2", "2024/b.jsonl:row-2", "2024/b.jsonl:3", "own", "2025/a.csv:row-2",
]  # fmt: skip


def names(rows):
    """The id of each sample, the place of each bad row."""
    return [row.where if isinstance(row, BadRow) else row.id for row in rows]


def test_the_files_of_a_pattern_are_one_input(folder, monkeypatch):
    """In the order of their names; ids and places begin with the path below the pattern's folder; hidden and empty files are left out."""
    assert names(read(folder / "*" / "*.*")) == EXPECTED
    assert names(read(str(folder / "**" / "*.*"))) == EXPECTED
    assert names(read(f"file://{folder}/*/*.*")) == EXPECTED
    monkeypatch.chdir(folder)
    assert names(read("*/*.*")) == EXPECTED
    assert names(read("2024/[ab].jsonl")) == [each.removeprefix("2024/") for each in EXPECTED[:5]]


def test_a_single_file_has_the_ids_that_it_always_had(folder):
    """Also as an address; a pattern that matches one file has prefixes, since it may match two tomorrow."""
    plain = ["row-1", "row-2"]
    assert names(read(folder / "2024" / "a.jsonl")) == plain
    assert names(read(f"file://{folder}/2024/a.jsonl")) == plain
    assert names(read(folder / "2024" / "a*.jsonl")) == ["a.jsonl:row-1", "a.jsonl:row-2"]


def test_an_id_of_an_earlier_file_is_refused(folder):
    """As one of an earlier row is."""
    (folder / "2025/b.jsonl").write_text(lines({"id": "own", "question": "again"}))
    assert names(read(folder / "*" / "*.jsonl"))[-1] == "2025/b.jsonl:1"
    assert "an earlier row has the id 'own' too" in read(folder / "*" / "*.jsonl")[-1].reason


def test_an_existing_file_wins_over_the_pattern(tmp_path):
    """`a[1].jsonl` is that file if it exists, else the pattern; a folder may have such a name, too."""
    (tmp_path / "a1.jsonl").write_text(lines({"question": "by pattern"}))
    assert names(read(tmp_path / "a[1].jsonl")) == ["a1.jsonl:row-1"]
    (tmp_path / "a[1].jsonl").write_text(lines({"question": "by name"}))
    assert [row.question for row in read(tmp_path / "a[1].jsonl")] == ["by name"]
    (tmp_path / "run[2]").mkdir()
    (tmp_path / "run[2]" / "x.jsonl").write_text(lines({"question": "q"}))
    assert names(read(tmp_path / "run[2]" / "*.jsonl")) == ["x.jsonl:row-1"]


def test_a_pattern_without_files_is_refused_with_the_pattern(folder, memory):
    """Also one that matches only empty files, or folders."""
    for pattern in ("none-*.jsonl", "2024/em*.jsonl", "20*"):
        with pytest.raises(BadInput, match=r"no file matches .*\*"):
            read(folder / pattern)
    with pytest.raises(BadInput, match=r"no file matches memory://none/\*"):
        read("memory://none/*.jsonl")


def test_every_format_is_read_from_a_store(folder, memory):
    """JSON lines, JSON, CSV, Parquet, gzipped or not, by suffix and by content: the same rows as from this machine."""
    row = {"id": "é1", "question": "何?", "answer": "これ", "contexts": ["c"]}
    frame = pd.DataFrame([row])
    frame.to_parquet(folder / "p.parquet")
    frame.to_parquet(folder / "noending")
    (folder / "j.json").write_text(json.dumps([row]))
    (folder / "z.jsonl.gz").write_bytes(gzip.compress(lines(row).encode()))
    (folder / "s.csv").write_bytes("id,question,answer\ne1,何がありますか,これがあります\n".encode("cp932"))
    (folder / "t.tsv").write_text("id\tquestion\ne1\tq\n", encoding="utf-16")
    for path in folder.iterdir():
        if path.is_file():
            memory.pipe_file(f"/in/{path.name}", path.read_bytes())
            assert read(f"memory://in/{path.name}") == read(path), path.name


def test_a_pattern_in_a_store_is_read_like_one_on_this_machine(folder, memory):
    """Same names, same order; a file whose name looks like a pattern wins; new files are found."""
    memory.put(str(folder), "/logs", recursive=True)
    stored = names(read("memory://logs/20*/[a-z]*.*"))
    assert stored == EXPECTED
    memory.pipe_file("/logs/2024/c.jsonl", lines({"question": "new"}).encode())
    assert "2024/c.jsonl:row-1" in names(read("memory://logs/20*/[a-z]*.*"))
    memory.pipe_file("/logs/[x].jsonl", lines({"question": "by name"}).encode())
    assert names(read("memory://logs/[x].jsonl")) == ["row-1"]
    assert names(read(Path("memory://logs/[x].jsonl"))) == ["row-1"]


def test_errors_of_stores_say_what_to_do(memory):
    """A missing file, a folder, and an unknown scheme."""
    memory.pipe_file("/day/a.jsonl", b"{}")
    with pytest.raises(BadInput, match=r"there is no file memory://day/b\.jsonl"):
        read("memory://day/b.jsonl")
    with pytest.raises(BadInput, match=r"memory://day is a folder; name its files, for example memory://day/\*\.jsonl"):
        read("memory://day")
    with pytest.raises(ConfigurationError, match=r"nothing://x/y\.jsonl cannot be read: Protocol not known"):
        read("nothing://x/y.jsonl")
    with pytest.raises(BadInput, match=r"gave 2 bytes instead of 9; either it has changed"):
        StoredBytes("memory://day/a.jsonl", 0, 9).read(9)


@pytest.mark.parametrize("missing", [("fsspec",), ("s3fs", "gcsfs", "adlfs")])
def test_a_store_without_its_package_names_the_extra(tmp_path, missing):
    """`s3://` without s3fs, and without fsspec at all, and the same of the others."""
    for module in missing:
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text(f"raise ImportError('no {module} here')")
    code = (
        "import sys; from saiten.data import read_samples\n"
        "for scheme, extra in (('s3', 's3'), ('gs', 'gcs'), ('abfs', 'azure')):\n"
        "    try: next(read_samples(f'{scheme}://bucket/x.jsonl', detect_language=None))\n"
        "    except Exception as error: assert f'pip install \"saiten[{extra}]\"' in str(error), error\n"
        "    else: raise AssertionError\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, check=True)


def test_plain_paths_and_patterns_never_load_fsspec(folder):
    """Nor does `file://`: what is on this machine needs no package."""
    code = (
        "import sys; from saiten.data import read_samples; from saiten.data.shards import cut\n"
        f"for source in ({str(folder / '2024/a.jsonl')!r}, {str(folder / '*/*.jsonl')!r}, 'file://{folder}/*/*.csv'):\n"
        "    assert list(read_samples(source, detect_language=lambda *_: 'en')) and cut(source, None, 10)\n"
        "assert 'fsspec' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=True)


@pytest.mark.parametrize(
    ("source", "name", "run"),
    [
        ("data/my.answers.jsonl", "my.answers.jsonl", "my"),
        ("data/logs/*.jsonl", "*.jsonl", "logs"),
        ("s3://bucket/day/*.parquet", "*.parquet", "day"),
        ("s3://bucket/*/x.parquet", "x.parquet", "bucket"),
        ("s3://bucket/day/x.parquet", "x.parquet", "x"),
        (Path("s3://bucket/day/x.parquet"), "x.parquet", "x"),
        ("https://user:pw@host/d/x.jsonl?sig=secret", "x.jsonl", "x"),
        ("sftp://user:pw@host", "host", "host"),
        ("abfs://box@account/x.csv", "x.csv", "x"),
        ("/*.jsonl", "*.jsonl", "data"),
        (".hidden", ".hidden", "data"),
    ],
)
def test_names_have_no_secret_and_are_good_names_of_folders(source, name, run):
    """The name in messages is the last part, without a query or a password; a run of a pattern is named by its folder."""
    assert name_of_file(source) == name
    assert folder_name(source) == run


def test_an_address_that_became_a_path_is_understood(tmp_path, monkeypatch):
    """A Path loses a slash of an address; a file of such a name wins."""
    assert located(Path("s3://b/x.jsonl")) == "s3://b/x.jsonl"
    assert located(Path("file:///x/y.jsonl")) == located("file:///x/y.jsonl") == Path("/x/y.jsonl")
    monkeypatch.chdir(tmp_path)
    Path("s3:").mkdir()
    Path("s3:/x.jsonl").write_text(lines({"question": "q"}))
    assert located("s3:/x.jsonl") == Path("s3:/x.jsonl")
