"""Preferences between two answers as numbers: below 0 the first is better, above 0 the second, 0 is a tie."""

import math
import re
import unicodedata

_SAID = {
    **dict.fromkeys(("a", "first", "left", "a>b", "b<a", "1>2", "2<1", "前者", "左"), -1.0),
    **dict.fromkeys(("b", "second", "right", "a<b", "1<2", "b>a", "2>1", "後者", "右"), 1.0),
    **dict.fromkeys(("a>>b", "b<<a", "1>>2", "2<<1"), -2.0),
    **dict.fromkeys(("a<<b", "b>>a", "1<<2", "2>>1"), 2.0),
    **dict.fromkeys(("tie", "equal", "same", "draw", "a=b", "b=a", "1=2", "引き分け", "同等", "同じ"), 0.0),
}
_NAMED = {0.0: 0.0, 1.0: -1.0, 2.0: 1.0}
_SPACES = re.compile(r"[\s_-]+")


def preference(text: str, *, names_answer: bool) -> float:
    """Parse a preference; with `names_answer`, 1 and 2 name the answer (and 0 a tie) rather than a strength.

    Raises:
        ValueError: it is none; the message lists what is accepted.
    """
    plain = _plain(text)
    word = _SAID.get(_SPACES.sub("", plain))
    if word is not None:
        return word
    number = float(plain) if is_number(text) else math.nan
    if names_answer and number in _NAMED:
        return _NAMED[number]
    if names_answer or not math.isfinite(number):
        numbers = "1 or 2" if names_answer else "a number (below 0 the first answer is better, above 0 the second)"
        raise ValueError(f"{text[:40]!r} is no preference: {numbers}, A, B, A>B, A<B or tie was expected")
    return number


def is_number(text: str) -> bool:
    """Return whether this is a number rather than a word."""
    try:
        float(_plain(text))
    except ValueError:
        return False
    return True


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip().casefold()
