"""Opening a source (a path, `-`, an open file) as a buffered stream of plain bytes."""

import gzip
import io
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO

from saiten.data.addresses import AHEAD, StoredBytes, located
from saiten.data.files import name_of_file
from saiten.errors import BadInput

File = Path | str | IO[bytes] | IO[str]
"""A path, a pattern, an address, `-` for standard input, or an open file in binary or text mode."""
Source = File | Iterable[Mapping[str, Any]]
"""A file, or rows in memory."""

CHUNK = 1 << 16
GZIP = b"\x1f\x8b"
"""The first bytes of a gzipped file."""
BOMS_UTF16 = (BOM_UTF16_LE, BOM_UTF16_BE)


class Chunks(io.RawIOBase):
    """Chunks of bytes as a file; read it through a BufferedReader."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def buffered(chunks: Iterator[bytes]) -> io.BufferedReader:
    """Return the chunks as one buffered file."""
    return io.BufferedReader(Chunks(chunks), CHUNK)


def chunks_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of a stream in chunks."""
    return iter(lambda: stream.read(CHUNK), b"")


def name_of(source: Source) -> str:
    """Return the name used in error messages."""
    if isinstance(source, str | Path):
        return "stdin" if source == "-" else name_of_file(source)
    named = getattr(source, "name", None)
    return Path(named).name if isinstance(named, str) and named else "input"


@contextmanager
def opened(source: File, name: str) -> Iterator[io.BufferedReader]:
    """Open the source as bytes, unzipping gzip; close it if it was opened here. Messages have the name.

    Raises BadInput if it is missing or unreadable, or ends within a gzip stream.
    """
    try:
        if source == "-":
            yield _unpacked(sys.stdin.buffer)
        elif isinstance(source, str | Path):
            with _opened_as_it_is(source) as file:
                yield _unpacked(file)
        else:
            yield _unpacked(_binary(source))
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {source}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(f"{name} is gzipped but damaged ({error}); the rows before that were read") from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error}") from error


@contextmanager
def opened_between(path: Path | str, start: int, end: int, *, ahead: int = AHEAD) -> Iterator[io.BufferedReader]:
    """Open these bytes of a path or an address; raises BadInput if it cannot be read, or is shorter by now."""
    where = located(path)
    if isinstance(where, str):
        yield io.BufferedReader(StoredBytes(where, start, end), ahead)
        return
    try:
        with where.open("rb", buffering=0) as file:
            file.seek(start)
            yield buffered(_exactly(file, end - start, where))
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {where}") from error
    except OSError as error:
        raise BadInput(f"{where} cannot be read: {error}") from error


def _exactly(file: io.FileIO, size: int, path: Path) -> Iterator[bytes]:
    while size:
        chunk = file.read(min(size, CHUNK))
        if not chunk:
            raise BadInput(f"{path} is {size} bytes shorter than when it was divided; start anew")
        size -= len(chunk)
        yield chunk


def as_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    """Return the stream in UTF-8, converting UTF-16 with a byte order mark; anything else is unchanged."""
    if not stream.peek(2).startswith(BOMS_UTF16):
        return stream
    decoder = getincrementaldecoder("utf-16")("replace")
    return buffered(decoder.decode(chunk).encode() for chunk in chunks_of(stream))


def pushed_back(head: bytes, stream: io.BufferedReader) -> io.BufferedReader:
    """Return the stream with `head` put back, after reading ahead."""
    return buffered(chain([head], chunks_of(stream)))


def _opened_as_it_is(path: Path | str) -> io.BufferedReader:
    where = located(path)
    return where.open("rb") if isinstance(where, Path) else io.BufferedReader(StoredBytes(where), AHEAD)


def _binary(source: IO[bytes] | IO[str]) -> BinaryIO:
    below = getattr(source, "buffer", None)
    if below is not None:
        return below  # type: ignore[no-any-return]  # a text file over a binary one
    if isinstance(source, io.TextIOBase):
        text = source
        return buffered(iter(lambda: text.read(CHUNK).encode("utf-8", "surrogatepass"), b""))
    return source  # type: ignore[return-value]  # not a text file, so a binary one


def _unpacked(stream: BinaryIO) -> io.BufferedReader:
    reader = stream if isinstance(stream, io.BufferedReader) else buffered(chunks_of(stream))
    if reader.peek(2)[:2] != GZIP:
        return reader
    return buffered(chunks_of(gzip.GzipFile(fileobj=reader)))  # type: ignore[arg-type]  # it has `read`
