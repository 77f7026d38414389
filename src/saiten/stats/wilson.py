"""Wilson's interval of a share.

Source: Wilson 1927, *Probable Inference, the Law of Succession, and Statistical Inference*.
"""

import math
from statistics import NormalDist

from saiten.stats.estimate import CONFIDENCE


def wilson(share: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Compute the two-sided interval of a share of n; (0, 1) where n is 0."""
    if not n:
        return 0.0, 1.0
    square = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    middle = share + square / (2 * n)
    half = math.sqrt(square * (share * (1 - share) / n + square / (4 * n * n)))
    whole = 1 + square / n
    # Exactly 0 and 1 at the ends, where rounding would leave a trace.
    return (middle - half) / whole if share > 0 else 0.0, (middle + half) / whole if share < 1 else 1.0
