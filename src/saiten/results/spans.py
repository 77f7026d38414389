"""Marked spans compared with those of people: the records."""

from dataclasses import dataclass, field

from saiten.results.meta_evaluation import Unpaired
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Averages:
    """Recall, precision and F, averaged in one of the two ways."""

    recall: Estimate
    """n: the people's units, or the answers that have some."""
    precision: Estimate
    """n: the judge's units, or the answers that have some."""
    f: Estimate
    """n: the combinations."""


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Recall, precision and F of one aspect, or of several together."""

    aspect: str
    """Its name; "" for all of them together."""
    combinations: int
    """Items times annotators in which one of the two sides marked something."""
    empty: int
    """Those in which neither did: left out."""
    human: int
    judge: int
    pairs: int
    adrift: tuple[int, int]
    """Units without offsets, of the people and of the judge."""
    per_unit: Averages
    """Every unit weighs the same."""
    per_answer: Averages
    """Every answer weighs the same; of several aspects together, every combination of an answer."""


@dataclass(frozen=True, slots=True)
class SpanComparison:
    """One judge (or person) against people."""

    judge: str
    human: str
    """`people`, or one annotator."""
    aspects: tuple[SpanFigures, ...]
    overall: SpanFigures | None
    """The four combinations together; of labels without them all aspects; None where there is only one."""
    empties: tuple[int, int, int, int, int] | None
    """Answers (times annotators) by how many of their four combinations neither side marked, 0 to 4; None without all
    four."""
    unlabelled: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Items that the judge marked, or found nothing in, and people did not look at."""
    unmatched: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Items that people looked at and the judge did not."""


@dataclass(frozen=True, slots=True)
class SpanReport(AsRows):
    """The whole of it, from which all outputs are made."""

    judges: tuple[SpanComparison, ...]
    """Each judge against everybody who marked."""
    ceiling: SpanComparison | None
    """Each annotator as the judge of each other; None where no two looked at the same thing."""
    people: tuple[SpanComparison, ...]
    """Every two annotators."""
    by_question: bool
    """Whether questions are resampled; else items."""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[Row]:
        """Return one row per judge or pair of annotators, aspect (all together: "") and way to average."""
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
