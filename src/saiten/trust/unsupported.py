"""The part of an answer that nothing supports: as a judge marked it, otherwise the words that are in no source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from saiten.metrics.naming import settings_of
from saiten.records import Sample, Score, Span
from saiten.text.new_words import new_words

_FAITHFULNESS, _SPANS, _GIST, _CORRECTNESS = "faithfulness", "hallucination_spans", "gist", "answer_correctness"
_MARKING = (_SPANS, _FAITHFULNESS, _CORRECTNESS, _GIST)
"""Metrics whose details say which part is unsupported."""
_EXTRA = ("extra_gist", "extra_supplement")


@dataclass(frozen=True, slots=True)
class UnsupportedPart:
    """Passages of an answer without support."""

    passages: tuple[Span, ...]
    """Those with a place in the answer are marked there; the others are listed."""
    marked_by: str = ""
    """The metric whose judge marked them; "" for words that are in neither question, reference nor contexts."""
    cleared_by: tuple[str, ...] = ()
    """Metrics whose judge found nothing unsupported."""


def unsupported_part(sample: Sample, scores: Mapping[str, Score], first: str = "") -> UnsupportedPart:
    """Return the passages that the first of the metrics marked, otherwise the answer's new words.

    A judge that marked nothing does not end the search, since it may be the one at fault.

    Args:
        sample: the answer, with everything that could support it.
        scores: its scores by metric.
        first: the metric to ask first.
    """
    answer = sample.answer or ""
    cleared: list[str] = []
    for metric in sorted(scores, key=lambda metric: metric != first):
        found = _marked(metric, scores[metric].details, answer)
        if found:
            return UnsupportedPart(tuple(found), metric, tuple(cleared))
        if found is not None:
            cleared.append(metric)
    asked = [text for turn in sample.history for text in (turn.question, turn.answer)]
    sources = (sample.question, *asked, *sample.references, *(sample.contexts or ()), *(sample.evidence or ()))
    return UnsupportedPart(new_words(answer, sources), cleared_by=tuple(cleared))


def _marked(metric: str, details: Mapping[str, Any], answer: str) -> list[Span] | None:
    """Return what a metric's details mark in the answer; None if they mark nothing by their nature."""
    title = next((title for title in _MARKING if settings_of(metric, title) is not None), None)
    if title == _FAITHFULNESS:
        return _refused(details, answer)
    if title == _CORRECTNESS:
        return _refused(_mapping(details.get("answer")), answer)
    spans = details.get("spans")
    if title == _SPANS and isinstance(spans, list):
        return list(_placed(spans, answer))
    if title == _GIST and isinstance(spans, Mapping):
        return list(_placed(chain.from_iterable(_listed(spans.get(kind)) for kind in _EXTRA), answer))
    return None


def _refused(details: Mapping[str, Any], answer: str) -> list[Span] | None:
    """Return the sentences of the statements with the verdict no; the statement itself if its sentence is unknown."""
    statements, places = _listed(details.get("statements")), _listed(details.get("places"))
    verdicts = [each for each in _listed(details.get("verdicts")) if isinstance(each, Mapping)]
    if not verdicts:
        return None
    found: dict[Span, None] = {}
    for verdict in verdicts:
        number = verdict.get("number")
        if verdict.get("verdict") is not False or type(number) is not int or not 0 < number <= len(statements):
            continue
        own = _listed(places[number - 1]) if number <= len(places) else []
        spans = [Span(answer[start:end], start, end) for start, end in _ends(own, len(answer))]
        found |= dict.fromkeys(spans or [_at(str(statements[number - 1]), answer)])
    return list(found)


def _ends(places: Iterable[Any], length: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of places (`[sentence, start, end]`) that are in the text."""
    for place in places:
        match place:
            case [int(), int(start), int(end)] if 0 <= start < end <= length:
                yield start, end


def _at(text: str, answer: str) -> Span:
    """Return the text with its place in the answer, if it is there word for word."""
    start = answer.find(text) if text else -1
    return Span(text) if start < 0 else Span(text, start, start + len(text))


def _placed(units: Iterable[Any], answer: str) -> Iterator[Span]:
    """Yield units with their places; one whose words are not at its offsets has none."""
    for unit in units:
        match unit:
            case {"text": str(text), "start": int(start), "end": int(end)} if answer[start:end] == text:
                yield Span(text, start, end)
            case {"text": str(text)}:
                yield Span(text)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
