"""Types for reading documents: files found, texts, failures; and the clean-up of texts."""

import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from saiten.text.normalization import without_surrogates

Kind = Literal["text", "markdown", "html", "pdf", "docx"]

Pieces = Generator[str, None, str | None]
"""The text of a file in pieces, empty ones to signal progress; returns a note for the summary, or None."""

_LINE_END = re.compile(r"\r\n?|\f")
_UNWANTED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that is readable judging by its name; it has not been read yet."""

    path: Path
    source: str
    """Name in the knowledge base: the path relative to the given folder, with `/`, or the file's name."""
    kind: Kind


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file."""

    text: str
    """Not blank; lines end with a line feed, and tabs are the only other control characters."""
    source: str
    digest: str
    """Digest of the bytes read, as by `digest_of`."""
    note: str | None = None
    """A sentence on what may be wrong with the text: guessed encoding, pages without text, …."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file without text."""

    source: str
    reason: str
    skipped: bool = False
    """Whether it was merely in a given folder and is of no supported kind: counted, but not reported."""


class NoText(Exception):
    """There is no text in these bytes; the message says why and what would help."""


def tidied(text: str) -> str:
    """Convert line ends and page breaks to line feeds, and remove control characters and byte order marks.

    Lone surrogates become U+FFFD, so that the text can be encoded.
    """
    text = _LINE_END.sub("\n", text)
    text = _UNWANTED.sub("", text)
    return without_surrogates(text)
