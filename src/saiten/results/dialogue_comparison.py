"""Comparison of dialogue runs by group: the means of each score, and the differences from the first run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from statistics import fmean

from saiten.results.compare import sides_of
from saiten.results.dialogue_differences import DialogueComparison, GroupDifference, GroupMeans
from saiten.results.pair_keys import Key, pair_keys
from saiten.results.paired_sides import PairedSide, paired
from saiten.runs import RunReader
from saiten.stats.paired import PairedComparison, compare_paired, holm

SCORES = ("wscore", "lscore", "mscore")
"""The scores in the paper's plots; the leak is compared only over all groups."""
BROKEN_DOWN_AT_MOST = 100
"""Maximum number of groups that are broken down."""


@dataclass(frozen=True, slots=True)
class DialogueSide:
    """One run of dialogues in a comparison."""

    name: str
    """Short, unique name."""
    system: str
    """The system that answered."""
    side: PairedSide
    """Scores by pair."""


def compare_dialogues(readers: Sequence[RunReader], names: Sequence[str]) -> DialogueComparison | None:
    """Compare dialogue runs; return None if no pair was measured in all of them."""
    sides = sides_of(readers, (), names)
    keys = pair_keys([side.places for side in sides])
    groups = {
        of[identity]: place.group
        for side, of in reversed(list(zip(sides, keys.of, strict=True)))  # the first counts
        for identity, place in side.places.items()
    }
    runs = [
        DialogueSide(name, str((reader.manifest.settings.get("system") or {}).get("name", "")), side)
        for name, reader, side in zip(_distinct(names), readers, paired(sides)[1], strict=True)
    ]
    return by_group(runs, groups)


def by_group(runs: Sequence[DialogueSide], groups: Mapping[Key, str | None]) -> DialogueComparison | None:
    """Compare on the pairs measured in all runs, overall and by group; return None without such pairs."""
    shared = sorted(set.intersection(*(set(run.side.values.get(score, {})) for run in runs for score in SCORES)))
    if not shared:
        return None
    members: dict[str, list[Key]] = {}
    for key in shared:
        if (group := groups.get(key)) is not None:
            members.setdefault(group, []).append(key)
    parts = {name: members[name] for name in sorted(members)} if 1 < len(members) <= BROKEN_DOWN_AT_MOST else {}
    means = tuple(
        GroupMeans(score, part, len(keys), tuple(fmean(run.side.values[score][key] for key in keys) for run in runs))
        for score in SCORES
        for part, keys in chain([(None, shared)], parts.items())
    )
    asked_in = Counter(groups.get(key) for key in set.intersection(*(run.side.asked(SCORES[0]) for run in runs)))
    return DialogueComparison(
        tuple(run.name for run in runs),
        tuple(run.system for run in runs),
        means,
        tuple(_differences(runs[0], other, parts, asked_in) for other in runs[1:]) if parts else (),
        len(members),
        tuple(_mean_of([each for each in means if each.score == score and each.group is not None]) for score in SCORES)
        if parts
        else (),
    )


def _mean_of(groups: Sequence[GroupMeans]) -> GroupMeans:
    """Return the mean of the means of one score, whatever number of pairs each group has."""
    means = tuple(map(fmean, zip(*(each.means for each in groups), strict=True)))
    return GroupMeans(groups[0].score, None, sum(each.n for each in groups), means)


def _differences(
    first: DialogueSide, other: DialogueSide, parts: Mapping[str, list[Key]], asked_in: Mapping[str | None, int]
) -> tuple[GroupDifference, ...]:
    found = [(score, part, _compared(first, other, score, keys)) for score in SCORES for part, keys in parts.items()]
    corrected = holm([pairs.p_value for _, _, pairs in found])
    return tuple(
        GroupDifference(score, part, pairs, p, asked_in[part])
        for (score, part, pairs), p in zip(found, corrected, strict=True)
    )


def _compared(first: DialogueSide, other: DialogueSide, score: str, keys: list[Key]) -> PairedComparison:
    a, b = ([run.side.values[score][key] for key in keys] for run in (first, other))
    return compare_paired(a, b, [question for question, _ in keys])


def _distinct(names: Sequence[str]) -> list[str]:
    """Make names unique: for a folder that is named twice, and for names of other columns."""
    taken = {"score", "group", "n"}
    found = []
    for name in names:
        numbered = (f"{name} ({at})" for at in count(2))
        free = next(each for each in chain([name], numbered) if each not in taken)
        taken.add(free)
        found.append(free)
    return found
