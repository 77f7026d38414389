"""Exports as CSV and TSV, which `saiten score` reads back.

Lists are JSON in their cells. An empty cell is *not given*, in the column of answers an empty or a missing answer.
"""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from saiten.data.csv_rows import MAX_FIELD
from saiten.exports.answer_columns import FIELDS, LONG, OF_SOME, as_one_reference, column_chunks, column_names
from saiten.exports.export import Export, ExportSettings
from saiten.views.formulas import no_formula

_BOM = b"\xef\xbb\xbf"
_CHUNK = 500
_EMPTY_IS_GIVEN = ("contexts", "evidence")
"""An empty list of them means that nothing was found."""


def write_delimited(export: Export, stream: IO[bytes], settings: ExportSettings, *, delimiter: str) -> Sequence[str]:
    """Write the export as text with delimiters, in UTF-8."""
    chunks = column_chunks(export, settings, _CHUNK)
    rows = (row for columns in chunks for row in zip(*(column.plain() for column in columns.values()), strict=True))
    write_rows(stream, column_names(export, settings), rows, delimiter=delimiter, bom=settings.bom)
    return ()


def write_rows(
    stream: IO[bytes], names: Sequence[str], rows: Iterable[Iterable[Any]], *, delimiter: str, bom: bool
) -> None:
    """Write rows as text with delimiters, in UTF-8, below a header with the names of the columns.

    `bom`: begin with a byte order mark, and prefix an apostrophe to formulas, for Excel.
    """
    if bom:
        stream.write(_BOM)
    out = TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(out, delimiter=delimiter)  # it quotes a cell with a character of its line end, \r\n
    shown: Callable[[str], str] = no_formula if bom else str
    try:
        writer.writerow(map(shown, names))
        for row in rows:
            writer.writerow([_cell(cell, name, shown) for cell, name in zip(row, names, strict=True)])
    finally:
        out.detach()  # flushed, and left open for its owner


def is_delimited_export(path: Path, *, delimiter: str) -> bool:
    """Return whether the file has exactly the columns of an export: nobody has added one."""
    with path.open("r", encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            header = next(csv.reader([file.readline(MAX_FIELD)], delimiter=delimiter), [])
        except csv.Error:
            return False
    if tuple(header) == LONG:
        return True
    rest = [name for name in header[len(FIELDS) :] if name not in OF_SOME]
    metrics = [name.removesuffix(":status") for name in rest if name.endswith(":status")]
    of_metrics = {f"{metric}{end}" for metric in metrics for end in ("", ":status", ":reason", ":expected")}
    return tuple(header[: len(FIELDS)]) == FIELDS and set(rest) <= of_metrics


def _cell(cell: Any, name: str, shown: Callable[[str], str]) -> Any:
    """Return what is written in a cell."""
    if isinstance(cell, list):
        return json.dumps(cell, ensure_ascii=False) if cell or name in _EMPTY_IS_GIVEN else None
    if not isinstance(cell, str):
        return cell
    return shown(as_one_reference(cell) if name == "reference" else cell)
