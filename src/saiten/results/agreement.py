"""How well people agree: the records."""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.choices import Level
from saiten.stats.interrater.agreement import AgreementAmong


@dataclass(frozen=True, slots=True)
class Unanimity:
    """The questions in which so many annotators picked an answer."""

    annotators: int
    agreed: Mapping[int, int]
    """The largest number of annotators with the same pick → questions; from all of them down to 1: no two agree."""


@dataclass(frozen=True, slots=True)
class AspectAgreement:
    """How far people agree on one aspect."""

    aspect: str
    """What was asked; may be empty."""
    levels: tuple[Level, ...]
    """How the values are read: nominal for two values or words, ordinal and interval for grades, unless told."""
    items: int
    """Items with labels of annotators."""
    labels: int
    """Labels of annotators."""
    adjudicated: int
    """Items with a third decision."""
    rates: Mapping[str, Mapping[str, int]]
    """Annotator → value → how often; values ascending. One annotator "" where nobody is named."""
    figures: AgreementAmong
    """The figures, with their intervals."""
    of_numbers: str | None = None
    """A remark on each figure where the labels are marks: the values are numbers of spans."""
    questions: int | None = None
    """Questions of the items, where they are known or the items are pairs of answers; they are what intervals draw."""
    unanimity: tuple[Unanimity, ...] = ()
    """Of preferences: how many annotators pick the same answer, by question."""
    notes: tuple[str, ...] = ()
    """What was left out, and what to mind when reading."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How far people agree, on each aspect."""

    aspects: tuple[AspectAgreement, ...]
    """In the order in which they were first seen, or asked for."""
    by_question: bool
    """Whether the intervals draw questions instead of items."""
