"""Records of the items on which a judge and people differ most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.choices import DisagreementKind
from saiten.results.origin import Origin
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.words import Message

DisagreementMeasure = Literal["values", "verdicts", "preferences", "ranks"]
"""Judge − people: `values` on their common scale · `verdicts`, yes being 1 · `preferences`, by their signs · `ranks`:
the share of items ranked below, if they share no scale."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One person's label of an item."""

    annotator: str
    value: float
    adjudicated: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which the judge and people differ."""

    item: str
    system: str | None
    judge: float
    people: float
    difference: float
    """Judge − people, by the measure of the list."""
    kind: DisagreementKind
    people_differ: bool
    """Whether people themselves disagree about the item, by more than a quarter of their scale."""
    voices: tuple[Voice, ...] = ()
    """What each person said."""


@dataclass(frozen=True, slots=True)
class JudgeDisagreements:
    """One metric compared with people on one aspect, and the items on which they differ most."""

    aspect: str
    metric: str
    """Its name in tables."""
    made: Origin
    measure: DisagreementMeasure
    n: int
    """Number of items that both sides decided; without decisions, those with both values."""
    agreement: Estimate
    """Share of items with the same verdict, whole grade or preference, with Wilson's interval over items."""
    verdicts: tuple[int, int] | None
    """Number of items: judge yes and people no, judge no and people yes; None without verdicts."""
    grades: tuple[int, int] | None
    """Number of items: judge higher, judge lower, by at least one whole grade (preferences: for the second answer, for
    the first); None without grades."""
    found: int
    """Number of items that differ and were asked for, of which the first are listed."""
    listed: tuple[Disagreement, ...] | None
    """Ordered by the size of the difference; None if the list was not asked for."""
    remarks: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class DisagreementReport(AsRows):
    """All metrics and aspects that were compared."""

    compared: tuple[JudgeDisagreements, ...]
    only: DisagreementKind | None = None
    notes: tuple[Message, ...] = ()

    @property
    def lists(self) -> Sequence[JudgeDisagreements]:
        """Return those whose items are listed."""
        return [one for one in self.compared if one.listed is not None]

    def rows(self) -> list[Row]:
        """Return one row per listed item."""
        return [
            {
                "metric": one.metric,
                "aspect": one.aspect,
                "item": each.item,
                "system": each.system,
                "judge": each.judge,
                "people": each.people,
                "difference": each.difference,
                "kind": each.kind,
                "people_differ": each.people_differ,
                **figure_row(one.agreement, "agreement"),
            }
            for one in self.lists
            for each in one.listed or ()
        ]
