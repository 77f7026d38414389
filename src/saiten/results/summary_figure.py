"""One metric's scores as a figure of a summary."""

from collections import Counter

from saiten.records import STATUSES, Status
from saiten.results.figure import Figure, is_correctness
from saiten.results.score_row import ScoreRow
from saiten.stats.corpus_bleu import corpus_bleu, corpus_signature
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.words import Message, joined

_GRADES_AT_MOST = 11

_HIGHEST_GRADE = 10
"""A metric with more distinct values or higher ones (a length) is not shown as a distribution of grades."""


def figure_of(metric: str, rows: list[ScoreRow], group: str | None = None, system: str | None = None) -> Figure:
    """Compute one metric's figure over all scores, or over those of a group or system."""
    counts = Counter(row.status for row in rows)
    coverage: dict[Status, int] = {status: counts[status] for status in STATUSES if counts[status]}
    measured = [(row, row.value) for row in rows if row.status == "ok" and row.value is not None]
    if not measured:
        none = Message("remark", "nothing_measured")
        return Figure(metric, group, system, None, None, None, 0, 0, coverage, note=none, missing=_missing(rows))
    interval = bootstrap_mean([value for _, value in measured], [row.place.question for row, _ in measured])
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
        _distribution([float(row.grade) for row, _ in measured if row.grade is not None]),
        joined([interval.note, _without_evidence(metric, rows)]) or None,
        _missing(rows),
        *_corpus(rows),
    )


def _corpus(rows: list[ScoreRow]) -> tuple[Estimate | None, str]:
    """Return BLEU over all answers, and its signature."""
    counted = [(row.place.question, *row.counts) for row in rows if row.counts is not None]
    if not counted:
        return None, ""
    questions, counts, references = zip(*counted, strict=True)
    return corpus_bleu(counts, questions), corpus_signature(references)


def _without_evidence(metric: str, rows: list[ScoreRow]) -> Message | None:
    """Return how many grades lack the evidence that the mode requests, because the samples have none."""
    if not is_correctness(metric):
        return None
    without = sum(row.mode in {"answer", "reference"} and not row.pieces for row in rows)
    return Message("remark", "without_evidence", n=without) if without else None


def _missing(rows: list[ScoreRow]) -> dict[tuple[Status, str], int]:
    missing = [row for row in rows if row.status not in {"ok", "declined"}]
    return dict(Counter((row.status, row.reason or "") for row in missing).most_common())


def _distribution(values: list[float]) -> dict[float, int]:
    counts = Counter(values)
    if len(counts) > _GRADES_AT_MOST or any(value != int(value) or value > _HIGHEST_GRADE for value in counts):
        return {}
    return dict(sorted(counts.items()))
