"""Writing an export into a file, as a whole or not at all, or into a stream."""

import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

from saiten.choices import ExportName
from saiten.durable.whole_file import check_place, whole_file, writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.exports.export import Export, ExportSettings
from saiten.exports.formats import FORMATS, check_settings
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


def check_export(path: Path, name: ExportName, settings: ExportSettings) -> None:
    """Check before the work whether the export can be written there.

    Raises:
        BadInput: The path is a folder, or a file that is not an export in this format.
        ConfigurationError: There is no folder for it, or the format lacks a setting.
    """
    check_settings(name, settings)
    check_place(path, f"scores.{name}")
    if path.is_file() and path.stat().st_size and not FORMATS[name].is_export(path):
        raise BadInput(
            f"{path} exists and is not an export that nobody has changed since; name another file, or remove it"
        )


def write_export(export: Export, path: Path, name: ExportName, settings: ExportSettings) -> Sequence[str]:
    """Write the export; return notes on what the file lacks.

    Raises:
        BadInput: As for `check_export`; or the answers do not fit into the format.
        ConfigurationError: As for `check_export`; or the file cannot be written.
    """
    check_export(path, name, settings)
    with writing_to(path, "name another file"), whole_file(path) as stream:
        return FORMATS[name].write(export, stream, settings)


def print_export(export: Export, out: IO[str], name: ExportName, settings: ExportSettings) -> Sequence[str]:
    """Write the export to the bytes of a text stream such as standard output; return notes on what it lacks.

    Raises:
        ConfigurationError: It is a terminal, and the format is not text; or the format lacks a setting.
    """
    check_settings(name, settings)
    if not FORMATS[name].is_text and out.isatty():
        raise ConfigurationError(f"{name} cannot be shown in a terminal; name a file, for example -o scores.{name}")
    out.flush()
    below: IO[bytes] = out.buffer  # type: ignore[attr-defined]
    if out.isatty():
        notes = FORMATS[name].write(export, cast("IO[bytes]", _Terminal(out)), settings)
    elif FORMATS[name].is_text:
        notes = FORMATS[name].write(export, below, settings)
    else:  # some formats return to what they have written
        with TemporaryFile() as file:
            notes = FORMATS[name].write(export, file, settings)
            file.seek(0)
            shutil.copyfileobj(file, below)
    below.flush()
    return notes
