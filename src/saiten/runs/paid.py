"""`calls.jsonl`: what a run has spent, written down call by call, so that it outlives whatever ends the process.

Each line has what is to be added to the total, so the file is summed up. A call has two lines: one before it is sent
(a call whose price is not known), and one when its reply is there (the tokens, the cost). So a call that was cut off
counts, too; its tokens are not known.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from saiten.durable.appended_file import AppendedFile, Syncing
from saiten.errors import NotWritten
from saiten.records import Usage
from saiten.runs.lines import from_line, to_line

CALLS_NAME = "calls.jsonl"


class PaidCalls:
    """The file that is being written; made with the first call, so that what costs nothing has none."""

    def __init__(self, folder: Path, before: Callable[[], Usage], opened: Callable[[AppendedFile], object]) -> None:
        """`before`: what was spent already where there is no such file yet; `opened` is given the file to sync."""
        self._path = folder / CALLS_NAME
        self._before = before
        self._opened = opened
        self._file: AppendedFile | None = None
        self._broken = ""

    def keep(self, file: AppendedFile, line: bytes, syncing: Syncing) -> None:
        """Append a line to another file of the run; after a failure every further entry here is refused with it.

        Raises:
            NotWritten: the disk does not take the line, or did not keep an earlier one.
        """
        try:
            syncing.check()
            file.append(line)
        except NotWritten as error:
            self._broken = self._broken or str(error)
            raise

    def enter(self, usage: Usage) -> None:
        """Add to what was spent.

        Raises:
            NotWritten: that is impossible, or something else of the run could not be written.
        """
        if self._broken:
            raise NotWritten(self._broken)
        self._opened_file().append(to_line({name: value for name, value in asdict(usage).items() if value}))

    def _opened_file(self) -> AppendedFile:
        if self._file is None:
            new = not self._path.exists()
            file = AppendedFile(self._path)
            if not all(line.endswith(b"\n") for _, line in file.lines()):  # cut off by a power failure
                file.append(b"\n")
            if new and (before := self._before()) != Usage():
                file.append(to_line(asdict(before)))
            self._file = file
            self._opened(file)
        return self._file


def paid_in(folder: Path) -> Usage | None:
    """What was spent by the file in this folder; None if there is none, as in runs without a model."""
    path = folder / CALLS_NAME
    if not path.is_file():
        return None
    spent = Usage()
    with path.open("rb") as file:
        for line in file:
            try:
                spent += usage_from_json(from_line(line))
            except ValueError:  # half a line
                continue
    return spent


def usage_from_json(value: Any) -> Usage:
    """The usage that an object holds; what is no number in it counts as nothing."""
    given = value if isinstance(value, Mapping) else {}
    known: dict[str, Any] = {f.name: given[f.name] for f in fields(Usage) if isinstance(given.get(f.name), int | float)}
    return Usage(**known)
