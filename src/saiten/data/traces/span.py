"""The common notion of a trace: spans with what saiten needs of them."""

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, Literal, Self

SpanKind = Literal["model", "retriever", "reranker", "tool", "embedding", "check", "chain"]
"""`check`: guardrails and evaluators · `chain`: a step of the application itself, agents among them."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The contents of a span; a field that the span does not show is None."""

    kind: SpanKind | None = None
    question: str | None = None
    """The last thing that a user said in its input."""
    answer: str | None = None
    """The text of its output; "" is an empty answer."""
    documents: tuple[str, ...] | None = None
    """The texts of the documents in its output, in rank order; () if it found none."""
    textless: int = 0
    """Documents without a text, such as mere ids."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    session: str | None = None
    system: str | None = None
    """The application: name and version."""
    agent: str | None = None
    """The name of the agent, for applications without a name."""

    def __or__(self, other: "Facts") -> "Facts":
        """Return these facts, with gaps filled from others."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        pairs = zip(_values(self), _values(other), strict=True)
        found = Facts(*(theirs if ours is None else ours for ours, theirs in pairs))
        return found if found.textless or not other.textless else replace(found, textless=other.textless)

    @property
    def any(self) -> bool:
        """Whether the span says anything about questions, answers, models or retrieval."""
        said = (self.question, self.answer, self.documents)
        return self.kind not in (None, "chain") or any(each is not None for each in said) or self.textless > 0


NOTHING = Facts()
"""A span that follows other conventions."""
_values = attrgetter(*(field.name for field in fields(Facts)))


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """One step of a trace."""

    trace: str
    """The trace's id."""
    id: str
    """The span's id; the trace's own id for the trace as a whole."""
    parent: str | None
    """The id of the enclosing span; None for a root."""
    name: str
    where: str
    """File and place, for messages."""
    number: int
    """The line or row."""
    facts: Facts
    start: int | None = None
    """Nanoseconds since 1970."""
    end: int | None = None
    """Nanoseconds since 1970; None if it was still open."""
    fault: str = ""
    """The error that it ended with."""

    @property
    def size(self) -> int:
        """Roughly the bytes that it takes in memory."""
        facts = self.facts
        texts = (facts.question or "", facts.answer or "", *(facts.documents or ()))
        return 1000 + 2 * sum(map(len, texts))

    @classmethod
    def checked(cls, given: dict[str, Any]) -> Self:
        """Make a span of its fields; raises ValueError if it has no id or no trace."""
        if not given["trace"] or not given["id"]:
            missing = "trace" if not given["trace"] else "span"
            raise ValueError(f"a span without the id of its {missing}")
        return cls(**given)
