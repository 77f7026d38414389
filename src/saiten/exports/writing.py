"""Writing an export into a file, as a whole or not at all, or into a stream."""

import io
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

from saiten.durable.whole_file import check_place, whole_file, writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.views.strip_controls import strip_controls


class _Terminal(io.RawIOBase):
    """Bytes of text for a terminal, without what it would obey; each call writes whole characters."""

    def __init__(self, out: IO[str]) -> None:
        super().__init__()
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._out.write(strip_controls(bytes(data).decode("utf-8", "replace")))
        return len(data)


@dataclass(frozen=True, slots=True)
class FileToWrite:
    """What is written in which format."""

    format: str
    """The format's name, as typed."""
    example: str
    """A name for such a file."""
    write: Callable[[IO[bytes]], Sequence[str]]
    """Writes all of it, and returns notes on what the file lacks."""
    is_export: Callable[[Path], bool]
    """Whether a file that is not empty was written in this way, so that it may be replaced."""
    is_text: bool
    """Whether it can be printed in a terminal."""


def check_file(path: Path, example: str, is_export: Callable[[Path], bool]) -> None:
    """Check before the work whether a file can be written there; the arguments are as in `FileToWrite`.

    Raises:
        BadInput: The path is a folder, or a file that is not an export in this format.
        ConfigurationError: There is no folder for it.
    """
    check_place(path, example)
    if path.is_file() and path.stat().st_size and not is_export(path):
        raise BadInput(
            f"{path} exists and is not an export that nobody has changed since; name another file, or remove it"
        )


def write_file(file: FileToWrite, path: Path) -> Sequence[str]:
    """Write the file as a whole; return notes on what it lacks.

    Raises:
        BadInput: As for `check_file`; or the content does not fit into the format.
        ConfigurationError: As for `check_file`; or the file cannot be written.
    """
    check_file(path, file.example, file.is_export)
    with writing_to(path, "name another file"), whole_file(path, shared=True) as stream:
        return file.write(stream)


def print_file(file: FileToWrite, out: IO[str]) -> Sequence[str]:
    """Write to the bytes of a text stream such as standard output; return notes on what is lacking.

    Raises:
        ConfigurationError: It is a terminal, and the format is not text.
    """
    if not file.is_text and out.isatty():
        raise ConfigurationError(
            f"{file.format} cannot be shown in a terminal; name a file, for example -o {file.example}"
        )
    out.flush()
    below: IO[bytes] = out.buffer  # type: ignore[attr-defined]
    if out.isatty():
        notes = file.write(cast("IO[bytes]", _Terminal(out)))
    elif file.is_text:
        notes = file.write(below)
    else:  # some formats return to what they have written
        with TemporaryFile() as made:
            notes = file.write(made)
            made.seek(0)
            shutil.copyfileobj(made, below)
    below.flush()
    return notes
