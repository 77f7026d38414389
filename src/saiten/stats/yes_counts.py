"""The number of yes among independent verdicts, each with its own probability (Poisson's binomial distribution)."""

from collections.abc import Sequence


def count_probabilities(p: Sequence[float]) -> list[float]:
    """Return the probabilities of 0, 1, …, len(p) times yes."""
    counts = [1.0]
    for each in p:
        counts = [no * (1 - each) + yes * each for no, yes in zip([*counts, 0.0], [0.0, *counts], strict=True)]
    return counts
