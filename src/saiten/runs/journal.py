"""The writing side of a run on disk: each result is written at once, and never paid for twice.

A run is a folder: `manifest.json` (how it was made), `samples.jsonl` (the samples in order), `scores.jsonl` (one line
per score, appended; of several lines for a sample and a metric, the last one counts) and `errors.jsonl` (unusable rows,
and scores without a value because of a reply or a call, with the raw reply). A last line torn by a power failure is
moved to a file `….torn` when the run is resumed.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from saiten.durable.lock import LOCK_NAME
from saiten.durable.whole_file import is_left
from saiten.errors import BadInput, ConfigurationError
from saiten.records import STATUSES, Sample, Scored, Usage
from saiten.runs.lines import (
    content_key,
    has_lines,
    id_key,
    sample_from_json,
    sample_to_json,
    score_key,
    scored_to_json,
    to_line,
    usage_from_json,
)
from saiten.runs.locked_folder import ERRORS_NAME, BadRows, LockedFolder, PaidCalls
from saiten.runs.manifest import MANIFEST_NAME, Manifest, RunSettings, read_manifest, settings_in, write_manifest

SAMPLES_NAME, SCORES_NAME = "samples.jsonl", "scores.jsonl"

_OPEN_AGAIN = ("failed", "unreadable")
"""The statuses to which `retry_failed` applies."""

_LOG = logging.getLogger(__name__)


class Journal(LockedFolder):
    """A run being written. Memory: about 250 bytes per sample and 70 per score that exist."""

    @classmethod
    def open(
        cls,
        folder: Path | str,
        settings: RunSettings = RunSettings(),  # noqa: B008 - frozen
        *,
        signatures: Mapping[str, str] | None = None,
        command: Sequence[str] = (),
        retry_failed: bool = False,
        notify: Callable[[str], None] = _LOG.warning,
    ) -> "Journal":
        """Start a run in an empty or new folder, or resume the existing one.

        Metrics may be added to a run. A metric that is already in the run must keep its signature, so that its
        scores are comparable.

        A run without scores may start over with other settings, for example after a mistyped model or column. Paid
        replies are in the cache, which stays.

        Args:
            folder: The run's folder.
            settings: Shared by all scores of the run.
            signatures: Metric → its signature.
            command: The command line, for the manifest.
            retry_failed: Treat scores that are `failed` or `unreadable` as missing.
            notify: Called with each note about what was repaired.

        Raises:
            ConfigurationError: The folder holds something else, or a run with other settings (listed); another
                process is writing it; it cannot be written. Nothing was changed then.
        """
        folder = Path(folder)
        _refuse_foreign(folder)
        journal = cls(folder, notify)
        try:
            journal._begin(settings, signatures or {}, command, retry_failed=retry_failed)
        except BaseException:
            journal.close()
            raise
        return journal

    def _begin(
        self, settings: RunSettings, signatures: Mapping[str, str], command: Sequence[str], *, retry_failed: bool
    ) -> None:
        self._signatures = signatures
        there = read_manifest(self.path)
        if there is not None and there.differing(settings, signatures) and not has_lines(self.path / SCORES_NAME):
            for name in (SAMPLES_NAME, ERRORS_NAME):  # possibly read with the wrong column names
                (self.path / name).unlink(missing_ok=True)
            there = None
        if there is None:
            self.manifest = Manifest.new(settings, signatures, command)
        else:
            self.manifest = there.going_on(settings, signatures, self.path)
            if retry_failed:
                self.manifest = replace(self.manifest, finished=False)
        write_manifest(self.path, self.manifest)
        self._samples, self._scores = self.file(SAMPLES_NAME), self.file(SCORES_NAME)
        self._contents = {id_key(str(value.get("id"))): content_key(line) for line, value in self.lines(self._samples)}
        self._seen: set[int] = set()
        """Samples seen since the run was opened."""
        self._done: set[int] = set()
        for _, value in self.lines(self._scores):
            key = score_key(str(value.get("sample")), str(value.get("metric")))
            status = value.get("status")
            if retry_failed and status in _OPEN_AGAIN:
                self._done.discard(key)
            elif status in STATUSES:
                self._done.add(key)
        self._bad_rows = BadRows(self)
        self.paid = PaidCalls(self, self._cost_of_scores)
        """The book of calls."""

    @property
    def done(self) -> int:
        """Number of pairs of sample and metric that need no score."""
        return len(self._done)

    def is_done(self, sample: str, metric: str) -> bool:
        """Return whether there is a score of any status, except those to be retried."""
        return score_key(sample, metric) in self._done

    def sample(self, sample: Sample) -> None:
        """Keep the sample unless the run has it; raises BadInput if the run has another sample under this id."""
        line = to_line(sample_to_json(sample))
        key, content = id_key(sample.id), content_key(line)
        known = self._contents.get(key)
        self._seen.add(key)
        if known is None:
            if self.manifest.finished:
                self._mark(finished=False)
            self.append(self._samples, line)
        elif known != content:
            self._refuse_changed(sample)
        self._contents[key] = content

    def score(self, scored: Scored, raw: str | None = None) -> None:
        """Write a score; once this returns, it survives the process.

        Args:
            scored: The score with its place.
            raw: The judge's unreadable reply; by default `details["raw"]`.

        Raises:
            ValueError: It contains a NaN or an infinity, or a value that does not match its status.
        """
        self.append(self._scores, to_line(scored_to_json(scored)))
        self._done.add(score_key(scored.sample, scored.metric))
        if scored.score.status in _OPEN_AGAIN:
            reply = scored.score.details.get("raw") if raw is None else raw
            fault = {"kind": "score", "sample": scored.sample, "metric": scored.metric, "status": scored.score.status}
            self.append(self._bad_rows.file, to_line({**fault, "reason": scored.score.reason, "raw": reply}))

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used, once, however often the run is resumed."""
        self._bad_rows.keep(where, reason, raw)

    def sign(self, signatures: Mapping[str, str]) -> None:
        """Replace the signatures to which the run has added what it found out, but no setting."""
        opened = self._signatures
        found = {
            metric: made
            for metric, made in signatures.items()
            if made != opened.get(metric, made) and settings_in(made) == settings_in(opened[metric])
        }
        signed = replace(self.manifest, signatures={**self.manifest.signatures, **found}).redact()
        if signed != self.manifest:
            self.manifest = signed
            write_manifest(self.path, signed)

    def finish(self, pairs: int | None = None) -> None:
        """Mark the run as finished if all its samples were seen since it was opened, with a score per metric.

        So resuming a killed run with fewer rows or metrics does not finish it.

        Args:
            pairs: Expected pairs of sample and metric; by default samples times metrics.
        """
        wanted = len(self._contents) * len(self.manifest.signatures) if pairs is None else pairs
        if not 0 < wanted <= len(self._done) or len(self._seen) < len(self._contents):
            return
        if self.manifest.finished and self.manifest.bad_rows == len(self._bad_rows.seen):
            return
        self.sync()  # before the run is marked as complete
        self.manifest = replace(self.manifest, bad_rows=len(self._bad_rows.seen))
        self._mark(finished=True)

    def _mark(self, *, finished: bool) -> None:
        self.manifest = replace(self.manifest, finished=finished)
        write_manifest(self.path, self.manifest)

    def _cost_of_scores(self) -> Usage:
        """Return the cost of all scores so far, including those that were retried."""
        return sum((usage_from_json(value.get("usage")) for _, value in self.lines(self._scores)), Usage())

    def _refuse_changed(self, sample: Sample) -> None:
        """Raise if any field changed; an older version may have written the same sample differently."""
        before = next(
            (sample_from_json(value) for _, value in self.lines(self._samples) if value.get("id") == sample.id),
            sample,
        )
        both = ((f.name, getattr(before, f.name), getattr(sample, f.name)) for f in fields(sample))
        changed = [f"{name} was {_short(was)}, is {_short(now)}" for name, was, now in both if was != now]
        if changed:
            raise BadInput(
                f"the sample {sample.id!r} is not the one that {self.path} has under this id: {'; '.join(changed)}; "
                "give it another id, or name another folder"
            )


class InMemory:
    """A journal that writes nothing, for results collected only by the watch."""

    def is_done(self, sample: str, metric: str) -> bool:
        return False

    def sample(self, sample: Sample) -> None: ...

    def score(self, scored: Scored) -> None: ...

    def bad_row(self, where: str, reason: str, raw: str = "") -> None: ...

    def sign(self, signatures: Mapping[str, str]) -> None: ...

    def finish(self, pairs: int | None = None) -> None: ...


def _refuse_foreign(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; name a folder for the run")
    if folder.is_dir() and read_manifest(folder) is None:
        # A process killed between the first two steps leaves these behind.
        names = {path.name for path in folder.iterdir()} - {LOCK_NAME}
        others = sorted(name for name in names if not is_left(name, MANIFEST_NAME))
        if others:
            raise ConfigurationError(
                f"{folder} is not empty and no run of saiten (it holds {', '.join(others[:5])}); name a new folder"
            )


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:60]}… ({len(shown)} characters)"
