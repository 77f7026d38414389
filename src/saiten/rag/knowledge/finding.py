"""Finding files below the given paths, in a fixed order, and digests of their bytes."""

import hashlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from saiten.rag.knowledge.documents import FoundFile, Kind, Unread

_ENDS: dict[Kind, tuple[str, ...]] = {
    "text": (".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", ".org", ".tex"),
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "docx": (".docx", ".docm"),
}
KINDS = {end: kind for kind, ends in _ENDS.items() for end in ends}
"""How a file is read, by suffix."""

_READING = b"saiten.read.1"
"""Part of every digest; increase the number to have documents read again after an improvement."""


def find_documents(paths: Sequence[Path]) -> Iterator[FoundFile | Unread]:
    """Yield the files to read, and those that will not be, in order of paths and names; nothing is opened.

    Folders are searched recursively; links are followed, each folder once. Hidden files (`.git`, Word's `~$…`) and
    unsupported kinds are yielded as `skipped` Unread, unless given explicitly.
    """
    entered: set[tuple[int, int]] = set()
    for path in paths:
        if path.is_dir():
            yield from _below(path, entered)
        else:
            yield _named(path)


def new_digest() -> hashlib.blake2b:
    """Return an empty digest for a file's bytes."""
    return hashlib.blake2b(digest_size=16, person=_READING)


def digest_of(file: FoundFile) -> str:
    """Return the digest of the file's bytes.

    It also changes when a version of saiten reads files differently. Raises OSError.
    """
    with file.path.open("rb") as stream:
        return hashlib.file_digest(stream, new_digest).hexdigest()


def _named(path: Path) -> FoundFile | Unread:
    source = _source(path.name or str(path))
    kind = KINDS.get(path.suffix.lower())
    try:
        if not path.exists():
            missing = "is a link to nothing" if path.is_symlink() else "there is no such file or folder"
            return Unread(source, missing)
        if not path.is_file():
            return Unread(source, "is neither a file nor a folder")
    except (OSError, ValueError) as error:
        return Unread(source, f"cannot be looked at: {error}")
    if kind is None:
        return Unread(source, f"is of a kind that is not read; those that are: {' '.join(KINDS)}")
    return FoundFile(path, source, kind)


def _below(folder: Path, entered: set[tuple[int, int]]) -> Iterator[FoundFile | Unread]:
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        source = _source(path.relative_to(folder).as_posix())
        try:
            if path != folder and path.name.startswith((".", "~$")):
                yield Unread(source, "is hidden", skipped=True)
            elif path.is_dir():
                waiting += _entries(path, entered)
            elif path.is_symlink() and not path.exists():
                yield Unread(source, "is a link to nothing")
            elif not path.is_file():
                yield Unread(source, "is neither a file nor a folder", skipped=True)
            elif kind := KINDS.get(path.suffix.lower()):
                yield FoundFile(path, source, kind)
            else:
                yield Unread(source, "is of a kind that is not read", skipped=True)
        except OSError as error:
            yield Unread(source, f"cannot be looked at: {error.strerror or error}")


def _entries(folder: Path, entered: set[tuple[int, int]]) -> list[Path]:
    """Return the folder's entries in reverse order; nothing if it was entered before (through a link)."""
    found = folder.stat()
    identity = (found.st_dev, found.st_ino)
    if identity in entered:
        return []
    with os.scandir(folder) as entries:
        names = sorted((entry.name for entry in entries), reverse=True)
    entered.add(identity)
    return [folder / name for name in names]


def _source(name: str) -> str:
    """Return the name as storable text: equal on all systems, and valid even if the file system's is not."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "replace"))
