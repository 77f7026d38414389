"""Worked examples of the two steps of `gist`, from the user's field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.records import Language


@dataclass(frozen=True, slots=True)
class GistExample:
    """A question, its reference in units and, if there is an answer, what that answer lacks and adds."""

    language: Language
    question: str
    reference: str
    gist: tuple[str, ...]
    """Units of the reference, word for word."""
    supplement: tuple[str, ...]
    answer: str | None = None
    """None: an example of the first step only."""
    missing_gist: tuple[int, ...] = ()
    """Numbers of units, counted from 1."""
    missing_supplement: tuple[int, ...] = ()
    extra_gist: tuple[str, ...] = ()
    """Passages of the answer, word for word."""
    extra_supplement: tuple[str, ...] = ()


Shot = tuple[Mapping[str, Any], str]
"""The inputs by name, and the reply as a model should write it."""


def split_shots(examples: Sequence[GistExample], role: str) -> tuple[Shot, ...]:
    """Return the first step of each example."""
    return tuple(
        (
            {"role": role, "question": one.question, "reference": one.reference},
            _written({"gist": one.gist, "supplement": one.supplement}),
        )
        for one in examples
    )


def find_shots(examples: Sequence[GistExample], role: str) -> tuple[Shot, ...]:
    """Return the second step of each example that has an answer."""
    return tuple(
        (
            {
                "role": role,
                "question": one.question,
                "gist": one.gist,
                "supplement": one.supplement,
                "answer": one.answer,
            },
            _written(
                {
                    "missing_gist": one.missing_gist,
                    "missing_supplement": one.missing_supplement,
                    "extra_gist": one.extra_gist,
                    "extra_supplement": one.extra_supplement,
                }
            ),
        )
        for one in examples
        if one.answer is not None
    )


def _written(reply: Mapping[str, Sequence[Any]]) -> str:
    return json.dumps({name: list(items) for name, items in reply.items()}, ensure_ascii=False)
