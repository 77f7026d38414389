"""A file that is there as a whole or not at all, whenever the process is killed or the disk is full."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from saiten.errors import ConfigurationError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content stands in `path` once the block has ended well; before that, what was there stands there.

    Written beside, brought to the disk, then put over the old file, whose permissions it takes. After an error nothing
    is left beside. A pipe or a device is written to, never replaced.

    Raises:
        OSError: as the disk says it.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    beside = path.with_name(f"{path.name}.new")
    try:
        with beside.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, beside)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_whole(path: Path, text: str, *, otherwise: str) -> None:
    """Write a text into a `whole_file`; raises ConfigurationError, with what to do `otherwise`."""
    try:
        with whole_file(path) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigurationError(f"{path.parent} cannot be written: {error.strerror}; {otherwise}") from error


def sync_folder(folder: Path) -> None:
    """Bring the names of new files to the disk; Windows does that by itself."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
