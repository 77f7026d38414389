"""Runs on disk: a manifest, scores appended line by line, and resuming."""

from saiten.runs.journal import Journal
from saiten.runs.lines import sample_from_json, sample_to_json, scored_from_json, scored_to_json
from saiten.runs.manifest import Manifest, RunSettings
from saiten.runs.reader import RunReader, read_run

__all__ = [
    "Journal",
    "Manifest",
    "RunReader",
    "RunSettings",
    "read_run",
    "sample_from_json",
    "sample_to_json",
    "scored_from_json",
    "scored_to_json",
]
