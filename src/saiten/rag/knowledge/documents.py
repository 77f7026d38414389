"""A file that may be read, the text that came of it, and the word for one that gave none."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["text", "markdown", "html", "pdf", "docx"]

Pieces = Generator[str, None, str | None]
"""The text of a file piece by piece, empty ones to show progress; in the end a note for the summary, or None."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be read as far as its name tells; nothing of it has been read yet."""

    path: Path
    """Where it lies."""
    source: str
    """Its name in the knowledge base: the path below the folder that was named, with `/`, or the file's name."""
    kind: Kind
    """How it is read."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file."""

    text: str
    """Not blank; lines end with a line feed, and there are no control characters beside it and tabs."""
    source: str
    """As in FoundFile."""
    digest: str
    """Of the bytes that were read, as `digest_of` tells it."""
    note: str | None = None
    """What may be wrong with the text: guessed encoding, pages without text, …; a sentence."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that gave no text."""

    source: str
    """As in FoundFile."""
    reason: str
    """Why, in a sentence."""
    skipped: bool = False
    """It only lay in a folder that was named and is nothing that is read: to be counted, not to be complained of."""


class NoText(Exception):
    """There is no text to be had from these bytes; the message says why and what would help."""
