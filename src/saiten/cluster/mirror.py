"""A shard's folder in two places: a worker appends to its copy, and the driver keeps what it wrote.

So workers need no storage in common, and only the driver's disk has to be kept. The copy holds an ordinary run, written
by the ordinary journal; after each moment, the bytes added to its files go to the driver.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from saiten.durable.appended_file import AppendedFile, Syncing
from saiten.durable.lock import LOCK_NAME
from saiten.durable.private import private_folder
from saiten.durable.whole_file import whole_file, writing_to
from saiten.errors import NotWritten

_LINES = (".jsonl", ".ndjson")
"""Endings of files to which lines are appended; all others are replaced as a whole."""
_MOST = 4 << 20
"""Bytes of one file that are sent at a time."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What was written to a file of a shard."""

    name: str
    """Its path in the shard's folder."""
    content: bytes
    whole: bool
    """Whether this replaces the file, instead of being added to it."""


@dataclass(slots=True)
class _Known:
    """What the driver has of a file."""

    inode: int
    size: int
    changed: int


class FolderCopy:
    """The worker's copy of a shard's folder."""

    def __init__(self, folder: Path, files: Mapping[str, bytes]) -> None:
        """Make the folder with these files, which the driver has."""
        self.folder = folder
        self._known: dict[str, _Known] = {}
        private_folder(folder)
        for name, content in files.items():
            path = folder / name
            private_folder(path.parent)
            path.write_bytes(content)
            self._note(name, path.stat(), len(content))

    def news(self) -> list[FileChange]:
        """Return what was written since the last call, at most 4 MiB per file."""
        found = []
        for path in self.folder.rglob("*"):
            if path.name == LOCK_NAME or path.suffix == ".new" or not path.is_file():
                continue
            written = self._read(path.relative_to(self.folder).as_posix(), path)
            if written is not None:
                found.append(written)
        return sorted(found, key=lambda each: each.name.endswith(_LINES))  # a run begins with its manifest

    def rest(self) -> list[FileChange]:
        """Return all that is left, after the last line was written."""
        found: list[FileChange] = []
        while news := self.news():
            found += news
        return found

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, name: str, path: Path) -> FileChange | None:
        there, known = path.stat(), self._known.get(name)
        if not name.endswith(_LINES):
            if known is not None and (known.inode, known.changed) == (there.st_ino, there.st_mtime_ns):
                return None
            content = path.read_bytes()
            self._note(name, there, len(content))
            return FileChange(name, content, whole=True)
        start = 0 if known is None or known.inode != there.st_ino or there.st_size < known.size else known.size
        if known is not None and start == there.st_size:
            return None
        with path.open("rb") as file:
            file.seek(start)
            content = file.read(_MOST)
        self._note(name, there, start + len(content))
        return FileChange(name, content, whole=not start)

    def _note(self, name: str, there: os.stat_result, size: int) -> None:
        self._known[name] = _Known(there.st_ino, size, there.st_mtime_ns)


class KeptFolder:
    """The driver's folder of a shard while a worker has it."""

    def __init__(self, folder: Path, syncing: Syncing) -> None:
        self.folder = folder
        self._syncing = syncing
        self._open: dict[str, AppendedFile] = {}

    def content(self) -> dict[str, bytes]:
        """Return the files; a line that a killed driver wrote in part is cut off, and will be made again."""
        if not self.folder.is_dir():
            return {}
        found = {}
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name != LOCK_NAME and path.suffix != ".new":
                content = path.read_bytes()
                if path.name.endswith(_LINES) and not content.endswith(b"\n"):
                    content = content[: content.rfind(b"\n") + 1]
                    with writing_to(path, "name another folder"), path.open("r+b") as file:
                        file.truncate(len(content))
                found[path.relative_to(self.folder).as_posix()] = content
        return found

    def write(self, written: Sequence[FileChange]) -> None:
        """Write what a worker wrote; once this returns, it survives this process.

        Raises:
            NotWritten: It could not be written.
        """
        for each in written:
            path = self.folder / each.name
            if each.whole:
                self._close(each.name)
                try:
                    private_folder(path.parent)
                    with whole_file(path) as file:
                        file.write(each.content)
                except OSError as error:
                    raise NotWritten(
                        f"{path} cannot be written: {error.strerror}; everything before is kept: free some space and "
                        "re-run the command"
                    ) from error
                continue
            file_ = self._open.get(each.name)
            if file_ is None:
                self._open[each.name] = file_ = AppendedFile(path)
                self._syncing.add(file_)
            self._syncing.check()
            file_.append(each.content)

    def close(self) -> None:
        """Sync and close the files."""
        for name in list(self._open):
            self._close(name)

    def _close(self, name: str) -> None:
        file = self._open.pop(name, None)
        if file is not None:
            self._syncing.remove(file)
            file.close()
