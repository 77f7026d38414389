"""The words of passages: what two of them share, and which say the same."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saiten.text.common_words import is_common
from saiten.text.numbers import NUMBER
from saiten.text.words import in_order, normalize, stem

Words = npt.NDArray[np.int32]
"""The numbers of a passage's words, ascending."""

_BANDS, _ROWS, _SIEVE = 4, 3, (1 << 31) - 1
_NUMBERS = re.compile(NUMBER)
_KANJI = re.compile("[一-鿿]")
_KEPT = 8
"""Passages compared per band of a sketch, so that time stays linear where many are alike."""
_SAME = 0.9
"""The share of common words from which two passages are compared further."""
_Sketched = tuple[Words, int]
"""The words of a passage, and a digest of its numbers in their order."""


class Vocabulary:
    """Numbers words in the order in which they appear."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []
        self._read: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._words)

    def read(self, text: str) -> Words:
        """Return the content words of a text, without repetition.

        English ones without their endings; long runs of kanji also in parts, so that 年次有給休暇 and 特別休暇 share
        休暇.
        """
        found: set[int] = set()
        for word in in_order(normalize(text).lower()):
            numbers = self._read.get(word)
            if numbers is None:
                numbers = self._read[word] = tuple(map(self._number, _parts(word)))
            found.update(numbers)
        return np.array(sorted(found), np.int32)

    def of(self, words: Words) -> list[str]:
        """Return the words with these numbers, in the form in which each was read first."""
        return [self._words[number] for number in words]

    def _number(self, word: str) -> int:
        number = self._numbers.setdefault(stem(word) if word.isascii() else word, len(self._words))
        if number == len(self._words):
            self._words.append(word)
        return number


class NearCopies:
    """Finds passages that say the same as an earlier one, by sketches of their words (Broder 1997, *MinHash*).

    A near copy has the same numbers and 90 % of the words, and no word is replaced by another: pages of two products
    that differ in a name are no copies.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        drawn = np.random.default_rng(0).integers(1, _SIEVE, (2, _BANDS * _ROWS))
        self._factors, self._shifts = drawn[0], drawn[1]
        self._seen: list[dict[bytes, list[_Sketched]]] = [{} for _ in range(_BANDS)]

    def is_copy(self, text: str, words: Words) -> bool:
        """Return whether a text, with these words, says the same as an earlier one; remember it if not."""
        if not words.size:
            return False
        numbers = hash(tuple(_NUMBERS.findall(normalize(text))))
        sketch = ((words[:, None].astype(np.int64) + 1) * self._factors + self._shifts) % _SIEVE
        least = sketch.min(axis=0).reshape(_BANDS, _ROWS)
        places = [seen.setdefault(band.tobytes(), []) for seen, band in zip(self._seen, least, strict=True)]
        if any(numbers == them and self._says_the_same(words, their) for place in places for their, them in place):
            return True
        for place in places:
            if len(place) < _KEPT:
                place.append((words, numbers))
        return False

    def _says_the_same(self, words: Words, earlier: Words) -> bool:
        shared = np.intersect1d(words, earlier, assume_unique=True)
        if shared.size < _SAME * (words.size + earlier.size - shared.size):
            return False
        own, others = (self._vocabulary.of(np.setdiff1d(each, shared)) for each in (words, earlier))
        return not own or not others or all(map(is_common, own + others))


class Ties:
    """Measures how closely passages are tied by words that are rare in the base.

    A tie is the weight of the words that two passages share, over the geometric mean of the weights of all words of
    each: 0 to 1. A word weighs the logarithm of the number of passages per passage that has it; everyday words,
    numbers, and words of a single passage weigh nothing.
    """

    def __init__(self, words: Sequence[Words], vocabulary: Vocabulary) -> None:
        self._ends = np.cumsum([0, *map(len, words)])
        self._words = np.concatenate(words) if words else np.zeros(0, np.int32)
        times = np.bincount(self._words, minlength=len(vocabulary))
        known = vocabulary.of(np.arange(len(vocabulary), dtype=np.int32))
        silent = np.fromiter(map(_says_nothing, known), np.bool_, len(known))
        # one passage more, so that the words of a base of two passages weigh something
        self._weights = np.where(silent | (times < 2), 0, np.log((len(words) + 1) / np.maximum(times, 1)))
        self._lengths = np.array([self._weights[mine].sum() for mine in words])
        self._vocabulary = vocabulary

    def of(self, one: int, begin: int, end: int) -> npt.NDArray[np.float64]:
        """Return the ties of a passage with each of those numbered from `begin` to before `end`."""
        known = np.zeros(len(self._vocabulary), bool)
        known[self._of(one)] = True
        words = self._words[self._ends[begin] : self._ends[end]]
        summed = np.concatenate([[0.0], np.cumsum(self._weights[words] * known[words])])
        places = self._ends[begin : end + 1] - self._ends[begin]
        lengths = np.sqrt(self._lengths[one] * self._lengths[begin:end])
        ties: npt.NDArray[np.float64] = np.diff(summed[places]) / np.where(lengths > 0, lengths, 1)
        return ties

    def tie(self, one: int, other: int) -> float:
        """Return the tie of two passages."""
        return float(self.of(one, other, other + 1)[0])

    def overlap(self, one: int, other: int) -> float:
        """Return the share of the words of the shorter passage that the other one has, everyday ones included."""
        fewer = min(self._of(one).size, self._of(other).size)
        return np.intersect1d(self._of(one), self._of(other), assume_unique=True).size / (fewer or 1)

    def shared(self, one: int, other: int) -> list[str]:
        """Return the words that tie two passages, the rarest first."""
        shared: Words = np.intersect1d(self._of(one), self._of(other), assume_unique=True)
        rarest = shared[np.argsort(-self._weights[shared], kind="stable")]
        return self._vocabulary.of(rarest[self._weights[rarest] > 0])

    def _of(self, number: int) -> Words:
        return self._words[self._ends[number] : self._ends[number + 1]]


def _parts(word: str) -> tuple[str, ...]:
    if len(word) < 3 or not _KANJI.match(word):
        return (word,)
    return (word, word[:2]) if len(word) == 3 else (word, word[:2], word[-2:])


def _says_nothing(word: str) -> bool:
    return len(word) < 2 or word[0].isdigit() or is_common(word)
