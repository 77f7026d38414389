"""The answers of a run with what `gist` found in them, one after another, and what of them is shown.

Scores and samples stand in two files in two orders. What the scores say is kept in short; samples are read again each
time, and never kept.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from saiten.metrics.judged.gist_profiles import PROFILES, Profiles, profiles_of
from saiten.records import Language, Sample, Scored
from saiten.views.gist.gist_view import Finding, GistView, finding_of, gist_view

MOST_SHOWN = 10_000
"""Answers; a browser opens about so many at once."""
MOST_CHARACTERS = 20_000_000
"""Of all questions, answers and references that are shown."""

_KEPT = ("profile", "counts", "reference", "spans", "faults")
_Findings = Mapping[str, Mapping[str, bytes]]
"""By sample, then by metric."""


@dataclass(frozen=True, slots=True)
class GistRun:
    """What is shown of a run."""

    profiles: tuple[Profiles, ...]
    """A count for each setting of the metric, over all answers."""
    by_profile: Mapping[str | None, int]
    """How many of the answers that are shown have which profile; those that none has are not there."""
    shown: int
    """Answers that are shown; one that was scored under two settings counts twice."""
    total: int
    """Answers in the run."""
    language: Language
    """Of most samples."""
    _findings: _Findings
    _samples: Callable[[], Iterable[Sample]]

    def views(self) -> Iterator[GistView]:
        """Those that are shown, in the order of the samples."""
        left = self.shown
        for sample, metric, line in _joined(self._findings, self._samples()):
            if not left:
                return
            left -= 1
            yield gist_view(sample, unpacked(metric, line))


def gist_run(
    scores: Iterable[Scored],
    samples: Callable[[], Iterable[Sample]],
    *,
    most: int = MOST_SHOWN,
    most_characters: int = MOST_CHARACTERS,
) -> GistRun | None:
    """What there is to show, within the bounds; None for a run without `gist`. Reads the samples once."""
    findings: dict[str, dict[str, bytes]] = {}
    profiles = tuple(profiles_of(_remembering(scores, findings, most)))
    if not profiles:
        return None
    shown, characters = 0, 0
    by_profile: Counter[str | None] = Counter()
    languages: Counter[Language] = Counter()
    for sample, _, line in _joined(findings, samples()):
        characters += len(sample.question) + len(sample.answer or "") + len(sample.reference or "")
        if shown and characters > most_characters:
            break
        shown += 1
        by_profile[unpacked("", line).profile] += 1
        languages[sample.language] += 1
    ordered = {profile: by_profile[profile] for profile in (*PROFILES, None) if by_profile[profile]}
    language: Language = "ja" if languages["ja"] > languages["en"] else "en"
    total = sum(one.total + one.without for one in profiles)
    return GistRun(profiles, ordered, shown, total, language, findings, samples)


def _remembering(scores: Iterable[Scored], findings: dict[str, dict[str, bytes]], most: int) -> Iterator[Scored]:
    """The scores as they come; the findings of the first answers are kept on the way, the last word of each."""
    kept = 0
    for one in scores:
        finding = finding_of(one)
        if finding is not None:
            of_sample = findings.get(one.sample, {})
            if finding.metric not in of_sample and kept < most:
                kept += 1
                findings.setdefault(one.sample, {})[finding.metric] = packed(finding)
            elif finding.metric in of_sample and finding.details is not None:
                of_sample[finding.metric] = packed(finding)
        yield one


def _joined(findings: _Findings, samples: Iterable[Sample]) -> Iterator[tuple[Sample, str, bytes]]:
    for sample in samples:
        for metric, line in findings.get(sample.id, {}).items():
            yield sample, metric, line


def packed(finding: Finding) -> bytes:
    """A finding in short: a tenth of what it takes as objects."""
    details = None if finding.details is None else {key: finding.details.get(key) for key in _KEPT}
    try:
        return json.dumps([details, finding.reason], separators=(",", ":")).encode("ascii")
    except RecursionError:
        return json.dumps([None, "the details of the score nest too deep"]).encode("ascii")


def unpacked(metric: str, line: bytes) -> Finding:
    """As it was."""
    details, reason = json.loads(line)
    return Finding(metric, details, reason)
