"""Grouping of answers that a report shows side by side: those that `saiten compare` pairs.

Samples of several runs belong together by question and id, or by question if ids are no help; the systems of a run by
question. The ids of an experiment, QUESTION-ID@SYSTEM, name the common question. If a run or a system has several
answers to one question and their ids do not match them, the first is paired with the first of the others, the second
with the second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.results.pair_keys import pair_keys
from saiten.results.place import Place

_Cell = tuple[str, str]
"""Question, and the id without the system's name."""
_Owner = tuple[int, str]
"""Owner of at most one answer per group: a system, within its run if runs are paired by question."""


@dataclass(frozen=True, slots=True)
class AnswerGroups:
    """Answers in groups, each to one question; in a single run without systems most groups have one answer."""

    of: tuple[Mapping[str, int], ...]
    """By run: sample id → number of its group."""
    leaders: Mapping[str, str]
    """Sample id → the group's name, if that is not the id itself."""

    def leader(self, identity: str) -> str:
        """Return the group's name, the same for all of its answers."""
        return self.leaders.get(identity, identity)


def group_answers(runs: Sequence[Mapping[str, Place]]) -> AnswerGroups:
    """Group the samples of runs, given by id, in linear time and memory, whatever their names."""
    by_question = len(runs) > 1 and pair_keys(runs).how != "id_question"
    cells = _cells(runs, by_question=by_question)
    owners: dict[_Cell, dict[_Owner, None]] = {}
    for run, places in enumerate(runs):
        for identity, place in places.items():
            owner = (run, place.system or "\0") if by_question else (0, place.system or "")
            owners.setdefault(cells[run][identity], {})[owner] = None
    numbers = _joined(owners)
    names: dict[int, str] = {}
    for (_, name), number in numbers.items():
        names.setdefault(number, name)
    groups = tuple({identity: numbers[cell] for identity, cell in of.items()} for of in cells)
    leaders: dict[str, str] = {}
    for of in groups:
        for identity, number in of.items():
            leaders.setdefault(identity, names[number])
    return AnswerGroups(groups, {identity: name for identity, name in leaders.items() if name != identity})


def _cells(runs: Sequence[Mapping[str, Place]], *, by_question: bool) -> list[dict[str, _Cell]]:
    """Return the cells by run and sample id; the question includes the group if runs are paired by both."""
    if by_question:
        keys = pair_keys(runs, by_question=True).of
        questions = [{identity: "\0".join(filter(None, key)) for identity, key in of.items()} for of in keys]
    else:
        questions = [{identity: place.paired_by for identity, place in places.items()} for places in runs]
    bare: dict[_Cell, _Cell] = {}  # shared by all runs, whatever they say
    for places, of in zip(runs, questions, strict=True):
        for identity, place in places.items():
            if place.system and identity.endswith(f"@{place.system}"):
                bare.setdefault((of[identity], identity), (of[identity], identity.removesuffix(f"@{place.system}")))
    return [
        {identity: bare.get((question, identity), (question, identity)) for identity, question in of.items()}
        for of in questions
    ]


def _joined(owners: Mapping[_Cell, Mapping[_Owner, None]]) -> dict[_Cell, int]:
    """Number the groups in order, joining cells of one question that share no owner; without owners only ids match."""
    rounds: dict[tuple[str, _Owner], int] = {}
    numbers: dict[tuple[str, int] | _Cell, int] = {}
    found: dict[_Cell, int] = {}
    for cell, of in owners.items():
        question = cell[0]
        named = [(question, owner) for owner in of if owner[1]]
        place: tuple[str, int] | _Cell = cell
        if len(named) == len(of):
            turn = max(rounds.get(one, 0) for one in named)
            rounds.update(dict.fromkeys(named, turn + 1))
            place = (question, turn)
        found[cell] = numbers.setdefault(place, len(numbers))
    return found
