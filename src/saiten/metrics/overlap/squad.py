"""SQuAD's two metrics for short answers: exact match, and F1 over tokens in any order.

1 is equal (the same tokens), 0 is not (no token in common); a sentence around the right answer is no exact match.
Source: Rajpurkar et al. 2016, *SQuAD*, section 6.1, and the script published with it: lower case, no punctuation (1,200
becomes 1200, and 1.5 becomes 15), no articles, split at white space. Differences in English: NFKC first, Unicode
punctuation is also removed (curly quotes, dashes), Japanese characters are separate words, and a text of only articles
keeps them, since *A* may answer a multiple-choice question.

Japanese answers match if they are equal after NFKC and case folding, without punctuation and white space; characters
that belong to a number stay (1.5 is not 15, 50% not 50), thousands separators go, and symbols stay (○ is not ×). Their
F1 is that of Sudachi's tokens. SQuAD 2.0's rule for unanswerable questions (no reference, no answer: 1) does not apply:
without a reference the score is undefined.
"""

import re
import string
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units, f_score, in_common
from saiten.records import Language
from saiten.text.normalization import bare, normalize
from saiten.text.remembered import Remembered
from saiten.text.tokenizers import JAPANESE, tokenizer_for

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ARTICLE = frozenset({"a", "an", "the"})
_JAPANESE_CHARACTER = re.compile(f"([{JAPANESE}])")
_WITHOUT_MARKS = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class ExactMatch(ReferenceMetric):
    """1 if the answer equals one of the references, else 0."""

    title = "exact_match"

    def describe(self) -> Mapping[str, str]:
        return {"normalised_ja": "bare-2", "normalised_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        return squad_words(text) if language == "en" else bare(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        return float(answer == reference), {}


@dataclass(frozen=True)
class TokenF1(ReferenceMetric):
    """F1 over tokens, the harmonic mean of their precision and recall; best over the references."""

    title = "token_f1"

    def describe(self) -> Mapping[str, str]:
        return {"tokeniser_ja": tokenizer_for("ja").name, "tokeniser_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        return squad_words(text) if language == "en" else tokenizer_for(language).tokens(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Count tokens in common, with multiplicity."""
        return f_score(in_common(answer, reference), len(answer), len(reference))


def _squad_words(text: str) -> list[str]:
    plain = normalize(text).translate(_WITHOUT_MARKS)
    if plain.isascii():
        words = plain.split()
        if "".join(words).isalnum():  # else a control character may be the border of an article
            return [word for word in words if word not in _ARTICLE] or words
    else:
        plain = "".join(c for c in plain if unicodedata.category(c)[0] != "P")
        plain = _JAPANESE_CHARACTER.sub(r" \1 ", plain)
    return _ARTICLES.sub(" ", plain).split() or plain.split()


_words_of = Remembered(_squad_words)


def squad_words(text: str) -> list[str]:
    """Return the words that SQuAD's metrics compare in English."""
    return list(_words_of(text))
