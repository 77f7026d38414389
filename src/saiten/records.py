"""The records that travel through saiten: frozen, slotted, a sentence under each field.

Two words, two fields: `contexts` are what the system under test saw; `evidence` is what the judge sees.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Language = Literal["ja", "en"]
"""The languages of prompts, tokenisers and sentence splitting."""

Status = Literal["ok", "declined", "undefined", "unreadable", "failed"]
"""`ok`: measured · `declined`: the answer says that it does not know (grade 0) · `undefined`: nothing to measure ·
`unreadable`: the judge's reply · `failed`: the call. Only `ok` enters a mean; each other is counted and shown."""

STATUSES: tuple[Status, ...] = ("ok", "declined", "undefined", "unreadable", "failed")

CHECKS = frozenset({"leak"})
"""Scores that check how the others were made. They compete with none of them, so their tests correct no other's p."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to grade, with what is needed to grade it; a field that was not given is None, not empty."""

    id: str
    """Unique within a data set; the key under which scores are kept."""
    question: str = ""
    """What was asked; samples of the same question are resampled together in intervals."""
    answer: str | None = None
    """What the system under test answered; "" is an empty answer, None is no answer at all."""
    contexts: tuple[str, ...] | None = None
    """What the system saw, in rank order."""
    reference: str | None = None
    """A correct answer."""
    alternatives: tuple[str, ...] = ()
    """Further references, each of them right on its own."""
    evidence: tuple[str, ...] | None = None
    """What the judge sees beside the reference."""
    group: str | None = None
    """Summaries are also made per group, for example per product."""
    system: str | None = None
    """Which system under test answered; summaries are also made per system."""
    language: Language = "en"
    """Of prompts and tokenisers; readers detect it where the data do not say."""

    @property
    def references(self) -> tuple[str, ...]:
        """All references, the main one first; empty where there is none."""
        return (() if self.reference is None else (self.reference,)) + self.alternatives


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent; adds up. A price that is not known is counted, never guessed."""

    calls: int = 0
    """Requests that were sent, retries included."""
    prompt_tokens: int = 0
    """As the server reports them."""
    completion_tokens: int = 0
    """As the server reports them, reasoning included."""
    cost: float = 0.0
    """In the currency of the price table, over the calls whose price is known."""
    unpriced: int = 0
    """Calls whose price is not known; while this is not 0, `cost` is a lower bound."""
    reused: int = 0
    """Answers that cost nothing, since they were on disk or had been asked for by another metric."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.reused + other.reused,
        )


@dataclass(frozen=True, slots=True)
class Score:
    """One figure, or the reason why there is none. None is never NaN and never 0."""

    value: float | None
    """The figure; None unless the status is `ok`."""
    status: Status = "ok"
    """See `Status`."""
    reason: str | None = None
    """In prose: why this value, or why none."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The intermediate results, ready for JSON: statements, verdicts, reasons, counts."""
    votes: tuple[float | None, ...] = ()
    """What each vote of a panel alone would have given."""
    usage: Usage = field(default_factory=Usage)
    """What this score cost; a shared step is paid by the metric that asked first."""

    @classmethod
    def undefined(cls, reason: str, **details: Any) -> Self:
        """Nothing to measure, for example an answer without statements."""
        return cls(None, "undefined", reason, details)

    @classmethod
    def declined(cls, reason: str, **details: Any) -> Self:
        """The answer says that it does not know."""
        return cls(None, "declined", reason, details)


@dataclass(frozen=True, slots=True)
class Scored:
    """A score with its place: one line of `scores.jsonl`."""

    sample: str
    """The sample's id."""
    metric: str
    """The metric's name, settings in brackets included."""
    score: Score
    """The score."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, as a retriever finds it."""

    text: str
    """What stands in it."""
    source: str = ""
    """The document: a path, an address, a title."""
    score: float | None = None
    """How well it fits the query; None where whoever found it did not say."""
    start: int | None = None
    """Where the piece begins in the document's text, in characters."""
    end: int | None = None
    """Where it ends, exclusive."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retriever found for a query."""

    passages: tuple[Passage, ...]
    """The best first."""
    usage: Usage = field(default_factory=Usage)
    """What it cost: a query may be embedded by a model that is paid for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what the system answered: a history is made of them."""

    question: str
    """As it was asked."""
    answer: str
    """As it came back."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question as it is put to a system under test, with what was said before."""

    question: str
    """What is asked now."""
    id: str = ""
    """The sample's id; a system that keeps answers by id finds them by it."""
    history: tuple[Turn, ...] = ()
    """What was asked and answered before, oldest first."""
    session: str = ""
    """Names the conversation, so that a system that keeps a history of its own can tell one from another."""
    language: Language = "en"
    """Of our own systems' prompts."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One call that an answer took: to a model, or to the retriever."""

    step: str
    """What it was for: `retrieve`, `qa`, `refine`, `aggregate`, `query`, …"""
    seconds: float
    """From the request to the last token."""
    usage: Usage = field(default_factory=Usage)
    """What it cost."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system under test answered to one question."""

    text: str
    """The answer."""
    contexts: tuple[Passage, ...] | None = None
    """What it was made from, in rank order; None where the system does not say, () where it found nothing."""
    seconds: float | None = None
    """From the question in to the last token out; None where nothing was measured, as with answers from a file."""
    usage: Usage = field(default_factory=Usage)
    """What it cost, over all calls."""
    calls: tuple[TimedCall, ...] = ()
    """Each call, in the order in which they were begun; empty where the system does not say."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked piece of a text."""

    text: str
    """As it was marked."""
    start: int | None = None
    """Where it begins, in characters (code points) of the text it was marked in; None where it was not found there."""
    end: int | None = None
    """Where it ends, exclusive."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a person said about one item."""

    item: str
    """The sample's id."""
    value: float
    """A verdict (0 or 1) or a grade."""
    annotator: str = ""
    """Who said it."""
    aspect: str = ""
    """What was asked, for example `correct`."""
    adjudicated: bool = False
    """A third decision that settles the others, kept beside them; no annotator's own."""
    category: str = ""
    """The word, where the values have no order (`neutral`); `value` then only numbers the words as they came."""
    spans: tuple[Span, ...] | None = None
    """What was marked, () where nothing was; `value` then is their number. None where it is no matter of marking."""
    reason: str = ""
    """Why, in the annotator's own words, where that was written down."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a figure was made: metric and settings, judge, prompts, tokeniser, embedder, saiten's version."""

    metric: str
    """The metric's name, settings in brackets included."""
    parts: tuple[tuple[str, str], ...]
    """Everything else that the figure depends on, as (key, value), in a fixed order."""

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in self.parts)])
