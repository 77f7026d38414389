"""A function of a text that remembers its results for the texts seen last."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

KEPT = 1_000_000
"""Characters of texts whose tokens are kept, at least, and twice as many at most: about 40 MB of English tokens."""

_ENTRY = 64
"""Characters that an entry counts in addition to its text, so that many short texts are bounded, too."""


class Remembered(Generic[T]):
    """Computes the result for a text once, however many metrics and rows have it, while it is among the last texts.

    Results used in neither of two generations are dropped, each of `characters`. Threads may share it: at worst they
    compute a result twice.
    """

    def __init__(self, function: Callable[[str], T], characters: int = KEPT) -> None:
        self._function, self._characters, self._left = function, characters, characters
        self._young: dict[str, T] = {}
        self._old: dict[str, T] = {}

    def __len__(self) -> int:
        """Return the number of results kept."""
        return len(self._young) + len(self._old)

    def __call__(self, text: str) -> T:
        """Return the result for a text, kept or new."""
        found = self._young.get(text)
        if found is not None:
            return found
        found = self._old.get(text)
        if found is None:
            found = self._function(text)
        if len(text) <= self._characters:
            self._left -= len(text) + _ENTRY
            if self._left < 0:
                self._old, self._young, self._left = self._young, {}, self._characters - len(text)
            self._young[text] = found
        return found
