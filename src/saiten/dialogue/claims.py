"""The claims of a dialogue's turns, and denials of what was asked."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saiten.records import Language, Turn
from saiten.text.polarity import is_negated, opens_with
from saiten.text.sentences import split_sentences
from saiten.text.words import normalize, units_of

_DENIES = re.compile(
    r"^\W*(?:(?:that|this|it)(?: is|['’]s) (?:not|in)\s?(?:correct|right|true|so|the case)\b"
    r"|(?:i['’]m |i am )?(?:sorry|afraid),? (?:but )?no\b|(?:unfortunately|actually),? no\b"
    r"|not (?:quite|exactly|really)\b"
    r"|(?:その|この)?(?:理解|認識|内容)?(?:は|が)?(?:そう|正しく|そのよう)(?:では|は)?(?:あり|ござい)?ませ)",
    re.IGNORECASE,
)
"""A denial that does not open with a plain no."""

_OPENING = re.compile(r"^\W*(?:yes|yeah|yep|nope|no|はい|ええ|いいえ|いえ)(?![a-z])[\s,.、。:：;-]*", re.IGNORECASE)
"""The opening yes or no of an answer; *No, it keeps them* negates the question, not the keeping."""


class Claim(NamedTuple):
    """A sentence reduced for comparison: its content units, and whether it is negated."""

    units: frozenset[str]
    negated: bool

    def is_about(self, other: "Claim") -> bool:
        """Return whether both make the same, or the contrary, claim: most units of the shorter are in the other."""
        shared, shorter = len(self.units & other.units), min(len(self.units), len(other.units))
        return shared >= max(2, 0.8 * shorter)


def said_on(turn: Turn, number: int, language: Language) -> Iterator[Claim]:
    """Yield the answer's claims, and the follow-up question's as confirmed or denied by an opening yes or no."""
    yield from claims(_OPENING.sub("", turn.answer), language)
    opening = opens_with(normalize(turn.answer).lower())
    denied = denies(turn.answer)
    if number > 1 and (opening or denied):
        for claim in claims(turn.question, language):
            yield Claim(claim.units, claim.negated != denied)


def denies(answer: str) -> bool:
    """Return whether the answer denies its question."""
    return opens_with(normalize(answer).lower()) is False or bool(_DENIES.search(answer))


def claims(text: str, language: Language) -> Iterator[Claim]:
    """Yield one claim per sentence, or per part of one that semicolons divide."""
    for sentence in split_sentences(text, language):
        for part in normalize(sentence.text).lower().split(";"):  # normalized, ； is ; too
            yield Claim(frozenset(units_of(part)), is_negated(part))
