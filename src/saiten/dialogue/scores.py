"""The scores of a dialogue.

Source: the ANLP paper on multi-turn evaluation (spec 02), with its symbols: n turns are allowed, σ = [s_0, …, s_k] are
the grades, 0 ≤ k < n. Each score raises ValueError if there is no grade, or if there are more than n.
"""

import math
from collections.abc import Callable, Mapping, Sequence

HIGHEST = 5


def wscore(grades: Sequence[float], n: int) -> float:
    """Return the weighted mean grade, 0 to 5, higher is better: early grades weigh more, the last fills unused turns.

    [n·s_0 + (n-1)·s_1 + … + (n-k)·s_k + Σ_{i=1}^{n-k-1} (n-k-i)·s_k] / (n + … + 1); n = 3, σ = [1, 5] gives 3.
    """
    _check(grades, n)
    k = len(grades) - 1
    given = [(n - i) * grade for i, grade in enumerate(grades)]
    carried = _up_to(n - k - 1) * grades[k]
    return math.fsum([*given, carried]) / _up_to(n)


def lscore(grades: Sequence[float], n: int) -> int:
    """Return the number of turns until the dialogue ended, 1 to n; lower is better."""
    _check(grades, n)
    return len(grades)


def mscore(grades: Sequence[float], n: int) -> float:
    """Return the best grade, 0 to 5; higher is better."""
    _check(grades, n)
    return max(grades)


SCORES: Mapping[str, Callable[[Sequence[float], int], float]] = {"wscore": wscore, "lscore": lscore, "mscore": mscore}


def _up_to(last: int) -> int:
    """Return 1 + 2 + … + last."""
    return last * (last + 1) // 2


def _check(grades: Sequence[float], n: int) -> None:
    if not 1 <= len(grades) <= n:
        raise ValueError(f"a dialogue of at most {n} turns has 1 to {n} grades, not {len(grades)}")
    wrong = [grade for grade in grades if not 0 <= grade <= HIGHEST]
    if wrong:
        raise ValueError(f"grades must be between 0 and {HIGHEST}, not {wrong[0]}")
