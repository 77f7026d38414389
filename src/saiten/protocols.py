"""The interfaces of saiten on one page: chat model, embedder, judge, system under test, metric.

A *task* is something that a judge can be asked to do: a frozen dataclass with its inputs, the type of its reply and the
name of its prompt. Metrics know tasks and the `Judge` interface, but neither prompts nor models.
"""

from abc import ABC
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, PrivateAttr

from saiten.records import FREE, Answer, Inquiry, Language, Retrieved, Sample, Score, Turn, Usage


class Closable(Protocol):
    """Something that holds connections or files until it is closed."""

    async def close(self) -> None:
        """Close connections and files."""


# ---------------------------------------------------------------------------------------------------- tasks


class Reply(BaseModel):
    """A judge's reply to a task; its fields are the JSON schema that the model must follow.

    A reply knows its cost (`usage`), which is not part of the schema.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    _usage: Usage = PrivateAttr(default_factory=lambda: FREE)

    @property
    def usage(self) -> Usage:
        """The cost of this reply."""
        private: Mapping[str, Usage] = self.__pydantic_private__ or {}  # a third of the time of `self._usage`
        return private["_usage"]

    def with_usage(self, usage: Usage) -> Self:
        """Return the reply with this cost."""
        copy = self.model_copy()
        copy._usage = usage  # noqa: SLF001 - same class
        return copy


R = TypeVar("R", bound=Reply)


@cache
def snake_case(name: str) -> str:
    """Convert `SplitStatements` to `split_statements`."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


ReplyFormat = Literal["json", "prometheus", "marker"]
"""JSON by schema · `Feedback: … [RESULT] n` · `… [[True]]`."""


@dataclass(frozen=True, slots=True)
class Task(ABC, Generic[R]):
    """Something that a judge can be asked to do. Hashable: equal tasks are performed once.

    A subclass adds its inputs as fields (str, tuples of str, numbers), sets `reply`, checks in `check` what the schema
    cannot express, and combines several replies in `merge`.
    """

    reply: ClassVar[type[Reply]]
    """The type of the reply, equal to the class's type argument."""
    votable: ClassVar[bool] = False
    """Whether a panel asks repeatedly: yes for verdicts and grades, no for splitting and writing."""

    language: Language = field(kw_only=True)
    """The language of the prompt, which is the sample's."""
    conversation: tuple[Turn, ...] = field(default=(), kw_only=True)
    """What was said before the question; prompts with a question show it there (`prompts/conversation.py`)."""

    @property
    def prompt(self) -> str:
        """The name of the prompt file, by default the class's name: SplitStatements → split_statements."""
        return snake_case(type(self).__name__)

    @property
    def written(self) -> ReplyFormat:
        """The requested format of the reply."""
        return "json"

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of verdicts that each list of the reply needs, by field; unnumbered ones are read in order."""
        return {}

    @property
    def turned(self) -> bool:
        """Whether the prompt lists its grades from worst to best, for a probe; most prompts have none."""
        return False

    @property
    def shots(self) -> Sequence[tuple[Mapping[str, Any], str]]:
        """The user's worked examples, as inputs by name and reply; they replace those of the prompt file."""
        return ()

    def check(self, reply: R) -> None:
        """Check the reply against the inputs; raises ValueError with a sentence for the model."""

    def merge(self, replies: Sequence[R]) -> R:
        """Combine several votes: majority for verdicts, mean for grades. Only for votable tasks."""
        raise NotImplementedError(f"{type(self).__name__} is not votable")


class Judge(Closable, Protocol):
    """Performs tasks."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return what figures from these tasks depend on (model, prompt digest, seed, …), for signatures."""

    async def perform(self, task: Task[R]) -> R:
        """Return the reply to the task.

        Raises:
            Unreadable: the reply could not be read, even after one repair.
            CallFailed: the call failed permanently.
            ConfigurationError: the judge is misconfigured; no other task will succeed.
            BudgetSpent: the budget does not allow the call.
        """

    async def preflight(self) -> None:
        """Make one small call to detect a wrong setup before 10,000 calls; raises ConfigurationError."""


# ---------------------------------------------------------------------------------------------------- models


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything that a chat model's answer depends on, except the model: the key of the cache."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """A JSON schema for the answer (its `title` is its name), or None for plain text."""
    temperature: float | None = 0.0
    """None omits the parameter, as reasoning models require."""
    seed: int | None = None
    max_tokens: int | None = None
    logprobs: int | None = None
    """The number of likeliest tokens to return at each place of the answer, with log probabilities; None: none."""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further parameters, sent as they are; one that is above replaces it, and None leaves it out."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an answer, and the likeliest tokens at its place."""

    text: bytes
    """In UTF-8; may be a part of a character."""
    logprob: float
    likeliest: tuple[tuple[bytes, float], ...] = ()
    """The likeliest tokens with their log probabilities, with or without this one."""


