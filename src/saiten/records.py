"""The records used throughout saiten: frozen and slotted, with a sentence for each field.

`contexts` are what the system under test saw; `evidence` is what the judge sees.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Language = Literal["ja", "en"]
"""The languages of prompts, tokenizers and sentence splitting."""

Status = Literal["ok", "declined", "undefined", "unreadable", "failed"]
"""`ok`: measured · `declined`: the answer says that it does not know (grade 0) · `undefined`: nothing to measure ·
`unreadable`: the judge's reply · `failed`: the call. Only `ok` enters a mean; the others are counted and shown."""

STATUSES: tuple[Status, ...] = ("ok", "declined", "undefined", "unreadable", "failed")

CHECKS = frozenset({"leak"})
"""Scores that check how others were made, and so take no part in corrections for multiple tests."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace that an answer was read from; a field that the trace does not show is None."""

    id: str
    """The trace's id in the tool that recorded it."""
    span: str | None = None
    """The span that the question and the answer belong to; None for the trace as a whole."""
    start: str | None = None
    """The start of the trace, in UTC: `2026-11-28T13:45:08.206+00:00`."""
    seconds: float | None = None
    """From the start of its outermost spans to their end."""
    prompt_tokens: int | None = None
    """Over all calls of models."""
    completion_tokens: int | None = None
    """Over all calls of models."""
    session: str | None = None
    """The conversation that it belongs to."""

    @property
    def day(self) -> str | None:
        """The day of the start, in UTC."""
        return None if self.start is None else self.start[:10]


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and the system's answer: an element of a history."""

    question: str
    """The question asked; empty for a greeting of the system, which nobody asked for."""
    answer: str
    """The answer received."""

    def to_json(self) -> dict[str, str]:
        """Return the turn as it is in files, and in requests to a system under test."""
        return {"question": self.question, "answer": self.answer}


@dataclass(frozen=True, slots=True)
class Sample:
    """An answer to grade, with what grading needs; a field that was not given is None, not empty."""

    id: str
    """Unique within a data set; identifies scores."""
    question: str = ""
    """The question; samples with the same question are resampled together for intervals."""
    answer: str | None = None
    """The answer of the system under test; "" is an empty answer, None is no answer."""
    contexts: tuple[str, ...] | None = None
    """The contexts that the system saw, in rank order."""
    reference: str | None = None
    """A correct answer."""
    alternatives: tuple[str, ...] = ()
    """Further references, each of them right by itself."""
    evidence: tuple[str, ...] | None = None
    """The contexts that the judge sees in addition to the reference."""
    group: str | None = None
    """A group for summaries, for example the product."""
    system: str | None = None
    """The system under test, also a group for summaries."""
    language: Language = "en"
    """The language of prompts and tokenizers; detected if the data does not give it."""
    trace: Trace | None = None
    """The trace that it was read from, if it was."""
    history: tuple[Turn, ...] = ()
    """What was said before the question in its conversation, oldest first; empty outside of one."""
    conversation: str | None = None
    """The id of the conversation that the question is from; its samples are resampled together."""

    @property
    def references(self) -> tuple[str, ...]:
        """All references, the main one first; empty if there is none."""
        return (() if self.reference is None else (self.reference,)) + self.alternatives

    @property
    def asked(self) -> str:
        """The question after those before it in its conversation, line by line: a follow-up means nothing alone."""
        return "\n".join([*filter(None, (turn.question for turn in self.history)), self.question])


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and cost; can be added up. Calls of unknown cost are counted, never guessed."""

    calls: int = 0
    """Requests sent, including retries."""
    prompt_tokens: int = 0
    """As the server reports them."""
    completion_tokens: int = 0
    """As the server reports them, including reasoning."""
    cost: float = 0.0
    """In the currency of the price table, over the calls of known cost."""
    unpriced: int = 0
    """Calls of unknown cost; unless this is 0, `cost` is a lower bound."""
    reused: int = 0
    """Answers that cost nothing, since they were in saiten's own cache or requested by another metric."""
    cached_tokens: int = 0
    """Those of the prompt tokens that the server had in its prompt cache, as far as it reports them."""
    unanswered: int = 0
    """Those of the calls of unknown cost that have a price, but whose reply has not come: in flight or interrupted."""

    @property
    def tokens(self) -> tuple[int, int, int]:
        """Prompt tokens, cached ones among them, and completion tokens: the columns of tables."""
        return self.prompt_tokens, self.cached_tokens, self.completion_tokens

    @property
    def known_cost(self) -> float | None:
        """The cost over the calls of known cost; None if it is 0 and that of other calls is unknown."""
        return None if self.unpriced and not self.cost else self.cost

    def __add__(self, other: "Usage") -> "Usage":
        if other is FREE:
            return self
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.reused + other.reused,
            self.cached_tokens + other.cached_tokens,
            self.unanswered + other.unanswered,
        )


