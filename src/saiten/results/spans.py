"""Records of the comparison of marked spans with people's."""

from dataclasses import dataclass, field

from saiten.records import Span
from saiten.results.origin import Unpaired
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Averages:
    """Recall, precision and F, averaged in one of the two ways."""

    recall: Estimate
    """n: the people's units, or the answers that have any."""
    precision: Estimate
    """n: the judge's units, or the answers that have any."""
    f: Estimate
    """n: the combinations."""


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Recall, precision and F of one aspect, or of several combined."""

    aspect: str
    """Its name; "" for all of them combined."""
    combinations: int
    """Number of item-annotator combinations in which at least one side marked something."""
    empty: int
    """Number of combinations in which neither side did; they are excluded."""
    human: int
    judge: int
    pairs: int
    adrift: tuple[int, int]
    """Number of units without offsets, of the people and of the judge."""
    per_unit: Averages
    """Every unit has the same weight."""
    per_answer: Averages
    """Every answer has the same weight; for several aspects, every combination of an answer."""


@dataclass(frozen=True, slots=True)
class SpanComparison:
    """One judge (or person) compared with people."""

    judge: str
    human: str
    """`people`, or one annotator."""
    aspects: tuple[SpanFigures, ...]
    overall: SpanFigures | None
    """The four combinations pooled, or all aspects for labels without them; None if there is only one."""
    empties: tuple[int, int, int, int, int] | None
    """Answers (times annotators) by how many of their four combinations neither side marked, 0 to 4; None without all
    four."""
    unlabeled: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Items that the judge checked and people did not."""
    unmatched: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Items that people checked and the judge did not."""


@dataclass(frozen=True, slots=True)
class SpanReport(AsRows):
    """The complete comparison, from which all outputs are made."""

    judges: tuple[SpanComparison, ...]
    """Each judge compared with everybody who marked."""
    ceiling: SpanComparison | None
    """Each annotator as the judge of each other; None if no two annotated the same item."""
    people: tuple[SpanComparison, ...]
    """Every pair of annotators."""
    by_question: bool
    """Whether questions are resampled; otherwise items."""
    notes: tuple[Message, ...] = ()

    def rows(self) -> list[Row]:
        """Return one row per judge or pair of annotators, aspect ("" for all) and way of averaging."""
        compared = (*self.judges, *((self.ceiling,) if self.ceiling else ()), *self.people)
        return [
            {
                "judge": one.judge,
                "people": one.human,
                "aspect": figures.aspect,
                "averaged": way,
                **figure_row(averages.recall, "recall"),
                **figure_row(averages.precision, "precision"),
                **figure_row(averages.f, "f"),
            }
            for one in compared
            for figures in (*one.aspects, *((one.overall,) if one.overall else ()))
            for way, averages in (("per_unit", figures.per_unit), ("per_answer", figures.per_answer))
        ]


@dataclass(frozen=True, slots=True)
class ComparedUnit:
    """A marked unit, and whether the other side marked any of it."""

    aspect: str
    span: Span
    by: tuple[str, ...]
    """The annotators who marked it, or the judge."""
    met: bool
    """Whether it overlaps a unit of the other side."""


@dataclass(frozen=True, slots=True)
class MarkDisagreement:
    """An answer in which the judge and people marked different units."""

    item: str
    f: float
    """By characters, over all aspects and annotators; 0 if only one side marked anything."""
    people: tuple[ComparedUnit, ...]
    judge: tuple[ComparedUnit, ...]
    people_differ: bool
    """Whether only some of the people marked anything, in one of the aspects."""


@dataclass(frozen=True, slots=True)
class MarkCounts:
    """Who marked anything, over the combinations of an item and an annotator."""

    aspect: str
    both: int
    judge_only: int
    people_only: int
    neither: int
    agreement: Estimate
    """Share of combinations that both or neither marked, with Wilson's interval."""


@dataclass(frozen=True, slots=True)
class MarkDisagreements:
    """One judge's marks compared with people's, and the answers in which they differ most."""

    judge: str
    counts: tuple[MarkCounts, ...]
    """One per aspect."""
    found: int
    """Number of answers that differ, of which the first are listed."""
    listed: tuple[MarkDisagreement, ...]
    """Those with the lowest F first."""
