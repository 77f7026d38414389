"""Batches that the user runs: a file of requests for an offline runner, and a file of results from it."""

from collections.abc import Iterable
from dataclasses import replace

from saiten.errors import BatchPending, CallFailed
from saiten.models.batch.keeping import Keeper
from saiten.models.batch.sending import Batch
from saiten.models.batch.shelf import Shelf
from saiten.models.budget import Account
from saiten.models.http_client import SENT
from saiten.models.prices import Quote


def take_results(batch: Batch, shelf: Shelf, keeper: Keeper, account: Account, quote: Quote) -> bool:
    """Keep and hand out the results that the user has put next to the requests; return whether there are any."""
    files = [path for path in shelf.results(batch.record) if path.is_file()]
    if not files:
        return False
    replies, usage = keeper.keep(batch.keys, files)
    account.send(quote, len(replies))
    account.receive(replace(usage, calls=len(replies)), len(replies))
    batch.record = replace(batch.record, booked=True, ended="collected")
    shelf.keep(batch.record)
    batch.give(replies, lambda: CallFailed(f"{files[0]} has no reply to this request", SENT, retryable=True))
    return True


def pending(batches: Iterable[Batch], shelf: Shelf, model: str) -> BatchPending:
    """Return the error for everyone who waits for results that are not there: it says what to run."""
    waiting = [batch.record for batch in batches]
    lines = [f"{sum(record.requests for record in waiting)} requests wait to be run by you, for example:"]
    for record in waiting:
        output = shelf.results(record)[0]
        lines.append(f"  vllm run-batch -i {shelf.requests(record)} -o {output} --model {model}")
    lines.append("then re-run the command, which reads the results and goes on")
    return BatchPending("\n".join(lines))
