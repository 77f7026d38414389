"""The steps of a generator (answer from documents, refine, aggregate, write a search query), and its interface."""

from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from saiten.protocols import Completion
from saiten.records import Language, Turn

I_DO_NOT_KNOW: Mapping[Language, str] = {"en": "I don't know.", "ja": "分かりません。"}
"""The answer if the documents do not answer, also in the prompts; `saiten.text.refusals` recognizes both."""

_SPEAKERS = {"en": ("User: ", "Assistant: "), "ja": ("利用者: ", "回答者: ")}


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """A step of a generator; hashable, like tasks."""

    prompt: ClassVar[str]
    called: ClassVar[str]
    """The name under which calls are timed."""

    question: str
    language: Language = field(kw_only=True)
    history: tuple[Turn, ...] = field(default=(), kw_only=True)
    """Earlier questions and answers, oldest first."""

    @property
    def conversation(self) -> tuple[str, ...]:
        """The history as a list of utterances, whose numbering no text can forge."""
        asks, answers = _SPEAKERS[self.language]
        return tuple(said for turn in self.history for said in (asks + turn.question, answers + turn.answer))


@dataclass(frozen=True, slots=True)
class AnswerFromDocuments(Step):
    """Answer the question from one or more documents, or say that they do not answer it."""

    prompt = "rag_answer"
    called = "qa"

    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefineAnswer(Step):
    """Improve an answer from other documents with one more document."""

    prompt = "rag_refine"
    called = "refine"

    candidate: str
    document: str


@dataclass(frozen=True, slots=True)
class AggregateAnswers(Step):
    """Combine answers from single documents into one, without the documents."""

    prompt = "rag_aggregate"
    called = "aggregate"

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteQuery(Step):
    """Write a search query that is understandable without the history."""

    prompt = "rag_query"
    called = "query"


ALL_STEPS: tuple[type[Step], ...] = (AnswerFromDocuments, RefineAnswer, AggregateAnswers, WriteQuery)


class Generator(Protocol):
    """Writes answers and search queries."""

    @property
    def name(self) -> str:
        """The name in signatures: the model and its endpoint, or `extractive`."""

    def describe(self, steps: Iterable[type[Step]]) -> Mapping[str, str]:
        """Return the settings that these steps' texts depend on: model, prompts, example, temperature, seed, …."""

    async def write(self, step: Step) -> Completion:
        """Return the text without thinking.

        Raises:
            CallFailed: the call failed permanently.
            Unreadable: the reply contains no usable text.
            ConfigurationError: the generator is misconfigured; no other step will succeed.
            BudgetSpent: the budget does not allow the call.
        """

    async def close(self) -> None:
        """Close connections and files."""
