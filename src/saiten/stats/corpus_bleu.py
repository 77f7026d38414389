"""BLEU of a whole data set from the counts of its answers, which are added up before dividing.

Source: Papineni et al. 2002; the arithmetic is sacrebleu's `corpus_bleu` (Post 2018) with its defaults (smoothing
`exp`, all four orders), as 0 to 1. The interval resamples clusters (questions), like that of a mean.
"""

from collections.abc import Hashable, Iterable, Sequence
from importlib.metadata import version

import numpy as np

from saiten.stats.clusters import Floats, Ints, as_groups, dealt, draws
from saiten.stats.estimate import RESAMPLES, Estimate, few, percentiles
from saiten.words import Message

ORDERS = 4
COUNTS = 2 * ORDERS + 2
"""Counts per answer: matched n-grams of one to four tokens, all n-grams, its length, the nearest reference's length."""


def corpus_bleu(
    counts: Sequence[Sequence[float]] | Floats, clusters: Sequence[Hashable] | Ints, *, seed: int = 0
) -> Estimate:
    """Compute BLEU over at least one answer with these `COUNTS`, and the cluster of each."""
    rows = np.asarray(counts).reshape(len(counts), COUNTS)
    value = float(bleu_of(rows.sum(axis=0, dtype=np.float64)))
    groups = as_groups(clusters, len(rows))
    k = int(groups.max()) + 1
    if k == 1:
        return Estimate(value, len(rows), clusters=k, note=Message("remark", "single_question"))
    whole = [np.asarray(np.bincount(groups, column, k), np.float64) for column in rows.T]
    order = np.lexsort(whole)  # so that neither order nor labels matter
    sums = dealt((column[order] for column in whole), k, seed)  # one column at a time: they are most of the memory
    figures = np.concatenate(
        [
            bleu_of(np.stack([column[drawn].sum(axis=1) for column in sums], axis=1))
            for drawn in draws(len(sums[0]), RESAMPLES, seed)
        ]
    )
    low, high = percentiles(figures, k)
    return Estimate(value, len(rows), None, low, high, k, few(k))


def bleu_of(sums: Floats) -> Floats:
    """Compute BLEU from added counts (… x `COUNTS`)."""
    matched, runs = sums[..., :ORDERS], sums[..., ORDERS : 2 * ORDERS]
    length, reference = sums[..., -2], sums[..., -1]
    missed = matched == 0
    # The first order without a match counts as half a match, the next as a quarter, and so on.
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), matched)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(runs > 0, np.log(smoothed / runs), -np.inf).mean(axis=-1)
        penalty = np.where(length < reference, np.exp(1 - reference / length), 1.0)
    found: Floats = np.where(missed.all(axis=-1), 0.0, penalty * np.exp(logs))
    return found


def corpus_signature(references: Iterable[int]) -> str:
    """Return sacrebleu's signature for corpus BLEU with these numbers of references; `tok` is saiten's own addition."""
    kinds = set(references)
    nrefs = str(kinds.pop()) if len(kinds) == 1 and 0 not in kinds else "var"
    return f"nrefs:{nrefs}|case:mixed|eff:no|tok:none|smooth:exp|version:{version('sacrebleu')}"
