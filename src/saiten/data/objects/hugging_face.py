"""Hugging Face: data sets of the package `datasets`, in memory, on disk or streamed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from saiten.data.objects.types import Kind
from saiten.errors import BadInput

SETS: frozenset[Kind] = frozenset({("datasets", "Dataset"), ("datasets", "IterableDataset")})
DICTS: frozenset[Kind] = frozenset({("datasets", "DatasetDict"), ("datasets", "IterableDatasetDict")})


def rows_of_set(data: Any, wanted: Callable[[str], bool]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of one split as Python's own types; unwanted columns are None, since images are slow to read."""
    names = data.column_names or []  # a stream may not know them
    needed = [name for name in names if wanted(name)]
    empty = dict.fromkeys(names)
    chosen = data.select_columns(needed) if needed else data
    for row in chosen.with_format(None):
        yield {**empty, **row}


def only_split(splits: Mapping[str, Any], how: str) -> Any:
    """Return the only split; raise BadInput if there are several, and say `how` to name one of them."""
    if len(splits) != 1:
        names = ", ".join(map(str, splits)) or "none"
        example = "test" if "test" in splits else next(iter(splits), "train")
        raise BadInput(f"the data set has the splits {names}; name one: {how.format(split=example)}")
    return next(iter(splits.values()))
