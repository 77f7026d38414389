"""What is said wherever figures come from the offline judge: it compares words, and understands nothing."""

from collections.abc import Iterable

from saiten.records import Signature
from saiten.words import Message

_MARK = "|judge:offline-overlap|"

ONLY_WORDS = Message("caption", "only_words")
ONLY_WORDS_SHORT = Message("caption", "only_words_short")
"""For the head of a picture."""


def only_words(signatures: Iterable[Signature | str]) -> bool:
    """Whether one of these figures was made by the offline judge."""
    return any(_MARK in f"{signature}|" for signature in signatures)
