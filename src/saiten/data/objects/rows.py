"""Rows in memory: mappings, models, dataclasses and other tools' objects, and what holds them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from saiten.data.objects.answered import Answered
from saiten.data.objects.hugging_face import DICTS, SETS, only_split, rows_of_set
from saiten.data.objects.readers import COLLECTIONS, ROWS, UNREAD, VALUES
from saiten.data.objects.types import declared_fields, found_for, kinds_of, type_name
from saiten.data.objects.values import key_text, plain
from saiten.data.rows import BadRow, RawRow, bad_row, place
from saiten.errors import BadInput

_ROW = (
    "a mapping of column to value, a dataclass, a pydantic model, or an object of RAGAS, DeepEval, LlamaIndex or "
    "Haystack"
)
_SOURCE = "a file, rows, a pandas or Polars frame, a Hugging Face, RAGAS or DeepEval data set"


def rows_in_memory(
    source: Any, name: str, *, wanted: Callable[[str], bool], notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    """Yield the rows of a collection: their values are texts, numbers, lists and mappings, answers may be `Answered`.

    Raises BadInput if it is no collection of rows, or has several splits.
    """
    noted: set[str] = set()
    for number, row in enumerate(_collected(source, wanted), 1):
        if isinstance(row, BadRow):
            yield row
            continue
        for sentence in _unread(row) - noted:
            noted.add(sentence)
            notify(f"{name}: {sentence}")
        where = place(name, number)
        try:
            yield RawRow(number, _fields(row, wanted), where)
        except ValueError as error:
            yield bad_row(where, str(error), _shown(row))


def is_known(source: Any) -> bool:
    """Return whether this is an object that another tool documents, or a model or dataclass: never an open file."""
    kinds = kinds_of(type(source))
    return any(kind in SETS | DICTS or kind in COLLECTIONS or kind in ROWS or kind in VALUES for kind in kinds) or (
        declared_fields(source) is not None
    )


def is_iterable_of_rows(source: Any) -> bool:
    """Return whether the rows are what the object yields, as for a list or a generator."""
    if isinstance(source, str | Path | Mapping) or is_known(source):
        return False
    return hasattr(type(source), "__iter__") and not _is_frame(source)


def _collected(source: Any, wanted: Callable[[str], bool]) -> Iterable[Any]:
    kinds = frozenset(kinds_of(type(source)))
    if kinds & DICTS:
        source = only_split(source, 'dataset["{split}"]')
        kinds = frozenset(kinds_of(type(source)))
    if kinds & SETS:
        return rows_of_set(source, wanted)
    read = found_for(source, COLLECTIONS)
    if read is not None:
        return read(source)  # type: ignore[no-any-return]  # each of them returns rows
    if isinstance(source, Mapping):
        raise BadInput(f"expected {_SOURCE}, got one {type_name(source)}; put a single row into a list: [row]")
    if is_known(source) and not _yields_rows(source):
        return [source]
    if _is_frame(source):
        return source.to_dicts() if hasattr(source, "to_dicts") else source.to_dict("records")  # type: ignore[no-any-return]
    if hasattr(type(source), "__iter__"):
        return source  # type: ignore[no-any-return]
    raise BadInput(f"expected {_SOURCE}, got {type_name(source)}")


def _yields_rows(source: Any) -> bool:
    """Return whether this is a dataclass with rows in it; a pydantic model yields its fields."""
    return hasattr(type(source), "__iter__") and ("pydantic", "BaseModel") not in kinds_of(type(source))


def _is_frame(source: Any) -> bool:
    """Return whether this is a frame of Polars or of pandas."""
    return hasattr(source, "to_dicts") or (hasattr(source, "to_dict") and hasattr(source, "columns"))


def _fields(row: Any, wanted: Callable[[str], bool]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in _named(row).items():
        column = key_text(key)
        try:
            fields[column] = plain(value)
        except ValueError as error:
            if wanted(column):
                raise ValueError(f"{column}: {error}") from error
            fields[column] = None
    return fields


def _named(row: Any) -> Mapping[Any, Any]:
    """Return the fields of a row as they are; raises ValueError for anything that is not a row."""
    if isinstance(row, Mapping):
        return row
    read = found_for(row, ROWS)
    if read is not None:
        return read(row)  # type: ignore[no-any-return]  # each of them returns a mapping
    is_value = found_for(row, VALUES) is not None
    if is_value and isinstance(plain(row), Answered):
        return {"answer": row}
    fields = None if is_value else declared_fields(row)
    if fields is None:  # a document is no row either
        raise ValueError(f"expected {_ROW}, got {_kind(row)}")
    return fields


def _kind(row: Any) -> str:
    kinds = {list: "a list", str: "text", bool: "true or false", type(None): "null", int: "a number", float: "a number"}
    return kinds.get(type(row), type_name(row))


def _shown(row: Any) -> Any:
    """Return what is shown of a row that cannot be used; nothing of an object, whose text could be anything."""
    if type(row) in {str, int, float, bool, type(None)}:
        return row
    try:
        return _fields(row, lambda _: False)
    except ValueError:
        return f"<{type_name(row)}>"


def _unread(row: Any) -> set[str]:
    sentences = None if type(row) is dict else found_for(row, UNREAD)
    if sentences is None:
        return set()
    return {sentence for field, sentence in sentences.items() if getattr(row, field, None)}
