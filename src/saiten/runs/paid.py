"""`calls.jsonl`: what a run has spent, written down call by call, so that it outlives whatever ends the process.

Each line has what is to be added to the total, so the file is summed up. A call has two lines: one before it is sent
(a call whose price is not known), and one when its reply is there (the tokens, the cost). So a call that was cut off
counts, too; its tokens are not known.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from saiten.durable.appended_file import AppendedFile
from saiten.records import Usage
from saiten.runs.lines import read_lines, to_line
from saiten.runs.locked_folder import LockedFolder

CALLS_NAME = "calls.jsonl"


class PaidCalls:
    """The file that is being written; made with the first call, so that what costs nothing has none."""

    def __init__(self, folder: LockedFolder, before: Callable[[], Usage] = Usage) -> None:
        """`before`: what was spent already where there is no such file yet."""
        self._folder = folder
        self._before = before
        self._file: AppendedFile | None = None

    def enter(self, usage: Usage) -> None:
        """Add to what was spent.

        Raises:
            NotWritten: that is impossible, or something else of the run could not be written.
        """
        self._folder.check()
        if self._file is None:
            new = not (self._folder.path / CALLS_NAME).exists()
            file = self._folder.file(CALLS_NAME)
            for _ in self._folder.lines(file):  # mends what a power failure cut off
                pass
            if new and (before := self._before()) != Usage():
                self._folder.append(file, to_line(asdict(before)))
            self._file = file
        self._folder.append(self._file, to_line({name: value for name, value in asdict(usage).items() if value}))


def paid_in(folder: Path) -> Usage | None:
    """What was spent by the file in this folder; None if there is none, as in runs without a model."""
    path = folder / CALLS_NAME
    if not path.is_file():
        return None
    return sum((usage for _, usage in read_lines(path, usage_from_json)), Usage())


def usage_from_json(value: Any) -> Usage:
    """The usage that an object holds; what is no number in it counts as nothing."""
    given = value if isinstance(value, Mapping) else {}
    known: dict[str, Any] = {f.name: given[f.name] for f in fields(Usage) if isinstance(given.get(f.name), int | float)}
    return Usage(**known)
