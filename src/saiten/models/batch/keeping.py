"""Keeping a batch's replies: each readable one goes to the answer store at once, whoever asked for it."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from saiten.errors import CallFailed
from saiten.models.answer_store import AnswerStore
from saiten.models.batch.lines import ResultLines, results_in
from saiten.models.cache import written
from saiten.models.endpoint import Endpoint
from saiten.models.http_client import SENT, HttpReply
from saiten.models.openai_compatible import read_completion, read_usage
from saiten.models.prices import Price
from saiten.models.wire import load
from saiten.records import Usage

_AT_ONCE = 500  # answers per transaction


class Keeper:
    """Reads files of results, for one model."""

    def __init__(
        self, store: AnswerStore, endpoint: Endpoint, price: Price | None, notify: Callable[[str], None]
    ) -> None:
        """`price`: that of a batched request."""
        self._store = store
        self._endpoint = endpoint
        self._price = price
        self._notify = notify

    def lines(self, write: Callable[[bytes], object]) -> ResultLines:
        """Return what writes a file of results without the secrets that were sent to this model."""
        return ResultLines(write, self._endpoint.hide)

    async def keep(self, keys: Collection[str], files: Sequence[Path]) -> tuple[dict[str, HttpReply], Usage]:
        """Return the reply to each key that has one, and what all of them cost; nothing is lost once this returns."""
        replies: dict[str, HttpReply] = {}
        unknown = 0
        for line in (line for file in files if file.is_file() for line in results_in(file, self._notify)):
            if line.key not in keys:
                unknown += 1
            elif line.reply is not None and (line.key not in replies or replies[line.key].status != 200):
                replies[line.key] = line.reply
        if unknown:
            self._notify(f"{unknown} lines of {files[0].parent} belong to no request of their batch, and are ignored")
        spent, kept = Usage(), dict[bytes, bytes]()
        for key, reply in replies.items():
            usage, answer = self._read(reply)
            spent += usage
            if answer is not None:
                kept[bytes.fromhex(key)] = answer
            if len(kept) == _AT_ONCE:
                await self._store.put(self._endpoint.name, kept)
                kept = {}
        if kept:
            await self._store.put(self._endpoint.name, kept)
        return replies, spent + Usage(calls=len(keys) - len(replies))

    def _read(self, reply: HttpReply) -> tuple[Usage, bytes | None]:
        """Return what a reply cost, and the answer to keep, if it is one."""
        value = load(reply.body)
        if reply.status != 200 or not isinstance(value, dict):
            return SENT, None
        try:
            answer = read_completion(value, self._endpoint)
            usage, kept = answer.usage, written(answer)
        except CallFailed:
            usage, kept = read_usage(value), None
        return (usage if self._price is None else self._price.priced(usage)), kept
