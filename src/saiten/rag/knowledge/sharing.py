"""A lock file for many readers or one writer, released by the system when the process ends.

Unlike the journal's lock, readers share it, so it names no holder.
"""

import os
import sys
from pathlib import Path

from saiten.errors import ConfigurationError

LOCK_NAME = ".lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int, *, writing: bool) -> None:
        try:  # Windows has no shared locks: one process at a time, even for reading
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _lock(fd: int, *, writing: bool) -> None:
        fcntl.flock(fd, (fcntl.LOCK_EX if writing else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def hold(folder: Path, *, writing: bool) -> int:
    """Take the lock and return a descriptor, whose `os.close` releases it. On drives without locks nothing is held.

    Raises:
        ConfigurationError: another process is writing, or reading while this one wants to write; or access is denied.
    """
    try:
        fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        instead = (
            "name another folder" if writing else "the engine needs that to search, too: copy it to where it can be"
        )
        raise ConfigurationError(f"{folder} cannot be written: {error.strerror}; {instead}") from error
    try:
        _lock(fd, writing=writing)
    except BlockingIOError as error:
        os.close(fd)
        who = "searched or indexed" if writing else "indexed"
        raise ConfigurationError(
            f"the knowledge base {folder} is being {who} by another process; wait for it or stop it. Many processes "
            "may search a folder at once, but one indexes it alone; on a Qdrant server both go together: "
            "--kb http://HOST:6333/NAME"
        ) from error
    except OSError:
        pass  # some network drives have no locks; there the user is responsible
    return fd
