"""One process per run: a lock on a file in the folder, released by the system when the process ends."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from saiten.durable.private import FILE_MODE
from saiten.durable.whole_file import writing_to
from saiten.errors import ConfigurationError

LOCK_NAME = ".lock"

if sys.platform == "win32":
    import msvcrt

    def lock_file(fd: int, *, shared: bool = False) -> None:
        """Lock the open file for this process alone: there are no shared locks; raises BlockingIOError if held."""
        os.lseek(fd, 1 << 30, os.SEEK_SET)  # what is locked cannot be read there, and the number must be readable
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
        finally:
            os.lseek(fd, 0, os.SEEK_SET)

else:
    import fcntl

    def lock_file(fd: int, *, shared: bool = False) -> None:
        """Lock the open file for this process alone or, `shared`, for readers; raises BlockingIOError if held."""
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


class Lock:
    """Hold the folder from construction until `release`, or until the process dies."""

    def __init__(self, folder: Path, notify: Callable[[str], None]) -> None:
        """Take the lock; on a file system without locks (some network drives), note it and continue without.

        Raises:
            ConfigurationError: Another process holds it, or the folder cannot be written.
        """
        path = folder / LOCK_NAME
        with writing_to(folder, "name another folder"):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            lock_file(self._fd)
        except BlockingIOError as error:
            holder = os.read(self._fd, 20).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise ConfigurationError(
                f"{folder} is in use by another saiten process{f' (number {holder})' if holder else ''}; "
                "wait for it, stop it, or name another folder"
            ) from error
        except OSError as error:
            notify(f"{folder} cannot be locked ({error.strerror}); make sure that no other process writes there")
        try:
            os.ftruncate(self._fd, 0)
            os.write(self._fd, str(os.getpid()).encode())
        except OSError:
            return  # the number is a courtesy; a full disk shows itself where it matters

    def release(self) -> None:
        """Release the folder. The file stays: removing it would let two processes lock two files of one name."""
        os.close(self._fd)
