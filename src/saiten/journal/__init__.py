"""A run on disk: a manifest, scores appended line by line, and going on where it stopped."""

from saiten.journal.journal import Journal
from saiten.journal.lines import sample_from_json, sample_to_json, scored_from_json, scored_to_json
from saiten.journal.manifest import Manifest
from saiten.journal.reader import RunReader, read_run

__all__ = [
    "Journal",
    "Manifest",
    "RunReader",
    "read_run",
    "sample_from_json",
    "sample_to_json",
    "scored_from_json",
    "scored_to_json",
]
