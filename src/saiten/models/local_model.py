"""Locating a local model: a folder with a whole model, a folder with an adapter over a base, or a hub name."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.models.networks import fingerprint

_MODEL, _ADAPTER = "config.json", "adapter_config.json"
_BASE = "base_model_name_or_path"
_PATH = re.compile(r"[.~/\\].*|[A-Za-z]:[/\\].*|.*[/\\]|[^/\\]+[/\\][^/\\]+[/\\].*|.*\\.*")
"""Matches paths that cannot be hub names, which are NAME or OWNER/NAME."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model as typed, and the files found for it."""

    typed: str
    source: str
    """The folder, or the hub name."""
    base: str | None = None
    """The folder or hub name of the model an adapter changes; None for a whole model."""
    fingerprint: str = ""
    """Changes with the files; "" for a hub name."""

    @classmethod
    def find(cls, typed: str) -> "LocalModel":
        """Look for the model without loading it.

        Raises:
            ConfigurationError: the folder, or that of its base, is missing or contains no model.
        """
        if not typed.strip():
            raise ConfigurationError("hf: needs a model: hf:FOLDER, or hf:NAME as on the Hugging Face hub")
        folder = Path(os.path.expanduser(typed))  # noqa: PTH111 - never raises, however odd the name
        if not os.path.isdir(folder):  # noqa: PTH112 - likewise
            if os.path.exists(folder) or _PATH.fullmatch(typed):  # noqa: PTH110 - likewise
                raise ConfigurationError(
                    f"hf:{typed}: there is no such folder; expected one with a model that transformers saved, or a "
                    "name on the Hugging Face hub such as hf:Qwen/Qwen3-4B"
                )
            return cls(typed, typed)
        if (folder / _ADAPTER).is_file():
            base = _base_of(folder)
            of_both = "".join(filter(None, (fingerprint(str(folder)), fingerprint(base))))
            return cls(typed, str(folder), base, of_both)
        if not (folder / _MODEL).is_file():
            raise ConfigurationError(
                f"hf:{typed}: the folder holds no model; expected {_MODEL} with weights and tokeniser, as "
                f"save_pretrained writes them, or {_ADAPTER} of a LoRA adapter"
            )
        return cls(typed, str(folder), None, fingerprint(str(folder)))

    @property
    def name(self) -> str:
        """`hf:NAME`, or `hf:FOLDER@FINGERPRINT`, so that further training changes the name."""
        return f"hf:{self.typed}@{self.fingerprint}" if self.fingerprint else f"hf:{self.typed}"

    @property
    def tokenizer(self) -> str:
        """The location of the tokeniser: the adapter's own if it has one."""
        if self.base is None or any(Path(self.source).glob("tokenizer*")):
            return self.source
        return self.base


def _base_of(folder: Path) -> str:
    """Return the adapter's base: the path used in training, one next to the adapter, or a hub name."""
    file = folder / _ADAPTER
    try:
        base = json.loads(file.read_text("utf-8"))[_BASE]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file} cannot be read: expected JSON with {_BASE!r}, got {error!r}") from error
    if not isinstance(base, str) or not base.strip():
        raise ConfigurationError(
            f"{file}: {_BASE!r} should name the model that the adapter was trained on, got {base!r}"
        )
    for path in (os.path.expanduser(base), folder / base):  # noqa: PTH111 - never raises, however odd the name
        if os.path.isdir(path):  # noqa: PTH112 - likewise
            return str(path)
    if _PATH.fullmatch(base):
        raise ConfigurationError(
            f"the adapter {folder} was trained on the model in {base}, which is missing; put it back, or set {_BASE!r} "
            f"in {file} to its new location"
        )
    return base
