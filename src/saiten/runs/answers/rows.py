"""Answers as rows that `saiten score` reads directly, with the fields of the question."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from saiten.errors import SystemFailed
from saiten.records import Answer, Passage, Sample, TimedCall
from saiten.runs import sample_to_json

Outcome = Answer | SystemFailed
"""The result of one question."""

_OF_THE_SYSTEM = ("answer", "contexts", "system")


def passed_through(sample: Sample) -> dict[str, Any]:
    """Return the fields that come from the question: id, question, reference, group, language, …, if given."""
    return {name: value for name, value in sample_to_json(sample).items() if name not in _OF_THE_SYSTEM}


def kept_from_question(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same fields from an existing row."""
    known = (name for name in Sample.__dataclass_fields__ if name not in _OF_THE_SYSTEM)
    return {name: row[name] for name in known if name in row}


def as_row(sample: Sample, outcome: Outcome, system: str) -> dict[str, Any]:
    """`{"id", "question", "answer", "contexts", …, "system", "seconds", "calls", "usage"}`.

    A failure has `"answer": null` and `"error": {"kind", "reason"}`, so that every reader of the file counts it.
    """
    given = passed_through(sample)
    row = {"id": given.pop("id"), "question": given.pop("question", "")}
    if isinstance(outcome, SystemFailed):
        error = {"kind": outcome.kind, "reason": str(outcome)}
        return {**row, "answer": None, **given, "system": system, "usage": asdict(outcome.usage), "error": error}
    return {**row, **_told(outcome), **given, "system": system, **_measured(outcome)}


def _told(answer: Answer) -> dict[str, Any]:
    contexts = None if answer.contexts is None else [_context(passage) for passage in answer.contexts]
    return {"answer": answer.text, "contexts": contexts}


def _context(passage: Passage) -> dict[str, Any]:
    """Return the passage as JSON; its place in the document is included only if known."""
    always = {"text": passage.text, "source": passage.source, "score": passage.score}
    place = {"start": passage.start, "end": passage.end}
    return always | {name: value for name, value in place.items() if value is not None}


def _measured(answer: Answer) -> dict[str, Any]:
    return {
        "seconds": answer.seconds,
        "calls": [_call(call) for call in answer.calls],
        "usage": asdict(answer.usage),
    }


def _call(call: TimedCall) -> dict[str, Any]:
    return {"step": call.step, "seconds": call.seconds, "usage": asdict(call.usage)}
