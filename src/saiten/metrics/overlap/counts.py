"""The arithmetic under the overlap metrics: tokens in common, each as often as both sides have it, and F."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any


def in_common(one: Iterable[Hashable], other: Iterable[Hashable]) -> int:
    """The size of the multiset intersection: a token found twice here and once there counts once."""
    return (Counter(one) & Counter(other)).total()


def f_score(matched: int, answer: int, reference: int) -> tuple[float, dict[str, Any]]:
    """F1 and its counts; 2·matched / (answer + reference), which is the harmonic mean of precision and recall.

    `answer` and `reference` are sizes; an empty answer has precision 0. The reference is not empty.
    """
    return 2 * matched / (answer + reference), {
        "matched": matched,
        "answer_size": answer,
        "reference_size": reference,
        "precision": matched / answer if answer else 0.0,
        "recall": matched / reference,
    }
