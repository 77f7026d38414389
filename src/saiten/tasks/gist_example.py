"""A worked example of gist, in the two steps in which a model sees it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict

from saiten.records import Language


@dataclass(frozen=True, slots=True)
class GistExample:
    """A question, its reference in units and, if there is an answer, what that answer lacks and adds."""

    __pydantic_config__ = ConfigDict(extra="forbid")
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


def shot_of(example: GistExample, role: str, given: Sequence[str], reply: Sequence[str]) -> Shot:
    """Return one step of an example, from the fields that are given and those of the reply."""
    inputs = {"role": role} | {name: getattr(example, name) for name in given}
    return inputs, json.dumps({name: list(getattr(example, name)) for name in reply}, ensure_ascii=False)
