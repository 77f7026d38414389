"""A judge that asks for several tasks of a sample in one call, and lets the first call fill a server's prefix cache."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self, cast

from saiten.errors import JudgeError, Unreadable
from saiten.judges.wrappers import JudgeWrapper
from saiten.prompts import Prompts, names_for
from saiten.protocols import Judge, Metric, R, Reply, Task
from saiten.records import FREE, REUSED, Usage
from saiten.tasks.joined import JOINED, ExtractKeyphrasesAndQuestions, Joined, ListEntitiesAndQuestions, join
from saiten.tasks.summaries import ExtractKeyphrases

_TURNS = 10
"""Turns of the event loop to wait for a sample's other tasks: its metrics begin and continue within about six."""
_WORTH_FILLING = 1000
"""Characters that several calls begin with, from which on the first call goes ahead; it delays the others."""
_FOLLOWED = (ExtractKeyphrases, ExtractKeyphrasesAndQuestions, ListEntitiesAndQuestions)
"""Tasks that another one follows, so of those with the same contexts they go first."""


@dataclass(frozen=True, slots=True)
class Joins:
    """What a judge wants joined."""

    prompts: Prompts
    kinds: frozenset[type[Task[Any]]]
    """The types of tasks."""
    kept: bool = False
    """Whether replies are kept on disk, so that a resumed run can ask for the same joined calls again."""
    leads: bool = True
    """Whether the first call with the same contexts goes ahead, but not in batches, which take hours each."""
    notify: Callable[[str], None] = lambda _: None
    """Called if a joined reply could not be read."""

    @classmethod
    def of(cls, prompts: Prompts, **how: Any) -> Self:
        """Join all types of tasks that can be, except those of which only the prompt for a single task was replaced."""
        return cls(prompts, _joinable(frozenset(prompts.replaced)), **how)

    def names(self, tasks: Collection[type[Task[Any]]]) -> list[str]:
        """Return the names of the prompts with which some of these tasks may be joined."""
        return [name for kind in self.kinds if kind in tasks for each in JOINED[kind] for name in names_for(each)]

    def beginning(self, task: Task[Any]) -> tuple[str, ...]:
        """Return what the prompt begins with, if other tasks of the sample may too and a cache of it pays; else ()."""
        beginning = self.prompts.beginning(task) if self.leads and names_for(type(task)) else ()
        return beginning if sum(map(len, beginning)) >= _WORTH_FILLING else ()


@cache
def _joinable(replaced: frozenset[str]) -> frozenset[type[Task[Any]]]:
    """Return the types of tasks to join if these prompts were replaced."""
    names = {kind: {name for each in joined for name in names_for(each)} for kind, joined in JOINED.items()}
    return frozenset(kind for kind in JOINED if replaced.isdisjoint(names_for(kind)) or replaced & names[kind])


def joins_of(judge: Judge) -> Joins | None:
    """Return what the judge wants joined, or None: most judges gain nothing from it."""
    joins: Joins | None = getattr(judge, "joins", None)
    return joins


def asked_again(metrics: Sequence[Metric], pending: Sequence[Metric], judge: Judge) -> Sequence[Metric]:
    """Return the pending metrics, and in a resumed run also those whose tasks were joined with theirs.

    A joined call depends on all of the sample's metrics. Its reply is kept, so asking again is free.
    """
    joins = joins_of(judge)
    if joins is None or not joins.kept or len(pending) == len(metrics):
        return pending
    together = [metric for metric in metrics if not joins.kinds.isdisjoint(metric.tasks)]
    if not any(metric in pending for metric in together):
        return pending
    return [metric for metric in metrics if metric in pending or metric in together]


def joining(judge: Judge, filled: dict[Any, asyncio.Event] | None = None) -> Judge:
    """Return the judge joining the tasks of one sample, or as it is if it wants none joined."""
    joins = joins_of(judge)
    return judge if joins is None else Joining(judge, joins, {} if filled is None else filled)


class _Asked(asyncio.Future[Reply]):
    """The reply to a task, to come."""

    def __init__(self, task: Task[Any], given_up: Callable[[], object]) -> None:
        """`given_up` is called if the reply is no longer wanted."""
        super().__init__()
        self.task = task
        self._given_up = given_up

    def cancel(self, msg: Any = None) -> bool:
        canceled = super().cancel(msg)
        if canceled:
            self._given_up()
        return canceled


