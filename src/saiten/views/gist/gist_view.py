"""Reference and answer of a sample with the units of `gist` at their places: what the views on screen and page draw.

Nothing here knows how a unit looks. A unit whose offsets do not hold its words, as after somebody edited a file, is
listed instead of marking the wrong ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from saiten.metrics.judged.gist_counts import WHICH
from saiten.metrics.judged.gist_profiles import PROFILES, gist_metric
from saiten.records import Sample, Scored
from saiten.views.gist.pieces import Kind, Piece, Unit, cut

_CLASSES: tuple[Literal["gist", "supplement"], ...] = ("gist", "supplement")


@dataclass(frozen=True, slots=True)
class GistView:
    """What is shown of one sample under one setting of the metric."""

    sample: Sample
    metric: str
    """`gist`, with its settings."""
    profile: str | None
    """One of the 16, as in the table; None where no units were found."""
    reason: str
    """Why there are no units; empty where there are."""
    reference: tuple[Piece, ...]
    answer: tuple[Piece, ...]
    counts: Mapping[str, tuple[int, int]]
    """For each of the four, the number of such units and of units of that class in the reference."""
    unplaced: tuple[Unit, ...]
    """Units without a place of their own in the text; they count all the same."""
    faults: tuple[str, ...]
    """What was left wrong in the judge's replies."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the scores of one sample under one setting say."""

    metric: str
    details: Mapping[str, Any] | None
    """Of any of the four ratios: they are the same. None where no units were found."""
    reason: str
    """Why there are none."""

    @property
    def profile(self) -> str | None:
        """One of the 16; None where no units were found."""
        profile = (self.details or {}).get("profile")
        return profile if profile in PROFILES else None


def gist_views(sample: Sample, scored: Iterable[Scored]) -> list[GistView]:
    """A view for each setting of `gist` among the scores of the sample; none where it was not scored."""
    found: dict[str, Finding] = {}
    for one in scored:
        finding = finding_of(one)
        if finding is not None and (finding.metric not in found or found[finding.metric].details is None):
            found[finding.metric] = finding
    return [gist_view(sample, finding) for finding in found.values()]


def finding_of(one: Scored) -> Finding | None:
    """What this score says about units; None for another metric. Details that were tampered with say nothing."""
    metric = gist_metric(one.metric)
    if metric is None:
        return None
    if one.score.details.get("profile") in PROFILES:
        return Finding(metric, one.score.details, "")
    return Finding(metric, None, f"{one.score.status}: {one.score.reason or 'no reason was given'}")


def gist_view(sample: Sample, finding: Finding) -> GistView:
    """The view of a sample; a function of nothing but its arguments."""
    details = finding.details or {}
    reference, answer = sample.reference or "", sample.answer or ""
    there = [_checked(unit, reference) for unit in _reference_units(details)]
    extra = [_checked(unit, answer) for name in ("extra_gist", "extra_supplement") for unit in _spans(details, name)]
    pieces, too_deep = cut(reference, there)
    passages, more_too_deep = cut(answer, extra)
    unplaced = (*(unit for unit in (*there, *extra) if unit.start is None), *too_deep, *more_too_deep)
    counts = _mapping(details.get("counts"))
    return GistView(
        sample,
        finding.metric,
        finding.profile,
        finding.reason,
        pieces,
        passages,
        {which: (_count(counts, which), _count(counts, which.partition("_")[2])) for which in WHICH} if details else {},
        unplaced,
        tuple(fault for fault in _list(details.get("faults")) if isinstance(fault, str)),
    )


def _reference_units(details: Mapping[str, Any]) -> list[Unit]:
    """All units of the reference, those that are missing as such."""
    units: list[Unit] = []
    for name in _CLASSES:
        kind: Kind = "missing_gist" if name == "gist" else "missing_supplement"
        missing = _spans(details, kind)
        lost = {(unit.text, unit.start) for unit in missing}
        there = _read(_mapping(details.get("reference")).get(name), name)
        units += [unit for unit in there if (unit.text, unit.start) not in lost]
        units += missing
    return units


def _spans(details: Mapping[str, Any], kind: Kind) -> list[Unit]:
    return _read(_mapping(details.get("spans")).get(kind), kind)


def _read(value: Any, kind: Kind) -> list[Unit]:
    return [_unit(item, kind) for item in _list(value) if isinstance(item, Mapping)]


def _unit(item: Mapping[str, Any], kind: Kind) -> Unit:
    start, end = (item.get(name) for name in ("start", "end"))
    placed = type(start) is int and type(end) is int  # True is no offset
    said, why = (_text(item.get(name)) for name in ("said", "reason"))
    return Unit(kind, _text(item.get("text")), start if placed else None, end if placed else None, said, why)


def _checked(unit: Unit, source: str) -> Unit:
    if unit.start is None or unit.end is None:
        return unit
    holds = 0 <= unit.start < unit.end and source[unit.start : unit.end] == unit.text
    return unit if holds else replace(unit, start=None, end=None)


def _count(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    return value if type(value) is int else 0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
