"""A batch from its requests on disk to its replies on disk: submit, wait, keep."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

from saiten.errors import BatchPending, CallFailed, ConfigurationError, SaitenError
from saiten.models.batch.by_hand import take_results
from saiten.models.batch.keeping import Keeper
from saiten.models.batch.sending import Batch
from saiten.models.batch.server import ENDED, BatchServer, BatchStatus
from saiten.models.batch.shelf import Shelf
from saiten.models.budget import Account
from saiten.models.http_client import SENT
from saiten.models.limits import Retries
from saiten.models.prices import Quote
from saiten.records import Usage

T = TypeVar("T")

_FIRST_WAIT, _LONGER = 2.0, 1.5  # seconds before the second look at a batch, and the growth of the wait
_LONGEST = 300.0  # seconds: the longest Retry-After that is honored in full
_FAILURES = 120  # looks in a row that fail before the command stops: about an hour and a half


class Submitting:
    """A `Sending` through the endpoints of a server, for one model.

    A batch is on disk before it is submitted, and its name at the server right after. A command that was killed in
    between finds the batch by its mark in the server's list.
    """

    def __init__(
        self,
        model: str,
        server: BatchServer,
        keeper: Keeper,
        account: Account,
        quote: Quote,
        *,
        by_hand: bool,
        poll: float,
        notify: Callable[[str], None],
        report: Callable[[str], object] = lambda _: None,
        retries: Retries = Retries(),  # noqa: B008 - frozen
    ) -> None:
        """Set what all batches share.

        Args:
            model: The full name, for messages.
            server: Where to.
            keeper: Keeps the replies.
            account: Books requests when they are submitted, and their cost when they are kept.
            quote: The price of a batched request.
            by_hand: Whether the user runs new batches; those of earlier commands may still be at the server.
            poll: Longest wait between two looks at a batch, in seconds.
            notify: Called with what the user should know.
            report: Called with how far the open batches are, whenever that is known; "" for none.
            retries: Of a request that submits a batch or looks at it.
        """
        self.by_hand = by_hand
        self._name = model
        self._server = server
        self._keeper = keeper
        self._account = account
        self._quote = quote
        self._poll = poll
        self._notify = notify
        self._report = report
        self._retries = retries
        self._rng = Random(0)  # noqa: S311 - jitter, not cryptography
        self._texts: dict[int, str] = {}
        self._since: dict[int, float] = {}

    async def run(self, batch: Batch, shelf: Shelf) -> None:
        if batch.record.by_hand:
            taken = await take_results(batch, shelf, self._keeper, self._account, self._quote)
            if not taken and not self.by_hand:
                self._drop(batch, shelf, "left, since its requests are now sent")
            return
        try:
            if not batch.record.id and not await self._submitted(batch, shelf):
                return
            await self._keep(batch, shelf, await self._ended(batch))
        except CallFailed as error:  # not one of the requests, which nobody may send again while the batch is open
            raise ConfigurationError(
                f"{self._name}: no word of batch {batch.record.id or batch.record.number} ({error}); "
                "re-run the command to collect it"
            ) from error
        finally:
            self._texts.pop(batch.record.number, None)
            self._report(", ".join(self._texts.values()))

    async def close(self) -> None:
        await self._server.close()

    async def _submitted(self, batch: Batch, shelf: Shelf) -> bool:
        """Return whether the server has the batch; one of an earlier command that it lacks is dropped."""
        found = None
        if not batch.ours:
            found = await self._found(batch) if batch.record.booked else None
            if found is None:
                self._drop(batch, shelf, "never submitted")
                return False
        try:
            found = found or await self._create(batch, shelf)
        except SaitenError as error:
            self._drop(batch, shelf, "refused", give=False)
            if isinstance(error, CallFailed):
                said = f"{self._name}: no batch could be submitted ({error}); re-run the command to try again"
                raise ConfigurationError(said) from error
            raise
        batch.record = replace(batch.record, id=found.id, cancel=self._server.cancelling(found.id))
        shelf.keep(batch.record)
        self._said(batch, found)
        return True

    async def _create(self, batch: Batch, shelf: Shelf) -> BatchStatus:
        file = await self._patiently(lambda: self._server.upload(shelf.requests(batch.record)))
        self._account.send(self._quote, batch.record.requests)
        batch.record = replace(batch.record, file=file, booked=True)
        shelf.keep(batch.record)

        async def once() -> BatchStatus:
            try:
                return await self._server.create(file, batch.record.mark)
            except CallFailed as error:
                if error.usage.unpriced and (found := await self._arrived(batch, error)):
                    return found
                raise

        return await self._patiently(once)

    async def _arrived(self, batch: Batch, error: CallFailed) -> BatchStatus | None:
        """Return the batch that may have been created although the connection broke off."""
        try:
            return await self._server.find(batch.record.mark)
        except ConfigurationError:
            raise ConfigurationError(
                f"{error}, so it is unknown whether a batch of {batch.record.requests} requests was created, and this "
                "server cannot be asked; see the provider's page, cancel one that is there, and re-run the command"
            ) from error
        except CallFailed:
            raise error from None

    async def _found(self, batch: Batch) -> BatchStatus | None:
        try:
            return await self._patiently(lambda: self._server.find(batch.record.mark))
        except ConfigurationError as error:
            self._notify(
                f"{self._name} does not list its batches ({error}), so it is unknown whether batch "
                f"{batch.record.number} was created; its requests are sent again"
            )
            return None

    def _drop(self, batch: Batch, shelf: Shelf, why: str, *, give: bool = True) -> None:
        """Give up a batch that the server does not have: its requests are as good as never sent."""
        if batch.record.booked:
            self._account.receive(Usage(), self._quote, batch.record.requests)
        batch.record = replace(batch.record, ended=why)
        shelf.keep(batch.record)
        if give:
            batch.give({}, lambda: self._unanswered(batch, "was not submitted"))

    async def _ended(self, batch: Batch) -> BatchStatus:
        """Return the batch once it has ended."""
        wait, failures, asked = min(_FIRST_WAIT, self._poll), 0, 0.0
        while True:
            try:
                status = await self._server.look(batch.record.id)
            except CallFailed as error:
                failures, asked = failures + 1, min(error.retry_after or 0.0, _LONGEST)
                if not error.retryable or failures == _FAILURES:
                    raise
            else:
                failures, asked = 0, 0.0
                self._said(batch, status)
                if status.status in ENDED:
                    return status
            await asyncio.sleep(max(self._rng.uniform(wait / 2, wait), asked))
            wait = min(wait * _LONGER, self._poll)

    async def _keep(self, batch: Batch, shelf: Shelf, status: BatchStatus) -> None:
        record = batch.record
        if status.status == "failed":
            self._drop(batch, shelf, "failed", give=False)
            said = status.said or "without a reason"
            raise ConfigurationError(f"{self._name} did not accept batch {record.id}: {said}")
        for name, path in zip(status.files, shelf.results(record), strict=True):
            if name:
                await self._patiently(partial(self._fetch, shelf, status, name, path))
        replies, usage = await self._keeper.keep(batch.keys, shelf.results(record))
        self._account.receive(usage, self._quote, record.requests)
        batch.record = replace(record, ended=status.status)
        shelf.keep(batch.record)
        if status.status == "cancelled":
            batch.stop = stop = BatchPending(
                f"batch {record.id} was cancelled; {len(replies)} of {record.requests} replies came, and are kept; "
                "re-run the command to send the rest in a new batch"
            )
            batch.give(replies, lambda: copy(stop))
            return
        why = "expired before it came to this request" if status.status == "expired" else "has no reply to this request"
        batch.give(replies, lambda: self._unanswered(batch, why))

    async def _fetch(self, shelf: Shelf, status: BatchStatus, name: str, path: Path) -> None:
        with shelf.writing(path) as file:
            lines = self._keeper.lines(file.write)
            await self._server.fetch(status, name, lines.add)
            lines.end()

    def _unanswered(self, batch: Batch, why: str) -> CallFailed:
        name = batch.record.id or str(batch.record.number)
        return CallFailed(f"{self._name}: batch {name} {why}", SENT, retryable=True)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what the call returns, after retries."""
        for failures in range(1, self._retries.attempts):
            try:
                return await call()
            except CallFailed as error:
                if not error.retryable:
                    raise
                await asyncio.sleep(self._retries.wait(failures, error.retry_after, self._rng))
        return await call()

    def _said(self, batch: Batch, status: BatchStatus) -> None:
        """Report how far the open batches are."""
        record = batch.record
        minutes = (time.monotonic() - self._since.setdefault(record.number, time.monotonic())) / 60
        done = f"{status.done} of {record.requests} requests, {minutes:.0f} min"
        self._texts[record.number] = f"batch {record.number} {status.status.replace('_', ' ')} ({done})"
        self._report(", ".join(self._texts.values()))
