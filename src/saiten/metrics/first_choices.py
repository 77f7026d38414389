"""Which metrics to take first, by what one has and what one asks; `first_choices.toml` has the rows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from saiten.records import Language


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """A row of the table."""

    have: Mapping[Language, str]
    """The data at hand."""
    ask: Mapping[Language, str]
    """The question about the answers."""
    take: tuple[str, ...]
    """Metrics as typed, or the scores of dialogues."""
    calls: tuple[int, ...]
    """Calls to a judge per answer or turn, of each metric by itself; 0 if it needs none, or shares those of another."""
    command: str = "score"
    """The command and the option that measure it."""

    @property
    def typed(self) -> str:
        """The metrics, and the command unless it is `saiten score`."""
        names = ", ".join(self.take)
        return names if self.command == "score" else f"saiten {self.command}: {names}"


def first_choices() -> tuple[FirstChoice, ...]:
    """Return the rows in the order in which to read them."""
    rows = tomllib.loads((files(__package__) / "first_choices.toml").read_text("utf-8"))["choice"]
    return tuple(map(_choice, rows))


def _choice(row: Mapping[str, Any]) -> FirstChoice:
    have: dict[Language, str] = {"en": row["have_en"], "ja": row["have_ja"]}
    ask: dict[Language, str] = {"en": row["ask_en"], "ja": row["ask_ja"]}
    return FirstChoice(have, ask, tuple(row["take"]), tuple(row["calls"]), row.get("command", "score"))
