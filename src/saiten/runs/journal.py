"""The writing side of a run on disk: each result is written at once, and never paid for twice.

A run is a folder: `manifest.json` (how it was made), `samples.jsonl` (the samples in order), `scores.jsonl` (one line
per score, appended; of several lines for a sample and a metric, the last one counts) and `errors.jsonl` (unusable rows,
and scores without a value because of a reply or a call, with the raw reply). A last line torn by a power failure is
moved to a file `….torn` when the run is resumed.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from saiten.digests import Digests, digest_here
from saiten.durable.lock import LOCK_NAME
from saiten.durable.whole_file import is_left
from saiten.errors import BadInput, ConfigurationError
from saiten.records import STATUSES, Sample, Scored, Usage
from saiten.runs.lines import (
    has_lines,
    sample_from_json,
    sample_to_json,
    score_key,
    scored_to_json,
    to_line,
    usage_from_json,
)
from saiten.runs.locked_folder import ERRORS_NAME, BadRows, LockedFolder, PaidCalls
from saiten.runs.manifest import MANIFEST_NAME, Manifest, RunSettings, read_manifest, settings_in, write_manifest
from saiten.runs.shards import read_division

SAMPLES_NAME, SCORES_NAME = "samples.jsonl", "scores.jsonl"

_OPEN_AGAIN = ("failed", "unreadable")
"""The statuses to which `retry_failed` applies."""

_LOG = logging.getLogger(__name__)


class Journal(LockedFolder):
    """A run being written. Memory: at most 50 bytes per sample and 30 per score that exist."""

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
        if read_division(folder) is not None:
            raise ConfigurationError(
                f"{folder} has a run in shards; resume it with --executor ray, or join its shards with "
                f"`saiten join {folder} -o FOLDER`"
            )
        if read_manifest(folder) is None:
            refuse_foreign(folder, MANIFEST_NAME)
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
            if there.finished and has_lines(self.path / SAMPLES_NAME) and not has_lines(self.path / SCORES_NAME):
                self._notify(f"{self.path / SCORES_NAME} is missing or empty, although the run was finished")
            if retry_failed:
                self.manifest = replace(self.manifest, finished=False)
        write_manifest(self.path, self.manifest)
        self._samples, self._scores = self.file(SAMPLES_NAME), self.file(SCORES_NAME)
        self._contents = Digests("Q")
        """Of each sample's id, that of its line; the last bit says whether it was seen since the run was opened."""
        self._seen = 0
        self.with_history = False
        """Whether a sample that was seen since then has a history."""
        for line, value in self.lines(self._samples):
            self._contents.put(digest_here(str(value.get("id"))), digest_here(line) & ~1)
        self._scored = Digests()
        """Of each pair of sample and metric, whether it needs no score: 1, or 0 if it is to be retried."""
        self._done = 0
        for _, value in self.lines(self._scores):
            status = value.get("status")
            if status in STATUSES:
                key = score_key(str(value.get("sample")), str(value.get("metric")))
                self._note(key, done=not (retry_failed and status in _OPEN_AGAIN))
        self._bad_rows = BadRows(self)
        self.paid = PaidCalls(self, self._cost_of_scores)
        """The book of calls."""

    @property
    def done(self) -> int:
        """Number of pairs of sample and metric that need no score."""
        return self._done

    def is_done(self, sample: str, metric: str) -> bool:
        """Return whether there is a score of any status, except those to be retried."""
        return self._scored.get(score_key(sample, metric)) == 1

    def sample(self, sample: Sample) -> None:
        """Keep the sample unless the run has it; raises BadInput if the run has another sample under this id."""
        line, is_new = self.line_of(sample)
        if is_new:
            self.append(self._samples, line)

    def line_of(self, sample: Sample) -> tuple[bytes, bool]:
        """Return the sample's line, and whether the caller has to write it, with `block`; raises as `sample`."""
        self.with_history |= bool(sample.history)
        line = to_line(sample_to_json(sample))
        content = digest_here(line)
        known = self._contents.put(digest_here(sample.id), content | 1)
        if known is None:
            if self.manifest.finished:
                self._mark(finished=False)
        elif known >> 1 != content >> 1:
            self._refuse_changed(sample)
        self._seen += known is None or not known & 1
        return line, known is None

    def score(self, scored: Scored, raw: str | None = None) -> None:
        """Write a score; once this returns, it survives the process.

        Args:
            scored: The score with its place.
            raw: The judge's unreadable reply; by default `details["raw"]`.

        Raises:
            ValueError: It contains a NaN or an infinity, or a value that does not match its status.
        """
        self.append(self._scores, to_line(scored_to_json(scored)))
        self._note(score_key(scored.sample, scored.metric))
        if fault := fault_line(scored, raw):
            self.append(self._bad_rows.file, fault)

    def block(self, samples: bytes, scores: bytes, keys: Iterable[int], faults: bytes) -> None:
        """Write the lines of many samples and scores at once; once this returns, all survive the process.

        For scores that cost nothing: if the process is killed, those of the block are made again.

        Args:
            samples: The lines from `line_of`.
            scores: The lines of their scores.
            keys: The `score_key` of each score.
            faults: The `fault_line` of each score that has one.
        """
        for file, lines in ((self._samples, samples), (self._scores, scores), (self._bad_rows.file, faults)):
            if lines:
                self.append(file, lines)
        for key in keys:
            self._note(key)

    def close(self) -> None:
        """Flush everything to the disk, unlock the folder, and forget what is in it, since a summary may follow."""
        super().close()
        self._contents, self._scored = Digests(), Digests()

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
        if not 0 < wanted <= self._done or self._seen < len(self._contents):
            return
        if self.manifest.finished and self.manifest.bad_rows == len(self._bad_rows.seen):
            return
        self.sync()  # before the run is marked as complete
        self.manifest = replace(self.manifest, bad_rows=len(self._bad_rows.seen))
        self._mark(finished=True)

    def _note(self, key: int, *, done: bool = True) -> None:
        self._done += done - (self._scored.put(key, int(done)) or 0)

    def _mark(self, *, finished: bool) -> None:
        self.manifest = replace(self.manifest, finished=finished)
        write_manifest(self.path, self.manifest)

    def _cost_of_scores(self) -> Usage:
        """Return the cost of all scores so far, including those that were retried."""
        return sum((usage_from_json(value.get("usage")) for _, value in self.lines(self._scores)), Usage())

    def _refuse_changed(self, sample: Sample) -> None:
        """Raise if any field changed; an older version may have written the same sample differently."""
        line = next((value for _, value in self.lines(self._samples) if value.get("id") == sample.id), None)
        try:
            before = sample if line is None else sample_from_json(line)
        except ValueError as error:
            raise BadInput(
                f"{self.path / SAMPLES_NAME}: the sample {sample.id!r} is damaged: {error}; restore the file, or name "
                "another folder"
            ) from error
        both = ((f.name, getattr(before, f.name), getattr(sample, f.name)) for f in fields(sample))
        changed = [f"{name} was {_short(was)}, is {_short(now)}" for name, was, now in both if was != now]
        if changed:
            raise BadInput(
                f"the sample {sample.id!r} is not the one that {self.path} has under this id: {'; '.join(changed)}; "
                "give it another id, or name another folder"
            )


