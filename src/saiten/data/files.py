"""The files that a path, a pattern (`logs/*.jsonl`) or an address of an object store (`s3://…`) means.

Object stores are reached through fsspec, which is loaded only for an address; a plain path never needs it.
"""

import glob
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from posixpath import commonpath
from typing import IO, Any

from saiten.errors import BadInput, ConfigurationError
from saiten.redaction import redact

_MAGIC = "*?["
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "abfs": "azure", "abfss": "azure", "az": "azure"}
"""Scheme of an address → the extra with the package that knows it."""
_READ_AHEAD = 8 << 20
"""Bytes that are fetched from an object store at a time."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of an input."""

    path: str
    """A path, or an address."""
    name: str
    """For messages: the path below the folder that all files of the input have in common."""
    before_ids: str = ""
    """What generated ids begin with: of several files, each has a `row-1`."""


def is_address(source: object) -> bool:
    """Return whether it is an address that fsspec knows how to read."""
    return isinstance(source, str) and "://" in source


def files_at(source: Path | str) -> tuple[DataFile, ...]:
    """Return the files in sorted order; a single path as it is, whether or not it exists.

    Raises:
        BadInput: no file matches the pattern, or the object store does not answer.
        ConfigurationError: the package for this kind of address is not installed.
    """
    text = str(source)
    if is_address(source):
        paths = _matching_addresses(text)
    elif any(sign in text for sign in _MAGIC) and not Path(text).exists():
        found = glob.glob(str(Path(text).expanduser()), recursive=True)  # noqa: PTH207 - Path.glob needs a folder apart
        paths = sorted(path for path in found if Path(path).is_file())
    else:
        return (DataFile(text, Path(text).name or text),)
    if not paths:
        raise BadInput(f"no file matches {redact(text)}")
    if len(paths) == 1:
        return (DataFile(paths[0], paths[0].rstrip("/").rpartition("/")[2]),)
    plain = [path.replace(os.sep, "/").partition("://")[2] or path.replace(os.sep, "/") for path in paths]
    common = commonpath([path.rpartition("/")[0] for path in plain])
    names = [path[len(common) :].lstrip("/") for path in plain]
    return tuple(DataFile(path, name, f"{name}:") for path, name in zip(paths, names, strict=True))


@contextmanager
def open_file(path: str | Path, *, ahead: int = _READ_AHEAD) -> Iterator[IO[bytes]]:
    """Open a path or an address for reading; raises OSError as for any file.

    `ahead`: bytes that are fetched from an object store at a time.
    """
    if not is_address(path):
        with Path(path).open("rb") as file:
            yield file
        return
    system, inner = _system(str(path))
    with _reported(str(path)), system.open(inner, "rb", block_size=ahead) as file:
        yield io.BufferedReader(_Raw(file), 1 << 16)


@contextmanager
def open_range(path: str, start: int, end: int) -> Iterator[io.BufferedReader]:
    """Open the bytes from `start` to `end` of a file; those of an object store are fetched at once."""
    if is_address(path):
        system, inner = _system(path)
        with _reported(path):
            content = system.cat_file(inner, start=start, end=end)
        yield io.BufferedReader(io.BytesIO(content))
        return
    with Path(path).open("rb") as file:
        file.seek(start)
        yield io.BufferedReader(_Range(file, end - start), 1 << 16)


def size_of(path: str) -> int:
    """Return the bytes of a file; raises BadInput if it is missing."""
    try:
        if not is_address(path):
            return Path(path).stat().st_size
        system, inner = _system(path)
        with _reported(path):
            return int(system.size(inner))
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {redact(path)}") from error
    except OSError as error:
        raise BadInput(f"{redact(path)} cannot be read: {error}") from error


def _matching_addresses(address: str) -> list[str]:
    system, inner = _system(address)
    if not any(sign in inner for sign in _MAGIC):
        return [address]
    with _reported(address):
        return sorted(system.unstrip_protocol(path) for path in system.glob(inner))


def _system(address: str) -> tuple[Any, str]:
    scheme = address.partition("://")[0]
    extra = _EXTRAS.get(scheme)
    install = f'; install it with pip install "saiten[{extra}]"' if extra else ""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - optional package
    except ImportError as error:
        raise ConfigurationError(f"{redact(address)} needs fsspec{install}") from error
    try:
        system, inner = url_to_fs(address)
    except ImportError as error:
        raise ConfigurationError(f"{redact(address)} needs a package for {scheme}:// ({error}){install}") from error
    except ValueError as error:
        raise ConfigurationError(f"{redact(address)} cannot be read: {error}") from error
    return system, inner


@contextmanager
def _reported(address: str) -> Iterator[None]:
    """Turn the many errors of object stores into OSError with a short text; a missing file stays one."""
    try:
        yield
    except (OSError, BadInput):
        raise
    except Exception as error:
        if type(error).__module__.startswith(("botocore", "aiobotocore", "google", "gcsfs", "azure", "aiohttp")):
            raise OSError(f"{type(error).__name__}: {redact(str(error))}") from error
        raise


class _Raw(io.RawIOBase):
    """A file of fsspec's as Python's own buffer takes it."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._file.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())


class _Range(io.RawIOBase):
    """The next bytes of a file, and then its end."""

    def __init__(self, file: IO[bytes], left: int) -> None:
        super().__init__()
        self._file, self._left = file, left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._file.read(min(len(buffer), self._left))
        buffer[: len(content)] = content
        self._left -= len(content)
        return len(content)
