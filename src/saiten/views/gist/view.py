"""Reference and answer of a sample with the units of `gist` at their positions, for one sample or a whole run.

Independent of how a unit is displayed. Offsets count characters (code points) of the raw text; a unit whose words are
not at its offsets, for example after an edit of the file, is listed instead of marked. For a run, findings are kept in
compact form, since scores and samples come in different orders; samples are read again each time and never kept.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Literal, TypeVar, get_args

from saiten.metrics.judged.gist_counts import WHICH
from saiten.metrics.judged.gist_profiles import PROFILES, Profiles, gist_metric, profiles_of
from saiten.records import Language, Sample, Scored
from saiten.views.strip_controls import clean

T = TypeVar("T")
Kind = Literal["missing_gist", "missing_supplement", "extra_gist", "extra_supplement", "gist", "supplement"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The four deviations, then the units of the reference that the answer contains."""
Words = Mapping[str, str]
"""Those of the views, in one language: the section `gist`."""
MarkKind = Kind | Literal["marked", "new_words"]
"""Those of gist, passages that somebody marked for another reason, and words that are in no source."""

_REFERENCE: Mapping[Kind, Kind] = {"gist": "missing_gist", "supplement": "missing_supplement"}
"""Kinds of units of the reference that the answer contains, and that it lacks."""
_DEEPEST = 8
"""Maximum overlapping units marked at one place; further ones are listed."""

_KEPT = ("profile", "counts", "reference", "spans", "faults")
_Findings = Mapping[str, Mapping[str, bytes]]
"""By sample, then by metric."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of the reference, or a passage of the answer."""

    kind: MarkKind
    text: str
    start: int | None = None
    """None if it was not found in its text."""
    end: int | None = None
    said: str = ""
    """The judge's wording, if it differs."""
    why: str = ""
    """The judge's explanation, if any."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text covered by the same units."""

    text: str
    units: tuple[Unit, ...] = ()
    """Outermost first; several if units overlap."""
    begin: int = 0
    """How many of them, the innermost, begin with this segment; the others continue from the previous one."""


def cut(text: str, units: Sequence[Unit]) -> tuple[tuple[Segment, ...], tuple[Unit, ...]]:
    """Return the segments that make up the text, and the units nested too deeply to be marked.

    Units may nest, cross or be equal; those without a place are left out. O(n log n) in the number of units.
    """
    outermost_first = sorted(units, key=lambda unit: (unit.start or 0, -(unit.end or 0)))
    ends: list[int] = []
    begun: dict[int, list[Unit]] = {}
    too_deep = []
    for unit in outermost_first:
        if unit.start is None:
            continue
        start, end = _place(unit)
        while ends and ends[0] <= start:
            heappop(ends)
        if len(ends) < _DEEPEST:
            heappush(ends, end)
            begun.setdefault(start, []).append(unit)
        else:
            too_deep.append(unit)
    edges = {0, len(text), *begun, *(_place(unit)[1] for of in begun.values() for unit in of)}
    pieces, open_units = [], list[Unit]()
    for start, end in pairwise(sorted(edges)):
        new = begun.get(start, [])
        open_units = [unit for unit in open_units if _place(unit)[1] > start] + new
        pieces.append(Segment(text[start:end], tuple(open_units), len(new)))
    return tuple(pieces), tuple(too_deep)


def harmless(pieces: Sequence[Segment]) -> list[Segment]:
    """Replace control characters and noncharacters, so that the segments can go to a screen or page.

    A CRLF that is split over two segments stays one line end.
    """
    texts = [piece.text for piece in pieces]
    for at, (one, other) in enumerate(pairwise(texts)):
        if one.endswith("\r") and other.startswith("\n"):
            texts[at] = one[:-1]
    return [replace(piece, text=clean(text)) for piece, text in zip(pieces, texts, strict=True)]


def _place(unit: Unit) -> tuple[int, int]:
    return unit.start or 0, unit.end or 0


@dataclass(frozen=True, slots=True)
class GistView:
    """The view of one sample under one setting of the metric."""

    sample: Sample
    metric: str
    """`gist`, with its settings."""
    profile: str | None
    """One of the 16, as in the table; None without units."""
    reason: str
    """Why there are no units; empty if there are."""
    reference: tuple[Segment, ...]
    answer: tuple[Segment, ...]
    counts: Mapping[str, tuple[int, int]]
    """For each of the four, the number of such units and of units of that class in the reference."""
    unplaced: tuple[Unit, ...]
    """Units that could not be placed in the text; they still count."""
    faults: tuple[str, ...]
    """Faults that remained in the judge's replies."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The details of one sample's scores under one setting."""

    metric: str
    details: Mapping[str, Any] | None
    """Details of any of the four ratios, which share them; None without units."""
    reason: str

    @property
    def profile(self) -> str | None:
        """One of the 16; None without units."""
        profile = (self.details or {}).get("profile")
        return profile if profile in PROFILES else None


def gist_views(sample: Sample, scored: Iterable[Scored]) -> list[GistView]:
    """Return one view per setting of `gist` among the scores of the sample."""
    found: dict[str, Finding] = {}
    for one in scored:
        finding = finding_of(one)
        if finding is not None and (finding.metric not in found or found[finding.metric].details is None):
            found[finding.metric] = finding
    return [gist_view(sample, finding) for finding in found.values()]