FREE = Usage()
"""No calls, no tokens, no cost."""
REUSED = Usage(reused=1)
"""An answer that was there already."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value, or the reason for its absence, which is None rather than NaN or 0."""

    value: float | None
    """None unless the status is `ok`."""
    status: Status = "ok"
    """See `Status`."""
    reason: str | None = None
    """The reason for the value or its absence, in prose."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Intermediate results, ready for JSON: statements, verdicts, reasons, counts."""
    votes: tuple[float | None, ...] = ()
    """The value that each vote of a panel would have given by itself."""
    usage: Usage = FREE
    """The cost of this score; a shared step is charged to the first metric that needs it."""
    expected: float | None = None
    """The expectation of the value under the judge's probabilities, or the mean over a panel's votes; None if the judge
    gave neither, and unless the status is `ok`."""

    @classmethod
    def undefined(cls, reason: str, **details: Any) -> Self:
        """Return a score with nothing to measure, for example for an answer without statements."""
        return cls(None, "undefined", reason, details)

    @classmethod
    def declined(cls, reason: str, **details: Any) -> Self:
        """Return a score for an answer that says that it does not know."""
        return cls(None, "declined", reason, details)


@dataclass(frozen=True, slots=True)
class Scored:
    """A score with its sample and metric: one line of `scores.jsonl`."""

    sample: str
    """The sample's id."""
    metric: str
    """The metric's name, including settings in brackets."""
    score: Score
    """The score."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, as a retriever finds it."""

    text: str
    """The passage's text."""
    source: str = ""
    """The document: a path, an address, a title."""
    score: float | None = None
    """The relevance to the query; None if unknown."""
    start: int | None = None
    """Start in the document's text, in characters."""
    end: int | None = None
    """End, exclusive."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of a retriever for a query."""

    passages: tuple[Passage, ...]
    """Best first."""
    usage: Usage = field(default_factory=Usage)
    """The cost: the embedder of the query may be paid."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to a system under test, with the conversation so far."""

    question: str
    """The current question."""
    id: str = ""
    """The sample's id, by which stored answers are found."""
    history: tuple[Turn, ...] = ()
    """Earlier questions and answers, oldest first."""
    session: str = ""
    """Identifies the conversation, for systems that keep their own history."""
    language: Language = "en"
    """The language for saiten's own systems."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call made for an answer, to a model or to the retriever."""

    step: str
    """Its purpose: `retrieve`, `qa`, `refine`, `aggregate`, `query`, …"""
    seconds: float
    """From the request to the last token."""
    usage: Usage = field(default_factory=Usage)
    """Its cost."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a system under test to one question."""

    text: str
    """The answer's text."""
    contexts: tuple[Passage, ...] | None = None
    """The contexts used, in rank order; None if the system does not report them, () if it found none."""
    seconds: float | None = None
    """From the question to the last token; None if not measured, as for answers from a file."""
    usage: Usage = field(default_factory=Usage)
    """The cost of all calls."""
    calls: tuple[TimedCall, ...] = ()
    """The calls in order of their start; empty if the system does not report them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked piece of a text."""

    text: str
    """The marked text."""
    start: int | None = None
    """Start in the marked text, in characters (code points); None if it was not found there."""
    end: int | None = None
    """End, exclusive."""


@dataclass(frozen=True, slots=True)
class Label:
    """A person's judgment of one item."""

    item: str
    """The sample's id."""
    value: float
    """A verdict (0 or 1) or a grade."""
    annotator: str = ""
    """The annotator's name."""
    aspect: str = ""
    """The aspect judged, for example `correct`."""
    adjudicated: bool = False
    """Whether this is a third decision that settles the others, kept with them."""
    category: str = ""
    """The word, for unordered values (`neutral`); `value` then only numbers the words."""
    spans: tuple[Span, ...] | None = None
    """The marked spans, () if nothing was marked; `value` is their number. None if not about marking."""
    reason: str = ""
    """The annotator's reason, if given."""
    answer_digest: str = ""
    """The digest of the answer that the annotator saw (`labeled_answers.answer_digest`); "" if the label has none, and
    then it is of any answer with the id."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a figure was made: metric and settings, judge, prompts, tokenizer, embedder, saiten's version."""

    metric: str
    """The metric's name, including settings in brackets."""
    parts: tuple[tuple[str, str], ...]
    """Everything else that the figure depends on, as (key, value), in a fixed order."""

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in self.parts)])
