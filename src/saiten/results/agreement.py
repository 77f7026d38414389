"""Records of agreement among people."""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.choices import Level
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.stats.interrater.agreement import AgreementAmong
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Unanimity:
    """Questions in which a given number of annotators picked the same answer."""

    annotators: int
    agreed: Mapping[int, int]
    """Largest number of annotators with the same pick → questions; from all annotators down to 1 (no two agree)."""


@dataclass(frozen=True, slots=True)
class AspectAgreement:
    """Agreement among people on one aspect."""

    aspect: str
    """The aspect's name; may be empty."""
    levels: tuple[Level, ...]
    """Levels of measurement: by default nominal for two values or words, ordinal and interval for grades."""
    items: int
    """Number of items labeled by annotators."""
    labels: int
    """Number of labels by annotators."""
    adjudicated: int
    """Number of items with an adjudicated label."""
    rates: Mapping[str, Mapping[str, int]]
    """Annotator → value → count, in ascending order of values; unnamed annotators are one annotator ""."""
    figures: AgreementAmong
    """The figures, with their intervals."""
    of_numbers: Message | None = None
    """Remark on each figure if the labels are marks: the values are numbers of spans."""
    questions: int | None = None
    """Number of questions, if known or if the items are pairs of answers; the intervals resample them."""
    unanimity: tuple[Unanimity, ...] = ()
    """For preferences: how many annotators pick the same answer, by question."""
    notes: tuple[Message, ...] = ()
    """Notes on omissions and on how to read the figures."""

    def named_figures(self) -> dict[str, Estimate]:
        """Return the figures that these levels allow, by key."""
        figures = self.figures
        found = {"percent": figures.percent, "percent_by_chance": figures.by_chance, "kappa": figures.kappa}
        if self.levels != ("nominal",):
            found |= {"kappa_linear": figures.kappa_linear, "kappa_quadratic": figures.kappa_quadratic}
        found["fleiss_kappa"] = figures.fleiss
        return found | {f"alpha_{level}": getattr(figures, level) for level in self.levels}


@dataclass(frozen=True, slots=True)
class AgreementReport(AsRows):
    """Agreement among people on each aspect."""

    aspects: tuple[AspectAgreement, ...]
    """In order of first occurrence, or as requested."""
    by_question: bool
    """Whether the intervals resample questions instead of items."""

    def rows(self) -> list[Row]:
        """Return one row per aspect and figure."""
        return [
            {"aspect": one.aspect, "figure": name, **figure_row(figure), "n": figure.n}
            for one in self.aspects
            for name, figure in one.named_figures().items()
        ]
