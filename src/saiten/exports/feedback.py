"""Exports of scores for the tools that recorded the traces of the answers; see `data.feedback`."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from saiten.data.feedback import feedback_lines
from saiten.data.feedback.graded import FeedbackSource
from saiten.exports.export import Export, ExportSettings
from saiten.exports.json_lines import first_line
from saiten.runs.manifest import signature_parts


def write_feedback(export: Export, stream: IO[bytes], settings: ExportSettings, *, tool: str) -> Sequence[str]:
    """Write one line per score; return a note if some answers were not read from traces.

    Raises:
        BadInput: No answer was read from a trace.
    """
    notes: list[str] = []
    for line in feedback_lines(tool, export.graded(settings), _source(export), notes.append):
        stream.write(line)
    return notes


def is_feedback(path: Path, *, keys: Sequence[str]) -> bool:
    """Return whether the first line has these keys, as those of an export do."""
    return first_line(path).keys() >= set(keys)


def _source(export: Export) -> FeedbackSource:
    """Return the judges of the metrics, the offline one excepted, which is no model; the run, and when it began."""
    judges = {metric: signature_parts(metric, export.signatures).get("judge", "") for metric in export.answers.metrics}
    models = {metric: judge for metric, judge in judges.items() if judge and not judge.startswith("offline")}
    began = {"time": datetime.fromisoformat(export.created)} if export.created else {}
    return FeedbackSource(models, export.name, **began)
