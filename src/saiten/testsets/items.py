"""The items of a test set: a question, its reference, the passages behind it, how it was made, and who approved it.

A test set is a file of JSON lines, one item each. Every line is a sample too, so `answer`, `converse`, `score` and
`experiment` read the file as it is: the passages' texts are its `evidence`, the kind of question is its `group`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import ConfigDict, Field, TypeAdapter

from saiten.choices import CheckName, LaterCheckName, QuestionKind
from saiten.data.hand_written import Text
from saiten.records import Language, Sample, Turn
from saiten.runs.lines import sample_to_json

_STRICT = ConfigDict(extra="ignore")
Place = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class SetPassage:
    """A passage that supports the reference, or for an unanswerable question one that comes near to answering it."""

    __pydantic_config__ = _STRICT
    text: str
    source: str = ""
    """The document's name in the knowledge base."""
    start: int | None = None
    """Start in the document's text, in characters."""
    end: int | None = None
    """End, exclusive."""
    document: str = ""
    """The digest of the document's bytes when the item was made; "" if unknown."""
    quotes: tuple[tuple[Place, Place], ...] = ()
    """The parts of `text` that the reference rests on, as start and end in characters, in order."""
    section: str = ""
    """The headings above it, `Title > Heading`."""

    @property
    def shown(self) -> str:
        """The passage as a model sees it: below its document and headings, which often name what it is about."""
        where = " > ".join(filter(None, (self.source, self.section)))
        return f"# {where}\n{self.text}" if where else self.text


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one check of an item."""

    __pydantic_config__ = _STRICT
    check: CheckName | LaterCheckName
    passed: bool | None = None
    """None if it was not made, for example because it takes a model; `reason` says why."""
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What was found, ready for JSON: replies, grades, similarities."""


Verdict = Literal["approved", "edited", "rejected"]


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's decision on an item."""

    __pydantic_config__ = _STRICT
    verdict: Verdict
    by: str
    """The person's name."""
    at: str = ""
    """In UTC, ISO 8601; "" if unknown."""
    adjudicated: bool = False
    """Whether this decision settles those of others that differ."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SetItem:
    """A question of a test set."""

    __pydantic_config__ = _STRICT
    id: Text
    question: Text
    reference: str
    """A correct answer; for an unanswerable question it says that the documents do not answer it."""
    kind: QuestionKind | Literal[""] = ""
    """"" if the question was not made by saiten."""
    language: Language = "en"
    passages: tuple[SetPassage, ...] = ()
    history: tuple[Turn, ...] = ()
    """What was said before a follow-up question, oldest first."""
    made: Mapping[str, str] = field(default_factory=dict)
    """How it was made: `by` (the model, or `offline`), `persona`, `difficulty`, …"""
    checks: tuple[Checked, ...] = ()
    decisions: tuple[Decided, ...] = ()
    original: Mapping[str, str] = field(default_factory=dict)
    """The `question` and `reference` before they were edited, if they were."""

    @property
    def dropped(self) -> Checked | None:
        """The check that failed; None if all passed."""
        return next((check for check in self.checks if check.passed is False), None)

    @property
    def sample(self) -> Sample:
        """The item as a sample without an answer; its passages are the evidence, its kind is the group."""
        return Sample(
            self.id,
            self.question,
            reference=self.reference,
            evidence=tuple(passage.text for passage in self.passages) or None,
            group=self.kind or None,
            language=self.language,
            history=self.history,
        )

    def with_check(self, *checks: Checked) -> "SetItem":
        """Return the item with further checks."""
        return replace(self, checks=(*self.checks, *checks))


OWN = ("kind", "passages", "made", "checks", "decisions", "original")
"""The fields of an item that a sample lacks."""


def item_to_json(item: SetItem) -> dict[str, Any]:
    """Return the item's line: the fields of its sample, then its own, without empty ones except the kind.

    The kind shows that the line is an item, whose passages are no contexts.
    """
    own = asdict(item)
    return sample_to_json(item.sample) | {name: own[name] for name in OWN if own[name] or name == "kind"}


_ITEM = TypeAdapter(SetItem)


def item_from_json(value: Mapping[str, Any]) -> SetItem:
    """Return the item of a line; raises pydantic's ValidationError, a ValueError, if the line is not one."""
    return _ITEM.validate_python(value)


def item_of(sample: Sample) -> SetItem:
    """Return a sample from elsewhere as an item; its evidence, or else its contexts, are the passages.

    Its group is the kind of question if there is such a kind, as in a table that saiten exported.
    """
    passages = tuple(SetPassage(text) for text in sample.evidence or sample.contexts or ())
    reference, language, history = sample.reference or "", sample.language, sample.history
    kind = sample.group if sample.group in get_args(QuestionKind) else ""
    return SetItem(sample.id, sample.question, reference, cast("QuestionKind", kind), language, passages, history)
