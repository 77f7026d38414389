"""Three ways to combine k documents into one answer, each a sequence of steps.

    stuff        1 call: all documents in one prompt
    refine       k sequential calls (直列方式 in the papers): a = qa(q, d1); a = refine(q, a, di)
    map_reduce   k concurrent calls, then 1 (並列方式 in the papers): ai = qa(q, di); aggregate(q, a1 … ak)

Chains take documents as given: duplicates are processed twice, and `map_reduce` aggregates even a single answer, so
that k documents always mean the same number of calls.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from saiten.choices import ChainName
from saiten.executor import together
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step
from saiten.records import Language, Turn

CHAIN_NAMES: tuple[ChainName, ...] = get_args(ChainName)

Ask = Callable[[Step], Coroutine[Any, Any, str]]
"""Performs a step with a generator, timing and counting its calls."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question, with the part of the conversation that the answer may use."""

    text: str
    language: Language
    history: tuple[Turn, ...] = ()


Chain = Callable[[Ask, Question, Sequence[str]], Awaitable[str]]
"""Maps a question and at least one document, best first, to an answer; errors of `ask` propagate."""


async def stuff(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """Answer from all documents in one call: the plain baseline."""
    return await ask(_from_documents(question, *documents))


async def refine(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """Answer from the best document, then improve the answer with each further one, sequentially."""
    first, *further = documents
    answer = await ask(_from_documents(question, first))
    for document in further:
        answer = await ask(
            RefineAnswer(question.text, answer, document, language=question.language, history=question.history)
        )
    return answer


async def map_reduce(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """Answer from each document separately, concurrently; then aggregate the answers without the documents."""
    candidates = await together(ask(_from_documents(question, document)) for document in documents)
    return await ask(
        AggregateAnswers(question.text, tuple(candidates), language=question.language, history=question.history)
    )


def _from_documents(question: Question, *documents: str) -> AnswerFromDocuments:
    return AnswerFromDocuments(question.text, documents, language=question.language, history=question.history)


CHAINS: Mapping[ChainName, Chain] = {"stuff": stuff, "refine": refine, "map_reduce": map_reduce}

STEPS: Mapping[ChainName, tuple[type[Step], ...]] = {
    "stuff": (AnswerFromDocuments,),
    "refine": (AnswerFromDocuments, RefineAnswer),
    "map_reduce": (AnswerFromDocuments, AggregateAnswers),
}
"""The steps of each chain, on whose prompts its answers depend."""
