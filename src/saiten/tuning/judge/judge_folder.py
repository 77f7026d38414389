"""Claiming a folder for one judge: its settings are written first, and no other judge may continue in it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saiten.durable.lock import LOCK_NAME
from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.judges.tuned import BEGUN
from saiten.runs.manifest import differences

_OURS = {LOCK_NAME, Path(BEGUN).parts[0]}


def begin(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Record the settings; return whether this resumes an earlier run.

    Raises:
        ConfigurationError: the folder was begun with other settings, contains something else, or is not writable.
    """
    file = folder / BEGUN
    now = json.loads(json.dumps(settings))
    try:
        was = json.loads(file.read_bytes())
    except FileNotFoundError:
        if strange := sorted(path.name for path in folder.iterdir() if path.name not in _OURS):
            raise ConfigurationError(
                f"{folder} holds {strange[0]!r} and was not begun by this command; name a new folder with -o"
            ) from None
        file.parent.mkdir(exist_ok=True)
        write_whole(file, json.dumps(now, ensure_ascii=False, indent=2) + "\n", otherwise="name another with -o")
        return False
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} cannot be read ({error}); name a new folder with -o") from error
    if differing := list(differences(was, now)):
        raise ConfigurationError(
            f"{folder} was begun with other settings; name another folder, or give the same settings again:\n"
            + "\n".join(f"  {line}" for line in differing)
        )
    return True


def clean_up(folder: Path) -> None:
    """Remove intermediate files such as checkpoints."""
    file = folder / BEGUN
    for path in file.parent.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path != file:
            path.unlink(missing_ok=True)
