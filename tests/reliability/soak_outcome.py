"""The size of a soak, and all that is known about it afterwards."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soak_processes import Records

PRICES = {"prompt": 1.0, "completion": 2.0}
"""Per million tokens."""


@dataclass(frozen=True)
class Soak:
    """The size of a soak."""

    samples: int = 100_000
    minutes: float = 40.0
    """After so long the soak is given up; it takes half of this on two idle cores."""
    kills: int = 18
    people: int = 50
    pause: float = 2.5
    """Seconds that somebody thinks about an item, on average; with more, the server would not live for enough saves."""
    seed: int = 1
    concurrency: int = 64
    timeout: float = 5.0
    """Seconds: longer than a busy machine delays a reply, since one call in 240 is never answered."""
    rate: int = 5_600
    """Requests per minute: 100,000 samples need 106,000, in twenty minutes."""
    measure_every: float = 5.0
    """Seconds."""

    @property
    def items(self) -> int:
        """As many as the people cannot finish, each for two of them."""
        return int(self.people * self.minutes * 60 / self.pause / 2) + 50


@dataclass(frozen=True)
class Life:
    """One process of `saiten score`, from its start to its end, and its lines in the account of the run."""

    number: int
    ended: str
    status: int
    calls: int
    unanswered: int
    """Calls that were in flight at the end, by the account."""
    unknown: int
    """Calls of unknown cost, these included."""
    paid: tuple[tuple[int, int, float], ...]
    """Tokens and cost of each reply."""


@dataclass
class Outcome:
    """All that the check looks at."""

    soak: Soak
    folder: Path
    records: Records
    lives: list[Life] = field(default_factory=list)
    exported: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    shown: str = ""
    """What `saiten show` says about the run."""
    left: list[str] = field(default_factory=list)
    """Processes and files that should not be there."""
