"""The F-measure: precision and recall in one figure, of counts or of the two rates (van Rijsbergen 1979)."""

import numpy as np

from saiten.stats.clusters import Floats


def f_beta(tp: float, fp: float, fn: float, beta: float = 1.0) -> float:
    """Return (1 + β²) · TP / ((1 + β²) · TP + β² · FN + FP); at least one count must be above 0."""
    weighted = (1 + beta**2) * tp
    return weighted / (weighted + beta**2 * fn + fp)


def harmonic_mean(precision: Floats | float, recall: Floats | float) -> Floats:
    """Return F1 as 2 · P · R / (P + R), and 0 if both rates are 0; of numbers or arrays."""
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = np.add(precision, recall)
        return np.where(whole == 0, 0.0, 2 * np.multiply(precision, recall) / whole)
