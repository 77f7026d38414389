"""The parts of a score that a summary needs."""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.records import Scored, Status
from saiten.results.place import Place
from saiten.stats.corpus_bleu import COUNTS

_COUNTED = frozenset({"matched", "runs", "answer_size", "reference_size"})
"""Details of `bleu4`."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The parts of a score that a summary needs: its details may be a thousand times as large."""

    sample: str
    place: Place
    status: Status
    value: float | None
    reason: str | None
    """Kept only for unmeasured scores."""
    votes: tuple[float | None, ...]
    grade: float | None
    """The grade as given, if the value is finer (a mean of votes, the offline judge's figure); None: split votes."""
    mode: str | None
    """The requested evidence mode, and the number of evidence passages."""
    pieces: int
    counts: tuple[tuple[float, ...], int] | None
    """For sentence BLEU: the counts that corpus BLEU needs, and the number of references."""


def score_row(one: Scored, place: Place) -> ScoreRow:
    """Return the parts of one score."""
    score = one.score
    grade = score.details.get("grade")
    seen = score.details.get("evidence")
    evidence = seen if isinstance(seen, Mapping) else {}
    return ScoreRow(
        one.sample,
        place,
        score.status,
        score.value,
        None if score.status in {"ok", "declined"} else score.reason,
        score.votes,
        grade if isinstance(grade, int) or (grade is None and "given" in score.details) else score.value,
        evidence.get("mode"),
        evidence.get("pieces") or 0,
        _counts(one) if score.status == "ok" else None,
    )


def _counts(one: Scored) -> tuple[tuple[float, ...], int] | None:
    """Return the counts for corpus BLEU and the number of references; None for another metric."""
    details = one.score.details
    if one.metric.partition("[")[0] != "bleu4" or not details.keys() >= _COUNTED:
        return None
    counts = (*details["matched"], *details["runs"], details["answer_size"], details["reference_size"])
    return (counts, int(details.get("references", 0))) if len(counts) == COUNTS else None
