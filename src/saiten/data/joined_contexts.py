"""DeepEval's files, in which contexts are joined with `|` (CSV and JSON lines) and may have marks of their source.

`EvaluationDataset.save_as` writes `first|second`, and `deepeval_source=NAME,deepeval_context=TEXT` for a context with a
source. DeepEval's own reader splits at every `|`, so a text with one in it is split there, too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from saiten.data.rows import BadRow, RawRow
from saiten.data.values import is_list, listed

JOINED = ("retrieval_context", "context")
"""The columns that DeepEval joins."""

_MARK = re.compile(r"deepeval_source=.*?,deepeval_context=", re.DOTALL)


def apart(fields: Mapping[str, Any], column: str) -> Any:
    """Return the contexts in a column of a row; unchanged unless DeepEval wrote the row."""
    if not _is_deepevals(fields):
        return fields[column]
    value = listed(fields[column])
    if isinstance(value, str):
        value = value.split("|") if value else value
    return [_without_mark(item) for item in value] if is_list(value) else value


def noted(rows: Iterator[RawRow | BadRow], name: str, notify: Callable[[str], None]) -> Iterator[RawRow | BadRow]:
    """Yield the same rows, and report the first one with joined contexts."""
    for row in rows:
        if isinstance(row, RawRow) and _is_deepevals(row.fields) and any(_is_joined(row.fields.get(c)) for c in JOINED):
            notify(
                f"{name}: contexts are split at |, with which DeepEval joins them in its files; to keep a | in a text, "
                "save the data set as JSON, or write the contexts as a JSON list"
            )
            yield row
            break
        yield row
    yield from rows


def _is_deepevals(fields: Mapping[str, Any]) -> bool:
    return "input" in fields and ("actual_output" in fields or "expected_output" in fields)


def _is_joined(value: Any) -> bool:
    return isinstance(value, str) and "|" in value and isinstance(listed(value), str)


def _without_mark(item: Any) -> Any:
    return _MARK.sub("", item, count=1) if isinstance(item, str) and item.startswith("deepeval_source=") else item
