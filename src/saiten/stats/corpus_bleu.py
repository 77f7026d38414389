"""BLEU of a whole data set from the counts of its answers: they are added up before anything is divided.

Source: Papineni et al. 2002; the arithmetic is sacrebleu's `corpus_bleu` (Post 2018) with its defaults (smoothing
`exp`, all four orders), as 0 to 1. The interval resamples clusters (questions), as that of a mean does.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from saiten.stats.bootstrap import RESAMPLES, few, percentiles
from saiten.stats.clusters import Floats, as_groups, draws

ORDERS = 4
COUNTS = 2 * ORDERS + 2
"""Of an answer: matched runs of one to four tokens, all its runs, its length, the length of the nearest reference."""


@dataclass(frozen=True, slots=True)
class CorpusBleu:
    """The figure with its interval."""

    value: float
    low: float | None
    """Lower end of the 95 % interval, or None."""
    high: float | None
    n: int
    """Answers whose counts went in."""
    note: str | None = None
    """Why there is no interval, or what is wrong with it."""


def corpus_bleu(counts: Sequence[Sequence[float]], clusters: Sequence[Hashable], *, seed: int = 0) -> CorpusBleu:
    """BLEU over the answers with these `COUNTS`, at least one, and the cluster of each."""
    rows = np.asarray(counts, dtype=float).reshape(len(counts), COUNTS)
    value = float(bleu_of(rows.sum(axis=0)))
    groups = as_groups(clusters, len(rows))
    k = int(groups.max()) + 1
    if k == 1:
        return CorpusBleu(value, None, None, len(rows), "a single cluster tells nothing about the spread")
    sums = np.stack([np.bincount(groups, column, k) for column in rows.T], axis=1)
    sums = sums[np.lexsort(sums.T)]  # so that neither order nor labels matter
    figures = np.concatenate(
        [
            bleu_of(np.stack([column[drawn].sum(axis=1) for column in sums.T], axis=1))
            for drawn in draws(k, RESAMPLES, seed)
        ]
    )
    low, high = percentiles(figures, k, 0.95)
    return CorpusBleu(value, low, high, len(rows), few(k))


def bleu_of(sums: Floats) -> Floats:
    """BLEU from added counts, (… x `COUNTS`)."""
    matched, runs = sums[..., :ORDERS], sums[..., ORDERS : 2 * ORDERS]
    length, reference = sums[..., -2], sums[..., -1]
    missed = matched == 0
    # The first order without a match counts half of one, the next a quarter, and so on.
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), matched)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(runs > 0, np.log(smoothed / runs), -np.inf).mean(axis=-1)
        penalty = np.where(length < reference, np.exp(1 - reference / length), 1.0)
    found: Floats = np.where(missed.all(axis=-1), 0.0, penalty * np.exp(logs))
    return found


def corpus_signature(references: Iterable[int]) -> str:
    """As sacrebleu writes that of corpus BLEU over answers with so many references each; `tok` is ours."""
    kinds = set(references)
    nrefs = str(kinds.pop()) if len(kinds) == 1 and 0 not in kinds else "var"
    return f"nrefs:{nrefs}|case:mixed|eff:no|tok:none|smooth:exp|version:{version('sacrebleu')}"
