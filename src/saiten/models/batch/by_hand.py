"""Batches that the user runs: a file of requests for an offline runner, and a file of results from it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from saiten.errors import BatchPending, CallFailed
from saiten.models.batch.keeping import Keeper
from saiten.models.batch.lines import keys_in
from saiten.models.batch.sending import Batch
from saiten.models.batch.shelf import Shelf
from saiten.models.budget import Account
from saiten.models.http_client import SENT
from saiten.models.prices import Quote


async def take_results(batch: Batch, shelf: Shelf, keeper: Keeper, account: Account, price: Quote) -> bool:
    """Keep and hand out the results that the user has put next to the requests; return whether they are complete.

    They are if every request has one, or if there is a file of errors, which says that the runner has ended.
    """
    output, errors = shelf.results(batch.record)
    files = [path for path in (output, errors) if path.is_file()]
    if not errors.is_file() and _found(batch, output) < len(batch.keys):
        return False
    replies, usage = await keeper.keep(batch.keys, files)
    account.send(price, len(replies))
    account.receive(replace(usage, calls=len(replies)), price, len(replies))
    batch.record = replace(batch.record, booked=True, ended="collected")
    shelf.keep(batch.record)
    batch.give(replies, lambda: CallFailed(f"{files[0]} has no reply to this request", SENT, retryable=True))
    return True


def pending(batches: Sequence[Batch], shelf: Shelf, model: str) -> BatchPending:
    """Return the error for everyone who waits for results that are not there: it says what to run."""
    lines = [f"{sum(batch.record.requests for batch in batches)} requests wait to be run by you, for example:"]
    for batch in batches:
        record = batch.record
        output, errors = shelf.results(record)
        asked, said, marked = (quote(str(path)) for path in (shelf.requests(record), output, errors))
        lines.append(f"  vllm run-batch -i {asked} -o {said} --model {quote(model)}")
        if found := _found(batch, output):
            lines.append(f"  {output} has {found} of {record.requests} replies; if its runner has ended:")
            lines.append(f"  touch {marked}")
    lines.append("then re-run the command, which reads the results and goes on")
    return BatchPending("\n".join(lines))


def _found(batch: Batch, file: Path) -> int:
    """Return how many requests of the batch have a line in the file."""
    return len(batch.keys & set(keys_in(file))) if file.is_file() else 0
