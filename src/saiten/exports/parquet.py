"""Exports as Parquet: typed columns, written a few thousand answers at a time."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from saiten.data.frames import loaded, to_arrow
from saiten.exports.answer_columns import column_chunks
from saiten.exports.export import Export, ExportSettings
from saiten.version import __version__

_CHUNK = 4096
_KEY = b"saiten_export"


def write_parquet(export: Export, stream: IO[bytes], settings: ExportSettings) -> Sequence[str]:
    """Write the export with the types of `data.frames.to_arrow`; the metadata has the signatures.

    Raises:
        ConfigurationError: pyarrow is not installed.
    """
    parquet = loaded("pyarrow.parquet", "parquet", "data")
    about = {"run": export.name, "saiten": __version__, "signatures": dict(export.signatures)}
    writer = None
    try:
        for columns in column_chunks(export, settings, _CHUNK):
            table = to_arrow(columns)
            table = table.replace_schema_metadata({_KEY: json.dumps(about, ensure_ascii=False)})
            writer = writer or parquet.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
    return ()


def is_parquet_export(path: Path) -> bool:
    """Return whether an export wrote the file."""
    parquet = loaded("pyarrow.parquet", "parquet", "data")
    pa = loaded("pyarrow", "parquet", "data")
    try:
        return _KEY in (parquet.read_schema(path).metadata or {})
    except pa.ArrowInvalid:
        return False
