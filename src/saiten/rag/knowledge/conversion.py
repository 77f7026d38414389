"""Conversion of a file's bytes to text, with one converter per kind."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.rag.knowledge.documents import Kind, NoText, Pieces
from saiten.rag.knowledge.finding import new_digest

LARGEST = 256 << 20
"""Maximum file size in bytes, since files are held in memory during conversion."""

_LIBRARIES: dict[Kind, str] = {"pdf": "pypdfium2", "docx": "mammoth"}


def convert(path: Path, kind: Kind, take: Callable[[str], None]) -> tuple[str, str | None]:
    """Pass the text on piece by piece; return the digest of the bytes, and a note or None.

    Raises:
        NoText: the file is unreadable or contains no text.
        ConfigurationError: a library is missing.
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
        return (yield from _converted(kind, data))
    except NoText:
        raise
    except ImportError as error:
        raise ConfigurationError(_missing(kind)) from error
    except MemoryError as error:
        raise NoText("needs more memory to be converted than it may have") from error
    except RecursionError as error:
        raise NoText("is nested too deeply to be converted") from error
    except Exception as error:  # libraries raise all kinds of errors for damaged files
        detail = " ".join(str(error).split())[:200]
        raise NoText(f"could not be converted: {type(error).__name__}{f': {detail}' if detail else ''}") from error


def check_library(kind: Kind) -> None:
    """Raise ConfigurationError, saying what to install, if files of this kind need a missing library."""
    library = _LIBRARIES.get(kind)
    if library and find_spec(library) is None:
        raise ConfigurationError(_missing(kind))


def _missing(kind: Kind) -> str:
    library = _LIBRARIES.get(kind, "a library")
    return f'to read {kind.upper()}, saiten needs {library}; install it with `pip install "saiten[documents]"`'


def _converted(kind: Kind, data: bytes) -> Pieces:
    """Convert the data, importing the library on use: text files need none."""
    if kind == "pdf":
        from saiten.rag.knowledge.pdf import pdf_pieces as convert  # noqa: PLC0415
    elif kind == "docx":
        from saiten.rag.knowledge.docx import docx_pieces as convert  # noqa: PLC0415
    elif kind == "html":
        from saiten.rag.knowledge.html import html_pieces as convert  # noqa: PLC0415
    elif kind == "markdown":
        from saiten.rag.knowledge.plain import markdown_pieces as convert  # noqa: PLC0415
    else:
        from saiten.rag.knowledge.plain import text_pieces as convert  # noqa: PLC0415
    return convert(data)
