"""How a file of answers was made, in a file beside it, so that it is gone on with in the same way or not at all."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.journal import Manifest
from saiten.journal.manifest import sync_folder

NAME = "made.json"
KIND = "saiten answers"


def read_settings(folder: Path) -> Mapping[str, Any] | None:
    """The settings with which the answers were made; None where nothing tells.

    Raises:
        ConfigurationError: what tells is damaged or of another kind.
    """
    path = folder / NAME
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != KIND or not isinstance(value.get("settings"), dict):
        raise ConfigurationError(f"{path} does not tell how answers were made; name another file for the answers")
    settings: dict[str, Any] = value["settings"]
    return settings


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write them as a whole or not at all. The command line is left out: a header or an address may hold a key."""
    made = replace(Manifest.new(settings, {}, ()), kind=KIND)
    told = {name: value for name, value in asdict(made).items() if name not in {"signatures", "command"}}
    beside = folder / f"{NAME}.new"
    try:
        with beside.open("wb") as file:
            file.write((json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / NAME)
        sync_folder(folder)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written: {error.strerror}; name another file") from error


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """`system: was "a", is "b"`, a line a setting."""
    for key in dict.fromkeys([*was, *now]):
        if was.get(key) != now.get(key):
            yield f"{key}: was {_shown(was.get(key))}, is {_shown(now.get(key))}"


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
