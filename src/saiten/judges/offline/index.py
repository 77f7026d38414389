"""An index of contexts, the position of each unit with all numbers, names and n-grams; and what all tasks share.

An index is built once per set of contexts, in time linear in their length. Looking up a statement costs its length
times the number of sentences that share a word with it, at most `limits.sentences`.
"""

import hashlib
import json
import math
import tomllib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from saiten.judges.offline.calibration import Calibration
from saiten.records import Language
from saiten.text.numbers import known_numbers
from saiten.text.sentences import split_sentences
from saiten.text.words import grams_of, normalise, units_of, words_of

_FILE = Path(__file__).with_name("constants.toml")


@dataclass(frozen=True, slots=True)
class Constants:
    """The weights of the formulas, the undecided band and the limits, as explained in the file."""

    support: Mapping[str, float]
    correctness: Mapping[str, float]
    long_reference: Mapping[str, float]
    relevance: Mapping[str, float]
    band: Mapping[str, float]
    limits: Mapping[str, int]
    digest: str
    """Digest of the figures, for signatures."""


def read_constants() -> Constants:
    """Read the constants shipped with saiten."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    figures = json.dumps(tables, sort_keys=True)  # comments do not change the digest
    return Constants(**tables, digest=hashlib.sha256(figures.encode()).hexdigest()[:12])


@dataclass(frozen=True, slots=True)
class Index:
    """The indexed contexts."""

    contexts: Sequence[str]
    windows: Sequence[tuple[int, int, int]]
    """The sentences as (index of the context, start, end)."""
    postings: Mapping[str, Sequence[int]]
    """The windows that contain each content unit."""
    grams: frozenset[str]
    numbers: frozenset[str]
    words: frozenset[str]
    """Every token, lower-cased."""
    text: str
    """All contexts, normalized and lower-cased."""
    floor: float
    """The lowest weight of a unit, relative to the highest."""
    cut: bool
    """Whether the contexts were too long to be read to the end."""

    def sentence(self, window: int) -> str:
        """Return the window's text, normalized and lower-cased."""
        context, start, end = self.windows[window]
        return normalise(self.contexts[context][start:end]).lower()

    def weight(self, unit: str) -> float:
        """Return the unit's inverse document frequency among windows; unknown units weigh most."""
        highest = math.log(len(self.windows) + 1)
        found = len(self.postings.get(unit, ())) or 1
        return max(self.floor * highest, highest - math.log(found)) or 1.0

    def shares(self, units: Sequence[str]) -> dict[int, float]:
        """Return each matching window's share of the units' weight.

        Pass sorted units: the sums are then equal to the last bit in every process.
        """
        weights = {unit: self.weight(unit) for unit in units}
        whole = math.fsum(weights.values())
        sums: dict[int, float] = {}
        for unit in units:
            part = weights[unit] / whole
            for window in self.postings.get(unit, ()):
                sums[window] = sums.get(window, 0.0) + part
        return sums

    def best_window(self, units: Sequence[str]) -> tuple[int, float, float]:
        """Return (window, its share of the units' weight, share of their number); (-1, 0, 0) without a match."""
        shares = self.shares(units)
        if not shares:
            return -1, 0.0, 0.0
        best = min(shares, key=lambda window: (-shares[window], window))
        return best, shares[best], sum(best in self.postings.get(unit, ()) for unit in units) / len(units)


def build_index(contexts: Sequence[str], language: Language, constants: Constants) -> Index:
    """Index the contexts."""
    read = _within(contexts, constants.limits["characters"])
    sentences = [split_sentences(context, language) for context in read]
    together = -(-sum(map(len, sentences)) // constants.limits["sentences"]) or 1
    windows: list[tuple[int, int, int]] = []
    postings: dict[str, list[int]] = {}
    for number, found in enumerate(sentences):
        for first in range(0, len(found), together):
            start, end = found[first].start, found[min(first + together, len(found)) - 1].end
            for unit in units_of(normalise(read[number][start:end]).lower()):
                postings.setdefault(unit, []).append(len(windows))
            windows.append((number, start, end))
    texts = [normalise(context).lower() for context in read]
    text = "\n".join(texts)
    words = words_of(text)
    return Index(
        contexts=contexts,
        windows=windows,
        postings=postings,
        grams=frozenset(gram for each in texts for gram in grams_of(each)),
        numbers=frozenset(known_numbers(text)),
        words=frozenset(words),
        text=text,
        floor=constants.support["idf_floor"],
        cut=sum(map(len, contexts)) > constants.limits["characters"],
    )


def _within(contexts: Sequence[str], characters: int) -> list[str]:
    read = []
    for context in contexts:
        read.append(context[:characters])
        characters -= len(read[-1])
    return read


_KEPT = 500_000
"""Characters of contexts whose indexes are cached; tasks about one sample follow each other."""


@dataclass(slots=True)
class Indexes:
    """A cache of indexes; the oldest are dropped when their texts grow too long. The newest always stays."""

    constants: Constants
    made: OrderedDict[tuple[Language, tuple[str, ...]], Index] = field(default_factory=OrderedDict)
    characters: int = 0

    def of(self, contexts: Sequence[str], language: Language) -> Index:
        """Return the index of these contexts, cached or new."""
        key = (language, tuple(contexts))
        found = self.made.pop(key, None)
        if found is None:
            found = build_index(key[1], language, self.constants)
            self.characters += sum(map(len, key[1]))
        self.made[key] = found
        while self.characters > _KEPT and len(self.made) > 1:
            (_, contexts_gone), _ = self.made.popitem(last=False)
            self.characters -= sum(map(len, contexts_gone))
        return found


@dataclass(frozen=True, slots=True)
class Tools:
    """The arguments shared by all functions that perform tasks."""

    constants: Constants
    calibrations: Mapping[str, Calibration]
    indexes: Indexes

    def calibrated(self, aspect: str, p: float) -> float:
        """Return the calibrated probability, or `p` without a calibration."""
        calibration = self.calibrations.get(aspect)
        return p if calibration is None else calibration.apply(p)

    def unclear(self, p: float) -> bool:
        """Return whether `p` is in the undecided band."""
        return self.constants.band["lower"] <= p < self.constants.band["upper"]
