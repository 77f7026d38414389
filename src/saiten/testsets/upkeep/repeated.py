"""Questions that a test set asks more than once, in the same words or in others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.models.vectors import Vector
from saiten.protocols import Embeddings
from saiten.tasks.same_question import bare_question
from saiten.testsets.items import SetItem
from saiten.testsets.rules.duplicates import KnownQuestions, question_of
from saiten.testsets.upkeep.findings import ItemFinding, listed, quoted


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """An embedder that knows the vectors of certain texts, so that none is embedded twice."""

    name: str
    vectors: Mapping[str, Vector]
    """By text."""

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings(np.stack([self.vectors[text] for text in texts]))

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""


async def repeated(items: Sequence[SetItem], known: KnownQuestions) -> list[ItemFinding]:
    """Return a finding for each item that asks the same as another one; `known` is empty, and filled with all items.

    Raises as the embedder of `known` does.
    """
    groups: dict[str, list[SetItem]] = {}
    similarity: dict[str, float] = {}
    for item in items:
        near = await known.nearest(question_of(item), item.reference)
        group = [] if near is None else groups[near.id]
        group.append(item)
        groups[item.id] = group
        if near is not None:
            similarity[item.id] = near.similarity
            similarity.setdefault(near.id, near.similarity)
        await known.add_item(item)
    return [finding for item in items for finding in _finding(item, groups[item.id], similarity.get(item.id, 0.0))]


def _finding(item: SetItem, group: Sequence[SetItem], similarity: float) -> list[ItemFinding]:
    others = [other for other in group if other.id != item.id]
    if not others:
        return []
    by_words = defaultdict(list)
    for other in others:
        by_words[bare_question(question_of(other)) == bare_question(question_of(item))].append(other)
    shown = (by_words[True] or by_words[False])[0]
    where = tuple(other.id for other in others)
    items, excerpt = listed(where), quoted(shown.question)
    if by_words[True]:
        return [ItemFinding(item.id, "same_question", f"asked in the same words by {items}: {excerpt}", where)]
    details = {"similarity": round(similarity, 3)}
    return [
        ItemFinding(item.id, "near_question", f"asked in nearly the same words by {items}: {excerpt}", where, details)
    ]
