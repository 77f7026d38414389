"""Warning for figures of the offline judge, which compares words and understands nothing."""

from collections.abc import Iterable

from saiten.records import Signature
from saiten.words import Message

_MARK = "|judge:offline-overlap|"

ONLY_WORDS = Message("caption", "only_words")
ONLY_WORDS_SHORT = Message("caption", "only_words_short")
"""Short form for the heading of a picture."""


def only_words(signatures: Iterable[Signature | str]) -> bool:
    """Return whether one of these figures was made by the offline judge."""
    return any(_MARK in f"{signature}|" for signature in signatures)
