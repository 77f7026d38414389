"""Runs in shards: how the input was divided, and where each shard's results are.

A run in shards has `shards.json`, the division, beside its manifest, and in `shards/000000`, `shards/000001`, … one run
per part of the input, in its order. Each is a folder like that of any run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.durable.whole_file import read_described, write_described
from saiten.errors import ConfigurationError
from saiten.version import __version__

DIVISION_NAME, SHARDS_NAME = "shards.json", "shards"
_KIND = "saiten shards"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Division:
    """How the input of a run was divided, once and for all its resumptions."""

    parts: tuple[Mapping[str, Any], ...]
    """What each shard is, in the input's order; written and read by `saiten.cluster.input`."""
    size: int = 0
    """Bytes of a shard, about."""
    cut: int = 0
    """The shards that there were when it was divided, also those without rows."""
    saiten: str = __version__
    kind: str = _KIND
    format: int = _FORMAT


def read_division(run: Path) -> Division | None:
    """Return the division of the run in this folder; None if it is not in shards.

    Raises:
        ConfigurationError: It is damaged, or of a later version.
    """
    path = run / DIVISION_NAME
    value = read_described(path, _KIND, _FORMAT)
    if value is None:
        return None
    parts = value.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise ConfigurationError(f"{path} cannot be read: `parts` is a list of objects")
    sizes = int(value.get("size", 0)), int(value.get("cut", 0))
    return Division(tuple(parts), *sizes, str(value.get("saiten", "")))


def write_division(run: Path, division: Division) -> None:
    """Write the division into the folder of a run."""
    write_described(run / DIVISION_NAME, division, otherwise="name another folder")


def shard_folder(run: Path, number: int) -> Path:
    """Return the folder of a shard by its number, from 0."""
    return run / SHARDS_NAME / f"{number:06}"


def errors_of(run: Path) -> str:
    """Return where the unusable rows of a run are, for messages: those of answers in shards were joined."""
    in_shards = (run / DIVISION_NAME).exists() and not (run / "errors.jsonl").exists()
    return f"{run}/{f'{SHARDS_NAME}/*/' if in_shards else ''}errors.jsonl"


def run_folders(run: Path) -> tuple[Path, ...]:
    """Return the folders with the results of a run: those of its shards so far, in order, or its own."""
    division = read_division(run)
    return (run,) if division is None else tuple(path for path in _shards(run, division) if path.is_dir())


def missing_shards(run: Path) -> tuple[Path, ...]:
    """Return the folders of shards that do not exist: not begun yet, or lost if the run is finished."""
    division = read_division(run)
    return () if division is None else tuple(path for path in _shards(run, division) if not path.is_dir())


def _shards(run: Path, division: Division) -> Iterator[Path]:
    return (shard_folder(run, number) for number in range(len(division.parts)))
