"""The seams of saiten on one page: what a chat model, an embedder, a judge, a system under test and a metric offer.

A *task* is one thing that a judge can be asked to do: a frozen dataclass with its inputs, the type of its reply and
the name of its prompt. Metrics know tasks and the `Judge` seam; they know neither prompts nor models.
"""

from abc import ABC
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, PrivateAttr

from saiten.records import Answer, Inquiry, Language, Retrieved, Sample, Score, Usage

# ---------------------------------------------------------------------------------------------------- tasks


class Reply(BaseModel):
    """What a judge answers to a task; the fields are the JSON schema that the model is held to.

    A reply knows what it cost (`usage`); that is not part of the schema.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    _usage: Usage = PrivateAttr(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """What this reply cost."""
        return self._usage

    def costing(self, usage: Usage) -> Self:
        """The same reply with another cost."""
        copy = self.model_copy()
        copy._usage = usage  # noqa: SLF001 - our own
        return copy


R = TypeVar("R", bound=Reply)


@cache
def snake_case(name: str) -> str:
    """`SplitStatements` → `split_statements`."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


Form = Literal["json", "prometheus", "marker"]
"""How the reply is written: JSON by schema · `Feedback: … [RESULT] n` · `… [[True]]`."""


@dataclass(frozen=True, slots=True)
class Task(ABC, Generic[R]):
    """One thing that a judge can be asked to do. Hashable: equal tasks are asked once.

    A subclass adds its inputs as fields (str, tuples of str, numbers), sets `reply`, and says in `check` what a reply
    that fits the schema can still get wrong, and in `merge` how several replies become one.
    """

    reply: ClassVar[type[Reply]]
    """The type of the reply, the same as the class's type argument."""
    votable: ClassVar[bool] = False
    """Whether a panel asks this several times; true for verdicts and grades, false for splitting and writing."""

    language: Language = field(kw_only=True)
    """Of the prompt: the sample's language."""

    @property
    def prompt(self) -> str:
        """The name of the prompt file: by default the class's name, SplitStatements → split_statements."""
        return snake_case(type(self).__name__)

    @property
    def written(self) -> Form:
        """The form in which the reply is asked for."""
        return "json"

    @property
    def shots(self) -> Sequence[tuple[Mapping[str, Any], str]]:
        """Worked examples that the user brings, as inputs by name and reply: in the place of the prompt file's."""
        return ()

    def check(self, reply: R) -> None:
        """Hold the reply against the inputs; raises ValueError with a sentence that the model is shown."""

    def merge(self, replies: Sequence[R]) -> R:
        """One reply out of several votes: majority for verdicts, mean for grades. Only for votable tasks."""
        raise NotImplementedError(f"{type(self).__name__} is not votable")


class Judge(Protocol):
    """Performs tasks."""

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """What a figure made with these tasks depends on: model, prompts' digest, seed, …; goes into signatures."""
        ...

    async def perform(self, task: Task[R]) -> R:
        """The reply to the task.

        Raises:
            Unreadable: the reply could not be read, even after one repair.
            CallFailed: the call failed for good.
            ConfigurationError: the judge is set up wrongly; no other task will succeed.
            BudgetSpent: the budget does not allow the call.
        """
        ...

    async def preflight(self) -> None:
        """One small call that finds a wrong set-up before 10,000 calls do; raises ConfigurationError."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


# ---------------------------------------------------------------------------------------------------- models


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything that a chat model's answer depends on, the model itself apart: the key of the cache."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """A JSON schema for the answer (its `title` is its name), or None for plain text."""
    temperature: float | None = 0.0
    """None leaves the parameter out, as reasoning models want it."""
    seed: int | None = None
    max_tokens: int | None = None


_CUT_OFF = frozenset({"length", "max_tokens", "content_filter", "abort", "cancelled", "error"})
"""Finish reasons of answers that are not whole, in the words of several servers."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a chat model answered."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    """Why the model stopped, in the server's words: `stop`, `length`, `content_filter`, …"""

    @property
    def cut_off(self) -> bool:
        """Whether the answer is not whole: the model was stopped, or a filter took the rest."""
        return self.finish_reason in _CUT_OFF