class InMemory:
    """A journal that writes nothing, for results collected only by the watch."""

    with_history = False
    """Whether a sample has a history."""

    def is_done(self, sample: str, metric: str) -> bool:
        return False

    def sample(self, sample: Sample) -> None:
        self.with_history |= bool(sample.history)

    def score(self, scored: Scored) -> None: ...

    def bad_row(self, where: str, reason: str, raw: str = "") -> None: ...

    def sign(self, signatures: Mapping[str, str]) -> None: ...

    def finish(self, pairs: int | None = None) -> None: ...


def fault_line(scored: Scored, raw: str | None = None) -> bytes:
    """Return the line of `errors.jsonl` for a score without a value because of a reply or a call; b"" for others."""
    score = scored.score
    if score.status not in _OPEN_AGAIN:
        return b""
    reply = score.details.get("raw") if raw is None else raw
    fault = {"kind": "score", "sample": scored.sample, "metric": scored.metric, "status": score.status}
    return to_line({**fault, "reason": score.reason, "raw": reply})


def refuse_foreign(folder: Path, manifest_name: str) -> None:
    """Raise ConfigurationError if a folder without a manifest is a file, or holds anything else."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; name a folder for the run")
    if folder.is_dir():
        # A process killed between the first two steps leaves these behind.
        names = {path.name for path in folder.iterdir()} - {LOCK_NAME}
        others = sorted(name for name in names if not is_left(name, manifest_name))
        if others:
            raise ConfigurationError(
                f"{folder} is not empty and no run of saiten (it holds {', '.join(others[:5])}); name a new folder"
            )


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:60]}… ({len(shown)} characters)"
