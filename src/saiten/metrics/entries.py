"""The list of metrics (`catalog.toml`): each entry refers to its metric by a path and imports it on demand."""

import tomllib
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin, get_type_hints

from saiten.protocols import Need


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a metric, as typed in brackets."""

    name: str
    values: str
    """Accepted values, for people: `ours | ragas`, `int`, …"""
    default: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric of the catalog; all other properties are read from its class."""

    title: str
    path: str
    """The path of the class below `saiten.metrics`, `module:Class`."""
    en: str
    """The quantity measured, in one line."""
    ja: str
    aliases: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """`ragas`, `judged`, `overlap` or `neural`."""
        return self.path.partition(".")[0]

    def load(self) -> type[Any]:
        """Import and return the class."""
        module, _, name = self.path.partition(":")
        loaded: type[Any] = getattr(import_module(f"saiten.metrics.{module}"), name)
        return loaded

    @property
    def needs(self) -> tuple[Need, ...]:
        """The fields that a sample must have."""
        needs: tuple[Need, ...] = self.load().needs
        return needs

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest possible value."""
        bounds: tuple[float, float] = self.load().bounds
        return bounds

    @property
    def higher_is_better(self) -> bool | None:
        """The direction; None if neither is better, or if it depends on a setting."""
        direction: bool | None = self.load().higher_is_better
        return direction

    @property
    def needs_judge(self) -> bool:
        """Whether the metric uses a judge."""
        return bool(self.load().tasks)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings allowed in brackets."""
        metric = self.load()
        hints = get_type_hints(metric)
        return tuple(
            Setting(f.name, takes(hints[f.name]), None if f.default is MISSING else f.default)
            for f in fields(metric)
            if f.init
        )


ENTRIES: tuple[Entry, ...] = tuple(
    Entry(title, found["class"], found["en"], found["ja"], tuple(found.get("aliases", ())))
    for title, found in tomllib.loads((files(__package__) / "catalog.toml").read_text("utf-8")).items()
)


def takes(hint: Any) -> str:
    """Describe the accepted values of a setting."""
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return "yes | no" if hint is bool else getattr(hint, "__name__", str(hint))