def finding_of(one: Scored) -> Finding | None:
    """Return the score's finding; None for another metric. Malformed details count as no units."""
    metric = gist_metric(one.metric)
    if metric is None:
        return None
    if one.score.details.get("profile") in PROFILES:
        return Finding(metric, one.score.details, "")
    return Finding(metric, None, f"{one.score.status}: {one.score.reason or 'no reason was given'}")


def gist_view(sample: Sample, finding: Finding) -> GistView:
    """Place the units of a finding in the sample's texts."""
    details = finding.details or {}
    reference, answer = sample.reference or "", sample.answer or ""
    there = [_checked(unit, reference) for unit in _reference_units(details)]
    listed = [*_read(details, "spans", "extra_gist"), *_read(details, "spans", "extra_supplement")]
    extra = [_checked(unit, answer) for unit in listed]
    pieces, too_deep = cut(reference, there)
    passages, more_too_deep = cut(answer, extra)
    unplaced = (*(unit for unit in (*there, *extra) if unit.start is None), *too_deep, *more_too_deep)
    counts = _typed(details.get("counts"), dict)

    def count(name: str) -> int:
        return _typed(counts.get(name), int)

    return GistView(
        sample,
        finding.metric,
        finding.profile,
        finding.reason,
        pieces,
        passages,
        {which: (count(which), count(which.partition("_")[2])) for which in WHICH} if details else {},
        unplaced,
        tuple(fault for fault in _typed(details.get("faults"), list) if isinstance(fault, str)),
    )


def _reference_units(details: Mapping[str, Any]) -> list[Unit]:
    """Return all units of the reference, missing ones marked as such."""
    units: list[Unit] = []
    for kind, missing_kind in _REFERENCE.items():
        missing = _read(details, "spans", missing_kind)
        lost = {(unit.text, unit.start) for unit in missing}
        there = _read(details, "reference", kind)
        units += [unit for unit in there if (unit.text, unit.start) not in lost]
        units += missing
    return units


def _read(details: Mapping[str, Any], part: str, kind: Kind) -> list[Unit]:
    listed = _typed(_typed(details.get(part), dict).get(kind), list)
    return [_unit(item, kind) for item in listed if isinstance(item, Mapping)]


def _unit(item: Mapping[str, Any], kind: Kind) -> Unit:
    start, end = (item.get(name) for name in ("start", "end"))
    placed = type(start) is int and type(end) is int  # True is not an offset
    text, said, why = (_typed(item.get(name), str) for name in ("text", "said", "reason"))
    return Unit(kind, text, start if placed else None, end if placed else None, said, why)


def _checked(unit: Unit, source: str) -> Unit:
    if unit.start is None or unit.end is None:
        return unit
    holds = 0 <= unit.start < unit.end and source[unit.start : unit.end] == unit.text
    return unit if holds else replace(unit, start=None, end=None)


def _typed(value: Any, kind: type[T]) -> T:
    """Return the value, or an empty one if it is of another type: the files of a run may come from anywhere."""
    return value if type(value) is kind else kind()


@dataclass(frozen=True, slots=True)
class GistRun:
    """The answers of a run that are shown, and counts over all of them."""

    profiles: tuple[Profiles, ...]
    """One count per setting of the metric, over all answers."""
    by_profile: Mapping[str | None, int]
    """Shown answers per profile; profiles without any are absent."""
    shown: int
    """Answers shown; one scored under two settings counts twice."""
    total: int
    language: Language
    """The language of most samples."""
    _findings: _Findings
    _samples: Callable[[], Iterable[Sample]]

    def views(self) -> Iterator[GistView]:
        """Yield the shown views in the order of the samples."""
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
    most: int = 10_000,
    most_characters: int = 20_000_000,
) -> GistRun | None:
    """Collect the findings of a run; None for a run without `gist`. Reads the samples once.

    `most` bounds the answers, about as many as a browser opens at once; `most_characters` their texts.
    """
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
    """Yield the scores unchanged, and keep the latest finding of each of the first answers."""
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
    """Serialize a finding: a tenth of the memory that it takes as objects."""
    details = None if finding.details is None else {key: finding.details.get(key) for key in _KEPT}
    try:
        return json.dumps([details, finding.reason], separators=(",", ":")).encode("ascii")
    except RecursionError:
        return json.dumps([None, "the details of the score nest too deep"]).encode("ascii")


def unpacked(metric: str, line: bytes) -> Finding:
    """Restore a finding."""
    details, reason = json.loads(line)
    return Finding(metric, details, reason)


def profile_name(profile: str | None, words: Words) -> str:
    """Return the profile in the page's language; None: an answer without units."""
    if profile is None:
        return words["none"]
    kinds = [part.replace(" ", "_") for part in profile.split(", ")]
    return words["and"].join(words[kind] for kind in kinds) if kinds[0] in words else words["nothing"]


def tally_of(which: Kind, view: GistView, words: Words) -> str:
    """Return a count; missing units are a share of the reference's, extra ones are only counted."""
    n, of = view.counts[which]
    return words["tally"].format(of=n, all=of) if which.startswith("missing") else str(n)
