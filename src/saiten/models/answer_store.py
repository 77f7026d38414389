"""What the cache expects of a store of answers: a file (`sqlite_store`) or a database (`postgres_store`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


def is_on_server(name: str) -> bool:
    """Return whether a store of this name is a database that all machines share; otherwise it is a file."""
    return name.lower().startswith(("postgresql://", "postgres://"))


@dataclass(frozen=True, slots=True)
class ClaimedKeys:
    """What became of keys whose values are needed: each is in one of the two, or in neither while others ask."""

    found: Mapping[bytes, bytes]
    """Values that are stored by now."""
    ours: frozenset[bytes]
    """Keys that the caller alone asks for: it calls `put` or `release` for each."""


class AnswerStore(Protocol):
    """A key-value store that several chats, embedders and processes share. Each method raises ConfigurationError."""

    async def get(self, key: bytes) -> bytes | None:
        """Return the value stored under the key, if any."""

    async def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values stored under these keys; missing keys are skipped."""

    async def claim(self, keys: Sequence[bytes]) -> ClaimedKeys:
        """Wait until one of the keys has a value or is the caller's to ask for; return all those.

        Who has a claim must not wait for another before it has put or released its own.
        """

    async def put(self, model: str, values: Mapping[bytes, bytes]) -> None:
        """Store or replace these values, all or none, and end their claims. `model` is only for people who look."""

    def release(self, keys: Sequence[bytes]) -> None:
        """End claims without a value; others may ask then. Does not wait, nor does `drop`."""

    def drop(self, key: bytes) -> None:
        """Delete the value of the key."""

    async def close(self) -> None:
        """Write what is left and disconnect; a closed store reopens on use."""
