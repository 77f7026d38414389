"""A run to export: from a folder, or from the Python API's memory."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Any

from saiten.errors import BadInput
from saiten.records import Sample, Scored, Usage
from saiten.runs import RunReader
from saiten.runs.lines import to_line


@dataclass(frozen=True, slots=True)
class Tracking:
    """A run's facts. Samples and scores are streams: each call starts over."""

    identity: str
    """Constant for a run, even if its folder is moved or the run progresses."""
    name: str
    samples: Callable[[], Iterable[Sample]]
    scores: Callable[[], Iterable[Scored]]
    """Each pair of sample and metric once."""
    signatures: Mapping[str, str]
    """How the figures are made, by metric."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings shared by all scores; ready for JSON."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of saiten, Python and packages that figures may depend on."""
    begun: datetime | None = None
    stopped: str | None = None
    """Why it is known to be unfinished."""
    bad_rows: int = 0
    paid: Usage | None = None
    """The amount spent, if it was recorded call by call."""


def run_on_disk(reader: RunReader) -> Tracking:
    """Read the run in a folder; nothing is written there.

    Its identity is a digest of what never changes as a run progresses: its start and settings, its first metric, its
    first sample and its first score.

    Raises:
        BadInput: it has no scores yet.
    """
    manifest = reader.manifest
    first_score = next(iter(reader.scores()), None)
    if first_score is None:
        raise BadInput(f"{reader.folder} has no scores yet; there is nothing to track")
    digest = sha256()
    first_metric = dict(list(manifest.signatures.items())[:1])
    digest.update(to_line({"created": manifest.created, "settings": manifest.settings, "metric": first_metric}))
    for name in ("samples.jsonl", "scores.jsonl"):
        path = reader.folder / name  # in shards, the first line of the run may come late
        with path.open("rb") if path.exists() else BytesIO(b"\n") as file:
            digest.update(file.readline())
    return Tracking(
        digest.hexdigest()[:32],
        reader.folder.resolve().name,
        reader.samples,
        reader.scores,
        manifest.signatures,
        manifest.settings,
        manifest.versions,
        _moment(manifest.created),
        stopped="its data was not read to the end" if reader.unfinished else None,
        bad_rows=reader.bad_rows(),
        paid=reader.paid(),
    )


def _moment(created: str) -> datetime | None:
    try:
        return datetime.fromisoformat(created)
    except (TypeError, ValueError):
        return None
