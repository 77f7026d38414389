"""Samples and scores as columns, and the four libraries that hold columns: pandas, Polars, Arrow, Hugging Face."""

from saiten.data.frames.columns import Column, Form, columns_of
from saiten.data.frames.libraries import rows_to_pandas, to_arrow, to_dataset, to_pandas, to_polars

__all__ = ["Column", "Form", "columns_of", "rows_to_pandas", "to_arrow", "to_dataset", "to_pandas", "to_polars"]
