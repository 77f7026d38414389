"""Support: the probability that contexts support a statement, from shared words, numbers and names.

A logistic regression over five features (`constants.toml`). It detects invented words, numbers and names, but neither
negations nor values swapped within the same contexts.
"""

import math
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.judges.offline.calibration import sigmoid
from saiten.judges.offline.conflicts import conflicts
from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index
from saiten.judges.offline.names import japanese_names, latin_names
from saiten.text.numbers import claimed_numbers, missing_numbers
from saiten.text.polarity import is_negated
from saiten.text.words import grams_of, normalize, units_of

_HIRAGANA = re.compile("[\u3041-\u309f]{4}")


@dataclass(frozen=True, slots=True)
class Support:
    """The support found for one statement."""

    p: float
    """The probability of support; 0.5 if there was nothing to compare."""
    comparable: bool
    """Whether the statement has content words, numbers or names at all."""
    share: float = 0.0
    """The share of its content units in the best sentence."""
    window: int = -1
    """The best sentence, -1 if none shares a unit."""
    missing_numbers: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    """Quantities of the best sentence, each with the statement's quantity of the same unit."""
    rivals: tuple[tuple[str, str], ...] = ()
    """Quantities of the statement, each with another quantity of the same unit in the best sentence: which one is meant
    is undecided, since the statement names hardly anything of its clause."""
    missing_names: tuple[str, ...] = ()
    negation_differs: bool = False
    """Whether only one of statement and best sentence is negated; a warning that does not change `p`."""


def support(statement: str, index: Index, constants: Constants, excused: AbstractSet[str] = frozenset()) -> Support:
    """Return the indexed contexts' support for the statement; `excused` units (the question's) never count as new."""
    text = normalize(statement)
    lowered = text.lower()
    units, grams = sorted(units_of(lowered)), grams_of(lowered)
    contained = len(grams & index.grams) / len(grams) if grams else 0.0
    if units:
        window, coverage, share = index.best_window(units)
    elif _HIRAGANA.search(lowered):  # もちろんあります。 has no content units, but its characters can be compared
        window, coverage, share = -1, contained, contained
    else:
        return Support(p=0.5, comparable=False)
    latin, japanese = latin_names(text), japanese_names(text)
    numbers = missing_numbers(claimed_numbers(lowered), index.numbers)
    missing_latin = [name for name in latin if not index.has_name(name.lower())]
    missing_names = (*missing_latin, *(name for name in japanese if name.lower() not in index.text))
    novel = sum(unit not in index.postings and unit not in excused for unit in units)
    weights = constants.support
    logit = math.fsum(
        (
            weights["intercept"],
            weights["coverage"] * coverage,
            weights["characters"] * contained,
            weights["number_missing"] * bool(numbers),
            weights["names_missing"] * len(missing_names) / (len(latin) + len(japanese) or 1),
            weights["novel"] * math.log1p(novel),
        )
    )
    close = window >= 0 and coverage > constants.band["negation"]
    p, swapped, rivals = sigmoid(logit), *conflicts(lowered, index, window, constants)
    if swapped:
        p = min(p, weights["number_conflict"])
    elif rivals:
        p = min(p, weights["number_open"])
    return Support(
        p=p,
        comparable=True,
        share=share,
        window=window,
        missing_numbers=numbers,
        replaced=swapped,
        rivals=rivals,
        missing_names=missing_names,
        negation_differs=close and is_negated(lowered) != is_negated(index.sentence(window)),
    )
