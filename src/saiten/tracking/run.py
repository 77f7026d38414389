"""A run as it is to be tracked: from a folder, or from what the Python API holds in memory."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from saiten.errors import BadInput
from saiten.records import Sample, Scored, Usage
from saiten.runs import RunReader
from saiten.runs.lines import to_line


@dataclass(frozen=True, slots=True)
class Tracking:
    """What is known of a run. Samples and scores are streams: each call begins anew."""

    identity: str
    """The same for the same run, wherever its folder is moved and however far it has gone on."""
    name: str
    """For people."""
    samples: Callable[[], Iterable[Sample]]
    scores: Callable[[], Iterable[Scored]]
    """Each pair of sample and metric once."""
    signatures: Mapping[str, str]
    """By metric: how its figures are made."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What all scores have in common; ready for JSON."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of saiten, Python and the packages that figures may depend on."""
    begun: datetime | None = None
    stopped: str | None = None
    """Why it is known not to be finished."""
    bad_rows: int = 0
    """Rows that could not be used."""
    paid: Usage | None = None
    """What it has spent, where that was written down call by call."""


def run_on_disk(reader: RunReader) -> Tracking:
    """The run in a folder; nothing is written there.

    Its identity is a digest of what never changes while a run goes on: when and with which settings it was begun, its
    first metric, its first sample and its first score.

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
        digest.update(_first_line(reader.folder / name))
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


def _first_line(path: Path) -> bytes:
    if not path.exists():
        return b"\n"
    with path.open("rb") as file:
        return file.readline()


def _moment(created: str) -> datetime | None:
    try:
        return datetime.fromisoformat(created)
    except (TypeError, ValueError):
        return None
