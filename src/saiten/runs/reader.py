"""The reading side of a run on disk, while it is written or afterwards; streams, and survives a damaged line."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.errors import BadInput
from saiten.records import Sample, Scored, Usage
from saiten.runs.journal import SAMPLES_NAME, SCORES_NAME
from saiten.runs.keys import score_key
from saiten.runs.lines import read_lines, sample_from_json, scored_from_json
from saiten.runs.locked_folder import ERRORS_NAME
from saiten.runs.manifest import Manifest, read_manifest
from saiten.runs.paid import paid_in

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunReader:
    """A run as it is on disk. A line that cannot be read is reported with its number and skipped."""

    folder: Path
    manifest: Manifest
    tell: Callable[[str], None]
    """Called with a note about each line that cannot be read."""

    @property
    def unfinished(self) -> bool:
        """Whether the run is known to be unfinished; False for runs of versions that did not record it."""
        return self.manifest.finished is False

    def scores(self) -> Iterator[Scored]:
        """Each pair of sample and metric once, with its last line, in the order of those lines.

        Reads the file twice and remembers some 130 bytes a pair. What is added meanwhile is not seen.
        """
        last: dict[int, int] = {}
        for number, scored in read_lines(self.folder / SCORES_NAME, scored_from_json, self.tell):
            last[score_key(scored.sample, scored.metric)] = number
        end = max(last.values(), default=0)
        for number, scored in read_lines(self.folder / SCORES_NAME, scored_from_json):
            if last.get(score_key(scored.sample, scored.metric)) == number:
                yield scored
            if number >= end:
                return

    def samples(self) -> Iterator[Sample]:
        """The samples in the order in which they came."""
        return (sample for _, sample in read_lines(self.folder / SAMPLES_NAME, sample_from_json, self.tell))

    def sample(self, identity: str) -> Sample | None:
        """The sample with this id, found by reading; None if there is none."""
        return next((sample for sample in self.samples() if sample.id == identity), None)

    def errors(self) -> Iterator[dict[str, Any]]:
        """Bad rows (`kind` row: `where`, `reason`, `raw`) and scores that failed (`kind` score), as they came."""
        return (value for _, value in read_lines(self.folder / ERRORS_NAME, dict[str, Any], self.tell))

    def paid(self) -> Usage | None:
        """Return the total spending, including calls that led to no score; None if no call was recorded."""
        return paid_in(self.folder)

    def bad_rows(self) -> int:
        """Count the rows of the data that could not be used when it was last read to its end, else all there were."""
        if self.manifest.finished and self.manifest.bad_rows is not None:
            return self.manifest.bad_rows
        return sum(error.get("kind") == "row" for error in self.errors())


def read_run(folder: Path | str, *, tell: Callable[[str], None] = _LOG.warning) -> RunReader:
    """The run in a folder.

    Raises:
        BadInput: there is no run in it.
        ConfigurationError: its manifest is of a later version or damaged.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest is None:
        kind = "there is no manifest.json in it" if folder.is_dir() else "a run is the folder that `saiten score` makes"
        raise BadInput(f"{folder} is no run of saiten: {kind if folder.exists() else 'there is no such folder'}")
    return RunReader(folder, manifest, tell)
