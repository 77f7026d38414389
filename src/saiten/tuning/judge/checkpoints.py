"""Checkpoints that can be believed: one counts once everything in it is on the disk, and the old one goes only then."""

import os
import shutil
from pathlib import Path

from saiten.durable.whole_file import sync_folder

_MARK = "saiten-complete"
"""A file that is written last."""
_PREFIX = "checkpoint-"


def last_complete(folder: Path) -> Path | None:
    """The latest checkpoint that was written to its end; whatever else there is of checkpoints is removed."""
    found = sorted(_checkpoints(folder), key=_step)
    whole = [each for each in found if (each / _MARK).is_file()]
    for each in found:
        if each not in whole[-1:]:
            shutil.rmtree(each, ignore_errors=True)
    return whole[-1] if whole else None


def completed(folder: Path, step: int) -> None:
    """The checkpoint of this step is written: bring it to the disk, mark it, and remove those before it."""
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
