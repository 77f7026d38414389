"""Reading samples and labels: files, traces, chat logs, and objects of other tools, with the column names of each."""

from saiten.data.labels import read_labels, usable_labels
from saiten.data.rows import BadRow
from saiten.data.samples import read_samples

__all__ = ["BadRow", "read_labels", "read_samples", "usable_labels"]
