"""How a file of answers was made, in a file beside it, so that it is gone on with in the same way or not at all."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.runs import Manifest

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
    text = json.dumps(told, ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / NAME, text, otherwise="name another file")
