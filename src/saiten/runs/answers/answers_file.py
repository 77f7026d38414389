"""A file of answers that is being written: appended line by line, and gone on with where it stopped.

`ANSWERS.jsonl` has each question once. Beside it, in the folder `ANSWERS.jsonl.saiten`, stand how the answers were made
(`made.json`), rows that could not be used and failures that were asked again (`errors.jsonl`), what was spent
(`calls.jsonl`), the lock, and what a power failure left of a last line. The folder is needed to go on, and to know what
everything cost.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import chain
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from saiten.data.json_rows import MAX_LINE
from saiten.durable.appended_file import AppendedFile, Syncing
from saiten.durable.lock import Lock
from saiten.durable.whole_file import sync_folder, whole_file
from saiten.errors import BadInput, ConfigurationError, SystemFailed
from saiten.records import Sample, Usage
from saiten.redaction import redact_settings
from saiten.runs.answers.collecting import Outcome
from saiten.runs.answers.provenance import read_settings, write_settings
from saiten.runs.answers.rows import as_row, kept_from_question, passed_through
from saiten.runs.keys import content_key, id_key
from saiten.runs.lines import from_line, to_line
from saiten.runs.manifest import differences
from saiten.runs.paid import PaidCalls, usage_from_json

ERRORS = "errors.jsonl"
"""In the folder beside it: rows that could not be used, and failures that were asked again."""

_ENDINGS = (".jsonl", ".ndjson")


def folder_of(path: Path) -> Path:
    """What stands beside a file of answers."""
    return path.with_name(f"{path.name}.saiten")


class AnswersFile:
    """Answers of one system. Memory: about 250 bytes a question that is answered already."""

    def __init__(self, path: Path, lock: Lock, system: str, *, retry_failed: bool, tell: Callable[[str], None]) -> None:
        """Use `AnswersFile.open`."""
        self.path = path
        self.outdated = 0
        """Questions whose reference, group or the like changed after they were answered."""
        self._lock = lock
        self._system = system
        self._tell = tell
        self._closed = False
        self._keys: dict[int, tuple[int, int]] = {}
        with ExitStack() as undo:
            self._errors = AppendedFile(folder_of(path) / ERRORS)
            undo.callback(self._errors.close)
            self._bad_rows = {content_key(line) for _, line in self._errors.lines() if line.endswith(b"\n")}
            self._mend()
            if retry_failed:
                self._take_out_failures()
            self._answers = AppendedFile(path)
            undo.callback(self._answers.close)
            sync_folder(path.parent)
            for _, value in self._values(tell):
                self._keys[id_key(str(value.get("id")))] = _keys_of(kept_from_question(value))
            undo.pop_all()
        self.before = len(self._keys)
        """Questions that were answered, or failed, in earlier runs."""
        self._syncing = Syncing(self._answers, self._errors)
        self._files = [self._answers, self._errors]
        self.paid = PaidCalls(folder_of(path), self._cost_of_answers, self._keep_open)
        """Where the calls are written down."""

    @classmethod
    def open(
        cls,
        path: Path | str,
        settings: Mapping[str, str],
        system: str,
        *,
        retry_failed: bool = False,
        tell: Callable[[str], None],
    ) -> "AnswersFile":
        """Begin a file, or go on with the one that is there. A file without a single row binds nobody.

        Args:
            path: Where; ends in `.jsonl`.
            settings: What all answers have in common.
            system: What the system is called in each row.
            retry_failed: Take out the rows of failures, so that these questions are asked again.
            tell: Is told what was mended.

        Raises:
            ConfigurationError: the file holds something else, or answers made in another way (each difference is
                listed); another process is writing it; it cannot be written. Nothing was changed then.
        """
        path = Path(os.path.realpath(path))
        if path.suffix.lower() not in _ENDINGS:
            raise ConfigurationError(
                f"answers are written as JSON lines; name a file that ends in .jsonl, not {path.name}"
            )
        there = read_settings(folder_of(path))
        _refuse_foreign(path, known=there is not None)
        folder = folder_of(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be made: {error.strerror}; name another file") from error
        lock = Lock(folder, tell)
        try:
            there = read_settings(folder)  # again, now that nobody else may change it
            _begin(path, there, settings)
            return cls(path, lock, system, retry_failed=retry_failed, tell=tell)
        except BaseException:
            lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def is_done(self, sample: Sample) -> bool:
        """Whether the question was answered, or failed, already.

        Raises:
            BadInput: the file has another question under this id.
        """
        found = self._keys.get(id_key(sample.id))
        if found is None:
            return False
        question, rest = _keys_of(passed_through(sample))
        if question != found[0]:
            raise BadInput(
                f"the question {sample.id!r} is not the one that {self.path.name} has an answer to under this id; "
                "give it another id, or name another file"
            )
        self.outdated += rest != found[1]
        return True

    def answered(self, sample: Sample, outcome: Outcome) -> Outcome:
        """Write the answer or the failure down; when this returns, it outlives the process."""
        try:
            line = to_line(as_row(sample, outcome, self._system))
            if len(line) > MAX_LINE:
                size = f"{len(line) >> 20} MiB; at most {MAX_LINE >> 20} can be kept"
                raise ValueError(f"the answer takes {size}")  # noqa: TRY301 - one place says what becomes of it
        except (TypeError, ValueError) as error:  # a NaN, an object that is no JSON, from a system of one's own
            cost = outcome.usage if isfinite(outcome.usage.cost) else Usage(outcome.usage.calls)
            outcome = SystemFailed(f"the answer cannot be kept: {error}", "unreadable", cost)
            line = to_line(as_row(sample, outcome, self._system))
        self._append(self._answers, line)
        self._keys[id_key(sample.id)] = _keys_of(passed_through(sample))
        return outcome

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used; the same one is kept once, however often the run goes on."""
        line = to_line({"kind": "row", "where": where, "reason": reason, "raw": raw})
        key = content_key(line)
        if key not in self._bad_rows:
            self._append(self._errors, line)
            self._bad_rows.add(key)

    def close(self) -> None:
        """Everything on disk, and the file free for the next one."""
        if self._closed:
            return
        self._closed = True
        self._syncing.stop()
        try:
            for file in self._files:
                file.close()
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be written: {error.strerror}") from error
        finally:
            self._lock.release()

    def _append(self, file: AppendedFile, line: bytes) -> None:
        self.paid.keep(file, line, self._syncing)

    def _keep_open(self, file: AppendedFile) -> None:
        self._files.append(file)
        sync_folder(file.path.parent)
        self._syncing.add(file)

    def _cost_of_answers(self) -> Usage:
        """What all answers so far have cost, and the failures that were asked again."""
        aside = (_value_of(line) for _, line in self._errors.lines())
        values = chain((value for _, value in self._values(_nobody)), aside)
        return sum((usage_from_json(value.get("usage")) for value in values), Usage())

    def _values(self, tell: Callable[[str], None]) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Each line that can be read, and what is in it."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line, from_line(line)
                except ValueError:
                    if line.strip():
                        tell(f"{self.path.name}:{number} cannot be read; it counts as not written")

    def _mend(self) -> None:
        """Move a last line that was cut off aside; a whole one that lacks its line end gets it."""
        if not _has_rows(self.path):
            return
        with self.path.open("rb+") as file:
            start, last = _last_line(file)
            if last.endswith(b"\n"):
                return
            try:
                from_line(last)
            except ValueError:
                with (folder_of(self.path) / f"{self.path.name}.torn").open("ab") as rest:
                    rest.write(last + b"\n")
                file.truncate(start)
                self._tell(f"{self.path.name} ended in half a line ({len(last)} bytes); it was moved aside")
            else:
                file.seek(0, os.SEEK_END)
                file.write(b"\n")

    def _take_out_failures(self) -> None:
        """Write the file anew without them, and put it in the place of the old one; they are kept beside it.

        Killed in the middle, the old file or the new one is there, and nothing between them.
        """
        if not any(_is_failure(value) for _, value in self._values(_nobody)):
            return
        try:
            with self.path.open("rb") as old, whole_file(self.path) as new:
                for line in old:
                    if _is_failure(_value_of(line)):
                        self._errors.append(line)
                    else:
                        new.write(line)
                self._errors.sync()
        except OSError as error:
            raise ConfigurationError(
                f"{self.path} cannot be written anew without its failures: {error.strerror}; it is as it was"
            ) from error


