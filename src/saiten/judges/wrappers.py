"""Judges around other judges: metering, performing equal tasks once, voting, and rehearsing without a model."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from saiten import prompts
from saiten.errors import CannotJudge, ConfigurationError, JudgeError, Unreadable
from saiten.judges.tidying import tidy
from saiten.protocols import Judge, R, Reply, Task
from saiten.records import Usage
from saiten.tasks.statements import MeasureSimilarity

_REUSED = Usage(reused=1)


class JudgeWrapper(Judge):
    """The base of wrappers: passes everything on, and changes no figure."""

    judge: Judge

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        return await self.judge.perform(task)

    async def preflight(self) -> None:
        await self.judge.preflight()

    async def close(self) -> None:
        await self.judge.close()


@dataclass
class Metered(JudgeWrapper):
    """Adds up the usage of replies and errors.

    Not frozen: `usage` grows with every task. Make one per score and discard it.
    """

    judge: Judge
    stopped: Callable[[], BaseException | None] = lambda: None
    """Returns the reason to stop, raised instead of performing a task; None while the run may continue."""
    usage: Usage = field(default_factory=Usage, init=False)
    """Usage so far, including failures."""

    async def perform(self, task: Task[R]) -> R:
        """Return or raise what the inner judge returns or raises."""
        stopped = self.stopped()
        if stopped is not None:
            raise stopped
        try:
            reply = await self.judge.perform(task)
        except JudgeError as error:
            self.usage += error.usage
            raise
        self.usage += reply.usage
        return reply


@dataclass(slots=True)
class _Performance:
    """A task in progress or done, and the number of callers waiting for it."""

    outcome: asyncio.Task[Reply]
    waiting: int = 0
    paid: bool = False
    """Whether a caller has been charged the usage; later callers get `_REUSED`."""


@dataclass(frozen=True)
class Memo(JudgeWrapper):
    """A judge that remembers replies and failures. It forgets nothing, so make one per sample and discard it.

    The first caller is charged the usage; all others get `Usage(reused=1)`. A caller that stops waiting does not affect
    the others; the call itself is cancelled once no caller waits for it.
    """

    judge: Judge
    _known: dict[Task[Any], _Performance] = field(default_factory=dict, init=False, repr=False, compare=False)

    async def perform(self, task: Task[R]) -> R:
        """Return the reply to this or an equal task; raise what the inner judge raises, to every caller."""
        known = self._known.get(task)
        if known is None:
            known = self._known[task] = _Performance(asyncio.create_task(_perform(self.judge, task)))
            known.outcome.add_done_callback(_look_at)
        known.waiting += 1
        try:
            reply = await asyncio.shield(known.outcome)
        except JudgeError as error:
            if known.paid:
                raise error.with_usage(_REUSED) from error
            known.paid = True
            raise
        except asyncio.CancelledError:
            if known.waiting == 1 and not known.outcome.done():
                known.outcome.cancel()
            if known.outcome.cancelled() or known.outcome.cancelling():
                self._known.pop(task, None)
            raise
        finally:
            known.waiting -= 1
        if known.paid and reply.usage != Usage():  # free replies are not counted as reused
            reply = reply.with_usage(_REUSED)
        known.paid = True
        return cast("R", reply)


async def _perform(judge: Judge, task: Task[R]) -> Reply:
    return await judge.perform(task)


def _look_at(outcome: asyncio.Task[Reply]) -> None:
    """Retrieve the exception, so that asyncio does not complain if no caller is left."""
    if not outcome.cancelled():
        outcome.exception()


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

    def remembering(self) -> Self:
        """Return the panel with a memo per member; make one per sample and discard it."""
        return replace(self, members=tuple(Memo(member) for member in self.members))

    def member(self, index: int) -> "Member":
        """Return a judge for which this member's vote, counted from 0, is the whole panel's."""
        return Member(self.members[0], self.members[index])

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return the members' descriptions, with differing values joined by commas, and the number of votes."""
        kinds = tuple(tasks)
        members = [member.describe(kinds) for member in self.members]
        parts: dict[str, str] = {}
        for key in dict.fromkeys(key for member in members for key in member):
            parts[key] = ",".join(dict.fromkeys(member.get(key, "none") for member in members))
        if any(task.votable for task in kinds):
            parts["votes"] = str(len(self.members))
        return parts

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
        errors = _without_fatal([outcome for outcome in outcomes if isinstance(outcome, BaseException)])
        usage = sum([each.usage for each in replies] + [each.usage for each in errors], Usage())
        for error in errors:
            if not isinstance(error, Unreadable):
                raise error.with_usage(usage) from error
        if 2 * len(replies) <= len(outcomes):
            raise _unreadable(errors, len(outcomes), usage)
        merged = replies[0] if len(outcomes) == 1 else task.merge(replies)
        return merged.with_usage(usage)

    async def preflight(self) -> None:
        """Preflight all members concurrently."""
        await asyncio.gather(*(member.preflight() for member in self.members))

    async def close(self) -> None:
        """Close every member; raise the first error after all have been closed."""
        outcomes = await asyncio.gather(*(member.close() for member in self.members), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome


@dataclass(frozen=True)
class Member(JudgeWrapper):
    """One member's view of a panel: its own votes, and the first member's replies to all else."""

    first: Judge
    judge: Judge

    async def perform(self, task: Task[R]) -> R:
        """Return the member's own reply if the task can be voted on, else the first member's."""
        return await (self.judge if task.votable else self.first).perform(task)


def _without_fatal(errors: Sequence[BaseException]) -> Sequence[JudgeError]:
    """Return the errors of single votes; raise an error that concerns the whole run."""
    for error in errors:
        if not isinstance(error, JudgeError):
            raise error
    return [error for error in errors if isinstance(error, JudgeError)]


def _unreadable(errors: Sequence[JudgeError], votes: int, usage: Usage) -> Unreadable:
    first = next(error for error in errors if isinstance(error, Unreadable))
    return Unreadable(f"{len(errors)} of {votes} votes could not be read; the first: {first}", first.raw, usage)


_TOKENS_PER_MESSAGE = 4
"""Approximate tokens for role and separators in common chat templates."""
_SHORT_REPLY = 50
"""Tokens of a verdict with a sentence, for tasks the stand-in cannot judge."""


@dataclass(frozen=True)
class Rehearsal(JudgeWrapper):
    """Performs tasks with a stand-in, for `--dry-run`, and reports the usage a model would have had.

    An estimate: one call per task, no repairs, no reasoning; tokens by `estimate_tokens`; embeddings count nothing. The
    number of later steps (such as verdicts on statements) follows from the stand-in's replies.
    """

    judge: Judge
    """The stand-in, usually the offline judge."""

    async def perform(self, task: Task[R]) -> R:
        """Return the stand-in's reply, or raise its error, with the usage a model would have had."""
        try:
            reply = await self.judge.perform(task)
        except CannotJudge as error:
            error.usage = _usage(task, _SHORT_REPLY)
            raise
        if isinstance(task, MeasureSimilarity):
            return reply.with_usage(Usage())
        answered = json.dumps(tidy(reply.model_dump(), type(reply)), ensure_ascii=False)
        return reply.with_usage(_usage(task, estimate_tokens(answered)))

    async def preflight(self) -> None:
        """Do nothing: there is no server."""


def _usage(task: Task[Any], answered: int) -> Usage:
    prompt = sum(estimate_tokens(message.content) + _TOKENS_PER_MESSAGE for message in prompts.render(task))
    return Usage(calls=1, prompt_tokens=prompt, completion_tokens=answered, unpriced=1)


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens: a quarter per ASCII character, one per other character, rounded up.

    Within some 20 % for English; an upper bound for Japanese, where newer vocabularies take 0.6 to 0.9 per character.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return -(-ascii_characters // 4) + len(text) - ascii_characters
