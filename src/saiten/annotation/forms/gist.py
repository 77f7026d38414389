"""The form `gist`: units of the reference, missing units and additions of the answer, marked as spans (spec 04).

`gist` and `supplement` are the units of the reference; `missing_…` those missing from the answer, also marked in the
reference; `extra_…` passages of the answer. Offsets count characters (code points), the end exclusive.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

from saiten.annotation.forms.form import Form, InvalidPayload, Row, sample_of
from saiten.annotation.records import Json, NewItem
from saiten.errors import BadInput
from saiten.records import Label, Language, Span
from saiten.trust.spans.marks import CLASSES, COMBINATIONS
from saiten.trust.spans.pairing import length_of, pair_units

ASPECTS = (*CLASSES, *COMBINATIONS)
_APART = (CLASSES, ("missing_gist", "missing_supplement"), ("extra_gist", "extra_supplement"))
"""Pairs of aspects that must not overlap."""
_MOST = 1_000
"""Spans per aspect."""

Offsets = list[list[int]]


@dataclass(frozen=True)
class GistForm(Form):
    """Payload: `{"spans": {"gist": [[0, 12], …], …}, "reason": "…"}`; aspects without spans may be omitted."""

    title = "gist"
    shared = "reference"
    needs = ("answer", "reference")

    def items(self, rows: Iterable[Row]) -> Iterator[NewItem]:
        for sample in map(sample_of, rows):
            if not (sample.reference or "").strip():
                raise BadInput(f"sample {sample.id!r} has no reference, and its units are what is to be marked")
            yield from super().items([sample])

    @property
    def fields(self) -> tuple[str, ...]:
        return ("spans",)

    def checked(self, content: Json, payload: Json) -> Json:
        given = payload["spans"]
        if not isinstance(given, Mapping):
            raise ValueError("`spans` must name each class and what was marked")  # noqa: TRY004 - shown on the page
        if unknown := given.keys() - set(ASPECTS):
            raise ValueError(f"{min(unknown)!r} is not a class; expected one of {', '.join(ASPECTS)}")
        spans = {aspect: _placed(given.get(aspect, []), _text_of(aspect, content), aspect) for aspect in ASPECTS}
        for one, other in _APART:
            if crossing := _crossing(spans[one], spans[other]):
                first, last = crossing
                raise ValueError(f"characters {first} to {last} are marked as {one} and as {other}; choose one")
        return {"spans": spans}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        for aspect in ASPECTS:
            text = _text_of(aspect, content)
            marked = tuple(Span(text[start:end], start, end) for start, end in payload["spans"][aspect])
            yield Label(key, float(len(marked)), aspect=aspect, spans=marked)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """Convert labels to marks; units without offsets cannot be shown and are dropped."""
        said = {label.aspect: label.spans for label in labels if label.spans is not None and label.aspect in ASPECTS}
        if not said:
            return None
        spans = {
            aspect: [[span.start, span.end] for span in said.get(aspect) or () if span.start is not None]
            for aspect in ASPECTS
        }
        try:
            return {**self.checked(content, {"spans": spans}), "reason": ""}
        except ValueError:
            return None

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str]]:
        for aspect in ASPECTS:
            spans = payload["spans"].get(aspect, ())
            text = _text_of(aspect, content)
            yield from ((aspect, f"{text[start:end]} ({start}-{end})") for start, end in spans)
            if not spans:
                yield aspect, "–"

    def carried_over(self, payload: Json) -> Json | None:
        """Return the units of the reference; missing and extra units differ with every answer."""
        units = {name: payload["spans"][name] for name in CLASSES}
        return {"spans": units} if any(units.values()) else None

    def texts(self, language: Language) -> Mapping[str, object]:
        words = self.words(language)
        classes = [{"name": aspect, "text": words[f"class_{aspect}"]} for aspect in ASPECTS]
        return {**super().texts(language), "classes": classes}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        """Return the aspects with a unit that has no partner sharing half of the longer one's characters."""
        first, *others = map(self.values, payloads)
        return tuple(aspect for aspect in ASPECTS if any(_differ(first[aspect], other[aspect]) for other in others))

    def values(self, payload: Json) -> Json:
        return dict(payload["spans"])


def _text_of(aspect: str, content: Json) -> str:
    return str(content["answer" if aspect.startswith("extra") else "reference"])


def _placed(given: Any, text: str, aspect: str) -> Offsets:
    """Return the spans sorted, stripped of white space and deduplicated; raises ValueError."""
    if not isinstance(given, list):
        raise ValueError(f"{aspect} must be a list of spans")  # noqa: TRY004 - shown on the page
    if len(given) > _MOST:
        raise InvalidPayload("spans", most=_MOST)
    found = set()
    for span in given:
        if not _is_pair(span) or not 0 <= span[0] < span[1] <= len(text):
            raise ValueError(f"{aspect}: {span!r:.40} is not a span of a text of {len(text)} characters")
        start, end = span
        marked = text[start:end]
        start, end = start + len(marked) - len(marked.lstrip()), end - len(marked) + len(marked.rstrip())
        if start < end:
            found.add((start, end))
    spans = sorted(found)
    for before, after in pairwise(spans):
        if after[0] < before[1]:
            raise ValueError(f"{aspect}: two marked passages share characters {after[0]} to {min(before[1], after[1])}")
    return [list(span) for span in spans]


def _is_pair(span: Any) -> TypeGuard[list[int]]:
    return isinstance(span, list) and len(span) == 2 and all(type(offset) is int for offset in span)


def _crossing(one: Offsets, other: Offsets) -> tuple[int, int] | None:
    """Return the first overlap."""
    found = [(max(a[0], b[0]), min(a[1], b[1])) for a in one for b in other if a[0] < b[1] and b[0] < a[1]]
    return min(found, default=None)


def _differ(one: Offsets, other: Offsets) -> bool:
    ours, theirs = (tuple(Span("", start, end) for start, end in each) for each in (one, other))
    alike = sum(
        2 * pair.overlap >= max(length_of(ours[pair.human]), length_of(theirs[pair.judge]))
        for pair in pair_units(ours, theirs)
    )
    return alike < max(len(ours), len(theirs))
