"""Which answers of a report stand beside each other: those that `saiten compare` pairs.

Samples of several runs belong together by question and id, the systems of a run by question. The ids of an experiment,
QUESTION-ID@SYSTEM, name the question that both answer. Where a system has several answers to one question, and their
ids do not say which belongs to which, the first stands beside the first of the others, the second beside the second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.reports.sides import pair_key
from saiten.summary import Place

_Cell = tuple[str, str]
"""Question, and the id without the system's name."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Answers in groups, each of answers to one question; most groups of a single run without systems are of one."""

    groups: tuple[Mapping[str, int], ...]
    """By run: the number of the group by the sample's id."""
    leaders: Mapping[str, str]
    """By sample id: what names its group, where that is not the id itself."""

    def leader(self, identity: str) -> str:
        """The same for all answers of a group."""
        return self.leaders.get(identity, identity)


def beside(runs: Sequence[Mapping[str, Place]]) -> Beside:
    """Group the samples of runs, given by id; time and memory grow with their number, whatever they are called."""
    bare = _bare(runs)
    systems: dict[_Cell, dict[str | None, None]] = {}
    for places in runs:
        for identity, place in places.items():
            cell = pair_key(place, identity)
            systems.setdefault(bare.get(cell, cell), {})[place.system] = None
    numbers = _joined(systems)
    names: dict[int, str] = {}
    for (_, name), number in numbers.items():
        names.setdefault(number, name)
    groups = tuple(
        {identity: numbers[bare.get(cell := pair_key(place, identity), cell)] for identity, place in places.items()}
        for places in runs
    )
    leaders: dict[str, str] = {}
    for of in groups:
        for identity, number in of.items():
            leaders.setdefault(identity, names[number])
    return Beside(groups, {identity: name for identity, name in leaders.items() if name != identity})


def _bare(runs: Sequence[Mapping[str, Place]]) -> dict[_Cell, _Cell]:
    """Question and id → the same without @SYSTEM, where the id ends so; one for all runs, whatever they say."""
    found: dict[_Cell, _Cell] = {}
    for places in runs:
        for identity, place in places.items():
            if place.system and identity.endswith(f"@{place.system}"):
                cell = pair_key(place, identity.removesuffix(f"@{place.system}"))
                found.setdefault(pair_key(place, identity), cell)
    return found


def _joined(systems: Mapping[_Cell, Mapping[str | None, None]]) -> dict[_Cell, int]:
    """Numbers of groups: cells of one question are joined where no system is in both, in the order they come.

    A sample without a system is matched by its id alone, as `saiten compare` does.
    """
    rounds: dict[tuple[str, str], int] = {}
    numbers: dict[tuple[str, int] | _Cell, int] = {}
    found: dict[_Cell, int] = {}
    for cell, of in systems.items():
        question = cell[0]
        named = [(question, system) for system in of if system]
        place: tuple[str, int] | _Cell = cell
        if len(named) == len(of):
            turn = max(rounds.get(one, 0) for one in named)
            rounds.update(dict.fromkeys(named, turn + 1))
            place = (question, turn)
        found[cell] = numbers.setdefault(place, len(numbers))
    return found
