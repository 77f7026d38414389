"""Three ways to combine k documents into one answer, each a sequence of steps.

    stuff        1 call: all documents in one prompt
    refine       k sequential calls (直列方式 in the papers): a = qa(q, d1); a = refine(q, a, di)
    map_reduce   k concurrent calls, then 1 (並列方式 in the papers): ai = qa(q, di); aggregate(q, a1 … ak)

Chains take documents as given: duplicates are processed twice, and `map_reduce` aggregates even a single answer, so
that k documents always mean the same number of calls.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, get_args

from saiten.choices import ChainName
from saiten.executor import together
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step
from saiten.records import Inquiry

CHAIN_NAMES: tuple[ChainName, ...] = get_args(ChainName)

Ask = Callable[[Step], Coroutine[Any, Any, str]]
"""Performs a step with a generator, timing and counting its calls."""

Chain = Callable[[Ask, Inquiry, Sequence[str]], Awaitable[str]]
"""Maps an inquiry and at least one document, best first, to an answer; errors of `ask` propagate.

The answer may use the whole history.
"""


async def stuff(ask: Ask, inquiry: Inquiry, documents: Sequence[str]) -> str:
    """Answer from all documents in one call: the plain baseline."""
    return await ask(_from_documents(inquiry, *documents))


async def refine(ask: Ask, inquiry: Inquiry, documents: Sequence[str]) -> str:
    """Answer from the best document, then improve the answer with each further one, sequentially."""
    first, *further = documents
    answer = await ask(_from_documents(inquiry, first))
    for document in further:
        step = RefineAnswer(inquiry.question, answer, document, language=inquiry.language, history=inquiry.history)
        answer = await ask(step)
    return answer


async def map_reduce(ask: Ask, inquiry: Inquiry, documents: Sequence[str]) -> str:
    """Answer from each document separately, concurrently; then aggregate the answers without the documents."""
    candidates = await together(ask(_from_documents(inquiry, document)) for document in documents)
    step = AggregateAnswers(inquiry.question, tuple(candidates), language=inquiry.language, history=inquiry.history)
    return await ask(step)


def _from_documents(inquiry: Inquiry, *documents: str) -> AnswerFromDocuments:
    return AnswerFromDocuments(inquiry.question, documents, language=inquiry.language, history=inquiry.history)


CHAINS: Mapping[ChainName, Chain] = {"stuff": stuff, "refine": refine, "map_reduce": map_reduce}

STEPS: Mapping[ChainName, tuple[type[Step], ...]] = {
    "stuff": (AnswerFromDocuments,),
    "refine": (AnswerFromDocuments, RefineAnswer),
    "map_reduce": (AnswerFromDocuments, AggregateAnswers),
}
"""The steps of each chain, on whose prompts its answers depend."""
