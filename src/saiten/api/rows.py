"""Conversion of every input that the Python API accepts into samples."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, cast

from saiten import data
from saiten.data import BadRow
from saiten.data.objects.deepeval import refuse_goldens
from saiten.data.objects.rows import is_iterable_of_rows
from saiten.records import Language, Sample
from saiten.text.language import detect_language

Samples = str | Path | Iterable[Sample] | Iterable[Mapping[str, Any]] | Any
"""A file, samples, rows with recognized column names, a pandas or Polars frame, or objects of other tools."""


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
    """Yield the samples and the unusable rows; raises BadInput if nothing can have an answer."""
    refuse_goldens(samples)
    if is_iterable_of_rows(samples):
        rest = iter(cast("Iterable[Any]", samples))
        first = next(rest, _NOTHING)
        if first is _NOTHING:
            return
        samples = chain([first], rest)
        if isinstance(first, Sample | BadRow):
            yield from _each_once(samples)
            return
    yield from read_samples(samples, columns=columns, language=language)


def _each_once(rows: Iterable[Any]) -> Iterator[Sample | BadRow]:
    """Yield the rows; a sample with a repeated id becomes a bad row, as in a file, and so does anything else."""
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Sample | BadRow):
            yield BadRow(f"sample {number}", f"expected a saiten.Sample like the first one, got {type(row).__name__}")
            continue
        if isinstance(row, Sample) and row.id in seen:
            yield BadRow(f"sample {number}", f"the id {row.id!r} appeared earlier; every answer needs its own")
            continue
        if isinstance(row, Sample):
            seen.add(row.id)
        yield row
