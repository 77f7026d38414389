"""The steps of a generator: answer from documents, refine, aggregate, write a search query."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from saiten.records import Language, Turn

I_DO_NOT_KNOW: Mapping[Language, str] = {"en": "I don't know.", "ja": "分かりません。"}
"""The answer if the documents do not answer, also in the prompts; `saiten.text.refusals` recognizes both."""

_SPEAKERS = {"en": ("User: ", "Assistant: "), "ja": ("利用者: ", "回答者: ")}


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """A step of a generator; hashable, like tasks."""

    prompt: ClassVar[str]
    """The name of the prompt file."""
    called: ClassVar[str]
    """The name under which calls are timed."""

    language: Language = field(kw_only=True)
    """The language of prompt and answer."""
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

    question: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefineAnswer(Step):
    """Improve an answer from other documents with one more document."""

    prompt = "rag_refine"
    called = "refine"

    question: str
    candidate: str
    document: str


@dataclass(frozen=True, slots=True)
class AggregateAnswers(Step):
    """Combine answers from single documents into one, without the documents."""

    prompt = "rag_aggregate"
    called = "aggregate"

    question: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteQuery(Step):
    """Write a search query that is understandable without the history."""

    prompt = "rag_query"
    called = "query"

    question: str


ALL_STEPS: tuple[type[Step], ...] = (AnswerFromDocuments, RefineAnswer, AggregateAnswers, WriteQuery)
