"""The dialect of a server: which form of structured output it takes, and which parameters it refuses.

Found out by asking, once: the first request of a kind goes alone while the others wait, and what is learned is kept.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from saiten.errors import CallFailed
from saiten.models.faults import Refused
from saiten.models.layers import A, adding
from saiten.models.roles import SYSTEM_ROLE
from saiten.records import Usage

_log = logging.getLogger(__name__)


class Structured(IntEnum):
    """The forms of structured output, from the strictest down; a refusal leads one rung down."""

    JSON_SCHEMA = 0
    """`{"type": "json_schema", …, "strict": true}`: OpenAI, vLLM, llama.cpp, …"""
    JSON_OBJECT_SCHEMA = 1
    """`{"type": "json_object", "schema": …}`: llama-cpp-python, Together, …"""
    JSON_OBJECT = 2
    """`{"type": "json_object"}`: any JSON object."""
    TEXT = 3
    """No `response_format`: the schema is only told."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes, as far as is known."""

    structured: Structured = Structured.JSON_SCHEMA
    tells: bool = False
    """Whether the schema is told in the system message although the server is given it: it seems not to read it."""
    renamed: bool = False
    """Whether `max_tokens` is written `max_completion_tokens`."""
    folded: bool = False
    """Whether the system text opens the first user message: the model has no system role."""
    dropped: frozenset[str] = field(default_factory=frozenset)
    """Parameters that are not sent any more."""

    @property
    def told(self) -> bool:
        """Whether the schema stands in the system message."""
        return self.tells or self.structured > Structured.JSON_SCHEMA

    def without(self, refusal: Refused) -> "Dialect | None":
        """The dialect after a refusal; None if nothing is left to try."""
        name = refusal.parameter
        if name == "response_format":
            lower = self.structured + 1
            return replace(self, structured=Structured(lower)) if lower <= Structured.TEXT else None
        if name == SYSTEM_ROLE:
            return None if self.folded else replace(self, folded=True)
        if name == "max_tokens" and "max_completion_tokens" in refusal.hint and not self.renamed:
            return replace(self, renamed=True)
        return replace(self, dropped=self.dropped | {name}) if name not in self.dropped else None


class Negotiation:
    """Finds out a server's dialect while it is used."""

    def __init__(self) -> None:
        self.dialect = Dialect()
        self._open: set[Hashable] = set()
        self._first = asyncio.Lock()

    async def run(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """What `ask` returns in a dialect that the server takes; `kind`: which parameters the request has."""
        if kind in self._open:
            return await self._insist(ask)
        async with self._first:
            if kind not in self._open:
                return await self._lead(kind, ask)
        return await self._insist(ask)

    def learn(self, dialect: Dialect, why: str) -> None:
        """Go on in this dialect."""
        _log.info("%s; going on with %s", why, dialect)
        self.dialect = dialect

    def reset(self) -> None:
        """Forget who is waiting, not what was learned; for another event loop."""
        self._first = asyncio.Lock()

    async def _lead(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """The first of a kind.

        A failure lets the others go too, lest a faulty server be asked one by one; an error of the whole run does not,
        since none of them would succeed.
        """
        try:
            answer = await self._insist(ask)
        except CallFailed:
            self._open.add(kind)
            raise
        self._open.add(kind)
        return answer

    async def _insist(self, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        spent = Usage()
        while True:
            dialect = self.dialect
            try:
                return adding(await ask(dialect), spent)
            except Refused as refusal:
                spent += refusal.usage
                if self.dialect is dialect:  # nobody else has learned meanwhile
                    lower = dialect.without(refusal)
                    if lower is None:
                        refusal.usage = spent
                        raise
                    self.learn(lower, str(refusal))
            except CallFailed as error:
                error.usage = spent + error.usage
                raise
