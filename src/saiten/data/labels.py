"""What people said, out of JSONL, CSV or any other format."""

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.opening import Source, name_of
from saiten.data.rows import BadRow, Row, bad_row
from saiten.data.values import as_text
from saiten.records import Label

_LOG = logging.getLogger(__name__)

_WORDS = {
    **dict.fromkeys(("true", "yes", "correct", "はい", "正", "正しい", "正解", "○", "〇"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "いいえ", "誤", "誤り", "不正解", "×", "✕"), 0.0),
}


def read_labels(
    source: Source,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that the command line has
    tell: Callable[[str], None] = _LOG.warning,
) -> Iterator[Label | BadRow]:
    """The labels of a source, read as they are asked for; verdicts (true, yes, はい, ○, …) become 1 and 0.

    Args:
        source: As for samples.
        columns: `item`, `value`, `annotator`, `aspect` → column, where the names are not recognised.
        format: As for samples.
        tell: Is told what the user should know.

    Raises:
        BadInput: with the first `next`: no such file, no known format, no column for the item or for the value.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    fields = Columns(LABEL_COLUMNS, columns)
    name = name_of(source)
    rows = read_rows(source, format, wanted=fields.wanted, tell=tell)
    for needed in ("item", "value"):
        rows = fields.checked(rows, name, (needed,), tell if needed == "item" else _nothing)
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            label = _label(row, fields)
        except ValueError as error:
            yield bad_row(name, row.number, str(error), row.fields)
        else:
            yield label


def _label(row: Row, columns: Columns) -> Label:
    def text(field: str) -> str:
        value = columns.find(row.fields, field)
        return "" if value is MISSING else as_text(value) or ""

    item = text("item")
    if not item:
        raise ValueError("no item: the id of the sample was expected")
    return Label(item, _value(columns.find(row.fields, "value")), text("annotator"), text("aspect"))


def _value(value: Any) -> float:
    text = "" if value is MISSING else (as_text(value) or "").strip()
    if not text:
        raise ValueError("no value: a verdict or a grade was expected")
    word = _WORDS.get(text.casefold())
    if word is not None:
        return word
    try:
        number = float(text)
    except ValueError:
        raise ValueError(
            f"the value {text[:40]!r} is neither a number nor a verdict such as yes, no, true, ○"
        ) from None
    if not math.isfinite(number):
        raise ValueError(f"the value {text[:40]!r} is no finite number")
    return number


def _nothing(_: str) -> None:
    """What was told once is not told again."""
