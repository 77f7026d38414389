"""One metric's scores as a figure of a summary."""

from collections import Counter

import numpy as np

from saiten.records import STATUSES, Status
from saiten.results.figure import Figure, is_correctness
from saiten.results.score_columns import Mask, ScoreColumns
from saiten.stats.clusters import Floats
from saiten.stats.corpus_bleu import COUNTS, corpus_bleu, corpus_signature
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.words import Message, joined

_GRADES_AT_MOST = 11

_HIGHEST_GRADE = 10
"""A metric with more distinct values or higher ones (a length) is not shown as a distribution of grades."""


def figure_of(columns: ScoreColumns, group: str | None = None, system: str | None = None) -> Figure:
    """Compute one metric's figure over all scores, or over those of a group or system."""
    metric = columns.metric
    by, name = ("group", group) if group is not None else ("system", system)
    part = columns.part() if name is None else columns.part(by, name)
    counts = np.bincount(columns.column("statuses")[part], minlength=len(STATUSES))
    coverage: dict[Status, int] = {status: int(n) for status, n in zip(STATUSES, counts, strict=True) if n}
    values, questions, grades = columns.measured(part)
    if not len(values):
        none = Message("remark", "nothing_measured")
        missing = _missing(columns, part)
        return Figure(metric, group, system, None, None, None, 0, 0, coverage, note=none, missing=missing)
    interval = bootstrap_mean(values, questions)
    without = _without_evidence(columns, part)
    unseen = Message("remark", "without_evidence", n=without) if without else None
    return Figure(
        metric,
        group,
        system,
        interval.value,
        interval.low,
        interval.high,
        interval.n,
        interval.clusters or 0,
        coverage,
        _distribution(grades[~np.isnan(grades)]),
        joined([interval.note, unseen]) or None,
        _missing(columns, part),
        *_corpus(columns, part),
        without_evidence=without,
    )


def _corpus(columns: ScoreColumns, part: Mask) -> tuple[Estimate | None, str]:
    """Return BLEU over all answers, and its signature."""
    rows = columns.column("counted")
    chosen = part[rows]
    if not chosen.any():
        return None, ""
    counts = columns.column("counts").reshape(-1, COUNTS)
    if not chosen.all():
        counts = counts[chosen]
    questions = columns.column("questions")[rows[chosen]]
    return corpus_bleu(counts, questions), corpus_signature(columns.column("references")[chosen].tolist())


def _without_evidence(columns: ScoreColumns, part: Mask) -> int:
    return int(columns.column("without_evidence")[part].sum()) if is_correctness(columns.metric) else 0


def _missing(columns: ScoreColumns, part: Mask) -> dict[tuple[Status, str], int]:
    reasons, statuses = columns.column("reasons"), columns.column("statuses")
    rows = np.flatnonzero(part & (reasons > 0))
    found = Counter(zip(statuses[rows].tolist(), reasons[rows].tolist(), strict=True)).most_common()
    return {(STATUSES[status], columns.texts.known[reason] or ""): n for (status, reason), n in found}


def _distribution(values: Floats) -> dict[float, int]:
    grades, counts = np.unique(values, return_counts=True)
    if len(grades) > _GRADES_AT_MOST or (grades != np.trunc(grades)).any() or (grades > _HIGHEST_GRADE).any():
        return {}
    return dict(zip(grades.tolist(), counts.tolist(), strict=True))
