"""A file of answers being written: appended line by line, and resumed where it stopped.

`ANSWERS.jsonl` has each question once. The folder `ANSWERS.jsonl.saiten` next to it holds the manifest (`made.json`),
unusable rows and retried failures (`errors.jsonl`), the spending (`calls.jsonl`), the lock, and the remains of a line
torn by a power failure. The folder is needed to resume, and to know the cost.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from saiten.data import BadRow
from saiten.data.json_rows import MAX_LINE
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, JudgeError, SystemFailed
from saiten.protocols import System
from saiten.records import Answer, Inquiry, Passage, Sample, Usage
from saiten.redaction import redact_settings
from saiten.runs import sample_to_json
from saiten.runs.engine import Stop
from saiten.runs.lines import content_key, has_lines, id_key, read_lines, to_line, usage_from_json
from saiten.runs.locked_folder import ERRORS_NAME, BadRows, LockedFolder, PaidCalls
from saiten.runs.manifest import Manifest, RunSettings, read_manifest, settings_in, write_manifest
from saiten.runs.shards import read_division

Outcome = Answer | SystemFailed
"""The result of one question."""

_OF_THE_SYSTEM = ("answer", "contexts", "system", "trace")


def from_question(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that come from the question: id, question, reference, group, language, …, if given."""
    known = (name for name in Sample.__dataclass_fields__ if name not in _OF_THE_SYSTEM)
    return {name: row[name] for name in known if name in row}


def as_row(sample: Sample, outcome: Outcome, system: str) -> dict[str, Any]:
    """`{"id", "question", "answer", "contexts", …, "system", "seconds", "calls", "usage"}`.

    A failure has `"answer": null` and `"error": {"kind", "reason"}`, so that every reader of the file counts it.
    """
    given = from_question(sample_to_json(sample))
    row = {"id": given.pop("id"), "question": given.pop("question", "")}
    if isinstance(outcome, SystemFailed):
        error = {"kind": outcome.kind, "reason": str(outcome)}
        return {**row, "answer": None, **given, "system": system, "usage": asdict(outcome.usage), "error": error}
    contexts = None if outcome.contexts is None else [_context(passage) for passage in outcome.contexts]
    calls = [{"step": call.step, "seconds": call.seconds, "usage": asdict(call.usage)} for call in outcome.calls]
    measured = {"seconds": outcome.seconds, "calls": calls, "usage": asdict(outcome.usage)}
    return {**row, "answer": outcome.text, "contexts": contexts, **given, "system": system, **measured}


def _context(passage: Passage) -> dict[str, Any]:
    always = {"text": passage.text, "source": passage.source, "score": passage.score}
    place = {"start": passage.start, "end": passage.end}
    return always | {name: value for name, value in place.items() if value is not None}


MADE_NAME, KIND = "made.json", "saiten answers"
"""The manifest's name and kind."""

_ENDINGS = (".jsonl", ".ndjson")


def folder_of(path: Path) -> Path:
    """Return the folder next to a file of answers."""
    return path.with_name(f"{path.name}.saiten")


