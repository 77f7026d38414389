"""Polarity: whether a sentence is negated, and whether a text begins with yes or no, in English and Japanese."""

import re

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot)\b|n't\b"
    r"|[しれけわかがはらえめてでいきみり]な(?:い|かった|く)|ません|(?:せ|れ|わ|か|ら|え|め|し)ず(?:に|、|。|$)|不可|禁止|ではなく"
)
_YES = re.compile(r"(?:yes|yeah|yep|true|correct|right|はい|ええ|そうです|正しい|正解|可能です|できます)(?![a-z])")
_NO = re.compile(r"(?:no|nope|false|incorrect|wrong|いいえ|いえ|違います|誤り|間違い|不可能です|できません)(?![a-z])")
_QUOTES = " \"'「『(（*#"
_OPENING = 20  # characters after opening quotes that are searched for yes or no


def is_negated(lowered: str) -> bool:
    """Return whether a normalized, lower-cased sentence contains a negation."""
    return bool(_NEGATION.search(lowered))


def opens_with(lowered: str) -> bool | None:
    """Return True if a normalized, lower-cased text begins with yes, False with no, None with neither."""
    start = lowered.lstrip(_QUOTES)[:_OPENING]
    if _YES.match(start):
        return True
    return False if _NO.match(start) else None
