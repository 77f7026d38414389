"""The driver: it hands out shards, writes what workers did about them, and hands out again what a lost worker had.

A shard ends once. Whatever a worker wrote before it was lost is kept, and whoever gets the shard next goes on there.
What a worker does after it was given up, as when a network was cut for a while, is not written.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from saiten.cluster.counts import Counts
from saiten.cluster.mirror import KeptFolder
from saiten.cluster.worker import BROKEN, DONE, ERRORS, Ended, Hello, Piece, ShardNews
from saiten.durable.appended_file import Syncing
from saiten.durable.whole_file import write_whole
from saiten.errors import BudgetSpent, ConfigurationError

AHEAD = 2
"""Shards that a worker has at a time: while the last calls of one are in flight, those of the next fill the rest."""
_TRIES = 3
"""Workers that may be lost over the same shard without a result of it."""
_TO_STOP = 5.0
"""Seconds that workers have to hand over what they did, when the run ends early."""
ENDED_NAME = "ended"
"""The file of a shard that ended: the key of the run, and the numbers of samples, answers and bad rows."""


class WorkerLost(Exception):
    """A worker does not answer, or its process or machine has ended; the text says what is known."""


class WorkerGone(WorkerLost):
    """It does not come back."""


class Remote(Protocol):
    """A worker as the driver sees it; each method raises WorkerLost."""

    async def hello(self) -> Hello:
        """Return who it is; waits until it runs, again after it was lost. Raises WorkerGone if it never will."""

    async def begin(self, number: int, piece: Piece, files: Mapping[str, bytes]) -> None:
        """Give it a shard."""

    async def pull(self) -> list[ShardNews]:
        """Return what it did since the last call."""

    async def drop(self) -> list[ShardNews]:
        """Take all shards from it, and return what else it did."""


@dataclass(frozen=True, slots=True)
class InputPart:
    """A shard as the driver has it."""

    piece: Piece
    where: str
    """For messages, such as `data.jsonl from row 17`."""


class Driving:
    """One run in progress over these workers."""

    def __init__(
        self,
        parts: Sequence[InputPart],
        folder_of: Callable[[int], Path],
        key: str,
        counted: Callable[[Counts], None],
        lost: Callable[[Hello], None] = lambda _: None,
    ) -> None:
        """Prepare the run.

        Args:
            parts: The shards.
            folder_of: Returns the folder of a shard by its number.
            key: Identifies what is done; a shard that ended with the same key is not done again.
            counted: Called with what was done and written.
            lost: Called with each worker that was lost.
        """
        self._parts, self._folder_of, self._key = parts, folder_of, key
        self._counted, self._lost = counted, lost
        self._waiting: deque[int] = deque()
        self._in_work: dict[int, _InWork] = {}
        self._tries: dict[int, int] = {}
        self._changed = asyncio.Condition()
        self._pulls: dict[Remote, asyncio.Future[list[ShardNews]]] = {}
        self._spent: str | None = None
        self.running = 0
        """Workers that run."""
        self._syncing = Syncing()

    def left(self) -> int:
        """Return the number of shards that have not ended; those that have are counted as done."""
        self._waiting.extend(self._not_ended())
        return len(self._waiting)

    async def all(self, workers: Sequence[Remote]) -> None:
        """Return when every shard that was `left` has ended.

        Raises:
            BudgetSpent: After the shards in work have ended.
            BadInput, ConfigurationError: What a worker raised, or no worker is left; what was done until then is kept.
        """
        serving = {asyncio.create_task(self._serve(worker)): worker for worker in workers}
        try:
            await self._until_ended(serving)
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(_TO_STOP):
                    await asyncio.gather(*map(self._stop, serving.values()), return_exceptions=True)
            for each in self._in_work.values():
                each.kept.close()
            self._syncing.stop()
        if self._spent is not None:
            raise BudgetSpent(self._spent)

    def _not_ended(self) -> Iterable[int]:
        for number in range(len(self._parts)):
            key, *counts = self._ended(number)
            if key == self._key:
                samples, answers, bad_rows = map(int, counts)
                self._counted(Counts(samples=samples, answers=answers, bad_rows=bad_rows))
            else:
                yield number

    def _ended(self, number: int) -> list[str]:
        path = self._folder_of(number) / ENDED_NAME
        return path.read_text("utf-8").split() if path.is_file() else [""]

    async def _until_ended(self, serving: "Mapping[asyncio.Task[None], Remote]") -> None:
        """Wait until no shard is left; raise the first error, and that of the last worker if all are gone."""
        running = set(serving)
        over = asyncio.create_task(self._over())
        try:
            while running and not over.done():
                done, _ = await asyncio.wait({over, *running}, return_when=asyncio.FIRST_COMPLETED)
                running -= done
                gone = None
                for task in done - {over}:
                    try:
                        task.result()
                    except WorkerGone as error:
                        gone = error
                if gone is not None and not running and not over.done():
                    raise ConfigurationError(
                        f"no worker is left: {gone}; everything so far is kept: re-run the command to resume"
                    )
        finally:
            over.cancel()

    async def _over(self) -> None:
        async with self._changed:
            await self._changed.wait_for(self._is_over)

    def _is_over(self) -> bool:
        return not self._in_work and (not self._waiting or self._spent is not None)

    async def _serve(self, worker: Remote) -> None:
        """Keep one worker busy until the run is over; come back to it whenever it was lost."""
        mine: set[int] = set()
        while True:
            hello = await worker.hello()
            self.running += 1
            try:
                await worker.drop()  # what it had before it was lost: others have that now
                while not self._is_over():
                    await self._hand_out(worker, mine)
                    if mine:
                        blocks = await self._pulled(worker)
                        for block in blocks:
                            self._write(block, mine)
                        if any(block.ended is not None for block in blocks):
                            await self._tell()  # not after each pull: hundreds of workers may wait for the last shards
            except WorkerLost as error:
                self.running -= 1
                self._lost(hello)
                self._take_back(mine, error)
                await self._tell()
            else:
                return

    async def _hand_out(self, worker: Remote, mine: set[int]) -> None:
        """Give the worker what it lacks; wait if there is nothing for it to do, since another may be lost."""
        while len(mine) < AHEAD and self._waiting and self._spent is None:
            number = self._waiting.popleft()
            kept = KeptFolder(self._folder_of(number), self._syncing)
            self._in_work[number] = _InWork(kept)
            mine.add(number)
            await worker.begin(number, self._parts[number].piece, kept.content())
        if not mine:
            async with self._changed:
                await self._changed.wait_for(lambda: self._is_over() or (self._waiting and self._spent is None))

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _pulled(self, worker: Remote) -> list[ShardNews]:
        """Return what a worker did; if this is canceled, `_stop` gets it, since the worker hands it over only once."""
        self._pulls[worker] = pull = asyncio.ensure_future(worker.pull())
        try:
            blocks = await asyncio.shield(pull)
        except WorkerLost:
            del self._pulls[worker]
            raise
        del self._pulls[worker]
        return blocks

    async def _stop(self, worker: Remote) -> None:
        """Take all shards from a worker, and write what it did until then: first what is on its way already."""
        pulls = [self._pulls.pop(worker)] if worker in self._pulls else []
        for blocks in await asyncio.gather(*pulls, worker.drop(), return_exceptions=True):
            for block in () if isinstance(blocks, BaseException) else blocks:
                if block.shard in self._in_work:
                    self._keep(block)

    def _write(self, block: ShardNews, mine: set[int]) -> None:
        if block.shard not in mine and (block.written or block.ended):
            return
        self._keep(block)
        if block.ended is None:
            return
        mine.discard(block.shard)
        shard = self._in_work.pop(block.shard)
        shard.kept.close()
        self._note_end(block.shard, shard, block.ended)

    def _keep(self, block: ShardNews) -> None:
        if block.written:
            self._in_work[block.shard].kept.write(block.written)
        if block.counts is not None:
            if block.shard in self._in_work:
                self._in_work[block.shard].count(block.counts)
            self._counted(block.counts)

    def _note_end(self, number: int, shard: "_InWork", ended: Ended) -> None:
        if ended.kind == DONE:
            self._tries.pop(number, None)
            line = f"{self._key} {shard.samples} {shard.answers} {shard.bad_rows}\n"
            write_whole(self._folder_of(number) / ENDED_NAME, line, otherwise="free some space and re-run the command")
        elif ended.kind == BROKEN:
            raise RuntimeError(f"a worker failed at {self._parts[number].where}:\n{ended.text}")
        elif ended.kind == BudgetSpent.__name__:
            self._spent = self._spent or ended.text
        else:
            raise ERRORS[ended.kind](ended.text)

    def _take_back(self, mine: set[int], error: WorkerLost) -> None:
        """Hand the shards of a lost worker to the next one that is free."""
        for number in sorted(mine, reverse=True):
            lost = self._in_work.pop(number)
            lost.kept.close()
            self._counted(lost.minus())
            self._waiting.appendleft(number)
            self._tries[number] = 1 if lost.made else self._tries.get(number, 0) + 1
        mine.clear()
        often = next((number for number, tries in self._tries.items() if tries >= _TRIES), None)
        if often is not None:
            raise ConfigurationError(
                f"{_TRIES} workers were lost over {self._parts[often].where}, as when memory runs out ({error}); "
                "everything so far is kept: re-run the command to resume, with fewer --workers or less --concurrency"
            )


@dataclass(slots=True)
class _InWork:
    """A shard that a worker has."""

    kept: KeptFolder
    samples: int = 0
    answers: int = 0
    bad_rows: int = 0
    made: int = 0
    """Results of this worker."""

    def count(self, counts: Counts) -> None:
        """Remember what the next worker will count again."""
        self.samples += counts.samples
        self.answers += counts.answers
        self.bad_rows += counts.bad_rows
        self.made += counts.made

    def minus(self) -> Counts:
        """Return what is to be counted off if the worker is lost."""
        return Counts(samples=-self.samples, answers=-self.answers, bad_rows=-self.bad_rows)
