"""Pairs of items whose references may contradict each other: those that ask about the same thing."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.models.vectors import Vector
from saiten.tasks.same_question import bare_question
from saiten.testsets.items import SetItem

SIMILAR, SHARING = 0.55, 0.3
"""Cosine of two questions from which their references are compared, and the same if they share a passage."""
MOST = 3
"""Pairs per question, at most."""
_NEAREST = 24
"""Questions nearest to each one that are considered."""
_HEAD_START = 0.2
"""What a passage in common adds to the similarity that pairs are ranked by."""
_ROWS = 256
"""Questions compared with all others at a time."""


@dataclass(frozen=True, slots=True)
class ItemPair:
    """Two items that ask about the same thing."""

    first: SetItem
    second: SetItem
    similarity: float
    """Cosine of the questions."""
    shared: bool
    """Whether they have a passage in common."""


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """The pairs to be compared."""

    pairs: tuple[ItemPair, ...]
    left_out: int = 0
    """Pairs as similar as these that would be too many for one of their questions."""


def whole_question(item: SetItem) -> str:
    """Return the question after what was said before it."""
    said = [text for turn in item.history for text in (turn.question, turn.answer)]
    return "\n".join([*said, item.question])


def similar_pairs(items: Sequence[SetItem], vectors: Vector, most: int = MOST) -> ItemPairs:
    """Return the pairs of similar questions, the most similar first, at most so many per question.

    `vectors` are unit vectors of the questions, shape (items, dimensions). Items without a reference, and pairs with
    equal references, are left out. Memory: 256 rows of similarities.
    """
    sharing = _sharing(items)
    meant = [bare_question(item.reference) for item in items]
    found = []
    for at, other, cosine in _near(vectors):
        shared = other in sharing[at]
        if meant[at] and meant[other] and meant[at] != meant[other] and (shared or cosine >= SIMILAR):
            found.append(ItemPair(items[at], items[other], cosine, shared))
    found.sort(key=lambda pair: (-pair.similarity - _HEAD_START * pair.shared, pair.first.id, pair.second.id))
    times: dict[str, int] = defaultdict(int)
    chosen = []
    for pair in found:
        if max(times[pair.first.id], times[pair.second.id]) < most:
            chosen.append(pair)
            times[pair.first.id] += 1
            times[pair.second.id] += 1
    return ItemPairs(tuple(chosen), len(found) - len(chosen))


def _near(vectors: Vector) -> Iterator[tuple[int, int, float]]:
    """Yield the indices of two rows, the first one less than the second, and their cosine, for near rows."""
    nearest = min(_NEAREST, len(vectors))
    seen: set[tuple[int, int]] = set()
    for start in range(0, len(vectors), _ROWS):
        cosines = vectors[start : start + _ROWS] @ vectors.T
        near = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
        for row, columns in enumerate(near.tolist(), start):
            for column in columns:
                pair = (min(row, column), max(row, column))
                cosine = float(cosines[row - start, column])
                if row != column and cosine >= SHARING and pair not in seen:
                    seen.add(pair)
                    yield *pair, cosine


def _sharing(items: Sequence[SetItem]) -> list[set[int]]:
    """Return for each item the indices of those with a passage in common: the same text, or places that overlap."""
    by_text: dict[str, list[int]] = defaultdict(list)
    by_source: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for at, item in enumerate(items):
        for passage in item.passages:
            by_text[" ".join(passage.text.split())].append(at)
            if passage.source and passage.start is not None and passage.end is not None:
                by_source[passage.source].append((passage.start, passage.end, at))
    found: list[set[int]] = [set() for _ in items]
    for same in by_text.values():
        for at in same:
            found[at].update(same)
    for places in by_source.values():
        for at, other in _overlapping(sorted(places)):
            found[at].add(other)
            found[other].add(at)
    return found


def _overlapping(places: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the indices of places that overlap; each place is (start, end, index), and they are sorted."""
    for number, (_, end, at) in enumerate(places, 1):
        for start, _, other in places[number:]:
            if start >= end:
                break
            yield at, other
