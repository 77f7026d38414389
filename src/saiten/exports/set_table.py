"""Test sets as tables for people: one row per question, which can be edited and read back.

The columns have the names that `saiten answer`, `score` and `testset` read; lists are JSON in their cells.
"""

from collections.abc import Mapping, Sequence
from typing import IO, Any

from saiten.exports.answer_columns import as_one_reference
from saiten.exports.answer_workbook import counted_cuts, listed_cell
from saiten.exports.decisions import decision_on
from saiten.exports.delimited import write_rows
from saiten.records import Language
from saiten.testsets.items import SetItem
from saiten.views.workbook import SheetColumn, opened_book
from saiten.words import section

_WIDTHS: Mapping[str, float] = {
    "id": 16, "group": 14, "question": 44, "reference": 44, "sources": 24, "evidence": 60, "history": 44,
    "language": 10, "verdict": 12, "decided_by": 18,
}  # fmt: skip
"""The columns from left to right, with their widths in characters."""
_LOW = ("evidence", "history")
"""Columns for whose long texts rows are not made higher."""


def write_set_csv(items: Sequence[SetItem], stream: IO[bytes], *, bom: bool) -> Sequence[str]:
    """Write the items as CSV; return a note on what is left out."""
    names = _names(items)
    rows = ([_row(item)[name] for name in names] for item in items)
    write_rows(stream, names, rows, delimiter=",", bom=bom)
    return _lacks(items)


def write_set_workbook(items: Sequence[SetItem], stream: IO[bytes], language: Language | None) -> Sequence[str]:
    """Write the items as a workbook with headings in this language; return notes on what is left out.

    Raises:
        BadInput: There are more items than a sheet of Excel has rows.
    """
    japanese = sum(item.language == "ja" for item in items)
    language = language or ("ja" if 2 * japanese > len(items) else "en")
    words, names = section("export", language), _names(items)
    columns = [SheetColumn(words[name], _WIDTHS[name], low=name in _LOW) for name in names]
    with opened_book(stream, words["test_set"], japanese=japanese > 0 or language == "ja") as book:
        sheet = book.sheet(words["test_set"], columns, len(items))
        for item in items:
            row = _row(item)
            if row["verdict"]:
                row["verdict"] = words[row["verdict"]]
            cells = [row[name] for name in names]
            sheet.add([listed_cell(cell) if isinstance(cell, list) else cell for cell in cells])
        sheet.end()
    if cut := counted_cuts(book):
        return (*_lacks(items), f"{cut}; csv and jsonl have all of them")
    return _lacks(items)


def _names(items: Sequence[SetItem]) -> list[str]:
    """Return the names of the columns; those for dialogues and decisions only if there are any."""
    talks, decided = any(item.history for item in items), any(item.decisions for item in items)
    absent = {*(() if talks else ("history",)), *(() if decided else ("verdict", "decided_by"))}
    return [name for name in _WIDTHS if name not in absent]


def _row(item: SetItem) -> dict[str, Any]:
    decision = decision_on(item)
    return {
        "id": item.id,
        "group": item.kind or None,
        "question": item.question,
        "reference": as_one_reference(item.reference) if item.reference else None,
        "sources": ", ".join(dict.fromkeys(passage.source for passage in item.passages if passage.source)) or None,
        "evidence": [passage.text for passage in item.passages] or None,
        "history": [turn.to_json() for turn in item.history] or None,
        "language": item.language,
        "verdict": decision and decision.verdict,
        "decided_by": decision and ", ".join(decision.people),
    }


def _lacks(items: Sequence[SetItem]) -> Sequence[str]:
    checks, made = sum(bool(item.checks) for item in items), sum(bool(item.made) for item in items)
    if not checks and not made and all(passage.start is None for item in items for passage in item.passages):
        return ()
    note = f"a table has no columns for how {made} questions were made, for checks ({checks}) and places of passages"
    return (f"{note}; jsonl has all of it",)