class Chat(Protocol):
    """A chat model behind some endpoint, or a wrapper around another Chat (cache, retries, limits, budget)."""

    @property
    def name(self) -> str:
        """The model and where it runs, as it stands in signatures, for example `openai:gpt-4o-mini`."""
        ...

    async def complete(self, request: ChatRequest) -> Completion:
        """The model's answer; raises CallFailed, ConfigurationError or BudgetSpent."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of some texts."""

    vectors: npt.NDArray[np.float32]
    """Shape (texts, dimensions); each row has length 1 (or 0 for a text without content)."""
    usage: Usage = field(default_factory=Usage)


class Embedder(Protocol):
    """Turns texts into unit vectors; those of a knowledge base may be asked for as the model gives them."""

    @property
    def name(self) -> str:
        """As it stands in signatures."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """One row per text, in order; raises CallFailed, ConfigurationError or BudgetSpent."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


# --------------------------------------------------------------------------------------- the system under test


class Retriever(Protocol):
    """Finds the passages of a knowledge base that fit a query."""

    @property
    def name(self) -> str:
        """The knowledge base, what embeds it and how it is searched, as it stands in signatures."""
        ...

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """The k best passages, the best first; fewer where there are not so many. None: as many as it is set to.

        Raises:
            ConfigurationError: the knowledge base cannot be read.
            CallFailed: the server or the embedder failed for good.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


class System(Protocol):
    """What is being graded: takes a question, and what was said before, to an answer."""

    @property
    def name(self) -> str:
        """As it stands beside every answer."""
        ...

    def describe(self) -> Mapping[str, str]:
        """What an answer depends on, as far as the system can be known: model, chain, knowledge base, prompts."""
        ...

    async def answer(self, inquiry: Inquiry) -> Answer:
        """The answer.

        Raises:
            SystemFailed: no answer to this question; the next one may work.
            ConfigurationError: the system is set up wrongly; no other question will work.
            BudgetSpent: the budget does not allow the call.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


# --------------------------------------------------------------------------------------------------- metrics

Need = Literal["question", "answer", "contexts", "reference", "evidence"]
"""A field that a sample must bring."""


class Metric(Protocol):
    """Measures one thing about a sample; a frozen dataclass whose fields are its settings.

    What it declares (`needs`, `tasks`, `bounds`, `higher_is_better`) are class variables where they are the same for
    all settings.
    """

    @property
    def needs(self) -> tuple[Need, ...]:
        """Fields that must not be None; the metric is not asked about a sample that lacks one."""
        ...

    @property
    def tasks(self) -> tuple[type[Task[Any]], ...]:
        """What it asks a judge to do; empty for metrics that need no judge."""
        ...

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest possible value; may be infinite."""
        ...

    @property
    def higher_is_better(self) -> bool | None:
        """None where neither direction is better, such as length."""
        ...

    @property
    def name(self) -> str:
        """As typed and as it stands in results, settings that are not the default in brackets."""
        ...

    def describe(self) -> Mapping[str, str]:
        """What the figure depends on beside the judge, for example the tokeniser and its version."""
        ...

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """The score; lets the judge's errors pass, the caller records them."""
        ...


# ------------------------------------------------------------------------------------------------- execution

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs a coroutine over a stream of items, many at a time, never holding more than it works on."""

    def run(
        self, work: Callable[[Item], Awaitable[Result]], items: Iterable[Item] | AsyncIterable[Item]
    ) -> AsyncGenerator[Result]:
        """The results in the order in which they are done; the first exception stops everything and is raised.

        Closing the generator ends all work that is under way.
        """
        ...
