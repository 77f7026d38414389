"""Checking an item: by rules first, which cost nothing, then with a model; the first check that fails ends it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from saiten.choices import CheckName
from saiten.protocols import Judge, Retriever
from saiten.records import FREE, Usage
from saiten.testsets.items import Checked, SetItem
from saiten.testsets.rules.duplicates import KnownQuestions
from saiten.testsets.rules.leak import check_leak
from saiten.testsets.rules.wording import check_wording
from saiten.testsets.trying import Tried, answered, supported, without_documents

TAKES_A_MODEL = "it takes a model"
"""Why a check was not made."""


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks that new items must pass."""

    known: KnownQuestions
    """All questions so far; those that pass the check for duplicates are added."""
    judge: Judge | None = None
    """None: the checks that take a model are not made."""
    retriever: Retriever | None = None
    """Finds what might answer an unanswerable question."""
    skipped: frozenset[CheckName] = field(default_factory=frozenset)
    """Checks that are not made."""
    _adding: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def check(self, item: SetItem) -> tuple[SetItem, Usage]:
        """Return the item with the results of its checks, and their cost.

        Raises:
            JudgeError: a model failed, or its reply could not be read.
            BudgetSpent: the budget does not allow the next call.
        """
        item, whole = self._by_rules(item), FREE
        if item.dropped is None and "duplicate" not in self.skipped:
            item = item.with_check(await self._duplicate(item))
        for names, trial in self._trials():
            if item.dropped is not None:
                break
            if self.judge is None:
                item = item.with_check(*(Checked(name, None, TAKES_A_MODEL) for name in names))
                continue
            tried = await trial(item, self.judge)
            item, whole = _with_trial(item, tried), whole + tried.usage
        return item, whole

    def _by_rules(self, item: SetItem) -> SetItem:
        rules: tuple[tuple[CheckName, Callable[[SetItem], Checked]], ...] = (
            ("wording", check_wording),
            ("leak", check_leak),
        )
        for name, rule in rules:
            if name not in self.skipped and item.dropped is None:
                item = item.with_check(rule(item))
        return item

    async def _duplicate(self, item: SetItem) -> Checked:
        async with self._adding:  # so that of two equal questions in the making, one is found
            found = await self.known.check(item)
            if found.passed:
                await self.known.add_item(item)
            return found

    def _trials(self) -> list[tuple[tuple[CheckName, ...], Callable[[SetItem, Judge], Awaitable[Tried]]]]:
        async def from_passages(item: SetItem, judge: Judge) -> Tried:
            return await answered(item, judge, self.retriever)

        trials: list[tuple[tuple[CheckName, ...], Callable[[SetItem, Judge], Awaitable[Tried]]]] = [
            (("closed_book",), without_documents),
            (("support",), supported),
            (("round_trip",), from_passages),
        ]
        return [(names, trial) for names, trial in trials if not self.skipped.issuperset(names)]


def _with_trial(item: SetItem, tried: Tried) -> SetItem:
    """Add the results; what a model says of the wording replaces what the rules found."""
    names = {check.check for check in tried.checks}
    kept = tuple(check for check in item.checks if check.check not in names)
    return replace(item, checks=(*kept, *tried.checks))
