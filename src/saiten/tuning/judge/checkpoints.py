"""Reliable checkpoints: one counts only once all of it is on disk, and only then is the previous one removed."""

import os
import shutil
from pathlib import Path

from saiten.durable.whole_file import sync_folder

_MARK = "saiten-complete"
"""A file written last."""
_PREFIX = "checkpoint-"


def last_complete(folder: Path) -> Path | None:
    """Return the latest complete checkpoint, and remove all others."""
    found = sorted(_checkpoints(folder), key=_step)
    whole = [each for each in found if (each / _MARK).is_file()]
    for each in found:
        if each not in whole[-1:]:
            shutil.rmtree(each, ignore_errors=True)
    return whole[-1] if whole else None


def completed(folder: Path, step: int) -> None:
    """Flush the checkpoint of this step to disk, mark it as complete, and remove earlier ones."""
    this = folder / f"{_PREFIX}{step}"
    for file in (path for path in this.rglob("*") if path.is_file()):
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    (this / _MARK).touch()
    sync_folder(this)
    for each in _checkpoints(folder):
        if each != this:
            shutil.rmtree(each, ignore_errors=True)


def _checkpoints(folder: Path) -> list[Path]:
    return [path for path in folder.glob(f"{_PREFIX}*") if path.is_dir() and _step(path) >= 0]


def _step(path: Path) -> int:
    number = path.name.removeprefix(_PREFIX)
    return int(number) if number.isdecimal() else -1
