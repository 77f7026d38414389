"""The words of SQuAD: how its scoring script reads an English answer.

Source: Rajpurkar et al. 2016 and the script published with SQuAD: lower case, no punctuation (what it stood between
grows together: 1,200 is 1200, and 1.5 is 15), no articles, words parted by white space. We differ from it in three
points: NFKC first and Unicode's punctuation as well (curly quotes, dashes), Japanese characters are words of their own,
and a text of nothing but articles keeps them, since *A* may be the answer to a multiple-choice question.
"""

import re
import string
import unicodedata

from saiten.text.normalisation import normalise
from saiten.text.tokenisers import JAPANESE

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_JAPANESE_CHARACTER = re.compile(f"([{JAPANESE}])")
_WITHOUT_MARKS = str.maketrans("", "", string.punctuation)


def squad_words(text: str) -> list[str]:
    """The words that SQuAD's exact match and F1 compare."""
    plain = normalise(text).translate(_WITHOUT_MARKS)
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c)[0] != "P")
        plain = _JAPANESE_CHARACTER.sub(r" \1 ", plain)
    return _ARTICLES.sub(" ", plain).split() or plain.split()
