"""Reading samples and labels: JSONL, CSV, Parquet, Hugging Face datasets, with the column names of other tools."""

from saiten.data.labels import read_labels
from saiten.data.rows import BadRow
from saiten.data.samples import read_samples

__all__ = ["BadRow", "read_labels", "read_samples"]
