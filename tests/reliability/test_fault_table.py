"""The tables of faults in docs/reliability.md: every row is a test, and every test of this folder is in a row."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {"en": ROOT / "docs" / "reliability.md", "ja": ROOT / "docs" / "ja" / "reliability.md"}
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_WITHOUT_A_FAULT = {"test_fault_table.py"}


def rows(language):
    """The tests that each row of the page's tables names, group by group."""
    text = PAGES[language].read_text(encoding="utf-8")
    tables = re.findall(r"^\|---\|---\|---\|---\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[_NAMED.findall(row.rsplit(" | ", 1)[1]) for row in table.splitlines()] for table in tables]


def defined(path):
    """The functions of a module."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("language", PAGES)
def test_each_row_names_tests_that_exist(language):
    """A row without a test, or with the name of one that is gone, is a claim that nobody checks."""
    found = rows(language)
    assert len(found) == 7, "expected one table per group: process, disk, server, money, data, people, attackers"
    for row in (row for table in found for row in table):
        assert row
        assert [name for path, name in row if not (ROOT / path).is_file() or name not in defined(path)] == []


def test_each_test_module_is_in_a_row():
    """What tests/reliability tests is promised to users, too."""
    modules = {path.name for path in Path(__file__).parent.glob("test_*.py")} - _WITHOUT_A_FAULT
    named = {path for table in rows("en") for row in table for path, _ in row}
    assert modules <= {path.removeprefix("tests/reliability/") for path in named}


def test_both_languages_have_the_same_rows():
    """In the same order, with the same tests."""
    assert rows("en") == rows("ja")
