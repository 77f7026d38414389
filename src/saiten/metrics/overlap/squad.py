"""SQuAD's words: the normalisation of English answers in its scoring script.

Source: Rajpurkar et al. 2016 and the script published with SQuAD: lower case, no punctuation (1,200 becomes 1200, and
1.5 becomes 15), no articles, split at white space. Differences: NFKC first, Unicode punctuation is also removed (curly
quotes, dashes), Japanese characters are separate words, and a text of only articles keeps them, since *A* may answer a
multiple-choice question.
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
    """Return the words that SQuAD's exact match and F1 compare."""
    plain = normalise(text).translate(_WITHOUT_MARKS)
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c)[0] != "P")
        plain = _JAPANESE_CHARACTER.sub(r" \1 ", plain)
    return _ARTICLES.sub(" ", plain).split() or plain.split()
