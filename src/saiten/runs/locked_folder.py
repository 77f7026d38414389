"""A folder that one process writes: locked, with files of lines that are repaired, synced and closed together."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from saiten.durable.appended_file import AppendedFile, Syncing
from saiten.durable.lock import Lock
from saiten.durable.private import private_file, private_folder
from saiten.durable.whole_file import sync_folder
from saiten.errors import ConfigurationError, NotWritten
from saiten.models.budget import CALLS_NAME, PRICES_NAME
from saiten.models.prices import Quote
from saiten.records import Usage
from saiten.runs.lines import content_key, from_line, payment_from_json, read_lines, to_line, usage_to_json
from saiten.runs.quotes import quote_from_json, quote_to_json

ERRORS_NAME = "errors.jsonl"


class LockedFolder:
    """A folder locked from construction until `close`, or until the process dies."""

    def __init__(self, path: Path, notify: Callable[[str], None], *, held: bool = False) -> None:
        """Create the folder if needed, and lock it; `notify` is called with each note about a repair.

        `held`: this process has the lock already, as the writer of a knowledge base does.

        Raises:
            ConfigurationError: it cannot be created or written, or another process is writing it.
        """
        self.path = path
        self._notify = notify
        self._files: list[AppendedFile] = []
        self._broken = ""
        self._closed = False
        try:
            private_folder(path)
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be made: {error.strerror}; name another place") from error
        self._lock = None if held else Lock(path, notify)
        self._syncing = Syncing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def file(self, name: str | Path) -> AppendedFile:
        """Return a file in the folder, or one by its path; the same object each time."""
        path = self.path / name
        for file in self._files:
            if file.path == path:
                return file
        file = AppendedFile(path)
        self._files.append(file)
        sync_folder(path.parent)
        self._syncing.add(file)
        return file

    def append(self, file: AppendedFile, line: bytes) -> None:
        """Write a line; once this returns, it survives the process.

        Raises:
            NotWritten: the disk refused this line or lost an earlier one; `check` raises it from then on.
        """
        if self._closed:
            raise ValueError(f"{self.path} is closed")
        try:
            self._syncing.check()
            file.append(line)
        except NotWritten as error:
            self._broken = self._broken or str(error)
            raise

    def check(self) -> None:
        """Raise NotWritten if a line could not be written, since results paid for from then on would be lost."""
        if self._broken:
            raise NotWritten(self._broken)

    def lines(self, file: AppendedFile) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Yield each readable line; a torn last line is repaired or moved aside first."""
        size = 0
        for number, line in file.lines():
            whole = line.endswith(b"\n")
            try:
                value = from_line(line)
            except ValueError:
                if not whole:
                    self._move_aside(file, size, line)
                    return
                if line.strip():
                    self._notify(f"{file.path}:{number} cannot be read; it counts as not written")
            else:
                if not whole:  # only the line end was lost
                    file.append(b"\n")
                yield (line if whole else line + b"\n"), value
                if not whole:
                    return
            size += len(line)

    def sync(self) -> None:
        """Flush everything to the disk."""
        for file in self._files:
            file.sync()

    def close(self) -> None:
        """Flush everything to the disk, and unlock the folder."""
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
            if self._lock is not None:
                self._lock.release()

    def _move_aside(self, file: AppendedFile, size: int, torn: bytes) -> None:
        aside = self.path / f"{file.path.name}.torn"
        private_file(aside)
        with aside.open("ab") as rest:
            rest.write(torn + b"\n")
        file.keep(size)
        self._notify(
            f"{file.path.name} ended in half a line ({len(torn)} bytes), as after a power failure; "
            f"it was moved to {aside.name}; the run continues"
        )


class BadRows:
    """The unusable rows in `errors.jsonl`, each once, however often the run is resumed."""

    def __init__(self, folder: LockedFolder) -> None:
        self._folder = folder
        self.file = folder.file(ERRORS_NAME)
        self._known = {content_key(line) for line, value in folder.lines(self.file) if value.get("kind") == "row"}
        self.seen: set[int] = set()
        """Bad rows since the folder was opened; rows corrected in the data no longer count."""

    def keep(self, where: str, reason: str, raw: str = "") -> None:
        """Write the row unless it is in the file."""
        line = to_line({"kind": "row", "where": where, "reason": reason, "raw": raw})
        key = content_key(line)
        self.seen.add(key)
        if key not in self._known:
            self._folder.append(self.file, line)
            self._known.add(key)


@lru_cache(64)  # one per request that is sent, and many replies, are alike
def _paid_line(usage: Usage) -> bytes:
    return to_line({name: value for name, value in usage_to_json(usage).items() if value})


class PaidCalls:
    """The files being written; created at the first call, so runs without calls have none."""

    def __init__(self, folder: LockedFolder, before: Callable[[], Usage] = Usage) -> None:
        """`before` returns the earlier spending if the file does not exist yet."""
        self._folder = folder
        self._before = before
        self._file: AppendedFile | None = None
        self._quoted: list[Quote] = []

    def enter(self, usage: Usage) -> None:
        """Add to the total; raises NotWritten if it cannot be written, or another file of the run could not be."""
        self._folder.check()
        if self._file is None:
            new = not (self._folder.path / CALLS_NAME).exists()
            file = self._folder.file(CALLS_NAME)
            for _ in self._folder.lines(file):  # repairs a line torn by a power failure
                pass
            if new and (before := self._before()) != Usage():
                self._folder.append(file, to_line(usage_to_json(before)))
            self._file = file
        self._folder.append(self._file, _paid_line(usage))

    def quote(self, quote: Quote) -> None:
        """Keep a price and its source, once; raises NotWritten likewise. Unknown prices have nothing to keep."""
        if quote in self._quoted:
            return
        if quote.price is not None and quote.source:
            file = self._folder.file(PRICES_NAME)
            if quote not in [quote_from_json(value) for _, value in self._folder.lines(file)]:
                self._folder.append(file, to_line(quote_to_json(quote)))
        self._quoted.append(quote)


def prices_in(folder: Path) -> list[Quote]:
    """Return the prices that the costs in this folder were computed with, in order of their first use."""
    return [quote for _, quote in read_lines(folder / PRICES_NAME, quote_from_json) if quote is not None]


def paid_in(folder: Path) -> Usage | None:
    """Return the total of the file in this folder; None if there is no file, as in runs without a model."""
    path = folder / CALLS_NAME
    if not path.is_file():
        return None
    return sum((usage for _, usage in read_lines(path, payment_from_json)), Usage())
