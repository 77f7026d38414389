"""Scores and findings of the shown samples, which are in another file than the samples, and in another order."""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import compress, decompress

import orjson

from saiten.metrics.judged.gist_profiles import gist_metric
from saiten.records import Scored, Usage
from saiten.views.gist.view import Finding, finding_of, packed, unpacked
from saiten.views.page.sample_details import detail_lines
from saiten.views.report.packing import as_json

_NOTHING = Usage()


class Kept:
    """Each score in its page form and the `gist` findings, by sample. Some hundred bytes per score."""

    def __init__(self) -> None:
        self._scores: dict[str, dict[str, bytes]] = {}
        self._findings: dict[str, dict[str, bytes]] = {}

    def keep(self, one: Scored) -> None:
        """Remember a score."""
        finding = finding_of(one)
        if finding is not None:
            of_sample = self._findings.setdefault(one.sample, {})
            if finding.metric not in of_sample or finding.details is not None:
                of_sample[finding.metric] = packed(finding)
        drawn = finding is not None and finding.details is not None
        line = compress(as_json(shown_score(one, details=not drawn)), 1)
        self._scores.setdefault(one.sample, {})[one.metric] = line

    def scores(self, sample: str) -> dict[str, dict[str, Any]]:
        """Return the results of `shown_score`, by metric."""
        return {metric: orjson.loads(decompress(line)) for metric, line in self._scores.get(sample, {}).items()}

    def findings(self, sample: str) -> Sequence[Finding]:
        """Return one finding per setting of gist."""
        return [unpacked(metric, line) for metric, line in self._findings.get(sample, {}).items()]


def shown_score(one: Scored, *, details: bool) -> dict[str, Any]:
    """Return a score in its page form; defaults are left out.

    `details`: include the details, unless they are drawn elsewhere.
    """
    score = one.score
    rest = dict(score.details)
    raw = rest.pop("raw", None)
    lines = [[line.depth, line.kind, line.text, line.reason] for line in _lines(rest)] if details else []
    usage = score.usage
    spent = [usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.cost, usage.unpriced, usage.reused]
    found = {
        "value": score.value,
        "status": score.status,
        "reason": score.reason,
        "votes": list(score.votes),
        "lines": lines,
        "raw": raw if raw is None or isinstance(raw, str) else str(raw),
        "usage": spent if usage != _NOTHING else None,
        "gist": gist_metric(one.metric) if not details else None,
    }
    return {key: value for key, value in found.items() if value not in (None, "", [])}


def _lines(details: Mapping[str, Any]) -> list[Any]:
    try:
        return list(detail_lines(details))
    except RecursionError:
        return []
