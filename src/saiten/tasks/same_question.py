"""Whether two questions are the same but for the way they are written."""

import re
import unicodedata


def same_question(first: str, second: str) -> bool:
    """Return whether two questions are equal, ignoring white space, punctuation, width and case.

    Distinctive signs count: C++ and C#, < and >, 1.5 and 15, A/B differ.
    """
    return bare_question(first) == bare_question(second)


_DISTINCTIVE = frozenset("#%&/@")
"""Punctuation in Unicode, but part of names; so are mathematical signs and currencies."""
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_IN_NUMBERS = re.compile(r"(?<=\d)[.:-](?=\d)|(?<!\w)-(?=\d)")
"""The point of 1.5, the hyphen of 1-2, the minus of -5."""


def bare_question(question: str) -> str:
    """Return what counts of a question: equal for the same questions."""
    plain = unicodedata.normalize("NFKC", question).casefold().translate(_DASHES)
    kept = {found.start() for found in _IN_NUMBERS.finditer(plain)}
    if not kept and plain.isascii():
        return plain.translate(_UNCOUNTED)
    return "".join(sign for at, sign in enumerate(plain) if at in kept or _counts(sign))


def _counts(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] in "LMN" or sign in _DISTINCTIVE or (category in {"Sm", "Sc"} and sign != "~")


_UNCOUNTED = {code: None for code in range(128) if not _counts(chr(code))}
"""The characters of ASCII that do not count."""
