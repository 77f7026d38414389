"""The dialect of a server: the form of structured output and the parameters it accepts.

Discovered once: the first request of a kind goes alone while others wait, and the result is remembered.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from saiten.errors import CallFailed
from saiten.models.faults import ParameterRefused
from saiten.models.layers import A, adding
from saiten.models.roles import SYSTEM_ROLE
from saiten.records import Usage

_log = logging.getLogger(__name__)


class Structured(IntEnum):
    """The forms of structured output, strictest first; each refusal leads to the next one."""

    JSON_SCHEMA = 0
    """`{"type": "json_schema", …, "strict": true}`: OpenAI, vLLM, llama.cpp, …"""
    JSON_OBJECT_SCHEMA = 1
    """`{"type": "json_object", "schema": …}`: llama-cpp-python, Together, …"""
    JSON_OBJECT = 2
    """`{"type": "json_object"}`: any JSON object."""
    TEXT = 3
    """No `response_format`: the schema is only in the prompt."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The forms and parameters a server accepts, as far as known."""

    structured: Structured = Structured.JSON_SCHEMA
    repeats_schema: bool = False
    """Whether the prompt repeats the schema, since the server seems to ignore the one it is sent."""
    renamed: bool = False
    """Whether `max_tokens` is called `max_completion_tokens`."""
    folded: bool = False
    """Whether the system text is moved into the first user message, since the model has no system role."""
    dropped: frozenset[str] = field(default_factory=frozenset)
    """Parameters that are no longer sent."""

    @property
    def schema_in_prompt(self) -> bool:
        """Whether the system message contains the schema."""
        return self.repeats_schema or self.structured > Structured.JSON_SCHEMA

    def without(self, refusal: ParameterRefused) -> "Dialect | None":
        """Return the dialect after a refusal; None if nothing is left to try."""
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
    """Discovers a server's dialect during use."""

    def __init__(self) -> None:
        self.dialect = Dialect()
        self._open: set[Hashable] = set()
        self._first = asyncio.Lock()

    async def run(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """Return what `ask` returns in a dialect the server accepts; `kind`: the parameters of the request."""
        if kind in self._open:
            return await self._insist(ask)
        async with self._first:
            if kind not in self._open:
                return await self._lead(kind, ask)
        return await self._insist(ask)

    def learn(self, dialect: Dialect, why: str) -> None:
        """Switch to this dialect."""
        _log.info("%s; going on with %s", why, dialect)
        self.dialect = dialect

    def reset(self) -> None:
        """Forget waiting callers, but not the dialect; for use in another event loop."""
        self._first = asyncio.Lock()

    async def _lead(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """Run the first request of a kind.

        If it fails, release the others too, so that a faulty server is not asked one by one; after an error of the
        whole run they would all fail, so they stay blocked.
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
            except ParameterRefused as refusal:
                spent += refusal.usage
                if self.dialect is dialect:  # unchanged by concurrent requests
                    lower = dialect.without(refusal)
                    if lower is None:
                        refusal.usage = spent
                        raise
                    self.learn(lower, str(refusal))
            except CallFailed as error:
                error.usage = spent + error.usage
                raise
