"""The rows that a command works on: one file, several, or those of a store."""

from pathlib import Path

import pytest

from saiten.cli.data_source import DataSource
from saiten.errors import ConfigurationError
from saiten.settings import CallSettings, DataSettings, JudgeSettings


def source(path, **settings):
    """The rows of a path."""
    return DataSource(path, DataSettings(**settings))


def test_rows_are_counted_over_all_files_if_that_is_quick(data):
    """For the time left: lines of JSON lines on this machine, up to the limit; nothing is requested of a store."""
    data(3, "a.jsonl")
    data(4, "b.jsonl")
    Path("c.csv").write_text("question\nq\n")
    assert source("[ab].jsonl").count() == source(f"file://{Path.cwd()}/*.jsonl").count() == 7
    assert source("*.jsonl", limit=5).count() == 5
    assert source("b.jsonl").count() == 4
    for path in ("*.*", "c.csv", "none.jsonl", "s3://bucket/x.jsonl", "-"):
        assert source(path).count() is None
        assert source(path, limit=2).count() == 2


def test_the_settings_of_a_run_name_the_data_without_secrets():
    """The last part of a path, pattern or address."""
    for path, name in {
        "day/*.jsonl": "*.jsonl",
        "https://user:pw@host/x.jsonl?sig=secret": "x.jsonl",
        "-": "-",
        "d/x.csv": "x.csv",
    }.items():
        assert source(path).run_settings(JudgeSettings(), CallSettings()).data == name


def test_workers_read_what_the_command_reads(data):
    """By the whole path, with the format that was chosen; not standard input."""
    data(20, "a.txt")
    found = source("a.txt", data_format="jsonl").input()
    assert Path(found.path) == Path("a.txt").absolute()
    assert found.format == "jsonl"
    with pytest.raises(ConfigurationError, match="workers cannot read standard input"):
        source("-").input()


def test_workers_get_the_sample_that_the_command_draws(data):
    """Drawn by the command itself, since a worker sees only its part of the data."""
    data(50, "a.jsonl")
    drawn = source("a.jsonl", sample=7)
    assert list(drawn.input().kept) == list(drawn.rows(print))
    assert len(drawn.input().kept) == drawn.count() == 7