@dataclass(frozen=True)
class Joining(JudgeWrapper):
    """A judge that joins the tasks that a sample's metrics ask for at about the same time; make one per sample.

    Of several calls that begin with the same contexts, the first is awaited before the others are sent, so that a
    server has the contexts in its prefix cache. If a joined reply is unreadable even after its repair, its parts are
    asked for one by one. The first of the joined tasks is charged the usage, all others get `Usage(reused=1)`.
    """

    judge: Judge
    what: Joins
    filled: dict[Any, asyncio.Event] = field(default_factory=dict, repr=False, compare=False)
    """Whether a server has seen the beginning of a prompt; votes on one sample share it."""
    _waiting: list[_Asked] = field(default_factory=list, init=False, repr=False, compare=False)
    _ahead: dict[Task[Any], Reply] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Replies to tasks that nobody has asked for yet."""
    _running: dict[asyncio.Task[None], Sequence[_Asked]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    async def perform(self, task: Task[R]) -> R:
        """Return the reply. Equal tasks are not to be asked at once (`Memo`). Raises as the inner judge."""
        return cast("R", await self.begin(task))

    def begin(self, task: Task[Any]) -> asyncio.Future[Reply]:
        """Begin to perform a task, and return its reply, to come; a call is canceled with the last of its replies."""
        if type(task) not in self.what.kinds and not self.what.beginning(task):
            return asyncio.create_task(self.judge.perform(task))
        asked = _Asked(task, self._cancel_unwanted)
        if (known := self._ahead.pop(task, None)) is not None:
            asked.set_result(known)
            return asked
        self._waiting.append(asked)
        if len(self._waiting) == 1:
            self._run(self._send(), ())
        return asked

    def _cancel_unwanted(self) -> None:
        for call, asked in self._running.items():
            if asked and all(each.done() for each in asked):
                call.cancel()

    def _run(self, work: Any, asked: Sequence[_Asked]) -> None:
        call = asyncio.create_task(work)
        self._running[call] = asked
        call.add_done_callback(self._running.pop)

    async def _send(self) -> None:
        """Join the tasks that come within a few turns of the event loop, and start the calls."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        waiting = {asked.task: asked for asked in self._waiting if not asked.done()}
        self._waiting.clear()
        try:
            calls = join(waiting, self.what.kinds)
        except Exception as error:  # noqa: BLE001 - raised where the tasks were asked for
            _fail(list(waiting.values()), error)
            return
        for call in sorted(calls, key=lambda each: not isinstance(each.task, _FOLLOWED)):
            asked = [waiting[part] for part in call.parts]
            self._run(self._perform(call, asked), asked)

    async def _perform(self, call: Joined, asked: Sequence[_Asked]) -> None:
        try:
            reply = await self._after_filling(call.task)
            replies = dict(call.apart(reply))
        except Unreadable as error:
            if call.several:
                await self._separately(asked, error)
            else:
                _fail(asked, error)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised where the tasks were asked for
            _fail(asked, error)
        else:
            usages = [reply.usage, *[REUSED if reply.usage != FREE else FREE] * len(replies)]
            given = {task: part.with_usage(usage) for (task, part), usage in zip(replies.items(), usages, strict=False)}
            for each in asked:
                _deliver(each, given.pop(each.task))
            self._ahead.update(given)

    async def _after_filling(self, task: Task[Any]) -> Reply:
        """Perform the task once a server has seen its beginning, or first, if there was no such task yet."""
        beginning = self.what.beginning(task)
        if not beginning:
            return await self.judge.perform(task)
        if (filled := self.filled.get(beginning)) is not None:
            await filled.wait()
            return await self.judge.perform(task)
        filled = self.filled[beginning] = asyncio.Event()
        try:
            return await self.judge.perform(task)
        finally:
            filled.set()

    async def _separately(self, asked: Sequence[_Asked], error: Unreadable) -> None:
        """Perform each task by itself; the first is also charged what the unreadable reply cost."""
        self.what.notify(
            "a reply to a joined call could not be read, so its parts are asked for one by one; if this happens often, "
            "--separate-calls asks for them so at once"
        )
        spent = [error.usage, *[FREE] * len(asked)]

        async def one(each: _Asked, before: Usage) -> None:
            try:
                reply = await self.judge.perform(each.task)
                _deliver(each, reply.with_usage(before + reply.usage))
            except JudgeError as failed:
                _fail([each], failed.with_usage(before + failed.usage))
            except (Exception, asyncio.CancelledError) as failed:  # noqa: BLE001 - raised where it was asked for
                _fail([each], failed)

        await asyncio.gather(*map(one, asked, spent))


def _deliver(asked: _Asked, reply: Reply) -> None:
    if not asked.done():
        asked.set_result(reply)


def _fail(asked: Sequence[_Asked], error: BaseException) -> None:
    """Raise the error to those who still wait; its usage is charged once."""
    for each in asked:
        if each.done():
            continue
        if isinstance(error, asyncio.CancelledError):
            each.cancel()
            continue
        each.set_exception(error)
        error = error.with_usage(REUSED) if isinstance(error, JudgeError) and error.usage != FREE else error
