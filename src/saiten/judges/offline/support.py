"""Support: the probability that some contexts support a statement, from the words, numbers and names they share.

A logistic regression over five features (`constants.toml`). It sees invented words, numbers and names; it sees neither
a negation nor a value that was swapped for another from the same contexts.
"""

import math
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index
from saiten.judges.offline.names import japanese_names, latin_names
from saiten.text.numbers import claimed_numbers
from saiten.text.polarity import is_negated
from saiten.text.words import grams_of, normalise, stem, units_of

_HIRAGANA = re.compile("[\u3041-\u309f]{4}")


@dataclass(frozen=True, slots=True)
class Support:
    """What was found out about one statement."""

    p: float
    """The probability of support; 0.5 where there was nothing to compare."""
    comparable: bool
    """Whether the statement has content words, numbers or names at all."""
    share: float = 0.0
    """The share of its content units in the best sentence."""
    window: int = -1
    """The best sentence, -1 if none shares a unit."""
    missing_numbers: tuple[str, ...] = ()
    missing_names: tuple[str, ...] = ()
    negation_differs: bool = False
    """A warning only: one of statement and best sentence is negated. It is not in `p`."""


def support(statement: str, index: Index, constants: Constants, excused: AbstractSet[str] = frozenset()) -> Support:
    """How far the indexed contexts support the statement; `excused` units (the question's) are not held to be new."""
    text = normalise(statement)
    lowered = text.lower()
    units, grams = sorted(units_of(lowered)), grams_of(lowered)
    contained = len(grams & index.grams) / len(grams) if grams else 0.0
    if units:
        window, coverage, share = index.best_window(units)
    elif _HIRAGANA.search(lowered):  # もちろんあります。 has no content units, but can be compared by its characters
        window, coverage, share = -1, contained, contained
    else:
        return Support(p=0.5, comparable=False)
    numbers = claimed_numbers(lowered)
    missing_numbers = tuple(each.written for each in numbers if index.numbers.isdisjoint(each.readings))
    latin, japanese = latin_names(text), japanese_names(text)
    missing_names = tuple(
        [name for name in latin if not _known_name(name.lower(), index)]
        + [name for name in japanese if name.lower() not in index.text]
    )
    novel = sum(unit not in index.postings and unit not in excused for unit in units)
    weights = constants.support
    logit = math.fsum(
        (
            weights["intercept"],
            weights["coverage"] * coverage,
            weights["characters"] * contained,
            weights["number_missing"] * bool(missing_numbers),
            weights["names_missing"] * len(missing_names) / (len(latin) + len(japanese) or 1),
            weights["novel"] * math.log1p(novel),
        )
    )
    close = window >= 0 and coverage > constants.band["negation"]
    return Support(
        p=sigmoid(logit),
        comparable=True,
        share=share,
        window=window,
        missing_numbers=missing_numbers,
        missing_names=missing_names,
        negation_differs=close and is_negated(lowered) != is_negated(index.sentence(window)),
    )


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-logit), for any size of logit."""
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def _known_name(name: str, index: Index) -> bool:
    return (
        name in index.words
        or stem(name) in index.postings
        or all(part in index.words for part in re.split("['-]", name))
    )
