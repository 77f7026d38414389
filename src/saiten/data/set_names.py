"""Names of Hugging Face data sets: `hf:ORG/NAME`, or a folder; then `/CONFIG` and `:SPLIT`, if there are several."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.errors import BadInput

_HUB = re.compile(r"hf:(?P<path>[\w.-]+(?:/[\w.-]+)?)(?:/(?P<config>[^/:]+))?(?::(?P<split>[\w.-]+))?")
_SPLIT = re.compile(r"(?P<path>.+):(?P<split>[\w.-]+)")
_FORMS = "hf:ORG/NAME, hf:ORG/NAME:SPLIT or hf:ORG/NAME/CONFIG:SPLIT"


@dataclass(frozen=True, slots=True)
class SetName:
    """A data set, and the part of it to read."""

    path: str
    """`ORG/NAME` of the hub, or a folder on this machine."""
    config: str | None = None
    split: str | None = None
    on_hub: bool = False

    def with_split(self, split: str) -> str:
        """Return the name as typed, with this split."""
        return f"{self.of_config(self.config)}:{split}"

    def of_config(self, config: str | None) -> str:
        """Return the name as typed, with this configuration and no split."""
        return f"{'hf:' if self.on_hub else ''}{self.path}{f'/{config}' if config else ''}"


def is_hub(source: Any) -> bool:
    """Return whether this is the name of a data set of the Hugging Face Hub; no file needs to be looked for."""
    return isinstance(source, str) and source.startswith("hf:") and not source.startswith("hf:/")


def named_set(source: str | Path) -> SetName | None:
    """Return the data set that a name means; None for anything but the hub's sets and folders.

    Raises:
        BadInput: It begins with `hf:`, and is no name.
    """
    if is_hub(source):
        found = _HUB.fullmatch(str(source))
        if found is None:
            raise BadInput(f"{source} is not the name of a data set: {_FORMS}; for the first rows alone, use --limit")
        return SetName(found["path"], found["config"], found["split"], on_hub=True)
    divided = None if Path(source).exists() else _SPLIT.fullmatch(str(source))
    folder, split = (Path(source), None) if divided is None else (Path(divided["path"]), divided["split"])
    if _is_config(folder):
        return SetName(str(folder.parent), folder.name, split)
    return SetName(str(folder), None, split) if folder.is_dir() else None


def _is_config(path: Path) -> bool:
    """Return whether the path means a configuration of the folder above, which its README.md lists."""
    card = path.parent / "README.md"
    if path.is_file() or not card.is_file():
        return False
    configs = configs_of(card)
    return path.name in configs or (bool(configs) and not path.exists() and not path.suffix)


def configs_of(card: Path) -> list[str]:
    """Return the names of the configurations in the front matter of a README.md."""
    import yaml  # noqa: PLC0415 - takes a while, and few inputs are folders

    try:
        _, front, _ = card.read_text("utf-8").split("---\n", 2)
        configs = yaml.safe_load(front).get("configs")
        return [str(config["config_name"]) for config in configs]
    except (ValueError, OSError, AttributeError, TypeError, KeyError, yaml.YAMLError):
        return []