_CUT_OFF = frozenset({"length", "max_tokens", "content_filter", "abort", "cancelled", "error"})
"""Finish reasons of incomplete answers, as named by various servers."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat model's answer."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    """The server's reason for stopping: `stop`, `length`, `content_filter`, …"""
    tokens: tuple[Token, ...] | None = field(default=None, repr=False)
    """The tokens of the answer with probabilities; None if they were not requested or not returned."""

    @property
    def cut_off(self) -> bool:
        """Whether the answer is incomplete: the model was stopped, or a filter removed the rest."""
        return self.finish_reason in _CUT_OFF


class Chat(Closable, Protocol):
    """A chat model at some endpoint, or a wrapper around another Chat (cache, retries, limits, budget)."""

    @property
    def name(self) -> str:
        """The model and its endpoint, for signatures, for example `openai:gpt-4o-mini`."""

    @property
    def left_out(self) -> frozenset[str]:
        """The fields of requests that the server refused so far and is no longer sent, such as `temperature`."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the model's answer; raises CallFailed, ConfigurationError or BudgetSpent."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of texts."""

    vectors: npt.NDArray[np.float32]
    """Shape (texts, dimensions); each row has length 1 (or 0 for an empty text, and perhaps for white space)."""
    usage: Usage = field(default_factory=Usage)


class Embedder(Closable, Protocol):
    """Converts texts to unit vectors; knowledge bases may use unscaled ones."""

    @property
    def name(self) -> str:
        """The name in signatures."""

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one row per text, in order; raises CallFailed, ConfigurationError or BudgetSpent."""


# --------------------------------------------------------------------------------------- the system under test


class Retriever(Closable, Protocol):
    """Finds the passages of a knowledge base that match a query."""

    @property
    def name(self) -> str:
        """The knowledge base, its embedder and search method, for signatures."""

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """Return the k best passages, best first, or all if there are fewer. None: the default number.

        Raises:
            ConfigurationError: the knowledge base is unreadable.
            CallFailed: the server or the embedder failed permanently.
        """


class System(Closable, Protocol):
    """The system under test, which answers a question, given the conversation so far."""

    @property
    def name(self) -> str:
        """The name recorded with every answer."""

    def describe(self) -> Mapping[str, str]:
        """Return what answers depend on, as far as known: model, chain, knowledge base, prompts."""

    async def answer(self, inquiry: Inquiry) -> Answer:
        """Answer the question.

        Raises:
            SystemFailed: there is no answer to this question; the next one may work.
            ConfigurationError: the system is misconfigured; no other question will work.
            BudgetSpent: the budget does not allow the call.
        """


# --------------------------------------------------------------------------------------------------- metrics

Need = Literal["question", "answer", "contexts", "reference", "evidence"]
"""A field that a sample must have."""


class Metric(Protocol):
    """Measures one quantity of a sample; a frozen dataclass whose fields are its settings.

    Its declarations (`needs`, `tasks`, `bounds`, `higher_is_better`) are class variables unless they depend on
    settings.
    """

    @property
    def needs(self) -> tuple[Need, ...]:
        """Fields that must not be None; samples that lack one are not scored."""

    @property
    def tasks(self) -> tuple[type[Task[Any]], ...]:
        """The tasks it asks of a judge; empty for metrics without a judge."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest possible value; may be infinite."""

    @property
    def higher_is_better(self) -> bool | None:
        """The direction; None if neither is better, as for length."""

    @property
    def name(self) -> str:
        """The name as typed and in results, with non-default settings in brackets."""

    def describe(self) -> Mapping[str, str]:
        """Return what the figure depends on in addition to the judge, for example the tokenizer and its version."""

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Score the sample; the judge's errors propagate to the caller, which records them."""


# ------------------------------------------------------------------------------------------------- execution

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs a coroutine over a stream of items concurrently, holding only the items in progress."""

    def run(
        self, work: Callable[[Item], Awaitable[Result]], items: Iterable[Item] | AsyncIterable[Item]
    ) -> AsyncGenerator[Result]:
        """Yield the results in order of completion; the first exception stops everything and is raised.

        Closing the generator cancels all work in progress.
        """
