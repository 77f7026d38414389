"""The keys under which the samples of several runs or systems are paired.

Samples of runs are paired by id and question. Without ids (`row-N` is only a position in a file), or if the ids of a
question differ between runs, they are paired by question, and by group and system if these distinguish answers to one
question. Systems are paired by question.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.results.place import Place

Key = tuple[str, str]
"""Question, and the id or whatever else distinguishes its answers; "" if nothing does."""

How = Literal["id_question", "question", "question_no_ids", "question_other_ids", "place"]
"""How answers are paired; `place`: by their position in the file, without ids and questions."""

_PLACE_IN_FILE = re.compile(r"row-\d+([@/].*)?", re.DOTALL)
"""Id that readers assign to a row without one."""


@dataclass(frozen=True, slots=True)
class PairKeys:
    """The key under which each sample is paired, by run."""

    how: How
    of: tuple[Mapping[str, Key], ...]
    """By run, then by sample id."""


def pair_keys(runs: Sequence[Mapping[str, Place]], *, by_question: bool = False) -> PairKeys:
    """Return the keys of the samples of several runs or systems (`by_question`), chosen the same way for all."""
    telling = [tag for tag in (("group",) if by_question else ("group", "system")) if _tells_apart(tag, runs)]
    questions = tuple(
        {
            identity: (place.paired_by, "\0".join(getattr(place, tag) or "" for tag in telling))
            for identity, place in places.items()
        }
        for places in runs
    )
    if by_question:
        return PairKeys("question", questions)
    ids = tuple(
        {
            identity: alike[identity] if _PLACE_IN_FILE.fullmatch(identity) else (place.paired_by, identity)
            for identity, place in places.items()
        }
        for places, alike in zip(runs, questions, strict=True)
    )
    nameless = any(places and all(map(_PLACE_IN_FILE.fullmatch, places)) for places in runs)
    if not nameless and all(_match(ids[0], ids[at], questions[0], questions[at]) for at in range(1, len(runs))):
        return PairKeys("id_question", ids)
    if all(place.paired_by.startswith("\0") for places in runs for place in places.values()):
        return PairKeys("place", questions)
    return PairKeys("question_no_ids" if nameless else "question_other_ids", questions)


def _tells_apart(tag: str, runs: Sequence[Mapping[str, Place]]) -> bool:
    """Return whether group or system (`tag`) distinguishes answers to a question, and runs share its values."""
    tagged = [{(place.paired_by, getattr(place, tag) or "") for place in places.values()} for places in runs]
    known = [{name for _, name in of} for of in tagged]
    if any(known[0].isdisjoint(others) for others in known[1:]):
        return False
    return any(len(of) > len({question for question, _ in of}) for of in tagged)


def _match(first: Mapping[str, Key], second: Mapping[str, Key], *questions: Mapping[str, Key]) -> bool:
    """Return whether ids pair at least half of what the questions do; ids assigned anew pair almost nothing."""
    by_id = len({*first.values()} & {*second.values()})
    by_question = len({*questions[0].values()} & {*questions[1].values()})
    return 2 * by_id >= by_question
