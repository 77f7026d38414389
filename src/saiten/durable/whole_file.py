"""Files written completely or not at all, even if the process is killed or the disk is full."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from saiten.durable.private import FILE_MODE
from saiten.errors import BadInput, ConfigurationError
from saiten.strict_parsing import strict_json

_SUFFIX = ".new"
"""The suffix of temporary files, which a killed process may leave."""
_KEPT = 50
"""Characters of the name in the temporary name; a file system allows 255 bytes."""
_SYSTEM = {("/", "dev"), ("/", "proc")}


@contextmanager
def writing_to(path: Path, otherwise: str) -> Iterator[None]:
    """Turn an OSError into a ConfigurationError that names the path, the cause and the advice `otherwise`."""
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}; {otherwise}") from error


def check_place(path: Path, example: str) -> None:
    """Check before the work whether a file may be created there; `example` is a name for it.

    Raises:
        BadInput: It is a folder.
        ConfigurationError: There is no folder for it.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file, for example {path / example}")
    if not path.parent.is_dir():
        raise ConfigurationError(f"there is no folder {path.parent} to write {path.name} to; create it first")


@contextmanager
def whole_file(path: Path, *, shared: bool = False) -> Iterator[IO[bytes]]:
    """Open a stream whose content replaces `path` once the block ends without an error.

    A new file is for its owner alone, or with `shared` readable as the umask allows: one that somebody asked for by
    name, such as a report.

    A temporary file in the same folder is written, synced, and renamed over the old one, whose permissions it takes;
    after an error it is removed. A link is followed; a pipe, a device or standard output is written to, never replaced.

    Raises:
        OSError: As raised by the file system.
    """
    if path.absolute().parts[:2] in _SYSTEM or (path.exists() and not path.is_file()):
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()
    temporary = target.with_name(f".{target.name[:_KEPT]}.{secrets.token_hex(4)}{_SUFFIX}")
    try:
        with _opened(temporary, target, 0o666 if shared else FILE_MODE) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _opened(path: Path, target: Path, mode: int) -> IO[bytes]:
    """Create a file that is never readable by anyone who cannot read the old one."""
    there = target.exists()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE if there else mode)
    stream = os.fdopen(fd, "wb")
    if there:
        shutil.copymode(target, path)
    return stream


def write_whole(path: Path, text: str, *, otherwise: str, shared: bool = False) -> None:
    """Write a text into a `whole_file`; raise ConfigurationError with the advice `otherwise`."""
    with writing_to(path.parent, otherwise), whole_file(path, shared=shared) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def write_described(path: Path, record: Any, *, otherwise: str) -> None:
    """Write a dataclass with the fields `kind` and `format` as JSON, unless the file is already equal.

    Raises:
        ConfigurationError: The folder is not writable; with the advice `otherwise`.
    """
    text = json.dumps(asdict(record), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if not path.is_file() or path.read_bytes() != text.encode("utf-8", "backslashreplace"):
        write_whole(path, text, otherwise=otherwise)


def read_described(path: Path, kind: str, format_: int) -> dict[str, Any] | None:
    """Return the JSON object that `write_described` wrote; None if there is no such file.

    Raises:
        ConfigurationError: It is unreadable, of another kind, or of a format that this version does not read.
    """
    try:
        value = strict_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != kind:
        raise ConfigurationError(f"{path} is of another kind; the description of a {kind} was expected")
    if value.get("format") != format_:
        versions = value.get("versions")
        by = (versions if isinstance(versions, dict) else value).get("saiten", "unknown")
        raise ConfigurationError(
            f"{path} has format {value.get('format')}, this saiten reads {format_}; use the version that wrote it "
            f"(saiten {by})"
        )
    return value


def is_left(name: str, of: str) -> bool:
    """Return whether `name` may be a temporary file left by a process that was killed while writing `of`."""
    return name.startswith(f".{of[:_KEPT]}.") and name.endswith(_SUFFIX)


def sync_folder(folder: Path) -> None:
    """Sync the names of new files to the disk; Windows does so by itself."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
