"""Replies in a worker: shared by its shards, and kept with each shard, so that they outlive the worker.

Workers on one machine share a file instead.
"""

from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path

from saiten.durable.appended_file import AppendedFile
from saiten.models.sqlite_store import SQLiteStore
from saiten.runs.lines import read_lines, to_line

REPLIES_NAME = "replies.jsonl"
"""The file of replies in a shard's folder."""

_SHARD: ContextVar["_RepliesOfShard"] = ContextVar("the replies of the shard that the running task belongs to")


class RepliesOfWorker(SQLiteStore):
    """The cache of one worker, which also writes each reply into the folder of the shard that paid for it."""

    async def put(self, model: str, values: Mapping[bytes, bytes]) -> None:
        await super().put(model, values)
        if (shard := _SHARD.get(None)) is not None:
            shard.add(model, values)

    @asynccontextmanager
    async def of_shard(self, folder: Path) -> AsyncIterator[None]:
        """Use the replies in the folder, and add those of the running task and of the tasks that it starts."""
        path = folder / REPLIES_NAME
        if path.exists():
            for _, line in read_lines(path, dict[str, str]):
                await super().put(line["model"], {bytes.fromhex(line["key"]): b64decode(line["value"])})
        shard = _RepliesOfShard(path)
        before = _SHARD.set(shard)
        try:
            yield
        finally:
            _SHARD.reset(before)
            shard.close()


class _RepliesOfShard:
    """The file of one shard, made with the first reply: a run begins with its manifest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: AppendedFile | None = None

    def add(self, model: str, values: Mapping[bytes, bytes]) -> None:
        if self._file is None:
            self._file = AppendedFile(self._path)
        for key, value in values.items():
            self._file.append(to_line({"key": key.hex(), "model": model, "value": b64encode(value).decode()}))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
