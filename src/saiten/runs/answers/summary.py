"""The summary of a file of answers: counts, failures with reasons, latency and cost."""

import math
import os
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from saiten.records import Usage
from saiten.runs.answers.answers_file import folder_of
from saiten.runs.lines import read_lines, usage_from_json
from saiten.runs.locked_folder import ERRORS_NAME, paid_in
from saiten.stats.latency import Latency, latency_of

_REASONS = 1000
"""Maximum number of distinct reasons, to bound memory."""
_REASON = 200
"""Characters of a reason to compare."""


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """The summary of a file of answers, earlier runs included."""

    system: str
    answered: int
    failures: Mapping[str, int]
    """Kind (failed, timeout, unreadable) → count."""
    reasons: tuple[tuple[str, str, int, str], ...]
    """Kind, reason, count, and the id of one example; most frequent first."""
    latency: Latency | None
    """None if not measured."""
    usage: Usage
    """Total usage, including failures, retried questions, and calls without an answer."""
    with_contexts: int
    """Answers with contexts."""


def summarize_answers(path: Path) -> AnswerSummary:
    """Summarize a file in one pass; memory: 8 bytes per answer."""
    seconds = array("d")
    usage = Usage()
    system, answered, with_contexts = "", 0, 0
    reasons: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    example: dict[tuple[str, str], str] = {}
    for _, row in read_lines(path, dict[str, Any]):
        system = str(row.get("system") or system)
        usage += usage_from_json(row.get("usage"))
        if row.get("answer") is not None:
            answered += 1
            with_contexts += row.get("contexts") is not None
            taken = row.get("seconds")
            if isinstance(taken, int | float) and math.isfinite(taken):
                seconds.append(taken)
            continue
        error = row.get("error")
        given: Mapping[str, Any] = error if isinstance(error, dict) else {}
        kind, reason = str(given.get("kind") or "failed"), str(given.get("reason") or "no reason given")[:_REASON]
        kinds[kind] += 1
        if (kind, reason) in reasons or len(reasons) < _REASONS:
            reasons[kind, reason] += 1
            example.setdefault((kind, reason), str(row.get("id")))
    folder = folder_of(Path(os.path.realpath(path)))
    aside = read_lines(folder / ERRORS_NAME, dict[str, Any])  # retried failures, whose cost counts too
    usage = sum((usage_from_json(value.get("usage")) for _, value in aside), usage)
    paid = paid_in(folder)
    usage = usage if paid is None else replace(paid, reused=usage.reused)
    often = tuple((kind, reason, n, example[kind, reason]) for (kind, reason), n in reasons.most_common())
    return AnswerSummary(system, answered, dict(kinds), often, latency_of(seconds), usage, with_contexts)
