"""Columns as a pandas or Polars frame, an Arrow table, a Hugging Face dataset; each library is imported on first use.

A missing value is NaN in pandas and null elsewhere, never 0 or the text "None".
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from saiten.data.frames.columns import Column, Kind
from saiten.errors import ConfigurationError
from saiten.records import STATUSES

_CHUNK = 8192
"""Rows converted to Arrow at a time, so that the JSON texts are never all in memory next to the table."""


def to_pandas(columns: Mapping[str, Column]) -> Any:
    """Return a DataFrame: numbers as float64, statuses as a categorical, lists as Python objects.

    Raises:
        ConfigurationError: pandas is not installed.
    """
    pd = _loaded("pandas", "to_pandas", "frames")
    dtypes: Mapping[Kind, Any] = {"number": "float64", "status": pd.CategoricalDtype(STATUSES), "texts": "object"}
    made = {  # pandas infers the type of texts: object before pandas 3, str since
        name: pd.Series(list(column.plain()), dtype=dtypes.get(column.kind)) for name, column in columns.items()
    }
    return pd.DataFrame(made, copy=False)


def rows_to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a DataFrame of records, with the types that pandas infers.

    Raises:
        ConfigurationError: pandas is not installed.
    """
    return _loaded("pandas", "to_pandas", "frames").DataFrame(list(rows))


def to_polars(columns: Mapping[str, Column]) -> Any:
    """Return a DataFrame: numbers as Float64, statuses as an Enum, lists as lists of strings.

    Raises:
        ConfigurationError: Polars is not installed.
    """
    pl = _loaded("polars", "to_polars", "frames")
    dtypes = {"number": pl.Float64, "status": pl.Enum(STATUSES), "texts": pl.List(pl.String)}
    return pl.DataFrame(
        [pl.Series(name, column.plain(), dtype=dtypes.get(column.kind, pl.String)) for name, column in columns.items()]
    )


def to_arrow(columns: Mapping[str, Column]) -> Any:
    """Return a Table: numbers as float64, statuses dictionary-encoded, lists as lists of strings.

    Raises:
        ConfigurationError: pyarrow is not installed.
    """
    pa = _loaded("pyarrow", "to_arrow", "data")
    return _table(pa, columns, pa.dictionary(pa.int8(), pa.string()))


def to_dataset(columns: Mapping[str, Column]) -> Any:
    """Return a `datasets.Dataset` of the Arrow table, with statuses as strings: `datasets` has no dictionary type.

    Raises:
        ConfigurationError: datasets is not installed.
    """
    datasets = _loaded("datasets", "to_dataset", "datasets")
    pa = _loaded("pyarrow", "to_dataset", "data")
    return datasets.Dataset(datasets.table.InMemoryTable(_table(pa, columns, pa.string())))


def _table(pa: Any, columns: Mapping[str, Column], status: Any) -> Any:
    types = {"number": pa.float64(), "status": status, "texts": pa.list_(pa.string())}
    schema = pa.schema([(name, types.get(column.kind, pa.string())) for name, column in columns.items()])
    words = pa.array(STATUSES)

    def batches() -> Iterator[Any]:
        length = max((len(column.cells) for column in columns.values()), default=0)
        for start in range(0, length, _CHUNK):
            yield pa.record_batch([chunk(name, column, start) for name, column in columns.items()], schema=schema)

    def chunk(name: str, column: Column, start: int) -> Any:
        cells = list(column.plain(start, start + _CHUNK))
        if column.kind != "status" or not pa.types.is_dictionary(status):
            return pa.array(cells, schema.field(name).type)
        codes = pa.array([None if cell is None else STATUSES.index(cell) for cell in cells], pa.int8())
        return pa.DictionaryArray.from_arrays(codes, words)

    return pa.Table.from_batches(batches(), schema)


def _loaded(module: str, what: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(f'{what} needs {module}; install it with pip install "saiten[{extra}]"') from error
