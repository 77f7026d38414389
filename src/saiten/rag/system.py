"""Our RAG: a question goes in, passages are retrieved, a chain joins them into an answer, and every call is timed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from saiten.choices import ChainName, RagForm
from saiten.errors import ConfigurationError, JudgeError, SystemFailed, Unreadable
from saiten.protocols import Retriever
from saiten.rag.chains import CHAIN_NAMES, CHAINS, STEPS, Ask, Question
from saiten.rag.generator import Generator
from saiten.rag.ledger import Clock, Ledger
from saiten.rag.query import read_query
from saiten.rag.steps import Step, WriteQuery
from saiten.rag.unknown import I_DO_NOT_KNOW
from saiten.records import Answer, Inquiry, Passage

FORMS: tuple[RagForm, ...] = get_args(RagForm)


@dataclass(frozen=True, slots=True)
class Rag:
    """A retriever, a generator, and the way in which they answer. Implements `System`.

    Where nothing is retrieved, the generator is asked nothing: the answer is *I don't know* in the question's
    language, without contexts. On the first turn of a conversation `mqa` searches for the question as it is.
    An answer for which some call was answered from disk has no latency; waits for the rate and for another attempt at
    a call are in the latency, as the user would wait for them too.
    """

    retriever: Retriever
    generator: Generator
    chain: ChainName = "stuff"
    form: RagForm = "qa"
    k: int = 5
    """Passages to retrieve for a question."""
    clock: Clock = field(default=time.perf_counter, repr=False)
    """Times the calls."""

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
        asked: tuple[type[Step], ...] = STEPS[self.chain] + ((WriteQuery,) if self.form == "mqa" else ())
        return {
            "system": "rag",
            "chain": self.chain,
            "form": self.form,
            "k": str(self.k),
            "knowledge_base": self.retriever.name,
            **self.generator.describe(asked),
        }

    async def answer(self, inquiry: Inquiry) -> Answer:
        ledger, begun = Ledger(self.clock), self.clock()
        try:
            passages, text = await self._answer(inquiry, ledger)
        except JudgeError as error:
            unreadable = isinstance(error, Unreadable)
            raise SystemFailed(str(error), "unreadable" if unreadable else "failed", ledger.usage) from error
        seconds = self.clock() - begun
        return Answer(text, passages, seconds if ledger.measured else None, ledger.usage, ledger.calls)

    async def close(self) -> None:
        """Close the generator and the retriever, the second also where the first cannot be closed."""
        try:
            await self.generator.close()
        finally:
            await self.retriever.close()

    async def _answer(self, inquiry: Inquiry, ledger: Ledger) -> tuple[tuple[Passage, ...], str]:
        history = inquiry.history if self.form == "mqa" else ()
        question = Question(inquiry.question, inquiry.language, history)
        ask = self._asking(ledger)
        query = await _query(ask, question) if history else question.text
        found = await ledger.timed("retrieve", self.retriever.retrieve(query, self.k))
        if not found.passages:
            return (), I_DO_NOT_KNOW[question.language]
        documents = [passage.text for passage in found.passages]
        return found.passages, await CHAINS[self.chain](ask, question, documents)

    def _asking(self, ledger: Ledger) -> Ask:
        async def ask(step: Step) -> str:
            return (await ledger.timed(step.called, self.generator.write(step))).text

        return ask


async def _query(ask: Ask, question: Question) -> str:
    step = WriteQuery(question.text, language=question.language, history=question.history)
    return read_query(await ask(step), question.text)
