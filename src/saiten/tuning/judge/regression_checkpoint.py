"""A checkpoint of a training of an encoder: one file, written after each epoch, there as a whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from saiten.durable.whole_file import whole_file
from saiten.errors import ConfigurationError

_NAME = "regression.pt"


@dataclass(frozen=True)
class Checkpoint:
    """Where a training stands."""

    folder: Path
    key: str
    """Changes with anything that the training depends on."""

    def save(self, state: Mapping[str, Any]) -> None:
        """Keep tensors and numbers; raises ConfigurationError where the folder cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self.folder / _NAME) as file:
                import_module("torch").save({"key": self.key, **state}, file)
        except OSError as error:
            raise ConfigurationError(f"{self.folder} cannot be written: {error.strerror}; is the disk full?") from error

    def last(self) -> Mapping[str, Any] | None:
        """What was kept; None where there is nothing, or another training's."""
        try:
            # Tensors and numbers alone are read, so that a file from elsewhere can run nothing.
            found = import_module("torch").load(self.folder / _NAME, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, UnpicklingError):
            return None
        return found if isinstance(found, dict) and found.get("key") == self.key else None
