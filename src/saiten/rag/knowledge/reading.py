"""Reading of a file into its document, or the reason why it cannot be read."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from saiten.rag.knowledge.conversion import check_library, convert
from saiten.rag.knowledge.converter import Converter
from saiten.rag.knowledge.documents import Document, FoundFile, Kind, NoText, Unread

_READ_HERE = frozenset[Kind](("text", "markdown"))
"""Kinds that are merely decoded, in bounded time and memory; others go to the converter's process."""


class Reader:
    """Reads documents, one at a time: `with Reader() as reader: reader.read(file)`. It blocks; call it in a thread.

    HTML, PDF and DOCX are converted in a separate process, so that a file that makes a library hang, crash or run out
    of memory only becomes an Unread.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        """`seconds`: how long to wait for the next piece (of a PDF, a page) before giving up."""
        self._converter = Converter(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, file: FoundFile) -> Document | Unread:
        """Return the document; any fault of the file becomes an Unread.

        Raises:
            ConfigurationError: a library is missing; `check_readers` finds that out beforehand.
        """
        pieces: list[str] = []
        work = convert if file.kind in _READ_HERE else self._converter.convert
        try:
            digest, note = work(file.path, file.kind, pieces.append)
        except NoText as error:
            return Unread(file.source, str(error))
        text = "".join(pieces)
        if not text or text.isspace():
            return Unread(file.source, "has no text in it")
        return Document(text, file.source, digest, note)

    def close(self) -> None:
        """End the converter's process, if any."""
        self._converter.close()


def check_readers(kinds: Iterable[Kind]) -> None:
    """Raise ConfigurationError, saying what to install, if a library for one of the kinds is missing."""
    for kind in sorted(set(kinds)):
        check_library(kind)