class AnswersFile(LockedFolder):
    """Answers of one system. Memory: about 250 bytes per answered question."""

    @classmethod
    def open(
        cls,
        answers: Path | str,
        settings: RunSettings,
        system: str,
        *,
        retry_failed: bool = False,
        notify: Callable[[str], None],
    ) -> "AnswersFile":
        """Start a file, or resume the existing one. A file without rows may start over with other settings.

        Args:
            answers: The file; ends in `.jsonl`.
            settings: Shared by all answers.
            system: The name of the system in each row.
            retry_failed: Remove the rows of failures, so that these questions are asked again.
            notify: Called with each note about what was repaired.

        Raises:
            ConfigurationError: The file holds something else, or answers made with other settings (the differences are
                listed); another process is writing it; it cannot be written. Nothing was changed then.
        """
        answers = Path(os.path.realpath(answers))
        if answers.suffix.lower() not in _ENDINGS:
            raise ConfigurationError(
                f"answers are written as JSON lines; name a file that ends in .jsonl, not {answers.name}"
            )
        if read_division(folder_of(answers)) is not None:
            raise ConfigurationError(
                f"{answers.name} was begun on a cluster, in shards; resume it with --executor ray, or name another file"
            )
        _refuse_foreign(answers)
        opened = cls(folder_of(answers), notify)
        try:
            opened._begin(answers, settings, system, retry_failed=retry_failed)
        except BaseException:
            opened.close()
            raise
        return opened

    def _begin(self, answers: Path, settings: RunSettings, system: str, *, retry_failed: bool) -> None:
        self.answers = answers
        self.outdated = 0
        """Questions whose reference, group or other field changed after they were answered."""
        self._system = system
        there = read_manifest(self.path, MADE_NAME, KIND)
        if there is None or not has_lines(answers):
            made = Manifest.new(settings, {}, kind=KIND)
        else:
            made = there.going_on(settings, {}, answers)
        write_manifest(self.path, made, MADE_NAME)
        self._made = made
        self._bad_rows = BadRows(self)
        self._keys: dict[int, tuple[int, int]] = {}
        if retry_failed:
            self._take_out_failures()
        self._file = self.file(answers)
        for _, value in self.lines(self._file):
            self._keys[id_key(str(value.get("id")))] = _keys_of(value)
        self.before = len(self._keys)
        """Questions with an answer or a failure from earlier runs."""
        self.paid = PaidCalls(self, self._cost_of_answers)
        """The book of calls."""

    def is_done(self, sample: Sample) -> bool:
        """Return whether the question has an answer or a failure.

        Raises:
            BadInput: The file has another question under this id.
        """
        found = self._keys.get(id_key(sample.id))
        if found is None:
            return False
        question, rest = _keys_of(sample_to_json(sample))
        if question != found[0]:
            raise BadInput(
                f"the question {sample.id!r} is not the one that {self.answers.name} has an answer to under this id; "
                "give it another id, or name another file"
            )
        self.outdated += rest != found[1]
        return True

    def answered(self, sample: Sample, outcome: Outcome) -> Outcome:
        """Write an answer or a failure; once this returns, it survives the process."""
        try:
            line = to_line(as_row(sample, outcome, self._system))
            if len(line) > MAX_LINE:
                size = f"{len(line) >> 20} MiB; at most {MAX_LINE >> 20} can be kept"
                raise ValueError(f"the answer takes {size}")  # noqa: TRY301 - one place says what becomes of it
        except (TypeError, ValueError) as error:  # a NaN or an object that JSON cannot represent, from a custom system
            cost = outcome.usage if isfinite(outcome.usage.cost) else Usage(outcome.usage.calls)
            outcome = SystemFailed(f"the answer cannot be kept: {error}", "unreadable", cost)
            line = to_line(as_row(sample, outcome, self._system))
        self.append(self._file, line)
        self._keys[id_key(sample.id)] = _keys_of(sample_to_json(sample))
        return outcome

    def sign(self, described: Mapping[str, str]) -> None:
        """Add what the run has found out about the system to the manifest, but no other setting."""
        kept = self._made.settings
        found = redact_settings(described)
        added = {name: value for name, value in found.items() if name in kept and settings_in(value) == kept[name]}
        signed = replace(self._made, settings={**kept, **added})
        if signed != self._made:
            self._made = signed
            write_manifest(self.path, signed, MADE_NAME)

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used, once, however often the run is resumed."""
        self._bad_rows.keep(where, reason, raw)

    def _cost_of_answers(self) -> Usage:
        """Return the cost of all answers so far and of the failures that were retried."""
        files = (self.answers, self.path / ERRORS_NAME)
        values = (value for file in files for _, value in read_lines(file, dict[str, Any]))
        return sum((usage_from_json(value.get("usage")) for value in values), Usage())

    def _take_out_failures(self) -> None:
        """Rewrite the file without failures, which move to `errors.jsonl`.

        If the process is killed meanwhile, either the old file or the new one remains.
        """
        rows = read_lines(self.answers, dict[str, Any])
        failures = {number for number, row in rows if row.get("answer") is None and "error" in row}
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
                f"{self.answers} cannot be rewritten without its failures: {error.strerror}; it is unchanged"
            ) from error


def refuse_other_answers(answers: Path) -> None:
    """Raise ConfigurationError if the file holds anything but answers of a run in shards."""
    _refuse_foreign(answers)
    if has_lines(answers) and read_division(folder_of(answers)) is None:
        raise ConfigurationError(
            f"{answers.name} was not collected on a cluster; resume it without --executor ray, or name another file"
        )


def _keys_of(row: Mapping[str, Any]) -> tuple[int, int]:
    given = from_question(row)
    rest = {name: given[name] for name in sorted(given) if name not in {"id", "question"}}
    return content_key(to_line({"question": given.get("question", "")})), content_key(to_line(rest))


def _refuse_foreign(path: Path) -> None:
    known = read_manifest(folder_of(path), MADE_NAME, KIND) is not None
    if path.exists() and not path.is_file():
        raise ConfigurationError(f"{path} is no file; name a file for the answers")
    if has_lines(path) and not known:
        raise ConfigurationError(
            f"{path.name} holds something already, and nothing next to it ({folder_of(path).name}) says that saiten "
            "collected it; name a new file"
        )


@dataclass(frozen=True, slots=True)
class Collecting:
    """A run of answers: one per question."""

    system: System
    journal: AnswersFile

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        return sample if sample.question.strip() else BadRow(sample.id, "there is no question in it")

    def is_done(self, sample: Sample) -> bool:
        return self.journal.is_done(sample)

    def judge_for(self, sample: Sample) -> None:
        """Return None: no judge is involved."""

    async def make(self, sample: Sample, keep: Callable[[Outcome], None], stop: Stop) -> None:
        keep(await answer_once(sample, self.system))

    def write(self, sample: Sample, result: Outcome) -> Outcome:
        return self.journal.answered(sample, result)

    def sign(self) -> None:
        self.journal.sign(self.system.describe())

    def finish(self) -> None:
        """Do nothing: a file of answers may always get more questions."""


async def answer_once(sample: Sample, system: System) -> Outcome:
    """Return the system's answer or failure: an error of one question is an outcome, not an exception.

    Raises:
        BudgetSpent, ConfigurationError, BadInput: The error concerns the whole run.
    """
    try:
        answer: object = await system.answer(
            Inquiry(sample.question, sample.id, sample.history, language=sample.language)
        )
    except SystemFailed as error:
        return error
    except (BudgetSpent, ConfigurationError, BadInput):
        raise
    except JudgeError as error:  # from a model or a retriever inside a custom system
        return SystemFailed(str(error), usage=error.usage)
    except Exception as error:  # noqa: BLE001 - one broken question must not take the others' paid answers with it
        return SystemFailed(f"{type(error).__name__}: {error}")
    if isinstance(answer, Answer) and isinstance(answer.text, str):
        return answer
    return SystemFailed(f"expected an Answer with a text, the system gave {answer!r:.100}", "unreadable")
