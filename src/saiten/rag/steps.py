"""What a generator can be asked: answer from documents, refine an answer, aggregate answers, write a search query."""

from abc import ABC
from dataclasses import dataclass, field
from typing import ClassVar

from saiten.records import Language, Turn

_SPEAKERS = {"en": ("User: ", "Assistant: "), "ja": ("利用者: ", "回答者: ")}


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """One thing that a generator can be asked; hashable, as tasks are."""

    prompt: ClassVar[str]
    """The name of the prompt file."""
    called: ClassVar[str]
    """The name under which its calls are timed."""

    language: Language = field(kw_only=True)
    """Of the prompt, and of the answer."""
    history: tuple[Turn, ...] = field(default=(), kw_only=True)
    """What was asked and answered before, oldest first."""

    @property
    def conversation(self) -> tuple[str, ...]:
        """The history as a prompt shows it: a list of utterances, whose numbers no text in them can forge."""
        asks, answers = _SPEAKERS[self.language]
        return tuple(said for turn in self.history for said in (asks + turn.question, answers + turn.answer))


@dataclass(frozen=True, slots=True)
class AnswerFromDocuments(Step):
    """Answer the question from one document or several, and say so where they do not answer it."""

    prompt = "rag_answer"
    called = "qa"

    question: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefineAnswer(Step):
    """Improve an answer that other documents gave with one more document."""

    prompt = "rag_refine"
    called = "refine"

    question: str
    candidate: str
    document: str


@dataclass(frozen=True, slots=True)
class AggregateAnswers(Step):
    """Write one answer out of those that single documents gave; the documents themselves are not seen."""

    prompt = "rag_aggregate"
    called = "aggregate"

    question: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteQuery(Step):
    """Write what to search for, so that it is understood without the history."""

    prompt = "rag_query"
    called = "query"

    question: str


ALL_STEPS: tuple[type[Step], ...] = (AnswerFromDocuments, RefineAnswer, AggregateAnswers, WriteQuery)
