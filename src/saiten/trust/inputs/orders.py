"""A judge's two orders as one verdict: the same two answers shown once as A and B, once as B and A.

A verdict counts where both orders agree on it; otherwise the pair is a tie (Zheng et al. 2023, *Judging LLM-as-a-Judge
with MT-Bench and Chatbot Arena*, section 3.4: a win must be called in both orders). A pair judged in one order alone
counts as judged.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from saiten.stats.clusters import Floats
from saiten.trust.inputs.outputs import VERSUS, Said


def splits(item: str) -> Iterator[tuple[str, str]]:
    """Every way to read `A vs B`; an id may have ` vs ` in it."""
    parts = item.split(VERSUS)
    return ((VERSUS.join(parts[:cut]), VERSUS.join(parts[cut:])) for cut in range(1, len(parts)))


def turned(item: str) -> str:
    """`B vs A` for `A vs B`; with several ` vs `, the middle one is between the answers."""
    parts = item.split(VERSUS)
    middle = len(parts) // 2
    return VERSUS.join(parts[middle:] + parts[:middle])


def in_both_orders(item: str, values: Mapping[str, Said]) -> tuple[Said | None, Said | None]:
    """What is said of the pair as it is named, and of the pair turned round (about the pair as named)."""
    other = next((values[f"{b}{VERSUS}{a}"] for a, b in splits(item) if f"{b}{VERSUS}{a}" in values), None)
    return values.get(item), other if other is None or isinstance(other, str) else -other


def combined(forward: Said | None, backward: Said | None) -> Said | None:
    """One verdict: the mean where both prefer the same answer, else a tie; a status where an order has no verdict."""
    if forward is None or backward is None:
        return backward if forward is None else forward
    if isinstance(forward, str):
        return forward
    if isinstance(backward, str):
        return backward
    return (forward + backward) / 2 if np.sign(forward) == np.sign(backward) else 0.0


def both_orders(items: Sequence[str], values: Mapping[str, Said]) -> Floats | None:
    """The verdicts in either order (2 x items), NaN where one has none; None where no pair has both."""
    found = [in_both_orders(item, values) for item in items]
    numbers = [[np.nan if one is None or isinstance(one, str) else one for one in two] for two in found]
    table: Floats = np.array(numbers, dtype=np.float64).reshape(-1, 2).T
    return None if np.isnan(table).any(axis=0).all() else table
