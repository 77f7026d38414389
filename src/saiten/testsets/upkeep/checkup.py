"""Checking a whole test set: duplicates at once, then whatever takes a judge, many at a time."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from saiten.errors import BudgetSpent
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.vectors import Vector
from saiten.protocols import Embedder, Executor, Judge
from saiten.records import FREE, Usage
from saiten.testsets.items import SetItem
from saiten.testsets.rules.duplicates import KnownQuestions, question_of
from saiten.testsets.upkeep.contradictions import contradictions
from saiten.testsets.upkeep.documents import known_documents
from saiten.testsets.upkeep.findings import DocumentCount, ItemFinding, Looked, SetCheck
from saiten.testsets.upkeep.freshness import Freshness
from saiten.testsets.upkeep.pairs import MOST, ItemPairs, similar_pairs
from saiten.testsets.upkeep.repeated import KnownVectors, repeated

_BATCH = 128
"""Questions embedded at a time."""

Look = Callable[[], Awaitable[Looked]]
"""Starts one look of the judge."""


@dataclass(slots=True)
class Checkup:
    """One check of a test set. Not frozen: findings are added as they are made."""

    items: Sequence[SetItem]
    judge: Judge
    freshness: Freshness | None = None
    """None without a knowledge base."""
    pairs: ItemPairs = field(default_factory=lambda: ItemPairs(()), init=False)
    findings: list[ItemFinding] = field(default_factory=list, init=False)
    done: int = field(default=0, init=False)
    """Looks of the judge so far."""
    compared: int = field(default=0, init=False)
    """Pairs that were compared."""
    usage: Usage = field(default=FREE, init=False)

    async def prepare(self, embedder: Embedder, most: int = MOST) -> None:
        """Find duplicates, and the pairs of references to compare, at most so many per question.

        Raises:
            CallFailed: the embedder failed.
        """
        vectors = await self._embed(embedder)
        by_letters = isinstance(embedder, BuiltinEmbedder)
        known = dict(zip(map(question_of, self.items), vectors, strict=True))
        self.findings += await repeated(
            self.items, KnownQuestions(embedder if by_letters else KnownVectors(embedder.name, known))
        )
        if most:
            self.pairs = similar_pairs(self.items, vectors, most)

    async def _embed(self, embedder: Embedder) -> Vector:
        found = []
        questions = [question_of(item) for item in self.items]
        for start in range(0, len(questions), _BATCH):
            embedded = await embedder.embed(questions[start : start + _BATCH])
            self.usage += embedded.usage
            found.append(embedded.vectors)
        return np.concatenate(found)

    @property
    def looks(self) -> list[Look]:
        """Everything that takes the judge: pairs of references, and items that a change concerns."""
        return [*self._comparisons(), *self._concerned()]

    def _comparisons(self) -> Iterator[Look]:
        for pair in self.pairs.pairs:
            yield partial(contradictions, pair, self.judge)

    def _concerned(self) -> Iterator[Look]:
        if self.freshness is not None:
            for item in self.items:
                if self.freshness.concerned(item):
                    yield partial(self.freshness.look, item)

    async def run(
        self, executor: Executor, looks: Sequence[Look], watch: Callable[["Checkup"], None] = lambda _: None
    ) -> None:
        """Take these looks; what was found is in `findings`, also if this is interrupted.

        Raises:
            BudgetSpent: after running calls have ended; the rest is not looked at.
            ConfigurationError: the judge or the base cannot be used.
        """
        spent: list[BudgetSpent] = []

        async def look(each: Look) -> tuple[Look, Looked | None]:
            try:
                return each, None if spent else await each()
            except BudgetSpent as error:  # what others have in flight is paid for, and still arrives
                spent.append(error)
                return each, None

        async with aclosing(executor.run(look, looks)) as looked:
            async for each, found in looked:
                if found is not None:
                    self.findings += found.findings
                    self.usage += found.usage
                    self.done += 1
                    self.compared += getattr(each, "func", None) is contradictions
                    watch(self)
        if spent:
            raise spent[0]

    def result(self) -> SetCheck:
        """Return what was found so far, in the order of the items."""
        order = {item.id: at for at, item in enumerate(self.items)}
        findings = sorted(self.findings, key=lambda finding: order[finding.item])
        documents: DocumentCount | None = None
        if self.freshness is not None:
            documents = self.freshness.base.count(known_documents(self.items))
        return SetCheck(tuple(self.items), tuple(findings), self.compared, self.pairs.left_out, documents)
