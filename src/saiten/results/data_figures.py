"""The figures of a data set: its questions, systems, lengths, and what is missing, empty or repeated in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from saiten.data.rows import BadRow
from saiten.records import Language
from saiten.stats.lengths import Lengths

TextField = Literal["question", "answer", "reference", "alternative", "context", "contexts", "evidence", "document"]
"""`contexts` are all of a sample together; `alternative`, `context` and `evidence` are each of them."""

TELLING = 20
"""Minimum characters of a text whose language is compared with its sample's."""
LONG = 10
"""An answer with more than this many times the characters of its longest reference is long."""


@dataclass(frozen=True, slots=True)
class FieldFigures:
    """The texts of one field."""

    field: TextField
    given: int
    """Number of texts that are given, empty ones included."""
    missing: int
    """Samples that lack the field."""
    empty: int
    """Texts of white space alone; for `contexts`, samples whose list is empty or whose contexts all are."""
    characters: Lengths | None
    """None if no text is given."""
    tokens: Lengths | None
    """None if no text is given, or tokens were not counted."""
    other_language: int = 0
    """Texts of at least `TELLING` characters that are in the other language than their sample."""


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """The answers of one system."""

    system: str | None
    """None for samples that name no system."""
    samples: int
    questions: int
    """Different questions that it answers, not counting missing and empty answers."""
    missing: int
    empty: int
    declined: int
    """Answers that say that they do not know."""
    characters: float | None
    """Mean over the answers that are given; None without one."""
    tokens: float | None
    """The same; None also if tokens were not counted."""


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """The documents behind a data set."""

    lengths: FieldFigures
    unread: tuple[tuple[str, str], ...] = ()
    """Documents that could not be read, with the reason."""
    notes: tuple[tuple[str, str], ...] = ()
    """Documents with what may be wrong with their text."""
    skipped: int = 0
    """Files of kinds that are not read."""


@dataclass(frozen=True, slots=True)
class DataFigures:
    """A data set in numbers."""

    name: str
    samples: int
    unusable: int
    """Rows that cannot be used."""
    first_unusable: BadRow | None
    questions: int
    """Different questions; in a conversation, a question together with those before it."""
    conversations: int
    languages: Mapping[Language, int]
    """Samples per language."""
    groups: int
    systems: tuple[SystemAnswers, ...]
    """In order of occurrence."""
    fields: tuple[FieldFigures, ...]
    repeated_questions: int
    """Samples whose question an earlier sample of the same system has."""
    repeated_answers: int
    """Samples whose answer an earlier sample gives to another question; empty and declining answers do not count."""
    repeated_samples: int
    """Samples that equal an earlier one in everything but the id."""
    partly_answered: int
    """Questions that some of several systems, but not all of them, were asked."""
    long_answers: int
    """Answers with more than `LONG` times the characters of their longest reference."""
    compared_answers: int
    """Answers that have a reference to compare their length with; neither is empty."""
    rows: int | None = None
    """Rows of the source, of which one may make several samples; None if unknown."""
    documents: DocumentFigures | None = None

    @property
    def texts(self) -> tuple[FieldFigures, ...]:
        """Return the figures of all fields, the documents last."""
        return self.fields if self.documents is None else (*self.fields, self.documents.lengths)

    def of(self, name: TextField) -> FieldFigures | None:
        """Return the figures of a field; None if the data does not have it."""
        return next((each for each in self.fields if each.field == name), None)
