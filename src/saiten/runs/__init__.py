"""Runs on disk: a manifest, scores appended line by line, and resuming."""

from saiten.runs.journal import Journal
from saiten.runs.lines import sample_from_json, sample_to_json, scored_from_json, scored_to_json
from saiten.runs.manifest import Manifest
from saiten.runs.reader import RunReader, read_run
from saiten.runs.settings import RunSettings

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
