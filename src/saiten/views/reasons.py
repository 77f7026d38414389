"""Reasons of scores in the reader's language: those that saiten composes, never those that a judge wrote."""

from saiten.metrics.catalog import CATALOG
from saiten.records import Score, Scored, Status
from saiten.words import Composed

_BY_JUDGE = frozenset({"accuracy", "aspect_critique", "aspects", "correctness", "criterion", "direct"})
"""Metrics whose reason is the judge's, if there is a value or the answer declines."""
_OF_DIALOGUES = frozenset({"wscore", "lscore", "mscore", "leak"})


def reason_of(one: Scored) -> str:
    """Return the reason of a score, as a text that displays translate if saiten composed it; "" for none."""
    # An answer that is empty, which no judge sees, leaves no details.
    return composed_reason(one.metric, one.score.status, one.score.reason or "", judged=_is_judged(one.score))


def composed_reason(metric: str, status: Status, reason: str, *, judged: bool = True) -> str:
    """Return the reason that a metric gave, as in `reason_of`; `judged`: whether a judge may have written it."""
    title = metric.partition("[")[0]
    if title not in CATALOG and title not in _OF_DIALOGUES:  # a metric of the user's own writes what it likes
        return reason
    if judged and title in _BY_JUDGE and status in {"ok", "declined"}:
        return reason
    return Composed(reason)


def _is_judged(score: Score) -> bool:
    return bool(score.details)
