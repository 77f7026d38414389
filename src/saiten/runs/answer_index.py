"""The answers of a run on disk in any order, with their scores: the files are read line by line, by their offsets.

Memory: about 40 bytes per answer, and 16 per score. The run may still be written; lines added meanwhile are not seen.
"""

import math
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from saiten.digests import Digests, digest_here
from saiten.records import Sample, Score
from saiten.runs.journal import SAMPLES_NAME, SCORES_NAME
from saiten.runs.lines import from_line, read_lines_at, sample_from_json, scored_from_json
from saiten.runs.reader import RunReader, pair_of

_OPEN_AT_MOST = 64
"""Files open at once; a run in shards has two per shard."""
_NO_LINE = -1


class AnswerIndex(AbstractContextManager["AnswerIndex"]):
    """Where each answer and each of its scores is. Close it, or use it in `with`."""

    def __init__(self, reader: RunReader, progress: Callable[[int], None] = lambda _: None) -> None:
        """Read all files of the run once; `progress` is called with the number of lines so far.

        Unreadable lines are reported to the reader's `notify`.
        """
        self._reader, self._progress, self._seen = reader, progress, 0
        self._rows = Digests("Q")
        self._samples = array("q")
        self._starts: list[int] = []
        """The first row of each folder."""
        self.fields: set[str] = set()
        """The fields that any sample has."""
        self.japanese = 0
        """Number of Japanese samples."""
        self.expected: set[str] = set()
        """Metrics with expected values."""
        self.orphans = 0
        """Scores of samples that the run lacks."""
        self._scores: dict[str, npt.NDArray[np.int64]] = {}
        self.values: dict[str, npt.NDArray[np.float64]] = {}
        """Metric → the value of each answer; NaN for none."""
        self._files: OrderedDict[Path, IO[bytes]] = OrderedDict()
        for folder in reader.folders:
            self._add_samples(folder)
        for metric in reader.manifest.signatures:
            self._add_metric(metric)
        for number, folder in enumerate(reader.folders):
            self._add_scores(folder, range(self._starts[number], [*self._starts, len(self)][number + 1]))

    def __exit__(self, *error: object) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics in the order of the run."""
        return tuple(self._scores)

    @property
    def missing(self) -> int:
        """The number of pairs of an answer and a metric that have no score yet."""
        return sum(int((offsets == _NO_LINE).sum()) for offsets in self._scores.values())

    def read(self, rows: Iterable[int]) -> Iterator[tuple[Sample, dict[str, Score]]]:
        """Yield the answers in these rows, with their scores by metric."""
        for row in rows:
            folder = self._reader.folders[bisect_right(self._starts, row) - 1]
            sample = sample_from_json(self._line(folder / SAMPLES_NAME, self._samples[row]))
            lines = ((metric, int(offsets[row])) for metric, offsets in self._scores.items())
            scores = {
                metric: scored_from_json(self._line(folder / SCORES_NAME, line)).score
                for metric, line in lines
                if line != _NO_LINE
            }
            yield sample, scores

    def _line(self, path: Path, begins: int) -> dict[str, Any]:
        file = self._files.get(path)
        if file is None:
            if len(self._files) >= _OPEN_AT_MOST:
                self._files.popitem(last=False)[1].close()
            file = self._files[path] = path.open("rb")
        file.seek(begins)
        return from_line(file.readline())

    def _add_samples(self, folder: Path) -> None:
        self._starts.append(len(self))
        for _, begins, (identity, fields, japanese) in read_lines_at(
            folder / SAMPLES_NAME, _facts, self._reader.notify
        ):
            self._step()
            digest = digest_here(identity)
            row = self._rows.get(digest)
            if row is None:
                self._rows.put(digest, len(self))
                self._samples.append(begins)
                self.japanese += japanese
            elif row >= self._starts[-1]:
                self._samples[row] = begins
            self.fields |= fields

    def _add_metric(self, metric: str) -> None:
        self._scores[metric] = np.full(len(self), _NO_LINE, np.int64)
        self.values[metric] = np.full(len(self), math.nan)

    def _add_scores(self, folder: Path, rows: range) -> None:
        for _, begins, (identity, metric, value, expected) in read_lines_at(
            folder / SCORES_NAME, _brief, self._reader.notify
        ):
            self._step()
            row = self._rows.get(digest_here(identity))
            if row is None or row not in rows:
                self.orphans += 1
                continue
            if metric not in self._scores:
                self._add_metric(metric)
            self._scores[metric][row] = begins
            self.values[metric][row] = value
            if expected:
                self.expected.add(metric)

    def _step(self) -> None:
        self._seen += 1
        if not self._seen % 1000:
            self._progress(self._seen)


def _facts(value: Mapping[str, Any]) -> tuple[str, set[str], bool]:
    """Return the sample's id, the fields it has, and whether it is Japanese."""
    sample = sample_from_json(value)
    fields = {name for name, given in value.items() if given not in (None, "", [])}
    return sample.id, fields, sample.language == "ja"


def _brief(value: dict[str, Any]) -> tuple[str, str, float, bool]:
    """Return sample, metric and value of a score, and whether it has an expected value."""
    sample, metric = pair_of(value)
    number = value.get("value")
    return sample, metric, math.nan if number is None else float(number), value.get("expected") is not None
