"""`result.export`: the same files as `saiten export`, also of a result that is not on disk."""

import csv
import json
import logging
from pathlib import Path

import openpyxl
import pytest

import saiten
from saiten.errors import BadInput, ConfigurationError

ROWS = [
    {"id": "good", "question": "Q1?", "answer": "In 1998.", "reference": "In 1998."},
    {"id": "bad", "question": "Q2?", "answer": "Trees.", "reference": "In 1998."},
    {"id": "none", "question": "Q3?", "answer": "Trees."},
    {"id": "unusable"},
]


@pytest.fixture
def result():
    """A result in memory."""
    return saiten.evaluate(ROWS, metrics=["token_f1", "length"])


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl"])
def test_a_result_in_memory_is_exported_like_one_on_disk(result, tmp_path, name):
    """Byte by byte, the worst answer first."""
    on_disk = saiten.evaluate(ROWS, metrics=["token_f1", "length"], run=tmp_path / "run")
    files = [each.export(tmp_path / f"{n}.{name}") for n, each in enumerate((result, on_disk))]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_path_is_returned_and_options_are_those_of_the_command(result, tmp_path):
    """Layout, order, format."""
    path = result.export(str(tmp_path / "a.txt"), format="csv", layout="long", order="data", bom=True)
    assert path == tmp_path / "a.txt"
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    assert [row["sample"] for row in rows][::2] == ["good", "bad", "none"]


def test_a_workbook_of_a_result_in_memory_has_all_sheets(result, tmp_path):
    """With its unusable rows."""
    book = openpyxl.load_workbook(result.export(tmp_path / "a.xlsx"))
    assert book.sheetnames == ["Scores", "Summary", "About", "Unusable rows"]
    assert [row[0].value for row in book["Scores"].iter_rows(min_row=2)] == ["none", "bad", "good"]
    assert book["Unusable rows"]["B2"].value == "neither question nor answer"


def test_what_the_file_lacks_is_logged(tmp_path, caplog):
    """There is no terminal to print it on."""
    result = saiten.evaluate([{"id": "q", "question": "Q?", "answer": "x" * 40_000}], metrics=["length"])
    with caplog.at_level(logging.WARNING):
        result.export(tmp_path / "a.xlsx")
    assert [record.message for record in caplog.records if "longer than a cell of Excel" in record.message]


def test_what_cannot_be_exported_is_an_error(result, tmp_path):
    """An unknown format, somebody's file, a result without answers."""
    with pytest.raises(ConfigurationError, match="there is no format 'excel' of exports; there are xlsx, csv"):
        result.export(tmp_path / "a.xlsx", format="excel")
    Path(tmp_path / "a.jsonl").write_text(json.dumps({"mine": 1}))
    with pytest.raises(BadInput, match="exists and is not an export"):
        result.export(tmp_path / "a.jsonl")
    empty = saiten.Evaluation((), (), {})
    with pytest.raises(BadInput, match="there are no answers yet"):
        empty.export(tmp_path / "b.csv")
