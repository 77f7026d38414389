"""A file to which lines are appended: one write per line, on disk within a second, never half a line.

Each line goes to the operating system in a single write at once, so a killed process (SIGKILL, a crash) loses nothing
that was written. A thread syncs changed files once a second, so a power failure loses at most the last second.
"""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from saiten.durable.private import FILE_MODE
from saiten.durable.whole_file import writing_to
from saiten.errors import NotWritten

SYNC_SECONDS = 1.0


class AppendedFile:
    """One file, opened for appending by one thread of one process; the run's lock ensures that."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing_to(path, "name another folder"):
            # Not inherited by child processes.
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), FILE_MODE)
            self._size = os.fstat(self._fd).st_size
        self._unsynced = False
        self._syncing = threading.Lock()

    def append(self, line: bytes) -> None:
        """Write the line completely or, if that is impossible (the disk is full), not at all.

        Raises:
            NotWritten: It could not be written; the file is as it was.
        """
        try:
            rest = memoryview(line)
            while rest:  # more than one round only where the disk or a quota ran out in the middle
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            self._cut(self._size)
            raise NotWritten(
                f"{self.path} cannot be written: {error.strerror}; everything before is kept, and no further call is "
                "made: free some space and re-run the command"
            ) from error
        self._size += len(line)
        self._unsynced = True

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and content of each line; the last one may lack its line end."""
        with self.path.open("rb") as file:
            yield from enumerate(file, 1)

    def keep(self, size: int) -> None:
        """Truncate the file to `size` bytes."""
        self._cut(size)
        self._size = size
        self._unsynced = True

    def sync(self) -> None:
        """Sync what was written to the disk; another thread may close the file meanwhile."""
        if self._unsynced:
            with self._syncing:
                if self._fd >= 0:
                    self._unsynced = False  # before, so that a line written meanwhile is not forgotten
                    os.fsync(self._fd)

    def check(self) -> None:
        """Raise NotWritten if the file was deleted or replaced: what is written into it is then lost."""
        with self._syncing:
            gone = self._fd >= 0 and not os.fstat(self._fd).st_nlink
        if gone:
            raise NotWritten(
                f"{self.path} was deleted or replaced while it was being written; no further call is made: restore it, "
                "or re-run the command to begin anew"
            )

    def close(self) -> None:
        """Sync and close."""
        try:
            self.sync()
        finally:
            with self._syncing:
                os.close(self._fd)
                self._fd = -1

    def _cut(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            return  # half a line stays, which the next opening finds and moves aside


class Syncing:
    """A thread that syncs files once a second until it is stopped."""

    def __init__(self) -> None:
        self._files: tuple[AppendedFile, ...] = ()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="saiten journal", daemon=True)
        self._failed: NotWritten | None = None
        self._thread.start()

    def add(self, file: AppendedFile) -> None:
        """Sync this file, too."""
        self._files = (*self._files, file)

    def remove(self, file: AppendedFile) -> None:
        """Sync this file no more."""
        self._files = tuple(each for each in self._files if each is not file)

    def check(self) -> None:
        """Raise NotWritten if the thread found that what is written is lost: a broken disk, a deleted file."""
        if self._failed is not None:
            raise NotWritten(str(self._failed))

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(SYNC_SECONDS):
            try:
                for file in self._files:
                    file.sync()
                    file.check()
            except NotWritten as error:
                self._failed = error
                return
            except OSError as error:
                self._failed = NotWritten(
                    f"the disk loses what is written: {error.strerror}; no further call is made: check the disk and "
                    "re-run the command"
                )
                return
