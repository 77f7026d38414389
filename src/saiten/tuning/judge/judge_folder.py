"""The folder of a judge: claimed for its settings, with checkpoints of its training.

The settings are written first, and no other judge may continue there. A checkpoint counts only once all of it is on
disk, and only then is the previous one removed.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saiten.durable.lock import LOCK_NAME
from saiten.durable.whole_file import sync_folder, write_whole
from saiten.errors import ConfigurationError
from saiten.judges.tuned_folder import BEGUN
from saiten.runs.manifest import differences
from saiten.strict_parsing import strict_json

_OURS = {LOCK_NAME, Path(BEGUN).parts[0]}
_MARK = "saiten-complete"
"""A file written last."""
_PREFIX = "checkpoint-"


def begin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Record the settings, or check that they are those recorded.

    Raises:
        ConfigurationError: the folder was started with other settings, contains something else, or is not writable.
    """
    file = folder / BEGUN
    now = json.loads(json.dumps(settings))
    try:
        was = strict_json(file.read_bytes())
    except FileNotFoundError:
        if strange := sorted(path.name for path in folder.iterdir() if path.name not in _OURS):
            raise ConfigurationError(
                f"{folder} contains {strange[0]!r} and was not created by this command; name a new folder with -o"
            ) from None
        file.parent.mkdir(exist_ok=True)
        write_whole(file, json.dumps(now, ensure_ascii=False, indent=2) + "\n", otherwise="name another with -o")
        return
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} cannot be read ({error}); name a new folder with -o") from error
    if differing := list(differences(was, now)):
        raise ConfigurationError(
            f"{folder} was started with other settings; name another folder, or use the same settings again:\n"
            + "\n".join(f"  {line}" for line in differing)
        )


def clean_up(folder: Path) -> None:
    """Remove intermediate files such as checkpoints."""
    file = folder / BEGUN
    for path in file.parent.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path != file:
            path.unlink(missing_ok=True)


def last_complete(folder: Path) -> Path | None:
    """Return the latest complete checkpoint, and remove all others."""
    found = _checkpoints(folder)
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
    """Return the checkpoints, complete or not, in the order of their steps."""
    steps = {path: path.name.removeprefix(_PREFIX) for path in folder.glob(f"{_PREFIX}*") if path.is_dir()}
    return sorted((path for path, step in steps.items() if step.isdecimal()), key=lambda path: int(steps[path]))
