"""Saiten's RAG: retrieves passages for a question, combines them into an answer by a chain, and times every call."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, get_args

from saiten.choices import ChainName, RagForm
from saiten.errors import ConfigurationError, JudgeError, SystemFailed, Unreadable
from saiten.protocols import Completion, Retriever
from saiten.rag.chains import CHAIN_NAMES, CHAINS, STEPS
from saiten.rag.steps import I_DO_NOT_KNOW, Generator, Step, WriteQuery
from saiten.records import Answer, Inquiry, Passage, Retrieved, TimedCall, Usage

T = TypeVar("T", Completion, Retrieved)
Clock = Callable[[], float]
"""Returns seconds since a fixed point; monotonic."""


@dataclass(slots=True)
class CallLog:
    """The calls made for one question."""

    clock: Clock
    _entries: list[TimedCall | None] = field(default_factory=list)

    async def timed(self, step: str, call: Awaitable[T]) -> T:
        """Return the call's result, recording time and cost even if it fails or is canceled."""
        place, begun = len(self._entries), self.clock()
        self._entries.append(None)
        usage = Usage()
        try:
            result = await call
            usage = result.usage
        except JudgeError as error:
            usage = error.usage
            raise
        finally:
            self._entries[place] = TimedCall(step, self.clock() - begun, usage)
        return result

    @property
    def calls(self) -> tuple[TimedCall, ...]:
        """The calls made; cached answers are excluded, since their time means nothing."""
        return tuple(call for call in self._ended if not _reused(call))

    @property
    def measured(self) -> bool:
        """Whether all calls were made, so that the total time is meaningful."""
        return not any(map(_reused, self._ended))

    @property
    def usage(self) -> Usage:
        """The cost of all calls, including reused ones."""
        return sum((call.usage for call in self._ended), Usage())

    @property
    def _ended(self) -> list[TimedCall]:
        return [entry for entry in self._entries if entry is not None]


def _reused(call: TimedCall) -> bool:
    return bool(call.usage.reused and not call.usage.calls)


FORMS: tuple[RagForm, ...] = get_args(RagForm)

_LONGEST = 1_000
"""Characters of a search query; anything longer is an answer rather than a query, and its beginning will do."""
_LABEL = re.compile(r"(?:search )?query\s*[:：]\s*|(?:検索)?クエリー?\s*[:：]\s*", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "「": "」", "`": "`", "'": "'"}


@dataclass(frozen=True, slots=True)
class Rag:
    """A `System` made of a retriever, a generator and a chain.

    If nothing is retrieved, the generator is not called: the answer is *I don't know* in the question's language,
    without contexts. On the first turn of a conversation `mqa` searches for the unchanged question.
    An answer with a cached call has no latency; waits for the rate limit and for retries count, as they would for the
    user.
    """

    retriever: Retriever
    generator: Generator
    chain: ChainName = "stuff"
    form: RagForm = "qa"
    k: int = 5
    """Passages to retrieve per question."""
    clock: Clock = field(default=time.perf_counter, repr=False)

    def __post_init__(self) -> None:
        if self.chain not in CHAINS:
            raise ConfigurationError(f"unknown chain {self.chain!r}; expected one of {', '.join(CHAIN_NAMES)}")
        if self.form not in FORMS:
            raise ConfigurationError(f"unknown form {self.form!r}; expected one of {', '.join(FORMS)}")
        if self.k < 1:
            raise ConfigurationError(f"at least one passage must be retrieved, k is {self.k}")

    @property
    def name(self) -> str:
        """Chain, form, k and generator, for example `rag[refine,qa,k=5]:extractive`."""
        return f"rag[{self.chain},{self.form},k={self.k}]:{self.generator.name}"

    def describe(self) -> Mapping[str, str]:
        steps: tuple[type[Step], ...] = STEPS[self.chain] + ((WriteQuery,) if self.form == "mqa" else ())
        return {
            "system": "rag",
            "chain": self.chain,
            "form": self.form,
            "k": str(self.k),
            "knowledge_base": self.retriever.name,
            **self.generator.describe(steps),
        }

    async def answer(self, inquiry: Inquiry) -> Answer:
        log, begun = CallLog(self.clock), self.clock()
        try:
            passages, text = await self._answer(inquiry, log)
        except JudgeError as error:
            unreadable = isinstance(error, Unreadable)
            raise SystemFailed(str(error), "unreadable" if unreadable else "failed", log.usage) from error
        seconds = self.clock() - begun
        return Answer(text, passages, seconds if log.measured else None, log.usage, log.calls)

    async def close(self) -> None:
        """Close the generator and the retriever, the latter even if the former fails to close."""
        try:
            await self.generator.close()
        finally:
            await self.retriever.close()

    async def _answer(self, inquiry: Inquiry, log: CallLog) -> tuple[tuple[Passage, ...], str]:
        if self.form == "qa":
            inquiry = replace(inquiry, history=())

        async def ask(step: Step) -> str:
            return (await log.timed(step.called, self.generator.write(step))).text

        query = inquiry.question
        if inquiry.history:
            write = WriteQuery(query, language=inquiry.language, history=inquiry.history)
            query = read_query(await ask(write), query)
        found = await log.timed("retrieve", self.retriever.retrieve(query, self.k))
        if not found.passages:
            return (), I_DO_NOT_KNOW[inquiry.language]
        documents = [passage.text for passage in found.passages]
        return found.passages, await CHAINS[self.chain](ask, inquiry, documents)


def read_query(text: str, question: str) -> str:
    """Return the first non-blank line, without label and quotation marks, as search query; else the question."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    query = _LABEL.sub("", line, count=1).strip() if _LABEL.match(line) else line
    if len(query) > 1 and _QUOTES.get(query[0]) == query[-1] and query.count(query[0]) <= 2:
        query = query[1:-1].strip()
    return query[:_LONGEST] or question
