"""A judge's verdicts in both orders as one verdict: the same two answers shown as A and B, and as B and A.

A verdict counts if both orders agree on it; otherwise the pair is a tie (Zheng et al. 2023, *Judging LLM-as-a-Judge
with MT-Bench and Chatbot Arena*, section 3.4: a win must be called in both orders). A pair judged in only one order
counts as judged.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from saiten.stats.clusters import Floats
from saiten.trust.inputs.outputs import VERSUS, Said


def splits(item: str) -> Iterator[tuple[str, str]]:
    """Yield every way to split `A vs B`; an id may contain ` vs `."""
    parts = item.split(VERSUS)
    return ((VERSUS.join(parts[:cut]), VERSUS.join(parts[cut:])) for cut in range(1, len(parts)))


def turned(item: str) -> str:
    """Return `B vs A` for `A vs B`; of several ` vs `, the middle one separates the answers."""
    parts = item.split(VERSUS)
    middle = len(parts) // 2
    return VERSUS.join(parts[middle:] + parts[:middle])


def in_both_orders(item: str, values: Mapping[str, Said]) -> tuple[Said | None, Said | None]:
    """Return the outputs for the pair as named and for the swapped pair (sign relative to the pair as named)."""
    other = next((values[f"{b}{VERSUS}{a}"] for a, b in splits(item) if f"{b}{VERSUS}{a}" in values), None)
    return values.get(item), other if other is None or isinstance(other, str) else -other


def combined(forward: Said | None, backward: Said | None) -> Said | None:
    """Return one verdict: the mean if both prefer the same answer, else a tie; a status if an order has none."""
    if forward is None or backward is None:
        return backward if forward is None else forward
    if isinstance(forward, str):
        return forward
    if isinstance(backward, str):
        return backward
    return (forward + backward) / 2 if np.sign(forward) == np.sign(backward) else 0.0


def both_orders(items: Sequence[str], values: Mapping[str, Said]) -> Floats | None:
    """Return the verdicts in either order (2 x items), NaN where missing; None if no pair has both."""
    found = [in_both_orders(item, values) for item in items]
    numbers = [[np.nan if one is None or isinstance(one, str) else one for one in two] for two in found]
    table: Floats = np.array(numbers, dtype=np.float64).reshape(-1, 2).T
    return None if np.isnan(table).any(axis=0).all() else table
