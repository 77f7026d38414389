"""A file that is there as a whole or not at all, whenever the process is killed or the disk is full."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from saiten.errors import ConfigurationError

_BESIDE = ".new"
"""How a file ends that a killed process may leave."""
_KEPT = 50
"""Characters of the name in the name beside; a file system holds 255 bytes."""
_SYSTEM = {("/", "dev"), ("/", "proc")}


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content stands in `path` once the block has ended well; before that, what was there stands there.

    Written beside under a name that nobody has, brought to the disk, then put over the old file, whose permissions it
    takes. After an error nothing is left beside. Through a link what it leads to is written; a pipe, a device or
    standard output is written to, never replaced.

    Raises:
        OSError: as the disk says it.
    """
    if path.absolute().parts[:2] in _SYSTEM or (path.exists() and not path.is_file()):
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()
    beside = target.with_name(f".{target.name[:_KEPT]}.{secrets.token_hex(4)}{_BESIDE}")
    try:
        with _opened(beside, target) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _opened(beside: Path, target: Path) -> IO[bytes]:
    """A new file that from the beginning nobody can read who cannot read the old one."""
    there = target.exists()
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if there else 0o666)
    stream = os.fdopen(fd, "wb")
    if there:
        shutil.copymode(target, beside)
    return stream


def write_whole(path: Path, text: str, *, otherwise: str) -> None:
    """Write a text into a `whole_file`; raises ConfigurationError, with what to do `otherwise`."""
    try:
        with whole_file(path) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigurationError(f"{path.parent} cannot be written: {error.strerror}; {otherwise}") from error


def is_left(name: str, of: str) -> bool:
    """Whether a file of this name may be what a process left that was killed while it wrote the file `of`."""
    return name.startswith(f".{of[:_KEPT]}.") and name.endswith(_BESIDE)


def sync_folder(folder: Path) -> None:
    """Bring the names of new files to the disk; Windows does that by itself."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
