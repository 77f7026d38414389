"""Files of object stores (`s3://`, `gs://`, `abfs://`, …), read through fsspec, which finds the credentials.

Every request names the bytes that it wants, so nothing is read that nobody asked for, and several readers of one file
share no position.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saiten.errors import BadInput, ConfigurationError, SaitenError

AHEAD = 8 << 20
"""Bytes requested at once of a file that is read to its end; a request takes as long as a few megabytes."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.:-]+):/(/?)(.*)", re.DOTALL)
_EXTRAS = {
    **dict.fromkeys(("s3", "s3a"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "gcs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "azure"),
}


def located(source: str | Path) -> Path | str:
    """Return the path of a file on this machine (also of `file://`), or the address of any other as text.

    A `Path` has lost a slash of its address, which is put back.
    """
    found = _ADDRESS.match(str(source))
    if found is None or (not found[2] and Path(source).exists()):
        return Path(source)
    scheme, slash, rest = found.groups()
    if scheme.lower() in ("file", "local"):
        return Path(rest if slash else f"/{rest}")
    return f"{scheme}://{rest}"


def name_in(address: str) -> str:
    """Return the last part of an address, without a query, user or password."""
    scheme, _, rest = address.partition("://")
    if scheme.lower() in ("http", "https"):
        rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, _, path = rest.partition("/")
    return path.rstrip("/").rpartition("/")[2] or host.rpartition("@")[2] or scheme


def file_system(address: str) -> tuple[Any, str]:
    """Return fsspec's file system for the address, and the path in it.

    Raises ConfigurationError without the package for such addresses, or if that lacks a setting.
    """
    scheme = address.partition("://")[0].lower()
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - optional package

        files, path = url_to_fs(address)
    except ImportError as error:
        extra = _EXTRAS.get(scheme)
        how = f'pip install "saiten[{extra}]"' if extra else "pip install fsspec, and the package for such addresses"
        raise ConfigurationError(f"{scheme}:// cannot be read ({error}); install what it needs: {how}") from error
    except ValueError as error:  # an unknown scheme, or no account
        raise ConfigurationError(f"{address} cannot be read: {error}") from error
    return files, path


@contextmanager
def asking(address: str) -> Iterator[None]:
    """Raise BadInput for whatever goes wrong within a request to a store."""
    try:
        yield
    except SaitenError:
        raise
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {address}") from error
    except Exception as error:  # every store's package has errors of its own
        raise BadInput(f"{address} cannot be read: {type(error).__name__}: {error}") from error


def size_of(address: str) -> int:
    """Return the bytes of a stored file; raises BadInput if it is missing, a folder, or of unknown size."""
    files, path = file_system(address)
    with asking(address):
        files.invalidate_cache()  # of listings; the file may be newer
        found = files.info(path)
    if found.get("type") == "directory":
        raise BadInput(f"{address} is a folder; name its files, for example {address.rstrip('/')}/*.jsonl")
    if not isinstance(found.get("size"), int):
        raise BadInput(f"{address} cannot be read in parts, since its size is unknown; download it first")
    return int(found["size"])


class StoredBytes(io.RawIOBase):
    """The bytes of a stored file from `start` to `end`, requested when they are read; read them through a buffer."""

    def __init__(self, address: str, start: int = 0, end: int | None = None) -> None:
        super().__init__()
        self._address, self._start = address, start
        self._end = size_of(address) if end is None else end
        self._files, self._path = file_system(address)
        self._at = start

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at - self._start

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: self._start, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        self._at = max(self._start, base + offset)
        return self.tell()

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._end)
        if end <= self._at:
            return 0
        with asking(self._address):
            data = self._files.cat_file(self._path, start=self._at, end=end)
        if len(data) != end - self._at:
            raise BadInput(
                f"{self._address} gave {len(data)} bytes instead of {end - self._at}; either it has changed, or its "
                "server cannot read parts of files: download it first"
            )
        buffer[: len(data)] = data
        self._at = end
        return len(data)
