"""Exports as JSON lines: one object per answer, with its fields, and its scores by metric under `scores`.

A score has `value`, `status`, `reason` and `details`, and `expected` and `votes` if the judge gave any.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from saiten.data.feedback.graded import Graded
from saiten.data.frames import json_of
from saiten.data.traces.kept import trace_to_json
from saiten.exports.answer_columns import FIELDS
from saiten.exports.export import Export, ExportSettings
from saiten.records import Score
from saiten.runs.lines import from_line, to_line

_OF_SOME = {"conversation", "history", "trace"}
"""Fields that only some answers have."""
_READ = 32 << 20
"""Maximum bytes of the first line."""


def write_json_lines(export: Export, stream: IO[bytes], settings: ExportSettings) -> Sequence[str]:
    """Write one line per answer, in UTF-8."""
    for graded in export.graded(settings):
        stream.write(answer_line(graded))
    return ()


def answer_line(graded: Graded) -> bytes:
    """Return the line of one answer; a field that was not given is null."""
    sample, scores = graded
    given = {name: getattr(sample, name) for name in FIELDS}
    line = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    if sample.conversation is not None:
        line["conversation"] = sample.conversation
    if sample.history:
        line["history"] = [turn.to_json() for turn in sample.history]
    if sample.trace is not None:
        line["trace"] = trace_to_json(sample.trace)
    try:
        return to_line({**line, "scores": {metric: _object(score) for metric, score in scores.items()}})
    except (TypeError, ValueError):  # details of a custom metric that JSON cannot hold
        found = {metric: _object(score) for metric, score in scores.items()}
        plain = {metric: {**each, "details": json.loads(json_of(each["details"]))} for metric, each in found.items()}
        return to_line({**line, "scores": plain})


def first_line(path: Path) -> dict[str, Any]:
    """Return the object in the first line of a file; empty if there is none."""
    with path.open("rb") as file:
        try:
            return from_line(file.readline(_READ))
        except ValueError:
            return {}


def is_json_export(path: Path) -> bool:
    """Return whether the first line is that of an export."""
    return [name for name in first_line(path) if name not in _OF_SOME] == [*FIELDS, "scores"]


def _object(score: Score) -> dict[str, Any]:
    found: dict[str, Any] = {"value": score.value, "status": score.status, "reason": score.reason}
    if score.expected is not None:
        found["expected"] = score.expected
    if score.votes:
        found["votes"] = list(score.votes)
    details: Mapping[str, Any] = score.details
    return {**found, "details": details}
