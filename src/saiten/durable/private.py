"""Files and folders for their owner alone, since they hold people's texts: 0600 and 0700, whatever the umask.

What exists already keeps its mode, so that whoever opens a folder to others keeps it open. Windows has no such modes.
"""

import os
from contextlib import suppress
from pathlib import Path

FILE_MODE = 0o600


def private_folder(path: Path) -> None:
    """Create the folder, and those above it, if needed; raises OSError."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(0o700, exist_ok=True)  # another process may do the same


def private_file(path: Path) -> None:
    """Create an empty file, if needed, for libraries that would create one readable by others.

    SQLite gives its log and its shared memory the mode of the database. If the file cannot be created, neither can the
    library, which then says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
