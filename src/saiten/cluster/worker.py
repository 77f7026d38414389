"""The worker: it has a job, gets shards, and hands over what it wrote about them. An actor of Ray's, but plain Python.

It keeps nothing that the driver does not have a moment later, so that it may die at any time.
"""

import asyncio
import logging
import os
import platform
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from saiten.cluster.counts import Counting, Counts
from saiten.cluster.jobs import Job, Prepared
from saiten.cluster.mirror import FileChange, FolderCopy
from saiten.cluster.replies import RepliesOfWorker
from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, NotWritten, SaitenError
from saiten.executor import fewer_collections
from saiten.models.leases import Ask, Leases, Listening
from saiten.records import Sample
from saiten.version import __version__
from saiten.wiring import Models

_LOOK = 0.02
"""Seconds between two looks at what was written."""
_LOOKS = 50
"""Looks before an empty answer, which shows the driver that the worker lives."""


class Piece(Protocol):
    """A part of the input, as it is sent to a worker."""

    def rows(self, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        """Yield its rows, read on demand."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a worker is."""

    identity: str
    """Another one each time that its process starts."""
    host: str
    process: int
    version: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a shard ended."""

    kind: str
    """`DONE`, the name of a `SaitenError`, or `BROKEN` for a fault in saiten or in the user's code."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ShardNews:
    """What a worker did for one shard in a moment."""

    shard: int
    written: Sequence[FileChange]
    counts: Counts | None
    ended: Ended | None = None


_OF_THE_RUN = (BudgetSpent, NotWritten, ConfigurationError, BadInput, SaitenError)
ERRORS: Mapping[str, type[SaitenError]] = {each.__name__: each for each in _OF_THE_RUN}
"""The errors of a whole run, by name."""
DONE, BROKEN = "done", "broken"


class ShardWorker:
    """Works on several shards at a time, with one set of models for all."""

    def __init__(
        self, job: Job, variables: Mapping[str, str], ask: Ask | None = None, scratch: str | None = None
    ) -> None:
        """Take the job.

        Args:
            job: What is done with each shard.
            variables: Environment variables of the driver, such as keys; those that are set here win.
            ask: Asks for leases of the cluster's budget and rates; None if nothing limits them.
            scratch: The folder for this worker's copies; None for the system's.
        """
        for name, value in variables.items():
            os.environ.setdefault(name, value)
        self._job, self._ask = job, ask
        self._hello = Hello(token_hex(6), platform.node(), os.getpid(), __version__)
        self._scratch = Path(tempfile.mkdtemp(prefix="saiten-", dir=scratch))
        self._shards: dict[int, _Shard] = {}
        self._prepared: Prepared | None = None
        self._replies: RepliesOfWorker | None = None
        self._listening = Listening()
        self._notes: list[str] = []
        self._collections = ExitStack()
        logging.getLogger("saiten").addHandler(_Notes(self._notes))

    async def hello(self) -> Hello:
        """Return who this is; also shows that it lives."""
        return self._hello

    async def begin(self, number: int, piece: Piece, files: Mapping[str, bytes]) -> None:
        """Begin a shard, or go on with it where these files end."""
        copy = FolderCopy(self._scratch / f"{number:06}", files)
        counting = Counting()
        self._shards[number] = _Shard(number, copy, counting, asyncio.create_task(self._work(copy, piece, counting)))

    async def pull(self) -> list[ShardNews]:
        """Return what was done since the last call; waits for it, but not longer than a second."""
        for _ in range(_LOOKS):
            self._listening.hear()
            await asyncio.sleep(_LOOK)
            if blocks := self._news():
                return blocks
        return []

    async def drop(self) -> list[ShardNews]:
        """Cancel the shards in work, and return what else was done for them."""
        for shard in self._shards.values():
            shard.task.cancel()
        if self._shards:
            await asyncio.wait([shard.task for shard in self._shards.values()])
        blocks = self._news()
        for number in list(self._shards):
            self._shards.pop(number).copy.remove()
        return blocks

    async def close(self) -> None:
        """Close the models and remove all copies; there will be no more shards."""
        await self.drop()
        for each in reversed(() if self._prepared is None else self._prepared.closing):
            if each is not None:
                await each.close()
        self._collections.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    async def _work(self, copy: FolderCopy, piece: Piece, counting: Counting) -> Ended:
        try:
            prepared = self._prepare()
            async with nullcontext() if self._replies is None else self._replies.of_shard(copy.folder):
                await prepared.run(copy.folder, piece.rows(counting.note), counting)
        except SaitenError as error:
            kind = next(each.__name__ for each in type(error).__mro__ if each in _OF_THE_RUN)
            return Ended(kind, str(error))
        except Exception:  # noqa: BLE001 - shown by the driver
            return Ended(BROKEN, traceback.format_exc())
        return Ended(DONE)

    def _prepare(self) -> Prepared:
        if self._prepared is not None:
            return self._prepared
        self._collections.enter_context(fewer_collections())
        calls = self._job.calls
        alone = replace(calls, max_calls=None, max_cost=None, requests_per_minute=None, tokens_per_minute=None)
        models = Models(alone, os.environ)
        models.leases = Leases(self._hello.identity, self._ask, self._listening)
        if calls.cache is None and not calls.no_cache:
            self._replies = RepliesOfWorker(self._scratch / "replies.sqlite")
            models.use(self._replies)
        self._prepared = self._job.prepare(models)
        return self._prepared

    def _news(self) -> list[ShardNews]:
        blocks = []
        for number, shard in list(self._shards.items()):
            ended = shard.task.result() if shard.task.done() and not shard.task.cancelled() else None  # before the look
            written, counts = shard.copy.news(), shard.counting.taken()
            if ended is not None:
                written = [*written, *shard.copy.rest()]
                shard.copy.remove()
                del self._shards[number]
            if written or counts is not None or ended is not None:
                blocks.append(ShardNews(number, written, counts, ended))
        if blocks and self._notes:
            notes, self._notes[:] = self._notes[:], []
            blocks.append(ShardNews(blocks[0].shard, (), Counts(notes=notes)))
        return blocks


@dataclass(frozen=True, slots=True)
class _Shard:
    """A shard in work."""

    number: int
    copy: FolderCopy
    counting: Counting
    task: "asyncio.Task[Ended]"


class _Notes(logging.Handler):
    """Collects what saiten logs for the user."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        self._notes.append(record.getMessage())
