"""Conversion of every input that the Python API accepts into samples."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from saiten import data
from saiten.data import BadRow
from saiten.records import Language, Sample
from saiten.text.language import detect_language

Samples = str | Path | Iterable[Sample] | Iterable[Mapping[str, Any]] | Any
"""A file, samples, rows with recognized column names, or a pandas or Polars frame."""


def read_samples(
    source: Any,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that `data.read_samples` has
    language: Language | None = None,
) -> Iterator[Sample | BadRow]:
    """Return the samples of a file or of rows, and the unusable rows; see `saiten.data.read_samples`.

    Each sample's language is detected unless the rows or `language` name it.
    """
    return data.read_samples(source, columns=columns, format=format, detect_language=detect_language, language=language)


_NOTHING: Any = object()


def rows_of(samples: Samples, columns: Mapping[str, str], language: Language | None) -> Iterator[Sample | BadRow]:
    """Yield the samples and the unusable rows."""
    if hasattr(samples, "to_dicts"):  # Polars
        samples = samples.to_dicts()
    elif hasattr(samples, "to_dict") and hasattr(samples, "columns"):  # pandas
        samples = samples.to_dict("records")
    if not isinstance(samples, str | Path):
        rest: Iterator[Any] = iter(samples)
        first = next(rest, _NOTHING)
        if first is _NOTHING:
            return
        samples = chain([first], rest)
        if isinstance(first, Sample | BadRow):
            yield from _each_once(samples)
            return
    yield from read_samples(samples, columns=columns, language=language)


def _each_once(rows: Iterable[Sample | BadRow]) -> Iterator[Sample | BadRow]:
    """Yield the rows; a sample with a repeated id becomes a bad row, as in a file."""
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        if isinstance(row, Sample) and row.id in seen:
            yield BadRow(f"sample {number}", f"the id {row.id!r} appeared earlier; every answer needs its own")
            continue
        if isinstance(row, Sample):
            seen.add(row.id)
        yield row
