"""A system whose answers are recorded at once, so that an interrupted dialogue can be resumed.

The cache around the judge keeps the agents' replies; this does the same for the system under test: the same question
after the same history in the same conversation is not asked again.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache, partial
from hashlib import blake2b
from typing import Any

from pydantic import TypeAdapter

from saiten.protocols import System
from saiten.records import Answer, Inquiry

Write = Callable[[Mapping[str, Any], Answer], None]
_adapter = cache(partial(TypeAdapter, Answer))


class RecordedSystem:
    """Answers inquiries from the record if it has them, else from the system."""

    def __init__(self, system: System, lines: Iterable[Mapping[str, Any]], write: Write, at_once: int) -> None:
        """`lines`: the lines of the record that may be needed, held in memory; `write` adds one.

        `at_once`: concurrent questions; waiting for a slot does not count as latency.
        """
        self._system = system
        self._write = write
        self._places = asyncio.Semaphore(at_once)
        self._known: dict[str, Answer] = {}
        for line in lines:
            try:
                self._known[str(line["key"])] = _adapter().validate_python(line["answer"])
            except (KeyError, ValueError):
                continue  # a line of another version; ask the system again

    @property
    def name(self) -> str:
        return self._system.name

    def describe(self) -> Mapping[str, str]:
        return self._system.describe()

    async def answer(self, inquiry: Inquiry) -> Answer:
        """Return the recorded answer with its original cost, which no score has counted yet, else the system's."""
        key = _key(inquiry)
        known = self._known.pop(key, None)
        if known is not None:
            return known
        async with self._places:
            answer = await self._system.answer(inquiry)
        try:
            await asyncio.sleep(0)  # let the task that got the slot send first, so that the system need not wait for us
        finally:  # even if canceled now: the answer exists, and may have been paid for
            about = {"id": inquiry.id, "session": inquiry.session, "question": inquiry.question}
            self._write({"key": key, **about, "answer": asdict(answer)}, answer)
        return answer

    async def close(self) -> None:
        await self._system.close()


def _key(inquiry: Inquiry) -> str:
    said = [part for turn in inquiry.history for part in (turn.question, turn.answer)]
    parts = (inquiry.session, inquiry.id, *said, inquiry.question)
    marked = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(marked.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
