"""A file of answers that is being written: appended line by line, and gone on with where it stopped.

`ANSWERS.jsonl` has each question once. The folder `ANSWERS.jsonl.saiten` next to it holds how the answers were made
(`made.json`), rows that could not be used and failures that were asked again (`errors.jsonl`), what was spent
(`calls.jsonl`), the lock, and what a power failure left of a last line. The folder is needed to go on, and to know what
everything cost.
"""

import os
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from saiten.data.json_rows import MAX_LINE
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput, ConfigurationError, SystemFailed
from saiten.records import Sample, Usage
from saiten.runs.answers.collecting import Outcome
from saiten.runs.answers.rows import as_row, kept_from_question, passed_through
from saiten.runs.keys import content_key, id_key
from saiten.runs.lines import read_lines, to_line
from saiten.runs.locked_folder import ERRORS_NAME, BadRows, LockedFolder
from saiten.runs.manifest import Manifest, read_manifest, write_manifest
from saiten.runs.paid import PaidCalls, usage_from_json
from saiten.runs.settings import RunSettings

MADE_NAME, KIND = "made.json", "saiten answers"
"""The manifest of the answers, and what it is one of."""

_ENDINGS = (".jsonl", ".ndjson")


def folder_of(path: Path) -> Path:
    """The folder next to a file of answers."""
    return path.with_name(f"{path.name}.saiten")


class AnswersFile(LockedFolder):
    """Answers of one system. Memory: about 250 bytes a question that is answered already."""

    @classmethod
    def open(
        cls,
        answers: Path | str,
        settings: RunSettings,
        system: str,
        *,
        retry_failed: bool = False,
        tell: Callable[[str], None],
    ) -> "AnswersFile":
        """Begin a file, or go on with the one that is there. A file without a single row binds nobody.

        Args:
            answers: Where; ends in `.jsonl`.
            settings: What all answers have in common.
            system: What the system is called in each row.
            retry_failed: Take out the rows of failures, so that these questions are asked again.
            tell: Called with each note about what was repaired.

        Raises:
            ConfigurationError: the file holds something else, or answers made in another way (each difference is
                listed); another process is writing it; it cannot be written. Nothing was changed then.
        """
        answers = Path(os.path.realpath(answers))
        if answers.suffix.lower() not in _ENDINGS:
            raise ConfigurationError(
                f"answers are written as JSON lines; name a file that ends in .jsonl, not {answers.name}"
            )
        _refuse_foreign(answers)
        opened = cls(folder_of(answers), tell)
        try:
            opened._begin(answers, settings, system, retry_failed=retry_failed)
        except BaseException:
            opened.close()
            raise
        return opened

    def _begin(self, answers: Path, settings: RunSettings, system: str, *, retry_failed: bool) -> None:
        self.answers = answers
        self.outdated = 0
        """Questions whose reference, group or the like changed after they were answered."""
        self._system = system
        there = read_manifest(self.path, MADE_NAME, KIND)
        if there is None or not _has_rows(answers):
            made = Manifest.new(settings, {}, kind=KIND)
        else:
            made = there.going_on(settings, {}, answers)
        write_manifest(self.path, made, MADE_NAME)
        self._bad_rows = BadRows(self)
        self._keys: dict[int, tuple[int, int]] = {}
        if retry_failed:
            self._take_out_failures()
        self._file = self.file(answers)
        for _, value in self.lines(self._file):
            self._keys[id_key(str(value.get("id")))] = _keys_of(kept_from_question(value))
        self.before = len(self._keys)
        """Questions that were answered, or failed, in earlier runs."""
        self.paid = PaidCalls(self, self._cost_of_answers)
        """Where the calls are written down."""

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
                f"the question {sample.id!r} is not the one that {self.answers.name} has an answer to under this id; "
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
        self.append(self._file, line)
        self._keys[id_key(sample.id)] = _keys_of(passed_through(sample))
        return outcome

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used; the same one is kept once, however often the run goes on."""
        self._bad_rows.keep(where, reason, raw)

    def _cost_of_answers(self) -> Usage:
        """What all answers so far have cost, and the failures that were asked again."""
        files = (self.answers, self.path / ERRORS_NAME)
        values = (value for file in files for _, value in read_lines(file, dict[str, Any]))
        return sum((usage_from_json(value.get("usage")) for value in values), Usage())

    def _take_out_failures(self) -> None:
        """Write the file anew without them, and put it in the place of the old one; they are kept in `errors.jsonl`.

        Killed in the middle, the old file or the new one is there, and nothing between them.
        """
        failures = {number for number, value in read_lines(self.answers, dict[str, Any]) if _is_failure(value)}
        if not failures:
            return
        try:
            with self.answers.open("rb") as old, whole_file(self.answers) as new:
                for number, line in enumerate(old, 1):
                    if number in failures:
                        self.append(self._bad_rows.file, line.rstrip(b"\n") + b"\n")
                    else:
                        new.write(line)
                self.sync()
        except OSError as error:
            raise ConfigurationError(
                f"{self.answers} cannot be written anew without its failures: {error.strerror}; it is as it was"
            ) from error


def _is_failure(value: Mapping[str, Any]) -> bool:
    return value.get("answer") is None and "error" in value


def _keys_of(given: Mapping[str, Any]) -> tuple[int, int]:
    """Short stand-ins for the question, and for all else that came with it."""
    rest = {name: given[name] for name in sorted(given) if name not in {"id", "question"}}
    return content_key(to_line({"question": given.get("question", "")})), content_key(to_line(rest))


def _has_rows(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _refuse_foreign(path: Path) -> None:
    """Leave what is not ours alone."""
    known = read_manifest(folder_of(path), MADE_NAME, KIND) is not None
    if path.exists() and not path.is_file():
        raise ConfigurationError(f"{path} is no file; name a file for the answers")
    if _has_rows(path) and not known:
        raise ConfigurationError(
            f"{path.name} holds something already, and nothing next to it ({folder_of(path).name}) says that saiten "
            "collected it; name a new file"
        )
