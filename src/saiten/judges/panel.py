"""Panel: several judges, or one with several seeds, vote; majority for verdicts, mean for grades."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from saiten.errors import ConfigurationError, JudgeError, Unreadable
from saiten.judges.costing import costing
from saiten.judges.memo import Memo
from saiten.protocols import Judge, R, Task
from saiten.records import Usage


@dataclass(frozen=True, slots=True)
class Panel:
    """Asks all members about tasks that can be voted on, and the first member alone about all others.

    What each vote alone would have given is found by scoring once more with `member(i)`. Do that within
    `remembering()`: then no member is asked the same twice.
    """

    members: tuple[Judge, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise ConfigurationError("a panel needs at least one member")

    def remembering(self) -> Self:
        """The same panel, each member with a memo of its own; made for one sample and thrown away after it."""
        return replace(self, members=tuple(Memo(member) for member in self.members))

    def member(self, index: int) -> "Member":
        """A judge for whom the vote of this member, counted from 0, is the whole panel's."""
        return Member(self.members[0], self.members[index])

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """What the members say, values that differ joined by commas, and the number of votes."""
        asked = tuple(tasks)
        members = [member.describe(asked) for member in self.members]
        parts: dict[str, str] = {}
        for key in dict.fromkeys(key for member in members for key in member):
            parts[key] = ",".join(dict.fromkeys(member.get(key, "none") for member in members))
        if any(task.votable for task in asked):
            parts["votes"] = str(len(self.members))
        return parts

    async def perform(self, task: Task[R]) -> R:
        """The merged reply; its usage is that of all votes.

        Votes that could not be read are left out as long as more than half can be. A call that failed is not: it says
        nothing about the answer, and can be made up for by asking again later.

        Raises:
            Unreadable: half of the votes or more could not be read.
            CallFailed: a vote's call failed for good.
            ConfigurationError: a member is set up wrongly; no other task will succeed.
            BudgetSpent: the budget does not allow the calls.
        """
        if not task.votable:
            return await self.members[0].perform(task)
        # All are waited for, whatever one of them raises: what has been sent will be paid for.
        outcomes = await asyncio.gather(*(member.perform(task) for member in self.members), return_exceptions=True)
        replies = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        errors = _without_fatal([outcome for outcome in outcomes if isinstance(outcome, BaseException)])
        usage = sum([each.usage for each in replies] + [each.usage for each in errors], Usage())
        for error in errors:
            if not isinstance(error, Unreadable):
                raise costing(error, usage) from error
        if 2 * len(replies) <= len(outcomes):
            raise _unreadable(errors, len(outcomes), usage)
        merged = replies[0] if len(outcomes) == 1 else task.merge(replies)
        return merged.costing(usage)

    async def preflight(self) -> None:
        """That of every member, at once."""
        await asyncio.gather(*(member.preflight() for member in self.members))

    async def close(self) -> None:
        """Close every member; the first error is raised after all have been closed."""
        outcomes = await asyncio.gather(*(member.close() for member in self.members), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome


@dataclass(frozen=True, slots=True)
class Member:
    """One member's view of a panel: its own votes, and what the first member wrote for all."""

    first: Judge
    own: Judge

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """That of the member."""
        return self.own.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """The member's own reply where there is a vote, else the first member's."""
        return await (self.own if task.votable else self.first).perform(task)

    async def preflight(self) -> None:
        """That of the two judges."""
        await asyncio.gather(self.first.preflight(), self.own.preflight())

    async def close(self) -> None:
        """Nothing: the panel closes its members."""


def _without_fatal(errors: Sequence[BaseException]) -> Sequence[JudgeError]:
    """The errors of single votes; raises at once what concerns the whole run."""
    for error in errors:
        if not isinstance(error, JudgeError):
            raise error
    return [error for error in errors if isinstance(error, JudgeError)]


def _unreadable(errors: Sequence[JudgeError], votes: int, usage: Usage) -> Unreadable:
    first = next(error for error in errors if isinstance(error, Unreadable))
    return Unreadable(f"{len(errors)} of {votes} votes could not be read; the first: {first}", first.raw, usage)
