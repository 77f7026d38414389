"""Three ways to join k documents into one answer: which steps are asked for, in which order, and nothing else.

    stuff        1 call: all documents in one prompt
    refine       k calls, one after another (the papers' serial method, 直列方式): a = qa(q, d1); a = refine(q, a, di)
    map_reduce   k calls at once, then 1 (the papers' parallel method, 並列方式): ai = qa(q, di); aggregate(q, a1 … ak)

A chain takes the documents as they come: one that comes twice is asked about twice, and with a single document
`map_reduce` still aggregates, so that k documents always mean the same number of calls.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from saiten.choices import ChainName
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step
from saiten.rag.together import together
from saiten.records import Language, Turn

CHAIN_NAMES: tuple[ChainName, ...] = get_args(ChainName)

Ask = Callable[[Step], Coroutine[Any, Any, str]]
"""Gets a step written: by a generator, with its calls timed and counted."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what was said before as far as the answer may know it."""

    text: str
    language: Language
    history: tuple[Turn, ...] = ()


Chain = Callable[[Ask, Question, Sequence[str]], Awaitable[str]]
"""From a question and at least one document, best first, to an answer; lets the errors of `ask` pass."""


async def stuff(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """The plain baseline: one call that sees every document."""
    return await ask(_from_documents(question, *documents))


async def refine(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """An answer from the best document, then improved with each further one: k calls, one after another."""
    first, *further = documents
    answer = await ask(_from_documents(question, first))
    for document in further:
        answer = await ask(
            RefineAnswer(question.text, answer, document, language=question.language, history=question.history)
        )
    return answer


async def map_reduce(ask: Ask, question: Question, documents: Sequence[str]) -> str:
    """An answer from each document alone, all at once; then one out of those, without the documents."""
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
"""What each chain may ask for: the prompts that its answers depend on."""
