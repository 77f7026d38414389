"""Conversion of a file's bytes to text, with one converter per kind."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.rag.knowledge.documents import Kind, NoText, Pieces
from saiten.rag.knowledge.finding import new_digest

LARGEST = 256 << 20
"""Maximum file size in bytes, since files are held in memory during conversion."""

MEMORY = 1 << 30
"""Bytes of address space that the process that converts files may have, where the system can enforce it (Linux)."""

LIBRARIES: dict[Kind, str] = {"pdf": "pypdfium2", "docx": "mammoth"}


def convert(path: Path, kind: Kind, take: Callable[[str], None]) -> tuple[str, str | None]:
    """Pass the text on piece by piece; return the digest of the bytes, and a note or None.

    Raises NoText for a file without text, and ConfigurationError if a library is missing.
    """
    data = _bytes_of(path)
    digest = new_digest()
    digest.update(data)
    pieces = _pieces_of(kind, data)
    while True:
        try:
            take(next(pieces))
        except StopIteration as end:
            return digest.hexdigest(), end.value


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            large = os.fstat(stream.fileno()).st_size > LARGEST
            data = b"" if large else stream.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise NoText("is no longer there") from error
    except OSError as error:
        raise NoText(f"cannot be read: {error.strerror or error}") from error
    if large or len(data) > LARGEST:
        raise NoText(f"is larger than {LARGEST >> 20} MiB; split it")
    if not data:
        raise NoText("is empty")
    return data


def _pieces_of(kind: Kind, data: bytes) -> Pieces:
    try:
        # imported on use: text files need no library
        module = import_module(f"saiten.rag.knowledge.{'decoding' if kind in {'text', 'markdown'} else kind}")
        pieces: Pieces = getattr(module, f"{kind}_pieces")(data)
        return (yield from pieces)
    except NoText:
        raise
    except ImportError as error:
        raise ConfigurationError(missing_library(kind)) from error
    except MemoryError as error:
        raise NoText(f"needs more than {MEMORY >> 20:,} MiB of memory to be converted; split it") from error
    except RecursionError as error:
        raise NoText("is nested too deeply to be converted") from error
    except Exception as error:  # libraries raise all kinds of errors for damaged files
        detail = " ".join(str(error).split())[:200]
        raise NoText(f"could not be converted: {type(error).__name__}{f': {detail}' if detail else ''}") from error


def missing_library(kind: Kind) -> str:
    """Say what to install for files of this kind."""
    library = LIBRARIES.get(kind, "a library")
    return f'to read {kind.upper()}, saiten needs {library}; install it with `pip install "saiten[documents]"`'
