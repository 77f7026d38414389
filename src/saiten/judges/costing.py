"""An error with another cost; `Reply.costing` does the same for replies."""

from typing import TypeVar

from saiten.errors import JudgeError
from saiten.records import Usage

E = TypeVar("E", bound=JudgeError)


def costing(error: E, usage: Usage) -> E:
    """A twin of the error with this usage; the error itself is left alone, since others may hold it too."""
    twin = type(error).__new__(type(error), *error.args)
    twin.__dict__.update(error.__dict__)
    twin.usage = usage
    return twin