def _is_failure(value: Mapping[str, Any]) -> bool:
    return value.get("answer") is None and "error" in value


def _value_of(line: bytes) -> Mapping[str, Any]:
    try:
        return from_line(line)
    except ValueError:
        return {}


def _keys_of(given: Mapping[str, Any]) -> tuple[int, int]:
    """Short stand-ins for the question, and for all else that came with it."""
    rest = {name: given[name] for name in sorted(given) if name not in {"id", "question"}}
    return content_key(to_line({"question": given.get("question", "")})), content_key(to_line(rest))


def _last_line(file: Any) -> tuple[int, bytes]:
    """Where the last line begins, and what it is; read from the end, so that a large file costs no more."""
    end = file.seek(0, os.SEEK_END)
    step, tail = 1 << 16, b""
    while len(tail) < end and b"\n" not in tail[:-1]:
        begin = max(0, end - max(step, 2 * len(tail)))
        file.seek(begin)
        tail = file.read(end - begin)
    last = tail[tail.rfind(b"\n", 0, len(tail) - 1) + 1 :]
    return end - len(last), last


def _has_rows(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _refuse_foreign(path: Path, *, known: bool) -> None:
    """What is not ours is left alone."""
    if path.exists() and not path.is_file():
        raise ConfigurationError(f"{path} is no file; name a file for the answers")
    if _has_rows(path) and not known:
        raise ConfigurationError(
            f"{path.name} holds something already, and nothing beside it ({folder_of(path).name}) tells that saiten "
            "collected it; name a new file"
        )


def _begin(path: Path, there: Mapping[str, Any] | None, settings: Mapping[str, str]) -> None:
    """Keep the settings, or see that they are those with which the file was begun."""
    differing = list(differences(redact_settings(there or {}), redact_settings(settings)))
    if differing and _has_rows(path):
        raise ConfigurationError(
            f"{path.name} was begun with other settings; name another file, or give the same settings again:\n"
            + "\n".join(f"  {line}" for line in differing)
        )
    if there is None or differing or redact_settings(there) != there:
        write_settings(folder_of(path), settings)


def _nobody(_: str) -> None:
    """What is told at the next reading is not told twice."""
