"""The writing side of a run on disk: what has been paid for is written down at once, and never asked for again.

A run is a folder: `manifest.json` (how it was made), `samples.jsonl` (the samples as they came), `scores.jsonl` (one
line a score, appended; where a sample and a metric have several lines, the last one counts) and `errors.jsonl` (rows
that could not be used, and scores without a value for which a reply or a call is to blame, with the raw reply). A last
line that was cut off by a power failure is moved to a file `….torn` beside it when the run goes on.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from saiten.durable.appended_file import AppendedFile, Syncing
from saiten.durable.lock import LOCK_NAME, Lock
from saiten.durable.whole_file import is_left, sync_folder
from saiten.errors import BadInput, ConfigurationError
from saiten.records import STATUSES, Sample, Scored, Usage
from saiten.runs.keys import content_key, id_key, score_key
from saiten.runs.lines import from_line, sample_from_json, sample_to_json, scored_to_json, to_line
from saiten.runs.manifest import MANIFEST_NAME, Manifest, read_manifest, write_manifest
from saiten.runs.paid import PaidCalls, usage_from_json

SAMPLES_NAME, SCORES_NAME, ERRORS_NAME = "samples.jsonl", "scores.jsonl", "errors.jsonl"

_OPEN_AGAIN = ("failed", "unreadable")
"""What `retry_failed` asks for once more."""

_LOG = logging.getLogger(__name__)


class Journal:
    """A run that is being written. Memory: about 250 bytes a sample and 70 a score, for what is done already."""

    def __init__(
        self, folder: Path, lock: Lock, manifest: Manifest, *, retry_failed: bool, tell: Callable[[str], None]
    ) -> None:
        """Use `Journal.open`."""
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._tell = tell
        self._closed = False
        self._files: list[AppendedFile] = []
        with ExitStack() as undo:
            for name in (SAMPLES_NAME, SCORES_NAME, ERRORS_NAME):
                self._files.append(AppendedFile(folder / name))
                undo.callback(self._files[-1].close)
            self._samples, self._scores, self._errors = self._files
            sync_folder(folder)
            self._remember(retry_failed=retry_failed)
            undo.pop_all()
        self._syncing = Syncing(*self._files)
        self.paid = PaidCalls(folder, self._cost_of_scores, self._keep_open)
        """Where the calls of the run are written down."""

    def _remember(self, *, retry_failed: bool) -> None:
        """Learn from the files what is there."""
        self._contents = {
            id_key(str(value.get("id"))): content_key(line) for line, value in self._lines_of(self._samples)
        }
        self._seen: set[int] = set()
        """Samples that were named since the run was opened."""
        self._done: set[int] = set()
        for _, value in self._lines_of(self._scores):
            key = score_key(str(value.get("sample")), str(value.get("metric")))
            status = value.get("status")
            if retry_failed and status in _OPEN_AGAIN:
                self._done.discard(key)
            elif status in STATUSES:
                self._done.add(key)
        self._bad_rows = {
            content_key(line) for line, value in self._lines_of(self._errors) if value.get("kind") == "row"
        }
        self._bad_rows_seen: set[int] = set()
        """Those that came since the run was opened: what was mended in the data is a bad row no more."""

    @classmethod
    def open(
        cls,
        folder: Path | str,
        settings: Mapping[str, Any],
        *,
        signatures: Mapping[str, str] | None = None,
        command: Sequence[str] = (),
        retry_failed: bool = False,
        tell: Callable[[str], None] = _LOG.warning,
    ) -> "Journal":
        """Begin a run in an empty or new folder, or go on with the one that is there.

        Metrics may be added to a run: they are no settings. A metric that is in the run already must have the same
        signature as before, so a figure is never made in two ways.

        A run without a single score binds nobody: after a mistyped model or column the right one is given, and it
        begins anew. What was paid for stands in the file of answers, which stays.

        Args:
            folder: Where.
            settings: What all scores of the run have in common, ready for JSON. What changes no figure (concurrency,
                budget, progress) is not to be in it.
            signatures: Metric → how its figures are made.
            command: The command line, for the manifest.
            retry_failed: Take scores that are `failed` or `unreadable` for not done.
            tell: Is told what was mended.

        Raises:
            ConfigurationError: the folder holds something else, or a run with other settings (each is listed); another
                process is writing it; it cannot be written. Nothing was changed then.
        """
        folder = Path(folder)
        _refuse_foreign(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be made: {error.strerror}; name another folder") from error
        lock = Lock(folder, tell)
        try:
            there = read_manifest(folder)
            made = signatures or {}
            if there is not None and not there.may_go_on(settings, made) and not _has_scores(folder):
                _forget_rows(folder)
                there = None
            if there is None:
                manifest = Manifest.new(settings, made, command)
            else:
                manifest = there.going_on(settings, made, folder)
                if retry_failed:
                    manifest = replace(manifest, finished=False)
            write_manifest(folder, manifest)
            return cls(folder, lock, manifest, retry_failed=retry_failed, tell=tell)
        except BaseException:
            lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def done(self) -> int:
        """How many pairs of sample and metric need not be asked for."""
        return len(self._done)

    def is_done(self, sample: str, metric: str) -> bool:
        """Whether there is a score, of whatever status (those to be retried apart)."""
        return score_key(sample, metric) in self._done

    def sample(self, sample: Sample) -> None:
        """Keep the sample; one that is there already stays as it is.

        Raises:
            BadInput: under this id, the run has a sample with other content; the text says what changed.
        """
        line = to_line(sample_to_json(sample))
        key, content = id_key(sample.id), content_key(line)
        known = self._contents.get(key)
        self._seen.add(key)
        if known is None:
            self._reopen()
            self._append(self._samples, line)
        elif known != content:
            self._refuse_changed(sample)
        self._contents[key] = content

    def score(self, scored: Scored, raw: str | None = None) -> None:
        """Write the score down; when this returns, it outlives the process.

        Args:
            scored: The score with its place.
            raw: The judge's reply, where it could not be read; by default `details["raw"]`.

        Raises:
            ValueError: there is a NaN or an infinity in it, or a value that does not go with its status.
        """
        self._append(self._scores, to_line(scored_to_json(scored)))
        self._done.add(score_key(scored.sample, scored.metric))
        if scored.score.status in _OPEN_AGAIN:
            reply = scored.score.details.get("raw") if raw is None else raw
            fault = {"kind": "score", "sample": scored.sample, "metric": scored.metric, "status": scored.score.status}
            self._append(self._errors, to_line({**fault, "reason": scored.score.reason, "raw": reply}))

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used; the same one is kept once, however often the run goes on."""
        line = to_line({"kind": "row", "where": where, "reason": reason, "raw": raw})
        key = content_key(line)
        self._bad_rows_seen.add(key)
        if key not in self._bad_rows:
            self._append(self._errors, line)
            self._bad_rows.add(key)

    def finish(self, pairs: int | None = None) -> None:
        """Note that the run came to its end; until then it counts as unfinished.

        Only if it did: all its samples were named since it was opened, and every metric has a score for each of them.
        So fewer rows or metrics than a killed run was begun with do not make it a whole one.

        Args:
            pairs: How many pairs of sample and metric there are to be; samples times metrics by default.
        """
        wanted = len(self._contents) * len(self.manifest.signatures) if pairs is None else pairs
        if not 0 < wanted <= len(self._done) or len(self._seen) < len(self._contents):
            return
        if self.manifest.finished and self.manifest.bad_rows == len(self._bad_rows_seen):
            return
        for file in self._files:
            file.sync()  # before the word that all of it is there
        self.manifest = replace(self.manifest, bad_rows=len(self._bad_rows_seen))
        self._mark(finished=True)

    def _reopen(self) -> None:
        if self.manifest.finished:
            self._mark(finished=False)

    def _mark(self, *, finished: bool) -> None:
        self.manifest = replace(self.manifest, finished=finished)
        write_manifest(self.folder, self.manifest)

    def append(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a line to a further file of the folder, `dialogues.jsonl` for example; it too outlives the process.

        Raises:
            ValueError: there is a NaN or an infinity in it.
        """
        self._append(self._beside(name), to_line(value))

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """What stands in a further file of the folder; a last line that was cut off is mended or moved aside."""
        return (value for _, value in self._lines_of(self._beside(name)))

    def close(self) -> None:
        """Everything on disk, and the folder free for the next one."""
        if self._closed:
            return
        self._closed = True
        self._syncing.stop()
        try:
            for file in self._files:
                file.close()
        except OSError as error:
            raise ConfigurationError(f"{self.folder} cannot be written: {error.strerror}") from error
        finally:
            self._lock.release()

    def _beside(self, name: str) -> AppendedFile:
        path = self.folder / name
        for file in self._files:
            if file.path == path:
                return file
        file = AppendedFile(path)
        self._keep_open(file)
        return file

    def _keep_open(self, file: AppendedFile) -> None:
        self._files.append(file)
        sync_folder(self.folder)
        self._syncing.add(file)

    def _cost_of_scores(self) -> Usage:
        """What all scores so far have cost, those that were asked for again included."""
        return sum((usage_from_json(value.get("usage")) for _, value in self._lines_of(self._scores)), Usage())

    def _append(self, file: AppendedFile, line: bytes) -> None:
        if self._closed:
            raise ValueError(f"the journal of {self.folder} is closed")
        self.paid.keep(file, line, self._syncing)

    def _lines_of(self, file: AppendedFile) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Each line that can be read; a last one that was cut off is mended or moved aside first."""
        size = 0
        for number, line in file.lines():
            whole = line.endswith(b"\n")
            try:
                value = from_line(line)
            except ValueError:
                if not whole:
                    self._move_aside(file, size, line)
                    return
                self._tell(f"{file.path}:{number} cannot be read; it counts as not written")
            else:
                if not whole:  # nothing but the line end was lost
                    file.append(b"\n")
                yield (line if whole else line + b"\n"), value
                if not whole:
                    return
            size += len(line)

    def _move_aside(self, file: AppendedFile, size: int, torn: bytes) -> None:
        beside = file.path.with_name(f"{file.path.name}.torn")
        with beside.open("ab") as rest:
            rest.write(torn + b"\n")
        file.keep(size)
        self._tell(
            f"{file.path.name} ended in half a line ({len(torn)} bytes), as after a power failure; "
            f"it was moved to {beside.name}, the run goes on"
        )

    def _refuse_changed(self, sample: Sample) -> None:
        """Say what changed, unless nothing did: an older version may have written the same sample differently."""
        before = next(
            (sample_from_json(value) for _, value in self._lines_of(self._samples) if value.get("id") == sample.id),
            sample,
        )
        changed = [f.name for f in fields(sample) if getattr(before, f.name) != getattr(sample, f.name)]
        if changed:
            shown = "; ".join(
                f"{name} was {_short(getattr(before, name))}, is {_short(getattr(sample, name))}" for name in changed
            )
            raise BadInput(
                f"the sample {sample.id!r} is not the one that {self.folder} has under this id: {shown}; "
                "give it another id, or name another folder"
            )


def _refuse_foreign(folder: Path) -> None:
    """A folder with anything else in it is left alone."""
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


def _has_scores(folder: Path) -> bool:
    path = folder / SCORES_NAME
    return path.exists() and path.stat().st_size > 0


def _forget_rows(folder: Path) -> None:
    """Of a run without scores: the samples and bad rows may have been read with the wrong column names."""
    for name in (SAMPLES_NAME, ERRORS_NAME):
        (folder / name).unlink(missing_ok=True)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:60]}… ({len(shown)} characters)"
