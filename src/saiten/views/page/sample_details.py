"""Details behind a score, line by line: the judged items with their verdicts, the evidence, then the rest."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

_ITEMS = ("statements", "questions")
"""Details that list the judged items."""
_EVIDENCE = 200
"""Maximum characters of a retrieved passage, enough to recognize it."""

Kind = Literal["item", "yes", "no", "unclear", "heading", "evidence", "rest"]
"""`item`: a statement or question without a verdict · `yes`, `no`, `unclear`: with one · `heading`: the following lines
are a separate part · `evidence`: a passage that the judge saw · `rest`: further details, as JSON."""


@dataclass(frozen=True, slots=True)
class DetailLine:
    """One line; texts are raw and may contain anything."""

    depth: int
    """1 for details of the score itself."""
    kind: Kind
    text: str
    reason: str = ""
    """Reason of a verdict."""


def detail_lines(details: Mapping[str, Any], depth: int = 1) -> Iterator[DetailLine]:
    """Yield the judged items with their verdicts, then the separate parts (answer, reference), then the rest."""
    named, items = next(((key, details[key]) for key in _ITEMS if isinstance(details.get(key), list)), ("", []))
    verdicts = details.get("verdicts")
    shown = {named, "places"}  # offsets are for programs
    if isinstance(verdicts, list) and all(isinstance(verdict, Mapping) for verdict in verdicts):
        shown.add("verdicts")
        nested = _by_sentence(details.get("by_sentence"), verdicts, items, depth)
        if nested is not None:
            shown.add("by_sentence")
        yield from nested or (_verdict(verdict, items, depth) for verdict in verdicts)
    else:
        yield from (DetailLine(depth, "item", str(item)) for item in items)
    for key, part in details.items():
        if isinstance(part, Mapping) and any(isinstance(part.get(name), list) for name in _ITEMS):
            shown.add(key)
            yield DetailLine(depth, "heading", key)
            yield from detail_lines(part, depth + 1)
    passages = _passages(details.get("evidence"))
    if passages:
        shown.add("evidence")
        yield from (DetailLine(depth, "evidence", text) for text in passages)
    rest = {key: value for key, value in details.items() if key not in shown}
    if rest:
        yield DetailLine(depth, "rest", json.dumps(rest, ensure_ascii=False, default=str))


def _by_sentence(
    sentences: Any, verdicts: Sequence[Mapping[str, Any]], items: Sequence[Any], depth: int
) -> Iterator[DetailLine] | None:
    """Return the verdicts below their sentences, then those of no sentence; None if the details have another form."""
    numbered = {verdict.get("number"): verdict for verdict in verdicts}
    try:
        found = [(bool(each["supported"]), str(each["sentence"]), list(each["statements"])) for each in sentences]
        below = [[numbered[number] for number in numbers] for _, _, numbers in found]
    except (KeyError, TypeError):
        return None
    listed = {number for _, _, numbers in found for number in numbers}
    lines = [
        line
        for (supported, text, _), each in zip(found, below, strict=True)
        for line in (
            DetailLine(depth, "yes" if supported else "no", text),
            *(_verdict(verdict, items, depth + 1) for verdict in each),
        )
    ]
    return iter([*lines, *(_verdict(v, items, depth) for v in verdicts if v.get("number") not in listed)])


def _verdict(verdict: Mapping[str, Any], items: Sequence[Any], depth: int) -> DetailLine:
    """Return a verdict with its statement, question or context."""
    number = verdict.get("number")
    said = verdict.get("verdict", verdict.get("useful"))
    kind: Kind = "unclear" if verdict.get("unclear") or said is None else "yes" if said else "no"
    about = f"context {verdict['context']}" if "context" in verdict else str(number)
    if isinstance(number, int) and 0 < number <= len(items):
        about = str(items[number - 1])
    return DetailLine(depth, kind, about, str(verdict.get("reason") or ""))


def _passages(evidence: Any) -> list[str]:
    """Return the passages shown to the grader, one line each; empty if the details have another form."""
    found = evidence.get("passages") if isinstance(evidence, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(each, Mapping) and "text" in each for each in found):
        return []
    lines = []
    for each in found:
        text = " ".join(str(each["text"]).split())
        begins = text if len(text) <= _EVIDENCE else f"{text[:_EVIDENCE]} …"
        lines.append(f"{each.get('source') or '–'}  {begins}")
    return lines
