"""`calls.jsonl`: the spending of a run, written call by call, so that it survives the end of the process.

Each line is added to the total. A call has two lines: one before it is sent (a call of unknown price), and one when its
reply arrives (tokens and cost). So an interrupted call counts, too; its tokens are unknown.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from saiten.durable.appended_file import AppendedFile
from saiten.records import Usage
from saiten.runs.lines import read_lines, to_line, usage_from_json
from saiten.runs.locked_folder import LockedFolder

CALLS_NAME = "calls.jsonl"


class PaidCalls:
    """The file being written; created at the first call, so runs without calls have none."""

    def __init__(self, folder: LockedFolder, before: Callable[[], Usage] = Usage) -> None:
        """`before` returns the earlier spending if the file does not exist yet."""
        self._folder = folder
        self._before = before
        self._file: AppendedFile | None = None

    def enter(self, usage: Usage) -> None:
        """Add to the total.

        Raises:
            NotWritten: It cannot be written, or another file of the run could not be.
        """
        self._folder.check()
        if self._file is None:
            new = not (self._folder.path / CALLS_NAME).exists()
            file = self._folder.file(CALLS_NAME)
            for _ in self._folder.lines(file):  # repairs a line torn by a power failure
                pass
            if new and (before := self._before()) != Usage():
                self._folder.append(file, to_line(asdict(before)))
            self._file = file
        self._folder.append(self._file, to_line({name: value for name, value in asdict(usage).items() if value}))


def paid_in(folder: Path) -> Usage | None:
    """Return the total of the file in this folder; None if there is no file, as in runs without a model."""
    path = folder / CALLS_NAME
    if not path.is_file():
        return None
    return sum((usage for _, usage in read_lines(path, usage_from_json)), Usage())
