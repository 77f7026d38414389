"""Voting: several judges as one, and one member's view of the panel."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from saiten.errors import ConfigurationError, JudgeError, Unreadable
from saiten.judges.joining import Joins, joining, joins_of
from saiten.judges.memo import Memo
from saiten.judges.wrappers import JudgeWrapper
from saiten.protocols import Judge, R, Task
from saiten.records import Usage


@dataclass(frozen=True, slots=True)
class Panel:
    """Asks all members if the task can be voted on, and only the first member otherwise.

    To find what each vote alone would have given, score again with `member(i)`, within `remembering()` so that no
    member is asked the same twice.
    """

    members: tuple[Judge, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise ConfigurationError("a panel needs at least one member")

    @property
    def joins(self) -> Joins | None:
        """What the first member wants joined; the others are like it."""
        return joins_of(self.members[0])

    def remembering(self) -> Self:
        """Return the panel with a memo and joined tasks per member; make one per sample and discard it."""
        filled: dict[Any, asyncio.Event] = {}
        return replace(self, members=tuple(Memo(joining(member, filled)) for member in self.members))

    def member(self, index: int) -> "Member":
        """Return a judge for which this member's vote, counted from 0, is the whole panel's."""
        return Member(self.members[0], self.members[index])

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return the members' descriptions, with differing values joined by commas, and the number of votes."""
        kinds = tuple(tasks)
        members = [member.describe(kinds) for member in self.members]
        keys = dict.fromkeys(key for member in members for key in member)
        parts = {key: ",".join(dict.fromkeys(member.get(key, "none") for member in members)) for key in keys}
        return parts | ({"votes": str(len(self.members))} if any(task.votable for task in kinds) else {})

    async def perform(self, task: Task[R]) -> R:
        """Return the merged reply, with the usage of all votes.

        Unreadable votes are skipped as long as more than half are readable; otherwise Unreadable is raised. Failed
        calls are not skipped: a failure says nothing about the answer, and can be retried later.
        """
        if not task.votable:
            return await self.members[0].perform(task)
        # Wait for all, whatever one of them raises: what has been sent will be paid for.
        outcomes = await asyncio.gather(*(member.perform(task) for member in self.members), return_exceptions=True)
        replies = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        errors = [outcome for outcome in outcomes if isinstance(outcome, JudgeError)]
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, JudgeError):
                raise outcome  # it concerns the whole run
        usage = sum([each.usage for each in replies] + [each.usage for each in errors], Usage())
        for error in errors:
            if not isinstance(error, Unreadable):
                raise error.with_usage(usage) from error
        if 2 * len(replies) <= len(outcomes):
            first = next(error for error in errors if isinstance(error, Unreadable))
            message = f"{len(errors)} of {len(outcomes)} votes could not be read; the first: {first}"
            raise Unreadable(message, first.raw, usage)
        return (replies[0] if len(outcomes) == 1 else task.merge(replies)).with_usage(usage)

    async def preflight(self) -> None:
        await asyncio.gather(*(member.preflight() for member in self.members))

    async def close(self) -> None:
        """Close every member; raise the first error after all have been closed."""
        outcomes = await asyncio.gather(*(member.close() for member in self.members), return_exceptions=True)
        for error in filter(None, outcomes):
            raise error


@dataclass(frozen=True)
class Member(JudgeWrapper):
    """One member's view of a panel: its own votes, and the first member's replies to all else."""

    first: Judge
    judge: Judge

    async def perform(self, task: Task[R]) -> R:
        """Return the member's own reply if the task can be voted on, else the first member's."""
        return await (self.judge if task.votable else self.first).perform(task)
