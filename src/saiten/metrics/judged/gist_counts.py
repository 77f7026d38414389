"""The arithmetic of gist: from units and their numbers to four ratios, a profile and the details."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, get_args

from saiten.records import Score, Span
from saiten.text.alignment import Placed, place
from saiten.text.partition import Layout, check_layout, known_again, lay_out

Which = Literal["missing_gist", "missing_supplement", "extra_gist", "extra_supplement"]
WHICH: tuple[Which, ...] = get_args(Which)
CLASSES = ("gist", "supplement")
_FAULTS_KEPT = 20
NOTHING = "nothing missing or extra"


@dataclass(frozen=True, slots=True)
class Findings:
    """An answer compared with the units of its reference."""

    reference_text: str
    answer_text: str
    reference: Layout
    missing: Mapping[str, Sequence[int]]
    """The positions of the missing units, by class, counted from 0."""
    extra: Layout
    """Lists `extra_gist` and `extra_supplement`, in the answer."""
    unreadable: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Items named as missing that match no unit, by class; each makes one unknown unit unreadable."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of units: in the reference by class, then of the four kinds."""
        units = {name: len(self.reference.units[name]) for name in CLASSES}
        missing = {f"missing_{name}": len(self.missing[name]) for name in CLASSES}
        return units | missing | {f"extra_{name}": len(self.extra.units[f"extra_{name}"]) for name in CLASSES}


def layout_of_reference(reference: str, units: Mapping[str, Sequence[str | Span]]) -> Layout:
    """Place the units; offsets count if they match the unit's text or it has none, else the text is searched for.

    Raises ValueError if a span has no text, and its offsets are outside the reference.
    """
    known = [(name, _as_marked(reference, unit)) for name, of in units.items() for unit in of]
    lost = [one.text for _, one in known if one.start is None]
    found = iter(place(reference, lost))
    listed = [(name, one if one.start is not None else next(found)) for name, one in known]
    return check_layout(reference, [(name, one) for name, one in listed if one.text], names=CLASSES, whole=True)


def _as_marked(reference: str, unit: str | Span) -> Placed:
    span = Span(unit) if isinstance(unit, str) else unit
    if span.start is not None and span.end is not None and span.end <= len(reference):
        there = reference[span.start : span.end]
        if there.strip() and (not span.text or there == span.text):
            return Placed(there, span.start, span.end, "exact")
    if span.start is not None and not span.text.strip():
        raise ValueError(f"there is no text at {span.start} to {span.end}")
    return Placed(span.text.strip())


def layout_of_extra(answer: str, gist: Sequence[str], supplement: Sequence[str]) -> Layout:
    """Place the passages in the answer."""
    return lay_out(answer, {"extra_gist": gist, "extra_supplement": supplement}, whole=False)


def units_text(layout: Layout, name: str, source: str) -> tuple[str, ...]:
    """Return the units of a class, as worded in the text if they were found."""
    return tuple(_words(one, source) for one in layout.units[name])


def ratio(findings: Findings, which: Which) -> Score:
    """Return the number of units found / units of that class in the reference; undefined if there are none.

    A missing unit named by a nonexistent number is unreadable, and excluded from the ratio.
    """
    counts = findings.counts
    of = which.partition("_")[2]
    details = details_of(findings)
    if not counts[of]:
        return Score.undefined(f"the reference has no {of}, so there is nothing to divide by", **details)
    kind = which.partition("_")[0]
    lost = len(findings.unreadable.get(of, ())) if kind == "missing" else 0
    units = max(counts[which], counts[of] - lost) if lost else counts[of]
    if not units:
        return Score(None, "unreadable", f"{lost} units of {of} are unreadable: {findings.unreadable[of][0]}", details)
    share = f"{counts[which]} {kind}, {counts[of]} units of {of} in the reference"
    share += f", {lost} of them unreadable and left out" if lost else ""
    return Score(counts[which] / units, reason=share, details=details)


def profile_of(counts: Mapping[str, int]) -> str:
    """Name the profile: which of the four kinds occur, one of 16 combinations."""
    return ", ".join(which.replace("_", " ") for which in WHICH if counts[which]) or NOTHING


def details_of(findings: Findings) -> dict[str, Any]:
    """Return all findings, ready for JSON; the same for all four ratios."""
    units = {name: _written(findings.reference.units[name], findings.reference_text) for name in CLASSES}
    missing = {f"missing_{name}": [units[name][at] for at in findings.missing[name]] for name in CLASSES}
    extra = {name: _written(of, findings.answer_text) for name, of in findings.extra.units.items()}
    known = [_words(one, findings.reference_text) for one in chain(*findings.reference.units.values())]
    again = known_again([one.text for one in chain(*findings.extra.units.values())], known)
    faults = (
        *(f"reference: {fault}" for fault in findings.reference.faults),
        *(f"answer: {fault}" for fault in (*chain(*findings.unreadable.values()), *findings.extra.faults, *again)),
    )
    everything = [*chain(*findings.reference.units.values()), *chain(*findings.extra.units.values())]
    more = [f"and {len(faults) - _FAULTS_KEPT} more"] if len(faults) > _FAULTS_KEPT else []
    return {
        "profile": profile_of(findings.counts),
        "counts": findings.counts,
        "reference": units,
        "spans": {name: (missing | extra)[name] for name in WHICH},
        "unreadable": {f"missing_{name}": len(of) for name, of in findings.unreadable.items() if of},
        "unplaced": findings.reference.unplaced + findings.extra.unplaced,
        "fuzzy": sum(one.how == "fuzzy" for one in everything),
        "uncovered": [{"text": gap.text, "start": gap.start, "end": gap.end} for gap in findings.reference.uncovered],
        "faults": [*faults[:_FAULTS_KEPT], *more],
    }  # fmt: skip


def _words(one: Placed, source: str) -> str:
    return one.text if one.start is None else source[one.start : one.end]


def _written(units: Sequence[Placed], source: str) -> list[dict[str, Any]]:
    """Return `text`, as found at the offsets, and `said`, the unit's own words if they differ."""
    return [
        {"text": _words(one, source), "start": one.start, "end": one.end}
        | ({} if _words(one, source) == one.text else {"said": one.text})
        for one in units
    ]
