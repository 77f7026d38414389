"""Normalization for equal readings: full and half width, upper and lower case, invisible characters.

`normalize` is the form in which saiten compares texts by words; `bare` is for comparing whole answers. Line breaks and
punctuation are kept by the former and removed by the latter.
"""

import re
import unicodedata

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point: soft hyphens, zero-width spaces, byte order marks, variation selectors."""

_SURROGATE = re.compile("[\ud800-\udfff]")

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ANSWERING_MARK = re.compile(r"(?<=\d)[.,:/-](?=\d)|(?<![^\W_])-(?=\d)|(?<=\d)[%‰]|(?<=[^\W\d_])#")
"""Punctuation that changes an answer: 1.5 · 10:30 · 3/4 · -5 · 50% · C#."""

_SAME_SIGN = str.maketrans({"\u301c": "~", "\u2212": "-"})
"""〜 and −: which of two characters a Japanese keyboard types for them depends on the system, and NFKC maps only the
other one (～ becomes ~, － becomes -)."""

_CIRCLE = str.maketrans("〇◯", "○○")  # the kanji zero and the large circle, both used for a right answer


def normalize(text: str) -> str:
    """Return the text in compatibility form (NFKC), case-folded, without invisible characters.

    This is Unicode's NFKC_Casefold (The Unicode Standard, section 3.13), with two additions: 〜 becomes ~ and − becomes
    -, and lone surrogates become U+FFFD, so that the text can be encoded. Idempotent.
    """
    if text.isascii():
        return text.lower()
    whole = without_surrogates(text)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", whole).casefold())
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", folded)).translate(_SAME_SIGN)


def without_surrogates(text: str) -> str:
    """Join pairs of surrogates; lone ones, as in broken JSON, become U+FFFD, so that the text can be encoded."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_ASCII_MARKS = {code: None for code in range(128) if unicodedata.category(chr(code))[0] in "PZC"}


def bare(text: str) -> str:
    """Return the normalized text without punctuation, white space and thousands separators.

    Punctuation that belongs to a number stays, since 1.5 is not 15 and 50% not 50; so do symbols (categories S*), since
    ○ and × are answers, and the # of C#.
    """
    joined = normalize(text)
    if "," in joined:
        joined = _THOUSANDS.sub("", joined)
    if not joined.isascii():
        joined = joined.translate(_CIRCLE)
    marks = {match.start() for match in _ANSWERING_MARK.finditer(joined)}
    if not marks and joined.isascii():
        return joined.translate(_ASCII_MARKS)
    return "".join(c for i, c in enumerate(joined) if i in marks or unicodedata.category(c)[0] not in "PZC")
